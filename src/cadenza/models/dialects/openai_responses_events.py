"""OpenAI's response events: how an answer of the Responses API is read.

An answer is a row of items (reasoning, messages, calls), each begun, filled and ended by events. There are dozens of
kinds of event; those that say nothing we need are known by their names and not even decoded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from ...errors import ErrorKind
from ...types import Chunk, Failed, Finished, Opaque, RawEvent, TextDelta, ThoughtDelta, ToolCall, Usage
from ..error_kind import failure, reported
from .call_arguments import as_json_text, tool_call
from .dialect import EventReader
from .paragraphs import Paragraphs

_READ = frozenset(
    {
        "",  # some servers leave the name out
        "message",  # or say what a missing one means
        "response.output_text.delta",
        "response.refusal.delta",
        "response.reasoning_summary_part.added",
        "response.reasoning_summary_text.delta",
        "response.reasoning_text.delta",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_item.added",
        "response.output_item.done",
        "response.completed",
        "response.incomplete",
        "response.failed",
        "error",
    }
)


class _InputDetails(msgspec.Struct, gc=False):
    cached_tokens: int | None = None


class _OutputDetails(msgspec.Struct, gc=False):
    reasoning_tokens: int | None = None


class _Usage(msgspec.Struct, gc=False):
    input_tokens: int | None = None
    output_tokens: int | None = None
    input_tokens_details: _InputDetails | None = None
    output_tokens_details: _OutputDetails | None = None


class _Incomplete(msgspec.Struct, gc=False):
    reason: str | None = None


class _Response(msgspec.Struct, gc=False):
    usage: _Usage | None = None
    incomplete_details: _Incomplete | None = None
    error: Any = None


class _Content(msgspec.Struct, gc=False):
    text: str | None = None
    refusal: str | None = None


class _Item(msgspec.Struct, gc=False):
    type: str = ""
    id: str | None = None
    status: str | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None
    phase: str | None = None
    content: list[_Content] | None = None
    summary: Any = None
    encrypted_content: str | None = None


class _Event(msgspec.Struct, gc=False):
    type: str = ""
    delta: str | None = None
    output_index: int = 0
    item: _Item | None = None
    arguments: str | None = None
    response: _Response | None = None
    code: str | int | None = None
    message: str | None = None
    error: Any = None


_EVENTS = msgspec.json.Decoder(_Event)


@dataclass(slots=True)
class _Call:
    """A call that has begun."""

    id: str
    name: str
    pieces: list[str] = field(default_factory=list)
    is_whole: bool = False


class ResponsesDecoder(EventReader[_Event]):
    """Reads the events of one answer.

    A refusal is what the model says to the person who asked, in whole sentences, so it is text like any other and the
    answer is finished: nothing is hidden, and asking another model would answer twice. Where the *provider* takes the
    words away (``content_filter``) the answer has failed, after what was said before.

    Two messages in one answer are two paragraphs, and so are two parts of a summary of thoughts: a blank line is put
    between them. A call without an id gets one of its name and number, counted from *first*.
    """

    def __init__(self, vendor: str, model: str, owner: str, *, first: int = 0) -> None:
        super().__init__(_EVENTS, vendor)
        self._model = model
        self._owner = owner
        self._calls: dict[int, _Call] = {}
        self._kept: list[Mapping[str, object]] = []
        """What goes back before the next call: reasoning, and the place of a message among it."""
        self._text = Paragraphs()
        self._thoughts = Paragraphs()
        self._has_spoken = False
        """Whether anything of the present message was heard."""
        self._first = self._number = first

    @property
    def is_calling(self) -> bool:
        """Whether a call is being written."""
        return bool(self._calls)

    def feed(self, event: RawEvent, /) -> Sequence[Chunk]:
        """Read *event*, if its name is one of those that matter."""
        if event.name not in _READ or event.data == b"[DONE]":
            if event.name.startswith("response."):
                self._has_read = True
            elif event.name and not self._has_read:
                self.skipped += 1
            return ()
        return super().feed(event)

    def knows(self, value: _Event) -> bool:
        """Whether *value* is one of the Responses' events."""
        return value.type.startswith(("response.", "error")) or value.error is not None or value.message is not None

    def read(self, value: _Event) -> Sequence[Chunk]:
        """What one event comes to."""
        match value.type:
            case "response.output_text.delta" | "response.refusal.delta":
                return self._on_text(value.delta or "")
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                return self._on_thought(value.delta or "")
            case "response.function_call_arguments.delta" if value.output_index in self._calls:
                self._calls[value.output_index].pieces.append(value.delta or "")
            case "response.function_call_arguments.done" if value.output_index in self._calls:
                self._on_arguments(self._calls[value.output_index], value.arguments)
            case "response.reasoning_summary_part.added":
                self._thoughts.begin()
            case "response.output_item.added" if value.item is not None:
                self._on_item(value.item, value.output_index)
            case "response.output_item.done" if value.item is not None:
                return self._on_item_end(value.item, value.output_index)
            case "response.completed" | "response.incomplete" | "response.failed":
                return self._on_end(value.type, value.response or _Response())
            case "error":
                said = value.error or {"code": value.code, "message": value.message}
                return (Failed(reported({"error": said}, vendor=self._vendor)),)
            case "" if value.error:
                return (Failed(reported({"error": value.error}, vendor=self._vendor)),)
            case _:
                pass
        return ()

    def rest(self) -> Sequence[Chunk]:
        """The calls that were still open."""
        return [call for index in sorted(self._calls) for call in self._closed(self._calls.pop(index))]

    def _on_text(self, text: str) -> Sequence[Chunk]:
        if not text:
            return ()
        self._has_spoken = True
        return (TextDelta(self._text.add(text)),)

    def _on_thought(self, text: str) -> Sequence[Chunk]:
        return (ThoughtDelta(self._thoughts.add(text)),) if text else ()

    @staticmethod
    def _on_arguments(call: _Call, arguments: str | None) -> None:
        if arguments is not None:
            call.pieces = [arguments]
        call.is_whole = True

    def _on_item(self, item: _Item, index: int) -> None:
        match item.type:
            case "message":
                self._text.begin()
                self._has_spoken = False
            case "reasoning":
                self._thoughts.begin()
            case "function_call":
                self._calls[index] = _Call(item.call_id or item.id or "", item.name or "", [item.arguments or ""])
            case _:
                pass

    def _on_item_end(self, item: _Item, index: int) -> Sequence[Chunk]:
        match item.type:
            case "message":
                self._kept.append({"type": "message", **({"phase": item.phase} if item.phase else {})})
                return () if self._has_spoken else self._on_text(_words(item))
            case "reasoning" if item.encrypted_content and item.id:
                summary = item.summary if isinstance(item.summary, list) else []
                kept = {"type": "reasoning", "id": item.id, "summary": summary}
                self._kept.append({**kept, "encrypted_content": item.encrypted_content})
            case "function_call":
                return self._called(item, index)
            case _:
                pass
        return ()

    def _called(self, item: _Item, index: int) -> Sequence[ToolCall]:
        """The call that *item* says: its last word counts, and what was heard before where it says nothing."""
        heard = self._calls.pop(index, None) or _Call("", "")
        call = _Call(item.call_id or heard.id or item.id or "", item.name or heard.name, heard.pieces)
        self._on_arguments(call, item.arguments)
        call.is_whole = item.status != "incomplete"
        return self._closed(call)

    def _closed(self, call: _Call) -> Sequence[ToolCall]:
        """The call, if it calls anything."""
        if not call.name:
            return ()
        identity = call.id or f"{call.name}-{self._number}"
        self._number += 1
        made = tool_call(identity, call.name, "".join(call.pieces), self._state())
        return (made if call.is_whole else replace(made, is_truncated=True),)

    def _state(self) -> Opaque | None:
        """What goes back with the next call; nothing if there is no reasoning among it."""
        kept, self._kept = self._kept, []
        if all(item["type"] == "message" and "phase" not in item for item in kept):
            return None
        return Opaque(self._owner, as_json_text({"model": self._model, "items": kept}))

    def _on_end(self, how: str, response: _Response) -> Sequence[Chunk]:
        """The calls that nobody closed, the counts, and why it ended; nothing follows."""
        calls = self.rest()
        usage = [_usage(response.usage)] if response.usage else []
        return [*calls, *usage, self._end(how, response)]

    def _end(self, how: str, response: _Response) -> Finished | Failed:
        if how == "response.failed":
            return Failed(reported({"error": response.error}, vendor=self._vendor))
        if how == "response.completed":
            return Finished("tool_calls" if self._number > self._first else "stop")
        reason = response.incomplete_details.reason if response.incomplete_details else None
        if reason != "content_filter":
            return Finished("length")
        detail = "the answer was stopped by the provider's content filter"
        return Failed(failure(detail, vendor=self._vendor, kind=ErrorKind.CONTENT_BLOCKED, code=reason))


def _words(item: _Item) -> str:
    return "".join(part.text or part.refusal or "" for part in item.content or ())


def _usage(usage: _Usage) -> Usage:
    read, wrote = usage.input_tokens_details, usage.output_tokens_details
    return Usage(
        input_tokens=usage.input_tokens or 0,
        output_tokens=usage.output_tokens or 0,
        cached_tokens=(read.cached_tokens if read else None) or 0,
        thought_tokens=(wrote.reasoning_tokens if wrote else None) or 0,
    )
