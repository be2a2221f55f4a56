"""Reading chat completions: what the events of the OpenAI family come to, whoever sends them.

Most events are one token, and they take the shortest way: one decode, a few attribute reads, one chunk.
What only some vendors send is read by the same rules wherever it comes from, so that a vendor needs no code:

- words may be a text or a list of typed parts; thoughts come in one of three fields, and sometimes in two at once;
- the finish reason is held back until the tokens were counted or the stream ends;
- calls are put together from pieces and come out whole, whatever the finish reason is called;
- an error may stand in any event, bare, inside a choice or inside a wrapper;
- an answer may come as one document instead of a stream.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from math import inf
from types import MappingProxyType
from typing import Any

import msgspec

from ...errors import ErrorKind
from ...types import Chunk, Failed, Finished, RawEvent, Served, TextDelta, ThoughtDelta, Usage
from ..error_kind import failure, reported
from .call_arguments import as_json_text
from .dialect import EventReader
from .openai_calls import CallPiece, Calls, FunctionPiece


class CompletionMessage(msgspec.Struct, gc=False):
    """Some more of the answer, or all of it."""

    content: Any = None
    reasoning_content: Any = None
    reasoning: Any = None
    reasoning_details: Any = None
    refusal: Any = None
    tool_calls: list[CallPiece] | None = None
    function_call: FunctionPiece | None = None


class CompletionChoice(msgspec.Struct, gc=False):
    """One of the answers; we only ever ask for one."""

    delta: CompletionMessage | None = None
    finish_reason: Any = msgspec.UNSET
    message: CompletionMessage | None = None
    native_finish_reason: Any = None
    error: Any = None


class CompletionEvent(msgspec.Struct, gc=False):
    """An event, or a whole answer."""

    choices: list[CompletionChoice] | None = None
    usage: Any = None
    provider: Any = None
    error: Any = None
    x_groq: Any = None


_SHAPE = msgspec.json.Decoder(CompletionEvent)
_CAMEL_FIELD = re.compile(rb'"(?:finishReason|toolCalls|reasoningDetails|reasoningContent|functionCall)"')
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_FOREIGN = frozenset({"arguments", "reasoning_details", "extra_content"})
"""Fields whose own fields are a tool's or a provider's."""
_STREAMED: Mapping[str, str] = MappingProxyType({"reasoning.text": "text", "reasoning.summary": "summary"})
"""Blocks of reasoning that come in pieces, and the field that does."""
_DEEPEST = 4
"""How many wrappers are taken off an event."""

_FINISHES: Mapping[str, str] = MappingProxyType(
    {
        "length": "length",
        "max_tokens": "length",
        "model_length": "length",
        "model_context_window_exceeded": "length",
        "tool_calls": "tool_calls",
        "function_call": "tool_calls",
    }
)
"""What a finish reason means; one that does not stand here, nor below, is a plain ``stop``."""
_FAILURES: Mapping[str, tuple[ErrorKind, str]] = MappingProxyType(
    {
        "content_filter": (ErrorKind.CONTENT_BLOCKED, "the answer was held back by a content filter"),
        "sensitive": (ErrorKind.CONTENT_BLOCKED, "the answer was held back by a content filter"),
        "safety": (ErrorKind.CONTENT_BLOCKED, "the answer was held back by a content filter"),
        "error": (ErrorKind.API, "the model broke off with an error"),
        "network_error": (ErrorKind.OVERLOADED, "the model broke off with a network error"),
        "insufficient_system_resource": (ErrorKind.OVERLOADED, "the model broke off for want of resources"),
    }
)
"""Finish reasons that are failures."""


class OpenAIDecoder(EventReader[CompletionEvent]):
    """Reads the events of one answer; *first* is how many calls the conversation has seen already."""

    is_alike = True

    def __init__(self, vendor: str, owner: str, *, replays_reasoning: bool = False, first: int = 0) -> None:
        super().__init__(_SHAPE, vendor)
        self._calls = Calls(owner, first)
        self._replays_reasoning = replays_reasoning
        self._thoughts: list[str] = []
        self._details: list[_Reasoning] = []
        self._served = ""
        self._usage: Usage | None = None
        self._finish: Finished | Failed | None = None
        self._has_spoken = False
        self._is_over = False

    @property
    def is_ending(self) -> bool:
        """Whether the model has said why it stopped."""
        return self._finish is not None

    @property
    def is_calling(self) -> bool:
        """Whether a call is being written."""
        return bool(self._calls)

    def feed(self, event: RawEvent, /) -> Sequence[Chunk]:
        """Read *event*."""
        data = event.data
        try:
            value = self._decode(data)
        except (ValueError, RecursionError):
            return self._read_leniently(data) if event.name != "error" else self._read_error(data)
        choices = value.choices
        if choices:
            if choices[0].finish_reason is msgspec.UNSET and _CAMEL_FIELD.search(data):
                return self._read_leniently(data)
        elif value.usage is None and value.error is None:
            return self._read_leniently(data)
        if not self._has_read:
            self._meet(value)
        return self.read(value)

    def knows(self, value: CompletionEvent) -> bool:
        """Whether there is anything of this dialect in *value*."""
        return value.choices is not None or value.error is not None

    def read(self, value: CompletionEvent) -> Sequence[Chunk]:
        """What *value* comes to."""
        if self._is_over:
            return ()
        chunks: list[Chunk] = []
        if value.provider and not self._served and isinstance(value.provider, str):
            self._served = value.provider
            chunks.append(Served(value.provider))
        error = value.error
        if value.choices:
            choice = value.choices[0]
            said = choice.delta
            if said is None and choice.message is not None and not self._has_spoken:
                said = choice.message
            if said is not None:
                self._hear(said, chunks)
            error = error or choice.error
            if choice.finish_reason and choice.finish_reason is not msgspec.UNSET:
                self._finish = self._ending(choice)
        counted = False
        if value.usage is not None or value.x_groq is not None:
            # One that counts as it goes may go on after a finish reason; one that counts once has said its last word.
            counted = self._usage is None
            error = error or self._count(value)
        if error:
            return [*chunks, *self._broken(error)]
        if counted and self._usage is not None and self._finish is not None and value.usage is not None:
            return [*chunks, *self._end()]
        return chunks

    def rest(self) -> Sequence[Chunk]:
        """What is left when nothing more comes."""
        return () if self._is_over else self._end(is_cut=self._finish is None)

    def _hear(self, said: CompletionMessage, chunks: list[Chunk]) -> None:
        content = said.content
        if said.reasoning_content or said.reasoning or said.reasoning_details:
            self._think(said, chunks)
        if content:
            self._has_spoken = True
            if type(content) is str:
                chunks.append(TextDelta(content))
            else:
                chunks += _parts(content)
        if said.refusal and isinstance(said.refusal, str):
            self._has_spoken = True
            chunks.append(TextDelta(said.refusal))  # it is said to the user, in the model's own words
        if said.tool_calls:
            self._has_spoken = True
            self._calls.take(said.tool_calls)
        elif said.function_call is not None:
            self._calls.take([CallPiece(0, None, said.function_call)])

    def _think(self, said: CompletionMessage, chunks: list[Chunk]) -> None:
        """One of the fields is enough: where there are two, they say the same."""
        details = said.reasoning_details if isinstance(said.reasoning_details, list) else []
        text = _text(said.reasoning_content) or _text(said.reasoning) or "".join(map(_detail_text, details))
        if text:
            chunks.append(ThoughtDelta(text))
            if self._replays_reasoning:
                self._thoughts.append(text)
        for detail in details:
            if isinstance(detail, dict) and not (self._details and self._details[-1].take(detail)):
                self._details.append(_Reasoning(detail))

    def _ending(self, choice: CompletionChoice) -> Finished | Failed | None:
        reason = choice.finish_reason.lower() if isinstance(choice.finish_reason, str) else ""
        if reason in ("null", "none"):  # a word for nothing
            return self._finish
        if reason not in _FAILURES:
            return Finished(_FINISHES.get(reason, "stop"))
        kind, words = _FAILURES[reason]
        native = choice.native_finish_reason if isinstance(choice.native_finish_reason, str) else ""
        if kind is ErrorKind.API:  # people are told by this code that it was no refusal
            detail = f"{words} ({native})" if native else words
            return Failed(failure(detail, vendor=self._vendor, kind=kind, code=reason))
        return Failed(failure(words, vendor=self._vendor, kind=kind, code=native or reason))

    def _count(self, value: CompletionEvent) -> object:
        """Note the tokens; give back an error that may stand beside them."""
        groq = value.x_groq if isinstance(value.x_groq, dict) else {}
        counts = value.usage or groq.get("usage")
        if isinstance(counts, dict):
            self._usage = _usage(counts)
        return groq.get("error")

    def _broken(self, error: object) -> list[Chunk]:
        """The end by *error*, unless it only says that a call was not written well: then what was said counts."""
        if self._calls and _is_malformed_call(error):
            self._calls.clear()
            self._finish = Finished()
        else:
            self._finish = Failed(reported({"error": error}, vendor=self._vendor))
        return self._end()

    def _end(self, *, is_cut: bool = False) -> list[Chunk]:
        self._is_over = True
        chunks: list[Chunk] = []
        finish = self._finish
        if not isinstance(finish, Failed):
            reason = finish.reason if finish else ""
            chunks += self._calls.whole(self._shared(), is_cut=is_cut or reason == "length")
            if chunks and reason == "stop":
                finish = Finished("tool_calls")
            elif not chunks and reason == "tool_calls":
                finish = Finished()
        if self._usage is not None:
            chunks.append(self._usage)
        return [*chunks, finish] if finish else chunks

    def _shared(self) -> dict[str, object]:
        """What the provider wants to see again with the calls of this answer."""
        shared: dict[str, object] = {}
        if self._thoughts:
            shared["reasoning_content"] = "".join(self._thoughts)
        if self._details:
            shared["reasoning_details"] = [detail.whole() for detail in self._details]
        return shared

    def _read_leniently(self, data: bytes) -> Sequence[Chunk]:
        """What is not of the usual shape: the end, a wrapper, other spellings, a bare error, half an emoji."""
        if data.strip() == b"[DONE]":
            self._has_read = True
            if self._is_over:
                return ()
            self._finish = self._finish or Finished()
            return self._end()
        try:
            found = _unwrapped(json.loads(data.decode("utf-8", "replace")))
            if not found.get("choices") and found.get("error") is None and _is_error(found):
                found["error"] = dict(found)
            return self._read_in_part(found)
        except (ValueError, RecursionError):
            self.skipped += 1
            return ()

    def _read_error(self, data: bytes) -> Sequence[Chunk]:
        """An event that is called an error, and says so in plain words."""
        self._has_read = True
        return () if self._is_over else self._broken(data.decode("utf-8", "replace"))


class _Reasoning:
    """One block of reasoning that is wanted again: its pieces put together, as if it had not been streamed."""

    __slots__ = ("_block", "_field", "_texts")

    def __init__(self, block: dict[str, object]) -> None:
        self._block = block
        self._field = _STREAMED.get(str(block.get("type")), "")
        self._texts: list[str] = []
        self._take_text(block)

    def take(self, piece: dict[str, object]) -> bool:
        """Whether *piece* belongs to this block; then it is taken."""
        block = self._block
        if not self._field or piece.get("type") != block.get("type") or piece.get("index") != block.get("index"):
            return False
        self._take_text(piece)
        for name, value in piece.items():
            if value is not None:
                block[name] = value  # a signature comes with the last piece
        return True

    def whole(self) -> dict[str, object]:
        return {**self._block, self._field: "".join(self._texts)} if self._field else self._block

    def _take_text(self, piece: Mapping[str, object]) -> None:
        text = piece.get(self._field)
        if isinstance(text, str):
            self._texts.append(text)


def _parts(content: object) -> list[Chunk]:
    """What a list of typed parts comes to: Mistral's thoughts stand among them."""
    chunks: list[Chunk] = []
    for part in content if isinstance(content, list) else [content]:
        match part:
            case str(text) | {"type": "text", "text": str(text)}:
                chunks.append(TextDelta(text))
            case {"type": "thinking" | "reasoning", **rest}:
                chunks.append(ThoughtDelta(_text(rest.get("thinking") or rest.get("text"))))
            case {"type": "refusal", "refusal": str(text)}:
                chunks.append(TextDelta(text))
            case _:
                pass
    return [chunk for chunk in chunks if not isinstance(chunk, TextDelta | ThoughtDelta) or chunk.text]


def _text(value: object) -> str:
    """The words in *value*: a text, or parts that have some."""
    match value:
        case str(text):
            return text
        case list(parts):
            return "".join(map(_text, parts))
        case {"text": str(text)} | {"content": str(text)}:
            return text
        case _:
            return ""


def _detail_text(detail: object) -> str:
    match detail:
        case {"text": str(text)} | {"summary": str(text)}:
            return text
        case _:
            return ""


def _usage(counts: Mapping[str, object]) -> Usage:
    read = _count_of(counts, "prompt_tokens", "input_tokens")
    written = _count_of(counts, "completion_tokens", "output_tokens")
    thoughts = _count_of(counts, "reasoning_tokens") or _detail_count(counts, "completion", "reasoning_tokens")
    cached = _count_of(counts, "prompt_cache_hit_tokens", "cached_tokens")
    cached = cached or _detail_count(counts, "prompt", "cached_tokens")
    if thoughts and _count_of(counts, "total_tokens") == read + written + thoughts:
        written += thoughts  # some leave the thoughts out of what was written
    return Usage(read, written, cached, thoughts)


def _detail_count(counts: Mapping[str, object], side: str, name: str) -> int:
    other = {"prompt": "input", "completion": "output"}[side]
    details = counts.get(f"{side}_tokens_details") or counts.get(f"{other}_tokens_details")
    return _count_of(details, name) if isinstance(details, Mapping) else 0


def _count_of(counts: Mapping[str, object], *names: str) -> int:
    for name in names:
        value = counts.get(name)
        if isinstance(value, int | float) and 0 < value < inf:
            return int(value)
    return 0


def _is_malformed_call(error: object) -> bool:
    """Whether a router found that a call, of which a part was sent already, is not well formed."""
    match error:
        case {"code": "invalid_type", **rest}:
            return "expected string" in as_json_text(rest).lower()
        case {"message": str(message)}:
            return "invalid_type" in message and "expected string" in message.lower()
        case _:
            return False


def _unwrapped(value: object) -> dict[str, object]:
    """The event in *value*, without what some put around it, its fields spelt in the usual way."""
    for _ in range(_DEEPEST):
        match value:
            case [dict(first), *_]:
                value = first
            case {"choices": _} | {"error": _}:
                break
            case {"data": dict(inner)}:
                value = inner
            case {"data": str(inner)} if inner[:1] == "{":
                value = json.loads(inner)
            case _:
                break
    spelt = _spelt(value)
    if not isinstance(spelt, dict):
        msg = "an event must be an object"
        raise ValueError(msg)  # noqa: TRY004  # it is what came that is wrong, not what it was called with
    return spelt


def _spelt(value: object) -> object:
    """*value* with its names in small letters: ``finishReason`` → ``finish_reason``. What is not ours stays."""
    match value:
        case dict():
            named = ((_HUMP.sub("_", name).lower(), inner) for name, inner in value.items())
            return {name: inner if name in _FOREIGN else _spelt(inner) for name, inner in named}
        case list():
            return [_spelt(inner) for inner in value]
        case _:
            return value


def _is_error(event: Mapping[str, object]) -> bool:
    """Whether *event*, which holds nothing of an answer, is an error that stands there bare."""
    message = event.get("message")
    words = message if isinstance(message, str) else event.get("detail")
    return bool(words) and (event.get("object") == "error" or not event.keys().isdisjoint(("code", "type", "detail")))
