"""A model server on loopback for the official clients: it says what a test tells it to, in whichever dialect it is asked.

It speaks chat completions and responses of OpenAI and messages of Anthropic, streamed and whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tests.loopback import Answer, Asked, Step, serving
from tests.models import client_items as items

Call: TypeAlias = tuple[str, dict[str, Any]]
"""The name of a tool, and its arguments."""
_TOKEN = re.compile(r"\S+\s*|\s+")
_OVERLOADED = "The server is currently overloaded with other requests."


@dataclass(frozen=True, slots=True)
class Says:
    """An answer: text token by token, then calls of tools. A ``Pause`` or an event between texts is waited for."""

    text: str | tuple[str | Step, ...] = ""
    calls: tuple[Call, ...] = ()
    is_broken: bool = False
    """Whether it ends as an overload does that comes in the middle of an answer."""

    @property
    def parts(self) -> Iterator[str | Step]:
        """Tokens, and what is waited for."""
        for part in (self.text,) if isinstance(self.text, str) else self.text:
            yield from _TOKEN.findall(part) if isinstance(part, str) else (part,)

    @property
    def whole(self) -> str:
        """The text."""
        return "".join(part for part in self.parts if isinstance(part, str))


@dataclass(frozen=True, slots=True)
class Refuses:
    """A refusal, which clients are told not to try again."""

    status: int
    message: str
    kind: str = "invalid_request_error"


RATE_LIMITED = Refuses(
    429,
    "Rate limit reached for gpt-5.1 in organization org-Qm41vZ7rTtE2 on tokens per min (TPM): Limit 30000, Used 30000. "
    "Please try again in 20s. Visit https://platform.openai.com/account/rate-limits to learn more.",
    "rate_limit_exceeded",
)
"""What OpenAI says, with an id and an address that people in a channel must never see."""


@dataclass(frozen=True, slots=True)
class Question:
    """A request of a client."""

    path: str
    body: dict[str, Any]

    @property
    def said(self) -> list[tuple[str, str]]:
        """The conversation that the model was sent: role and text of each message."""
        messages = self.body.get("messages") or self.body.get("input") or ()
        messages = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
        return [(each.get("role", each.get("type")), _text(each)) for each in messages]

    @property
    def tools(self) -> list[str]:
        """The names of the tools that the model was offered."""
        return [tool.get("function", tool)["name"] for tool in self.body.get("tools", ())]


Script: TypeAlias = Callable[[Question], Says | Refuses]


@dataclass(frozen=True, slots=True)
class ModelServer:
    """A running server."""

    url: str
    asked: list[Question] = field(default_factory=list)

    @property
    def environment(self) -> Mapping[str, str]:
        """What leads the official clients here."""
        return {
            "OPENAI_API_KEY": "sk-of-a-test",
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "ANTHROPIC_API_KEY": "sk-ant-of-a-test",
            "ANTHROPIC_BASE_URL": self.url,
        }


@asynccontextmanager
async def model_server(script: Script | Iterable[Says | Refuses]) -> AsyncIterator[ModelServer]:
    """Serve *script*: an answer for each request in their order, or a function; a request too many is refused."""
    asked: list[Question] = []
    choose = script if callable(script) else _in_order(script)

    def answer(request: Asked) -> Answer:
        question = Question(request.path, json.loads(request.body or b"{}"))
        asked.append(question)
        return _answer(question, choose(question))

    async with serving(answer) as loopback:
        yield ModelServer(loopback.url, asked)


def _in_order(answers: Iterable[Says | Refuses]) -> Script:
    waiting = list(answers)
    return lambda _: waiting.pop(0) if waiting else Refuses(400, "The model was asked once more than the test expects.")


def _text(message: dict[str, Any]) -> str:
    content = message.get("content", message.get("output")) or ""
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", part.get("content", ""))) for part in content)


def _answer(question: Question, answer: Says | Refuses) -> Answer:
    dialect = next((end for end in _DIALECTS if question.path.partition("?")[0].endswith(end)), "")
    if not dialect:
        answer = Refuses(404, f"There is nothing at {question.path}.")
    if isinstance(answer, Refuses):
        error = {"message": answer.message, "type": answer.kind, "code": answer.kind, "param": None}
        body = {"type": "error", "error": error}  # OpenAI's clients read the inner one, Anthropic's both
        return Answer.of(json.dumps(body).encode(), answer.status, x_should_retry="false")
    stream, whole = _DIALECTS[dialect]
    if question.body.get("stream"):
        return Answer(list(stream(answer)))
    return Answer.of(json.dumps(whole(answer)).encode())


def _data(event: dict[str, Any]) -> bytes:
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n".encode()


def _ids(answer: Says, prefix: str) -> Iterator[tuple[str, str, str]]:
    """The id, name and arguments of each call."""
    for number, (name, arguments) in enumerate(answer.calls):
        yield f"{prefix}_{number}", name, json.dumps(arguments)


# --- chat completions -----------------------------------------------------------------------------


def _completion(answer: Says) -> Iterator[Step]:
    yield _data(items.completion({"role": "assistant", "content": ""}))
    for part in answer.parts:
        yield _data(items.completion({"content": part})) if isinstance(part, str) else part
    if answer.is_broken:
        yield _data({"error": {"message": _OVERLOADED, "type": "server_error", "code": "overloaded", "param": None}})
        return
    for number, (identity, name, arguments) in enumerate(_ids(answer, "call")):
        yield _data(items.completion({"tool_calls": [items.piece(number, "", name, identity)]}))
        yield _data(items.completion({"tool_calls": [items.piece(number, arguments)]}))
    yield _data(items.completion({}, "tool_calls" if answer.calls else "stop"))
    yield _data(items.completion(usage=items.USAGE))
    yield b"data: [DONE]\n\n"


def _whole_completion(answer: Says) -> dict[str, Any]:
    calls = [items.piece(None, arguments, name, identity) for identity, name, arguments in _ids(answer, "call")]
    message = {"role": "assistant", "content": answer.whole, **({"tool_calls": calls} if calls else {})}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    return {**items.completion(usage=items.USAGE), "object": "chat.completion", "choices": [choice]}


# --- messages -------------------------------------------------------------------------------------


def _messages(answer: Says) -> Iterator[Step]:
    yield _data(items.MESSAGE)
    yield _data(items.start(0, type="text", text=""))
    for part in answer.parts:
        yield _data(items.delta(0, "text_delta", text=part)) if isinstance(part, str) else part
    if answer.is_broken:
        yield _data({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
        return
    yield _data(items.stop(0))
    for number, (identity, name, arguments) in enumerate(_ids(answer, "toolu"), start=1):
        yield _data(items.start(number, type="tool_use", id=identity, name=name, input={}))
        yield _data(items.delta(number, "input_json_delta", partial_json=arguments))
        yield _data(items.stop(number))
    yield from map(_data, items.closing("tool_use" if answer.calls else "end_turn"))


def _whole_message(answer: Says) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": answer.whole}] * bool(answer.whole)
    blocks += [
        {"type": "tool_use", "id": identity, "name": name, "input": json.loads(arguments)}
        for identity, name, arguments in _ids(answer, "toolu")
    ]
    message: dict[str, Any] = items.MESSAGE["message"]  # type: ignore[assignment]  # the other value is a string
    return {**message, "content": blocks, "stop_reason": "tool_use" if answer.calls else "end_turn"}


# --- responses ------------------------------------------------------------------------------------


def _response(answer: Says) -> Iterator[Step]:
    return (
        step if not isinstance(step, dict) else _data({**step, "sequence_number": number})
        for number, step in enumerate(_response_events(answer))
    )


def _response_events(answer: Says) -> Iterator[dict[str, Any] | Step]:
    said = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": []}
    at = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    yield items.event("created", 0, response=items.whole("in_progress", usage=None))
    if answer.text:
        yield items.event("output_item.added", 0, output_index=0, item={**said, "status": "in_progress"})
        for part in answer.parts:
            yield items.event("output_text.delta", 0, **at, delta=part, logprobs=[]) if isinstance(part, str) else part
        yield items.event("output_text.done", 0, **at, text=answer.whole, logprobs=[])
        said["content"] = [{"type": "output_text", "text": answer.whole, "annotations": []}]
        yield items.event("output_item.done", 0, output_index=0, item=said)
    if answer.is_broken:
        error = {"code": "server_is_overloaded", "message": _OVERLOADED}
        yield items.event("failed", 0, response=items.whole("failed", error=error))
        return
    output = [said] * bool(answer.text)
    for number, (identity, name, arguments) in enumerate(_ids(answer, "call"), start=len(output)):
        item = {**items.called(arguments, "completed"), "id": f"fc_{number}", "call_id": identity, "name": name}
        where = {"item_id": item["id"], "output_index": number}
        begun = {**item, "arguments": "", "status": "in_progress"}
        yield items.event("output_item.added", 0, output_index=number, item=begun)
        yield items.event("function_call_arguments.delta", 0, **where, delta=arguments)
        yield items.event("function_call_arguments.done", 0, **where, name=name, arguments=arguments)
        yield items.event("output_item.done", 0, output_index=number, item=item)
        output.append(item)
    yield items.event("completed", 0, response=items.whole("completed", output=output))


def _whole_response(answer: Says) -> dict[str, Any]:
    *_, last = _response_events(answer)
    assert isinstance(last, dict)
    whole: dict[str, Any] = last["response"]
    return whole


_Dialect: TypeAlias = tuple[Callable[[Says], Iterator[Step]], Callable[[Says], dict[str, Any]]]
_DIALECTS: Mapping[str, _Dialect] = {
    "/chat/completions": (_completion, _whole_completion),
    "/messages": (_messages, _whole_message),
    "/responses": (_response, _whole_response),
}
