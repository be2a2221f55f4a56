"""Streams of other people's clients, read by those clients themselves from a server on loopback."""

from __future__ import annotations

import asyncio
import gc
import json
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any

import httpx
import pytest
from anthropic import AsyncAnthropic
from google.genai import Client
from google.genai.types import HttpOptions
from openai import AsyncOpenAI, OpenAI
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

from cadenza import MemoryTarget, Settings, from_stream, say
from cadenza.concurrency.stops import Stops
from cadenza.errors import CadenzaError, ErrorKind, InputError, ProviderError
from cadenza.types import (
    Broke,
    Chunk,
    Completed,
    Failed,
    Finished,
    NeedsTools,
    Stopped,
    StopReason,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
from tests.helpers import written_by_the_bot
from tests.loopback import Act, Answer, Loopback, serving
from tests.models.client_items import CLAUDE, CLAUDE_SAID, COMPLETIONS, RESPONSE, candidate
from tests.models.recorded import joined

AT_ONCE = Settings.of(degree=1)
ASKED: Any = [{"role": "user", "content": "Weather?"}]


def events(items: list[dict[str, Any]], *, named: bool = False, done: bool = False) -> Answer:
    body = b""
    for item in items:
        body += b"event: %b\n" % item["type"].encode() if named else b""
        body += b"data: " + json.dumps(item).encode() + b"\n\n"
    return Answer((body + (b"data: [DONE]\n\n" if done else b""),))


def openai(url: str) -> AsyncOpenAI:
    return AsyncOpenAI(base_url=url + "/v1", api_key="k", max_retries=0)


async def heard(stream: Any) -> list[Chunk]:
    return joined([chunk async for chunk in from_stream(stream)])


# --- the clients ---------------------------------------------------------------------------


@pytest.mark.parametrize(("items", "chunks"), COMPLETIONS)
async def test_chat_completions_of_openai(items: list[dict[str, Any]], chunks: list[Chunk]) -> None:
    async with serving(events(items, done=True)) as server, openai(server.url) as client:
        opening = client.chat.completions.create(model="gpt-5.1", messages=ASKED, stream=True)

        assert chunks == await heard(opening)


async def test_the_helper_of_openai() -> None:
    items, chunks = COMPLETIONS[2].values
    async with serving(events(items, done=True)) as server, openai(server.url) as client:  # type: ignore[arg-type]
        manager = client.chat.completions.stream(model="gpt-5.1", messages=ASKED)

        assert chunks == await heard(manager)


async def test_responses_of_openai() -> None:
    async with serving(events(RESPONSE, named=True)) as server, openai(server.url) as client:
        chunks = await heard(client.responses.create(model="gpt-5.1", input="Weather?", stream=True))

    assert [
        ThoughtDelta("Weather?\n\nAsk."),
        TextDelta("Let me look 😀"),
        Usage(20, 9, 8, 4),
        ToolCall("call_1", "weather", '{"city":"Oslo"}'),
        Finished("tool_calls"),
    ] == chunks


async def test_a_client_that_blocks_works_too() -> None:
    items, chunks = COMPLETIONS[0].values
    async with serving(events(items, done=True)) as server:  # type: ignore[arg-type]
        with OpenAI(base_url=server.url + "/v1", api_key="k", max_retries=0) as client:
            stream = await asyncio.to_thread(
                client.chat.completions.create, model="gpt-5.1", messages=ASKED, stream=True
            )
            assert chunks == await asyncio.to_thread(asyncio.run, heard(stream))


@pytest.mark.parametrize("helper", [False, True], ids=["raw", "helper"])
async def test_anthropic(helper: bool) -> None:  # noqa: FBT001  # a table of two
    async with (
        serving(events(CLAUDE, named=True)) as server,
        AsyncAnthropic(base_url=server.url, api_key="k") as client,
    ):
        asked: Any = {"model": "claude", "max_tokens": 100, "messages": ASKED}
        stream = client.messages.stream(**asked) if helper else client.messages.create(**asked, stream=True)

        assert CLAUDE_SAID == await heard(stream)


async def test_the_text_of_anthropic_s_helper_alone() -> None:
    async with (
        serving(events(CLAUDE, named=True)) as server,
        AsyncAnthropic(base_url=server.url, api_key="k") as client,
        client.messages.stream(model="claude", max_tokens=100, messages=ASKED) as stream,
    ):
        chunks = await heard(stream.text_stream)

    assert [TextDelta("Let me 😀 look."), Finished("end_of_stream")] == chunks


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the client's own making
async def test_google() -> None:
    counted = {"usageMetadata": {"promptTokenCount": 20, "candidatesTokenCount": 9}}
    call = {"functionCall": {"name": "weather", "args": {"city": "Oslo"}}}
    items = [candidate({"text": "Let me "}), candidate({"text": "look 😀"}), candidate(call), {**candidate(finish="STOP"), **counted}]  # fmt: skip
    async with serving(events(items)) as server:
        options = HttpOptions(base_url=server.url, async_client_args={"trust_env": False})
        client = Client(api_key="k", http_options=options)
        chunks = await heard(client.aio.models.generate_content_stream(model="gemini", contents="Weather?"))
        await client.aio.aclose()
        client.close()

    assert [
        TextDelta("Let me look 😀"),
        Usage(20, 9),
        ToolCall("weather-0", "weather", '{"city": "Oslo"}'),
        Finished("tool_calls"),
    ] == chunks


async def test_an_agent_of_pydantic_ai_runs_its_own_tools() -> None:
    agent = Agent(TestModel(custom_output_text="Sunny in Oslo."))

    @agent.tool_plain
    def weather() -> str:
        return "sunny"

    chunks = await heard(agent.run_stream_events("Weather?"))
    streamed = await heard(agent.run_stream("Weather?"))

    assert [TextDelta("Sunny in Oslo.")] == [chunk for chunk in chunks if isinstance(chunk, TextDelta)]
    assert not [chunk for chunk in chunks if isinstance(chunk, ToolCall)]
    assert [TextDelta("Sunny in Oslo."), Finished("end_of_stream")] == streamed


async def test_langchain() -> None:
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage

    def model() -> GenericFakeChatModel:
        return GenericFakeChatModel(messages=iter([AIMessage("Sunny in Oslo.")]))

    said = [TextDelta("Sunny in Oslo."), Finished("end_of_stream")]
    assert said == await heard(model().astream("Weather?"))
    assert said == await heard(model().astream_events("Weather?", version="v2"))


# --- answers that were not streamed ----------------------------------------------------------

WHOLE_COMPLETION = {
    "id": "1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Look 😀"}, "finish_reason": "length"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
}
WHOLE_RESPONSE = {
    "id": "r",
    "object": "response",
    "created_at": 1,
    "model": "m",
    "status": "completed",
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "output": [
        {"type": "reasoning", "id": "t", "summary": [{"type": "summary_text", "text": "Hm."}]},
        {
            "type": "message",
            "id": "m",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "Look 😀", "annotations": []}],
        },
        {"type": "function_call", "id": "f", "call_id": "c", "name": "weather", "arguments": '{"city":"Oslo"}'},
    ],
}
WHOLE_MESSAGE = {
    "id": "m",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [
        {"type": "thinking", "thinking": "Hm.", "signature": "s"},
        {"type": "text", "text": "Look 😀"},
        {"type": "tool_use", "id": "c", "name": "weather", "input": {"city": "Oslo"}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 3, "output_tokens": 2},
}
SAID_AT_ONCE = [ThoughtDelta("Hm."), TextDelta("Look 😀")]


def whole(answer: dict[str, Any]) -> Answer:
    return Answer.of(json.dumps(answer).encode())


@pytest.mark.parametrize("awaited", [False, True], ids=["as it is", "awaited"])
async def test_whoever_forgot_to_stream_is_understood_all_the_same(awaited: bool) -> None:  # noqa: FBT001  # a table of two
    async with serving(whole(WHOLE_COMPLETION)) as server, openai(server.url) as client:
        opening: Any = client.chat.completions.create(model="gpt-5.1", messages=ASKED)
        chunks = await heard(await opening if awaited else opening)

    assert [TextDelta("Look 😀"), Usage(3, 2), Finished("length")] == chunks


async def test_a_whole_response_of_openai() -> None:
    async with serving(whole(WHOLE_RESPONSE)) as server, openai(server.url) as client:
        chunks = await heard(client.responses.create(model="gpt-5.1", input="Weather?"))

    assert [*SAID_AT_ONCE, ToolCall("c", "weather", '{"city":"Oslo"}'), Finished("tool_calls")] == chunks


async def test_a_whole_message_of_anthropic() -> None:
    async with (
        serving(whole(WHOLE_MESSAGE)) as server,
        AsyncAnthropic(base_url=server.url, api_key="k") as client,
    ):
        chunks = await heard(client.messages.create(model="claude", max_tokens=100, messages=ASKED))

    assert [*SAID_AT_ONCE, Usage(3, 2), ToolCall("c", "weather", '{"city": "Oslo"}'), Finished("tool_calls")] == chunks


async def test_a_whole_answer_may_be_a_dictionary() -> None:
    assert [TextDelta("Look 😀"), Usage(3, 2), Finished("length")] == await heard(WHOLE_COMPLETION)


# --- all of it through say -------------------------------------------------------------------


async def test_a_client_s_stream_is_said() -> None:
    items, _ = COMPLETIONS[2].values
    target = MemoryTarget()
    async with serving(events(items, done=True)) as server, openai(server.url) as client:  # type: ignore[arg-type]
        result = await say(target, client.chat.completions.create(model="gpt-5.1", messages=ASKED, stream=True))

    calls = (ToolCall("call_a", "weather", '{"city": "Oslo"}'), ToolCall("call_b", "time", '{"zone": "CET"}'))
    assert (["Let me look."], NeedsTools(calls)) == (target.texts, result.outcome)
    assert Usage(20, 9, 8, 4) == result.usage


BEGUN = b'data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"One.\\nTwo"},"finish_reason":null}]}\n\n'
BEGUN_BY_CLAUDE = events(CLAUDE[:9], named=True).steps[0]


def ask_openai(url: str) -> tuple[Any, Callable[[], Awaitable[None]]]:
    client = openai(url)
    return client.chat.completions.create(model="gpt-5.1", messages=ASKED, stream=True), client.close


def ask_openai_s_helper(url: str) -> tuple[Any, Callable[[], Awaitable[None]]]:
    client = openai(url)
    return client.chat.completions.stream(model="gpt-5.1", messages=ASKED), client.close


def ask_anthropic(url: str) -> tuple[Any, Callable[[], Awaitable[None]]]:
    client = AsyncAnthropic(base_url=url, api_key="k", max_retries=0)
    return client.messages.create(model="m", max_tokens=9, messages=ASKED, stream=True), client.close


def ask_anthropic_s_helper(url: str) -> tuple[Any, Callable[[], Awaitable[None]]]:
    client = AsyncAnthropic(base_url=url, api_key="k", max_retries=0)
    return client.messages.stream(model="m", max_tokens=9, messages=ASKED), client.close


CLIENTS = [
    pytest.param(ask_openai, BEGUN, id="openai"),
    pytest.param(ask_openai_s_helper, BEGUN, id="openai helper"),
    pytest.param(ask_anthropic, BEGUN_BY_CLAUDE, id="anthropic"),
    pytest.param(ask_anthropic_s_helper, BEGUN_BY_CLAUDE, id="anthropic helper"),
]


@asynccontextmanager
async def stalling(body: bytes) -> AsyncIterator[Loopback]:
    async with serving(Answer((body, Act.STALL))) as server:
        yield server


@pytest.mark.parametrize(("ask", "body"), CLIENTS)
async def test_a_listener_who_leaves_hangs_up(ask: Any, body: bytes) -> None:
    """The client itself stays open: it is the stream that must be closed."""
    async with stalling(body) as server:
        stream, close = ask(server.url)
        chunks = from_stream(stream)
        await anext(chunks)
        await chunks.aclose()

        await asyncio.wait_for(server.quiet(), 5)
        await close()


async def noting(stream: Any, event: asyncio.Event) -> AsyncIterator[Chunk]:
    """*stream*, and the news that its first words have come."""
    async with aclosing(from_stream(stream)) as chunks:
        async for chunk in chunks:
            if isinstance(chunk, TextDelta):
                event.set()
            yield chunk


@pytest.mark.parametrize(("ask", "body"), CLIENTS)
async def test_a_stop_hangs_up_and_keeps_what_was_said(ask: Any, body: bytes) -> None:
    stops = Stops()
    async with stalling(body) as server:
        stream, close = ask(server.url)
        with stops.open("turn") as handle:
            heard_first = asyncio.Event()
            saying = asyncio.create_task(
                say(MemoryTarget(), noting(stream, heard_first), settings=AT_ONCE, stop=handle)
            )
            await asyncio.wait_for(heard_first.wait(), 5)
            stops.request("turn")
            result = await saying

        await asyncio.wait_for(server.quiet(), 5)
        await close()
    assert Stopped(StopReason.USER) == result.outcome


@pytest.mark.parametrize(("ask", "body"), [CLIENTS[0], CLIENTS[2]])
async def test_a_reply_that_was_over_before_it_began_asks_nobody_and_leaves_nothing_open(ask: Any, body: bytes) -> None:
    stops = Stops()
    async with stalling(body) as server:
        stream, close = ask(server.url)
        with stops.open("turn") as handle, warnings.catch_warnings():
            warnings.simplefilter("error")
            stops.request("turn")
            result = await say(MemoryTarget(), stream, stop=handle)
            del stream
            gc.collect()
        await close()

    assert (Stopped(StopReason.USER), []) == (result.outcome, server.asked)


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        pytest.param(
            Answer.of(b'{"error": {"message": "slow down", "type": "x"}}', 429, retry_after="7"), 429, id="429"
        ),
        pytest.param(Answer.of(b'{"error": {"message": "no such key", "type": "x"}}', 401), 401, id="401"),
    ],
)
@pytest.mark.parametrize(("ask", "body"), CLIENTS)
async def test_what_a_client_raises_is_a_provider_s_error(ask: Any, body: bytes, answer: Answer, status: int) -> None:
    async with serving(answer) as server:
        stream, close = ask(server.url)
        (last,) = await heard(stream)
        await close()

    assert body
    assert isinstance(last, Failed)
    assert isinstance(last.error, ProviderError)
    assert status == last.error.status
    assert (7.0 if status == 429 else None) == last.error.retry_after


async def broken(answer: Answer, *, patience: float = 60.0) -> ProviderError:
    """The error of an answer that begins and then fails; what was said before must have arrived."""
    target = MemoryTarget()
    async with (
        serving(answer) as server,
        AsyncOpenAI(base_url=server.url, api_key="k", max_retries=0, timeout=patience) as client,
    ):
        opening = client.chat.completions.create(model="m", messages=ASKED, stream=True)
        result = await say(target, opening, settings=AT_ONCE)

    assert ["One.", "Two"] == target.texts
    assert isinstance(result.outcome, Broke)
    assert isinstance(result.outcome.error, ProviderError)
    return result.outcome.error


async def test_a_connection_that_breaks_keeps_the_text() -> None:
    error = await broken(Answer((BEGUN, Act.RESET)))

    assert ("the connection to the provider broke off; try again", True) == (str(error), error.retryable)


async def test_a_client_that_loses_patience_keeps_the_text() -> None:
    error = await broken(Answer((BEGUN, Act.STALL)), patience=0.1)

    assert (ErrorKind.TIMEOUT, True) == (error.kind, error.retryable)


async def test_what_a_provider_says_in_the_middle_of_an_answer_is_understood() -> None:
    told = b'data: {"error": {"message": "Rate limit for sk-abcdef1234567890", "code": "rate_limit_exceeded"}}\n\n'
    error = await broken(Answer((BEGUN, told)))

    assert (ErrorKind.RATE_LIMIT, True) == (error.kind, error.retryable)
    assert "abcdef" not in f"{error} {error.detail}"


def in_the_middle(kind: str) -> bytes:
    """How anthropic breaks off an answer with status 200."""
    error = {"type": "error", "error": {"type": kind, "message": "Overloaded"}, "request_id": "req_4711"}
    return b"event: error\ndata: " + json.dumps(error).encode() + b"\n\n"


@pytest.mark.parametrize(
    ("kind", "expected", "passes"),
    [
        ("overloaded_error", ErrorKind.OVERLOADED, True),
        ("rate_limit_error", ErrorKind.RATE_LIMIT, True),
        ("timeout_error", ErrorKind.TIMEOUT, True),
        ("api_error", ErrorKind.API, True),
        ("invalid_request_error", ErrorKind.API, False),
    ],
)
@pytest.mark.parametrize("ask", [ask_anthropic, ask_anthropic_s_helper], ids=["raw", "helper"])
async def test_what_anthropic_says_in_the_middle_of_an_answer_is_not_a_refusal(
    ask: Any, kind: str, expected: ErrorKind, *, passes: bool
) -> None:
    async with serving(Answer((BEGUN_BY_CLAUDE, in_the_middle(kind)))) as server:
        stream, close = ask(server.url)
        *_, last = await heard(stream)
        await close()

    assert isinstance(last, Failed)
    assert isinstance(last.error, ProviderError)
    assert (expected, kind, passes) == (last.error.kind, last.error.code, last.error.retryable)


@pytest.mark.parametrize(
    ("code", "expected"),
    [("server_error", ErrorKind.OVERLOADED), ("rate_limit_exceeded", ErrorKind.RATE_LIMIT)],
)
async def test_what_openai_says_in_the_middle_of_an_answer_passes(code: str, expected: ErrorKind) -> None:
    told = b"data: " + json.dumps({"error": {"message": "Sorry", "type": code, "code": None}}).encode() + b"\n\n"
    error = await broken(Answer((BEGUN, told)))

    assert (expected, True) == (error.kind, error.retryable)


class _ChatError(Exception):
    """As discord.py raises it: with a status that is the chat's."""

    status = 404


_ChatError.__module__ = "discord.errors"


@pytest.mark.parametrize(
    ("error", "kind", "sentence"),
    [
        pytest.param(KeyError("tea"), CadenzaError, "the stream raised KeyError; the log has its traceback", id="a mistake"),
        pytest.param(_ChatError(), CadenzaError, "the stream raised _ChatError; the log has its traceback", id="the chat's"),
        pytest.param(ConnectionResetError(), ProviderError, "the connection to the provider broke off; try again", id="a connection"),
        pytest.param(httpx.ReadError("x"), ProviderError, "the model's stream broke off (ReadError); try again", id="a client's"),
        pytest.param(httpx.ConnectError("x"), ProviderError, "the connection to the provider broke off; try again", id="a client's connection"),
        pytest.param(httpx.ReadTimeout("x"), ProviderError, "the provider took too long; try again, or shorten the conversation", id="a client's timeout"),
    ],
)  # fmt: skip
async def test_a_mistake_of_the_author_s_is_told_from_the_network(
    error: Exception, kind: type[CadenzaError], sentence: str
) -> None:
    async def broken() -> AsyncIterator[str]:
        yield "a"
        raise error

    *_, last = await heard(broken())

    assert isinstance(last, Failed)
    assert (kind, sentence, error) == (type(last.error), str(last.error), last.error.__cause__)


# --- anything else -----------------------------------------------------------------------------


class Source:
    """An iterable that can be closed, in one of the ways in which that is done."""

    def __init__(self, trouble: type[BaseException] | None = None) -> None:
        self.closed = 0
        self._trouble = trouble

    async def __aiter__(self) -> AsyncIterator[str]:
        yield "a"
        yield "b"

    async def close(self) -> None:
        self.closed += 1
        if self._trouble is not None:
            raise self._trouble


HOW_CLOSING_GOES = [
    pytest.param(None, id="well"),
    pytest.param(OSError, id="badly"),
    pytest.param(asyncio.CancelledError, id="as if we were cancelled"),
]


@pytest.mark.parametrize("trouble", HOW_CLOSING_GOES)
async def test_a_stream_is_closed_once_however_that_goes(trouble: type[BaseException] | None) -> None:
    source = Source(trouble)

    assert [TextDelta("ab"), Finished("end_of_stream")] == await heard(source)
    assert source.closed == 1


@pytest.mark.parametrize("trouble", HOW_CLOSING_GOES)
async def test_hanging_up_closes_it_likewise(trouble: type[BaseException] | None) -> None:
    source = Source(trouble)
    chunks = from_stream(source)
    await anext(chunks)

    await chunks.aclose()

    assert source.closed == 1


async def test_a_stream_is_closed_when_the_model_said_that_it_was_done() -> None:
    closed = False

    async def endless() -> AsyncIterator[str | Chunk]:
        nonlocal closed
        try:
            yield "a"
            yield Finished("length")
            await asyncio.Event().wait()
        finally:
            closed = True

    assert [TextDelta("a"), Finished("length")] == await heard(endless())
    assert closed


async def test_a_generator_of_texts_is_closed() -> None:
    closed = False

    def texts() -> Iterator[str]:
        nonlocal closed
        try:
            yield "a"
            yield "b"
        finally:
            closed = True

    chunks = from_stream(texts())
    await anext(chunks)
    await chunks.aclose()
    assert closed


@pytest.mark.parametrize("speech", ["Hi", ["H", "i"], ("Hi",), iter(["Hi"])], ids=["text", "list", "tuple", "iterator"])
async def test_what_is_there_already_can_be_said(speech: Any) -> None:
    assert [TextDelta("Hi"), Finished("end_of_stream")] == await heard(speech)


async def test_an_error_of_ours_is_handed_on() -> None:
    error = ProviderError("no tea left")

    async def broken() -> AsyncIterator[str]:
        yield "a"
        raise error

    assert [TextDelta("a"), Failed(error)] == await heard(broken())


class _OverQuotaError(Exception):
    """As clients raise it."""

    status_code = 429


@pytest.mark.parametrize("kind", [KeyError, _OverQuotaError, ConnectionError])
async def test_an_error_of_somebody_else_is_the_cause_of_ours_and_logged_but_not_repeated(
    caplog: pytest.LogCaptureFixture, kind: type[Exception]
) -> None:
    async def broken() -> AsyncIterator[str]:
        yield "a"
        msg = "bad key sk-secret-00112233"
        raise kind(msg)

    result = await say(MemoryTarget(), broken(), settings=AT_ONCE)
    assert isinstance(result.outcome, Broke)
    assert isinstance(result.outcome.error.__cause__, kind)
    assert "secret" not in str(result.outcome.error)
    shown = written_by_the_bot(caplog.records)
    assert "in broken" in shown
    assert "Traceback" in shown
    assert "secret" not in shown


@pytest.mark.parametrize(
    ("speech", "advice"),
    [
        pytest.param(4, "not int; pass what the client returns", id="a number"),
        pytest.param(None, "not NoneType; pass what the client returns", id="nothing"),
        pytest.param(object(), "not object; pass what the client returns", id="an object"),
        pytest.param(from_stream, "not function; call it first", id="a function"),
        pytest.param(b"Hi", "not bytes", id="bytes"),
        pytest.param({"Hi": 1}, "not dict", id="a dictionary of somebody's"),
    ],
)
async def test_what_is_no_stream_is_refused(speech: Any, advice: str) -> None:
    with pytest.raises(InputError, match=advice):
        await heard(speech)


async def coroutine() -> str:
    return "Hi"


async def generator() -> AsyncIterator[str]:
    yield "Hi"


@pytest.mark.parametrize("speak", [coroutine, generator, lambda: (word for word in ["Hi"])], ids=["coroutine", "asynchronous", "generator"])  # fmt: skip
async def test_a_stream_that_was_read_already_is_not_taken_for_silence(speak: Callable[[], Any]) -> None:
    speech = speak()
    assert [TextDelta("Hi"), Finished("end_of_stream")] == await heard(speech)

    with pytest.raises(InputError, match="has been read already; ask the model again"):
        await heard(speech)


async def test_a_stream_of_something_else_breaks_the_reply() -> None:
    async def words() -> AsyncIterator[Any]:
        yield "One.\n"
        await asyncio.sleep(0.1)
        yield 4

    target = MemoryTarget()
    result = await say(target, words(), settings=AT_ONCE)

    assert isinstance(result.outcome, Broke)
    assert isinstance(result.outcome.error, InputError)
    assert ["One."] == target.texts


async def test_a_listener_who_is_cancelled_is_cancelled() -> None:
    async def silent() -> AsyncIterator[str]:
        await asyncio.Event().wait()
        yield ""

    listening = asyncio.create_task(heard(silent()))
    await asyncio.sleep(0)
    listening.cancel()
    with suppress(asyncio.CancelledError):
        await listening
    assert listening.cancelled()


async def test_it_can_be_closed_again_and_says_no_more() -> None:
    chunks = from_stream("Hi")
    await chunks.aclose()
    await chunks.aclose()

    assert [] == [chunk async for chunk in chunks]


async def test_a_plain_text_ends_the_reply_well() -> None:
    assert Completed("end_of_stream") == (await say(MemoryTarget(), "Hi")).outcome


async def test_an_error_that_is_raised_before_it_begins_does_not_leave_the_stream_open() -> None:
    source = Source()
    chunks = from_stream(source)

    with pytest.raises(KeyError):
        await chunks.athrow(KeyError())
    await chunks.aclose()

    assert 1 == source.closed


class Door:
    """Lets nothing out that was raised behind it."""

    def __init__(self, *items: object) -> None:
        self._items = items

    async def __aenter__(self) -> AsyncIterator[object]:
        async def items() -> AsyncIterator[object]:
            for item in self._items:
                yield item

        return items()

    async def __aexit__(self, *error: object) -> bool:
        return True


async def test_a_door_that_keeps_everything_in_does_not_keep_whoever_hangs_up() -> None:
    chunks = from_stream(Door("a", "b"))  # type: ignore[arg-type]  # it promises less than it is
    assert TextDelta("a") == await anext(chunks)

    await chunks.aclose()

    assert [] == [chunk async for chunk in chunks]


async def test_nor_does_it_hide_that_nobody_knows_what_comes_out_of_it() -> None:
    with pytest.raises(InputError):
        await heard(Door(object()))
