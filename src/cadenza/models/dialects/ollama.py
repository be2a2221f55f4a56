"""Ollama's own API, ``/api/chat``: one JSON line per token, separate thoughts, complete tool calls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec

from ...stages.s1_context import fit
from ...stages.s2_generation import NewlineJson
from ...stages.s3_chunks import NO_PROMPT
from ...stages.stage import Stage
from ...types import (
    Chunk,
    Failed,
    Finished,
    HttpRequest,
    Links,
    Media,
    MediaKind,
    Opaque,
    Prompt,
    PromptTurn,
    RawEvent,
    Role,
    TextDelta,
    Thinking,
    ThoughtDelta,
    ToolCall,
    ToolSpec,
    Usage,
)
from ..error_kind import reported
from ..guards import guarded
from ..ladder import Ladder
from .call_arguments import as_json_text, tool_call
from .dialect import Dialect, Endpoint, EventReader, RetryHints
from .request_bodies import inline, object_of, schema, state_of, within, written
from .tool_pairs import ANY_ID, with_paired_calls

_OPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "temperature": "temperature",
        "top_p": "top_p",
        "top_k": "top_k",
        "min_p": "min_p",
        "frequency_penalty": "frequency_penalty",
        "presence_penalty": "presence_penalty",
        "repetition_penalty": "repeat_penalty",
    }
)
"""Our names → the API's."""
_HAS_LEVELS = "gpt-oss"
"""The family with thinking levels; it cannot be told not to think. Others are switched on or off."""


class OllamaCodec(Dialect):
    """The dialect of Ollama, on this machine or in its cloud."""

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(endpoint.able(links=Links.NONE))

    def encode(self, prompt: Prompt, /) -> HttpRequest:
        """Encode *prompt*."""
        endpoint = self.endpoint
        prompt = fit(with_paired_calls(prompt, ANY_ID), endpoint.abilities)
        body: dict[str, object] = {"model": endpoint.model, "messages": list(self._messages(prompt)), "stream": True}
        if prompt.tools:
            body["tools"] = [_tool(tool) for tool in prompt.tools]
        if (think := _think(endpoint.model, prompt.thinking)) is not None:
            body["think"] = think
        if options := _options(prompt, endpoint.abilities.context_tokens):
            body["options"] = options
        headers = {"content-type": "application/json"}
        if endpoint.key:
            headers["authorization"] = f"Bearer {endpoint.key}"
        return HttpRequest(self._url(), written(body, within(body, endpoint.extra)), {**headers, **endpoint.headers})

    def attempts(self, request: HttpRequest, /) -> Ladder:
        """Smaller requests to try: few models think, and not all support tools or pictures."""
        return Ladder(request, key=f"{self.endpoint.url} {self.endpoint.model}", hints=RetryHints(priority=("think",)))

    def framing(self) -> NewlineJson:
        """A new parser of bytes into events."""
        return NewlineJson()

    def decoder(self, prompt: Prompt = NO_PROMPT, /) -> Stage[RawEvent, Chunk]:
        """A new decoder for events."""
        endpoint = self.endpoint
        decoder = OllamaDecoder(
            endpoint.vendor,
            owner=self._owner,
            first=sum(len(turn.calls) for turn in prompt.turns),
            keeps_thoughts=endpoint.quirks.replays_reasoning,
        )
        return guarded(decoder, endpoint.quirks, prompt)

    @property
    def _owner(self) -> str:
        return f"ollama:{self.endpoint.vendor}"

    def _url(self) -> str:
        address = self.endpoint.at("/chat")
        return address if address.partition("?")[0].endswith("/api/chat") else self.endpoint.at("/api/chat")

    def _messages(self, prompt: Prompt) -> Iterator[Mapping[str, object]]:
        """The messages; media of tool results follow the results."""
        if prompt.system:
            yield {"role": "system", "content": prompt.system}
        names = {call.id: call.name for turn in prompt.turns for call in turn.calls}
        shown: list[str] = []
        for turn in prompt.turns:
            if turn.role is Role.TOOL:
                yield {"role": "tool", "tool_name": names[turn.call_id or ""], "content": turn.text}
                shown += _images(turn.media)
                continue
            yield from _with_images(shown)
            shown = []
            yield from self._message(turn)
        yield from _with_images(shown)

    def _message(self, turn: PromptTurn) -> Iterator[Mapping[str, object]]:
        message: dict[str, object] = {"role": "assistant" if turn.role is Role.MODEL else "user", "content": turn.text}
        if images := _images(turn.media):
            message["images"] = images
        if turn.calls:
            message |= self._thoughts(turn.calls)
            message["tool_calls"] = [_called(call) for call in turn.calls]
        if turn.text or len(message) > 2:
            yield message

    def _thoughts(self, calls: Sequence[ToolCall]) -> Mapping[str, object]:
        """The thoughts before *calls*, if they were kept and are Ollama's."""
        return state_of(calls[0], self._owner)


def _images(media: Sequence[Media]) -> list[str]:
    """The pictures with data: Ollama fetches no links and accepts no videos."""
    found = (inline(medium) for medium in media if medium.kind is MediaKind.IMAGE)
    return [picture.base64 for picture in found if picture is not None]


def _with_images(images: Sequence[str]) -> Iterator[Mapping[str, object]]:
    if images:
        yield {"role": "user", "content": "", "images": list(images)}


def _called(call: ToolCall) -> Mapping[str, object]:
    return {"function": {"name": call.name, "arguments": object_of(call.arguments)}}


def _tool(tool: ToolSpec) -> Mapping[str, object]:
    function = {"name": tool.name, "description": tool.description, "parameters": schema(tool)}
    return {"type": "function", "function": function}


def _think(model: str, thinking: Thinking) -> bool | str | None:
    match thinking:
        case Thinking.AUTO:
            return None
        case Thinking.NONE:
            return "low" if _HAS_LEVELS in model.lower() else False
        case Thinking.LOW | Thinking.MEDIUM | Thinking.HIGH:
            return thinking.value if _HAS_LEVELS in model.lower() else True


def _options(prompt: Prompt, context_tokens: int) -> Mapping[str, object]:
    options: dict[str, object] = {
        theirs: prompt.sampling[ours] for ours, theirs in _OPTIONS.items() if ours in prompt.sampling
    }
    if "top_k" in options:
        options["top_k"] = int(prompt.sampling["top_k"])
    if context_tokens:
        options["num_ctx"] = context_tokens  # without it, Ollama reads only the end of a long prompt
    if prompt.max_tokens:
        options["num_predict"] = prompt.max_tokens
    if prompt.stop:
        options["stop"] = list(prompt.stop)
    return options


# --- events ----------------------------------------------------------------------------------


class _Function(msgspec.Struct, gc=False):
    name: str | None = None
    arguments: dict[str, Any] | str | None = None


class _Call(msgspec.Struct, gc=False):
    id: str | None = None
    function: _Function | None = None


class _Message(msgspec.Struct, gc=False):
    content: str | None = None
    thinking: str | None = None
    tool_calls: list[_Call] | None = None


class _Line(msgspec.Struct, gc=False):
    message: _Message | None = None
    done: bool | None = None
    done_reason: str | None = None
    prompt_eval_count: int | None = None
    eval_count: int | None = None
    error: Any = None


_SHAPE = msgspec.json.Decoder(_Line)


class OllamaDecoder(EventReader[_Line]):
    """Decodes the lines of one answer. A call without an id gets one from its name and number, counted from *first*."""

    def __init__(self, vendor: str, *, owner: str, first: int = 0, keeps_thoughts: bool = False) -> None:
        super().__init__(_SHAPE, vendor)
        self._owner = owner
        self._first = self._number = first
        self._thoughts: list[str] | None = [] if keeps_thoughts else None

    def read(self, value: _Line) -> Sequence[Chunk]:
        """The chunks of *value*; the last line holds the end and all counts."""
        chunks: list[Chunk] = []
        message = value.message
        if message is not None:
            if message.thinking:
                chunks.append(ThoughtDelta(message.thinking))
                if self._thoughts is not None:
                    self._thoughts.append(message.thinking)
            if message.content:
                chunks.append(TextDelta(message.content))
            if message.tool_calls:
                chunks += self._calls(message.tool_calls)
        if value.error is not None:
            chunks.append(Failed(reported({"error": value.error}, vendor=self._vendor)))
        elif value.done:
            chunks += self._end(value)
        return chunks

    def _calls(self, calls: Sequence[_Call]) -> Iterator[ToolCall]:
        for call in calls:
            function = call.function
            if function is None or not function.name:
                continue
            arguments = function.arguments
            if not isinstance(arguments, str):
                arguments = as_json_text(arguments or {}, is_compact=True)
            identity = call.id or f"{function.name}-{self._number}"
            state = self._state() if self._number == self._first else None
            self._number += 1
            yield tool_call(identity, function.name, arguments, state)

    def _state(self) -> Opaque | None:
        """The thoughts before the first call, if they must go back with it."""
        return Opaque(self._owner, json.dumps({"thinking": "".join(self._thoughts)})) if self._thoughts else None

    def _end(self, line: _Line) -> Iterator[Chunk]:
        if line.prompt_eval_count is not None or line.eval_count is not None:
            yield Usage(line.prompt_eval_count or 0, line.eval_count or 0)
        if line.done_reason == "length":
            yield Finished("length")
        else:  # "stop"; "load" and "unload" do not occur here
            yield Finished("tool_calls" if self._number > self._first else "stop")
