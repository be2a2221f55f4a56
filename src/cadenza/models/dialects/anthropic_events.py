"""Anthropic's events: how an answer of Claude is read.

An answer is a row of blocks (words, thoughts, calls, searches of its own), each begun, filled and ended by events.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import msgspec

from ...errors import ErrorKind
from ...types import Chunk, Failed, Finished, Opaque, TextDelta, ThoughtDelta, ToolCall, Usage
from ..error_kind import failure, reported
from .call_arguments import as_json_text, tool_call
from .dialect import EventReader
from .paragraphs import Paragraphs

_REASONS: Mapping[str, str] = MappingProxyType(
    {"max_tokens": "length", "model_context_window_exceeded": "length", "tool_use": "tool_calls"}
)
"""Why it ended, where that is not simply that the model was done (``end_turn``, ``stop_sequence``, ``pause_turn``)."""


class _OutputDetails(msgspec.Struct, gc=False):
    thinking_tokens: int | None = None


class _Usage(msgspec.Struct, gc=False):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    output_tokens_details: _OutputDetails | None = None


class _Message(msgspec.Struct, gc=False):
    usage: _Usage | None = None


class _Block(msgspec.Struct, gc=False):
    type: str = ""
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    id: str | None = None
    name: str | None = None
    input: Any = None


class _Delta(msgspec.Struct, gc=False):
    type: str = ""
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    partial_json: str | None = None
    stop_reason: str | None = None
    stop_details: Any = None


class _Event(msgspec.Struct, gc=False):
    type: str = ""
    index: int = 0
    delta: _Delta | None = None
    content_block: _Block | None = None
    message: _Message | None = None
    usage: _Usage | None = None
    error: Any = None


_EVENTS = msgspec.json.Decoder(_Event)


@dataclass(slots=True)
class _Call:
    """A call that has begun."""

    id: str
    name: str
    given: str
    """The arguments that came with the name: none, but from some others who speak this dialect."""
    pieces: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Thought:
    """A thought, and the signature by which it is known again."""

    pieces: list[str]
    signature: list[str]

    def written(self) -> dict[str, str]:
        return {"type": "thinking", "thinking": "".join(self.pieces), "signature": "".join(self.signature)}


@dataclass(frozen=True, slots=True)
class _Redacted:
    """A thought that nobody may read."""

    data: str

    def written(self) -> dict[str, str]:
        return {"type": "redacted_thinking", "data": self.data}


@dataclass(frozen=True, slots=True)
class _Words:
    """Where words stood among the thoughts; what they were is in the transcript."""

    def written(self) -> dict[str, str]:
        return {"type": "text"}


class AnthropicDecoder(EventReader[_Event]):
    """Reads the events of one answer.

    Where words go on after a thought or a search of the model's own, a blank line is put between: they are two
    paragraphs, and nothing in the stream says so. Blocks of words that follow each other are one text.

    Calls are held back until it is known why the answer ended: one without arguments may have none, or may have been
    cut off. One without an id gets one of its name and number, counted from *first*.
    """

    def __init__(self, vendor: str, model: str, owner: str, *, first: int = 0) -> None:
        super().__init__(_EVENTS, vendor)
        self._model = model
        self._owner = owner
        self._calls: dict[int, _Call] = {}
        self._thoughts: dict[int, _Thought] = {}
        self._kept: list[_Thought | _Redacted | _Words] = []
        """What goes back before the next call."""
        self._text = Paragraphs()
        self._usage = Usage()
        self._read_tokens = (0, 0, 0)
        """Fresh, put into the cache, and found there."""
        self._first = self._number = first
        self._closed: list[ToolCall] = []
        self._is_bare = False
        """Whether the last of them came without arguments."""
        self._end: Finished | Failed | None = None

    @property
    def is_ending(self) -> bool:
        """Whether the model has said why it stopped."""
        return self._end is not None

    @property
    def is_calling(self) -> bool:
        """Whether a call is being written."""
        return bool(self._calls)

    def knows(self, value: _Event) -> bool:
        """Whether *value* is one of Anthropic's events."""
        return value.type.startswith(("message", "content_block", "ping", "error")) or value.error is not None

    def read(self, value: _Event) -> Sequence[Chunk]:
        """What one event comes to."""
        delta = value.delta
        if delta is not None and delta.type == "text_delta" and delta.text:
            return (TextDelta(self._text.add(delta.text)),)  # nearly always there is some more text, and that is all
        match value.type:
            case "content_block_delta" if value.delta is not None:
                return self._on_delta(value.delta, value.index)
            case "content_block_start" if value.content_block is not None:
                return self._on_block(value.content_block, value.index)
            case "content_block_stop":
                self._close(value.index)
                return ()
            case "message_start" if value.message is not None:
                return self._on_usage(value.message.usage)
            case "message_delta":
                return [*self._on_end(value.delta), *self._on_usage(value.usage)]
            case "message_stop":
                return [*self._finished_calls(), self._end or Finished("tool_calls" if self._has_called else "stop")]
            case "error":
                return [*self._finished_calls(), Failed(reported({"error": value.error}, vendor=self._vendor))]
            case _:
                return ()

    def rest(self) -> Sequence[Chunk]:
        """The calls, and how it ended, if that was said."""
        calls = self._finished_calls()
        return [*calls, self._end] if self._end is not None else calls

    def _on_delta(self, delta: _Delta, index: int) -> Sequence[Chunk]:
        match delta.type:
            case "thinking_delta":
                return self._on_thought(delta.thinking or "", index)
            case "input_json_delta" if delta.partial_json and index in self._calls:
                self._calls[index].pieces.append(delta.partial_json)
            case "signature_delta" if delta.signature and index in self._thoughts:
                self._thoughts[index].signature.append(delta.signature)
            case _:
                pass
        return ()

    def _on_thought(self, text: str, index: int) -> Sequence[Chunk]:
        if not text:
            return ()
        if index in self._thoughts:
            self._thoughts[index].pieces.append(text)
        return (ThoughtDelta(text),)

    def _on_block(self, block: _Block, index: int) -> Sequence[Chunk]:
        if block.type == "text":
            self._kept.append(_Words())
            return (TextDelta(self._text.add(block.text)),) if block.text else ()
        self._text.begin()
        match block.type:
            case "thinking":
                self._thoughts[index] = thought = _Thought([], [block.signature or ""])
                self._kept.append(thought)
                return self._on_thought(block.thinking or "", index)
            case "redacted_thinking":
                self._kept.append(_Redacted(block.data or ""))
            case "tool_use" if block.name:
                given = as_json_text(block.input) if block.input else ""
                self._calls[index] = _Call(block.id or "", block.name, given)
            case _:
                pass
        return ()

    @property
    def _has_called(self) -> bool:
        return self._number > self._first

    def _finished_calls(self) -> list[ToolCall]:
        """The calls, with those that were never closed: even one that looks whole may not be."""
        for index in sorted(self._calls):
            self._close(index, is_cut=True)
        calls, self._closed, self._is_bare = self._closed, [], False
        return calls

    def _close(self, index: int, *, is_cut: bool = False) -> None:
        call = self._calls.pop(index, None)
        if call is None:
            return
        arguments = "".join(call.pieces) or call.given
        made = tool_call(call.id or f"{call.name}-{self._number}", call.name, arguments, self._state())
        self._number += 1
        self._closed.append(replace(made, is_truncated=made.is_truncated or is_cut))
        self._is_bare = not arguments.strip()

    def _state(self) -> Opaque | None:
        """What goes back with the next call; nothing if there was no thought."""
        kept, self._kept = self._kept, []
        if all(isinstance(block, _Words) for block in kept):
            return None
        blocks = [block.written() for block in kept]
        return Opaque(self._owner, json.dumps({"model": self._model, "blocks": blocks}, ensure_ascii=False))

    def _on_usage(self, usage: _Usage | None) -> Sequence[Chunk]:
        """The counts so far: each number stands for the whole answer, and one that is missing has not changed."""
        if usage is None:
            return ()
        fresh, stored, found = self._read_tokens
        self._read_tokens = (
            usage.input_tokens or fresh,
            usage.cache_creation_input_tokens or stored,
            usage.cache_read_input_tokens or found,
        )
        details = usage.output_tokens_details
        self._usage = Usage(
            input_tokens=sum(self._read_tokens),
            output_tokens=usage.output_tokens or self._usage.output_tokens,
            cached_tokens=self._read_tokens[2],
            thought_tokens=(details.thinking_tokens if details else None) or self._usage.thought_tokens,
        )
        return (self._usage,)

    def _on_end(self, delta: _Delta | None) -> Sequence[Chunk]:
        """Let the calls go, and remember why it ended; the counts are still to come."""
        if delta is None or not delta.stop_reason:
            return ()
        if delta.stop_reason == "refusal":
            said = delta.stop_details.get("explanation") if isinstance(delta.stop_details, dict) else None
            detail = str(said or "the answer was stopped by the provider's safety rules")
            self._end = Failed(failure(detail, vendor=self._vendor, kind=ErrorKind.CONTENT_BLOCKED, code="refusal"))
            return self._finished_calls()
        self._end = Finished(_REASONS.get(delta.stop_reason, "tool_calls" if self._has_called else "stop"))
        if self._end.reason == "length" and self._is_bare:
            self._closed[-1] = replace(self._closed[-1], is_truncated=True)
        return self._finished_calls()
