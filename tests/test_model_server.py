"""The official clients understand the model server of the tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import anthropic
import openai
import pytest

from cadenza import Broke, Completed, MemoryTarget, NeedsTools, Post, Receipt, Reply, Settings, ToolCall, say
from tests.model_server import RATE_LIMITED, ModelServer, Says, model_server

HELLO = "Hello, Mia.\n\nA fine day, isn't it?"
QUESTION = [{"role": "user", "content": "Hi!"}]


async def _completions(server: ModelServer) -> AsyncIterator[object]:
    async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="k") as client:
        async for item in await client.chat.completions.create(model="gpt-5.1", messages=QUESTION, stream=True):
            yield item


async def _responses(server: ModelServer) -> AsyncIterator[object]:
    async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="k") as client:
        async for item in await client.responses.create(model="gpt-5.1", input=QUESTION, stream=True):
            yield item


async def _messages(server: ModelServer) -> AsyncIterator[object]:
    async with (
        anthropic.AsyncAnthropic(base_url=server.url, api_key="k") as client,
        client.messages.stream(model="claude-sonnet-5", max_tokens=1000, messages=QUESTION) as stream,
    ):
        async for item in stream:
            yield item


Client = Callable[[ModelServer], AsyncIterator[object]]
CLIENTS = pytest.mark.parametrize("client", [_completions, _responses, _messages], ids=lambda each: each.__name__[1:])


async def _said(client: Client, *answers: object) -> tuple[Reply, MemoryTarget, ModelServer]:
    target = MemoryTarget()
    async with model_server(answers) as server:
        return await say(target, client(server), settings=Settings.of(degree=1)), target, server


@CLIENTS
async def test_a_text_arrives_as_it_was_told(client: Client) -> None:
    result, _, server = await _said(client, Says(HELLO))

    assert (HELLO, [[("user", "Hi!")]]) == (result.text, [question.said for question in server.asked])
    assert isinstance(result.outcome, Completed)


@CLIENTS
async def test_calls_arrive_behind_the_text(client: Client) -> None:
    result, *_ = await _said(client, Says("Let me roll.", (("roll", {"sides": 6}), ("roll", {"sides": 20}))))

    assert isinstance(result.outcome, NeedsTools)
    calls = [(call.name, call.arguments) for call in result.outcome.calls]
    assert [("roll", '{"sides": 6}'), ("roll", '{"sides": 20}')] == calls
    assert all(isinstance(call, ToolCall) and call.id for call in result.outcome.calls)


@CLIENTS
async def test_what_breaks_off_is_an_error_behind_what_was_said(client: Client) -> None:
    result, *_ = await _said(client, Says("Hello.\n\n", is_broken=True))

    assert "Hello." in result.text
    assert isinstance(result.outcome, Broke)


@CLIENTS
async def test_a_refusal_is_not_asked_for_again(client: Client) -> None:
    result, _, server = await _said(client, RATE_LIMITED, Says("Never said."))

    assert isinstance(result.outcome, Broke)
    assert 1 == len(server.asked)


class _Opening(MemoryTarget):
    """Opens a gate with the first message."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()

    async def send(self, post: Post, /) -> Receipt:
        self.gate.set()
        return await super().send(post)


@CLIENTS
async def test_a_gate_holds_the_rest_back(client: Client) -> None:
    target = _Opening()
    async with (
        asyncio.timeout(10),
        model_server([Says(("One line.\n\nAnother.\n\n", target.gate, "The last."))]) as server,
    ):
        await say(target, client(server), settings=Settings.of(shape="lines"))

    assert ["One line.", "Another.", "The last."] == target.texts


async def _whole_completion(server: ModelServer) -> str | None:
    async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="k") as client:
        answer = await client.chat.completions.create(model="gpt-5.1", messages=QUESTION)
        return answer.choices[0].message.content


async def _whole_response(server: ModelServer) -> str:
    async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="k") as client:
        return (await client.responses.create(model="gpt-5.1", input=QUESTION)).output_text


async def _whole_message(server: ModelServer) -> str:
    async with anthropic.AsyncAnthropic(base_url=server.url, api_key="k") as client:
        answer = await client.messages.create(model="claude-sonnet-5", max_tokens=1000, messages=QUESTION)
        return "".join(block.text for block in answer.content if block.type == "text")


@pytest.mark.parametrize(
    "ask", [_whole_completion, _whole_response, _whole_message], ids=lambda each: each.__name__[1:]
)
async def test_an_answer_can_be_whole(ask: Callable[[ModelServer], Awaitable[str | None]]) -> None:
    async with model_server([Says(HELLO)]) as server:
        assert HELLO == await ask(server)


async def test_a_request_too_many_is_refused() -> None:
    async with model_server([]) as server:
        with pytest.raises(openai.BadRequestError, match="once more"):
            await _whole_completion(server)
