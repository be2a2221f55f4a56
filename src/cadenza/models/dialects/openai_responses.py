"""Requests to OpenAI's Responses API.

Nothing is stored at OpenAI (``store`` is false), so the reasoning before a call comes encrypted, is kept with the call,
and goes back with it. The API has no stop strings and no prefill: the rules of later stages stop an answer, and stage 1
asks for its beginning in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias, assert_never

from ...stages.s1_budget import START
from ...stages.s1_context import fit
from ...stages.s3_chunks import NO_PROMPT
from ...stages.stage import Stage
from ...types import (
    Chunk,
    HttpRequest,
    Media,
    MediaKind,
    Part,
    PrefillMode,
    Prompt,
    PromptTurn,
    RawEvent,
    Role,
    Thinking,
    ToolCall,
    ToolSpec,
)
from ..guards import guarded
from ..ladder import Ladder
from .dialect import Dialect, Endpoint, RetryHints
from .gpt import effort, efforts
from .openai_responses_events import ResponsesDecoder
from .request_bodies import THOUGHT_TOKENS, inline, link, schema, state_of, written
from .tool_pairs import with_paired_calls

Item: TypeAlias = dict[str, object]

_ID = re.compile(r"(?s).{1,64}")
_LEAST_TOKENS = 16
_RETRY = RetryHints(mandatory=("input", "instructions", "store", "include"), priority=("reasoning",))


class ResponsesCodec(Dialect):
    """The dialect of OpenAI's Responses API."""

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(endpoint)
        self._efforts = efforts(endpoint.model)
        self._owner = f"openai-responses:{endpoint.vendor}"

    def encode(self, prompt: Prompt, /) -> HttpRequest:
        """Encode *prompt*."""
        endpoint = self._endpoint
        prompt = fit(with_paired_calls(prompt, _ID), replace(endpoint.abilities, prefill=PrefillMode.NONE))
        body: dict[str, object] = {
            "model": endpoint.model,
            "instructions": prompt.system or None,
            "input": [item for turn in prompt.turns for item in self._items(turn)] or [_message("user", START)],
            "tools": [_tool(tool) for tool in prompt.tools] or None,
            "max_output_tokens": self._longest(prompt),
            **self._sampling(prompt),
            "reasoning": self._reasoning(prompt),
            "include": ["reasoning.encrypted_content"] if self._efforts else None,
            "store": False,
            "stream": True,
        }
        return HttpRequest(_address(endpoint.url), written(body, endpoint.extra), self._headers())

    def decoder(self, prompt: Prompt = NO_PROMPT, /) -> Stage[RawEvent, Chunk]:
        """A new decoder for events."""
        endpoint = self._endpoint
        first = sum(len(turn.calls) for turn in prompt.turns)
        decoder = ResponsesDecoder(endpoint.vendor, endpoint.model, self._owner, first=first)
        return guarded(decoder, endpoint.quirks, prompt)

    def attempts(self, request: HttpRequest, /) -> Ladder:
        """Smaller requests to try: reasoning summaries, for example, are not available to every account."""
        key = f"{self._owner}:{self._endpoint.model}"
        return Ladder(request, key=key, hints=_RETRY)

    def _headers(self) -> Mapping[str, str]:
        endpoint = self._endpoint
        headers = {"content-type": "application/json"}
        if endpoint.key:
            headers["authorization"] = f"Bearer {endpoint.key}"
        return {**headers, **endpoint.headers}

    def _reasoning(self, prompt: Prompt) -> Mapping[str, object] | None:
        if not self._efforts:
            return None
        chosen = effort(self._efforts, prompt.thinking)
        if chosen == "none":
            return {"effort": chosen}
        return {**({"effort": chosen} if chosen else {}), "summary": "auto"}

    def _thinks(self, prompt: Prompt) -> bool:
        """Whether the model may think; by default it decides itself."""
        return bool(self._efforts) and effort(self._efforts, prompt.thinking) != "none"

    def _longest(self, prompt: Prompt) -> int | None:
        """The longest answer, with room for thoughts, which count as output."""
        if not prompt.max_tokens:
            return None
        room = (THOUGHT_TOKENS[prompt.thinking] or THOUGHT_TOKENS[Thinking.LOW]) if self._thinks(prompt) else 0
        return max(prompt.max_tokens + room, _LEAST_TOKENS)

    def _sampling(self, prompt: Prompt) -> Mapping[str, float]:
        """The sampling parameters; thinking models accept none."""
        if self._thinks(prompt):
            return {}
        return {name: prompt.sampling[name] for name in ("temperature", "top_p") if name in prompt.sampling}

    def _items(self, turn: PromptTurn) -> Iterable[Item]:
        match turn.role:
            case Role.TOOL:
                return [{"type": "function_call_output", "call_id": turn.call_id, "output": _content(turn)}]
            case Role.MODEL:
                return self._model_items(turn)
            case Role.USER | Role.SYSTEM:
                content = _content(turn)
                return [_message(turn.role.value, content)] if content else []
            case _:
                assert_never(turn.role)

    def _model_items(self, turn: PromptTurn) -> Iterable[Item]:
        """The text and the calls, each preceded by its reasoning; text keeps its place among them."""
        text = turn.text
        for call in turn.calls:
            for item in self._reasoned(call):
                if item["type"] == "reasoning":
                    yield item
                elif text:
                    phase = {"phase": item["phase"]} if "phase" in item else {}
                    yield {**_message("assistant", text), **phase}
                    text = ""
            if text:
                yield _message("assistant", text)
                text = ""
            arguments = call.arguments or "{}"
            yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments}
        if text:
            yield _message("assistant", text)

    def _reasoned(self, call: ToolCall) -> list[Item]:
        """The reasoning items before *call*, if this model made it."""
        state = state_of(call, self._owner)
        items = state.get("items") if state.get("model") == self._endpoint.model else None
        return items if isinstance(items, list) else []


def _address(base: str) -> str:
    base = base.rstrip("/")
    return base if base.endswith("/responses") else f"{base}/responses"


def _message(role: str, content: object) -> Item:
    return {"role": role, "content": content}


def _content(turn: PromptTurn) -> object:
    """Text alone is a plain string."""
    parts = [item for part in turn.parts for item in _part(part)]
    if all(item["type"] == "input_text" for item in parts):
        return "\n".join(str(item["text"]) for item in parts)
    return parts


def _part(part: Part) -> Iterable[Item]:
    if isinstance(part, str):
        return [_text(part)] if part else []
    return [_picture(part)] if part.kind is MediaKind.IMAGE else []


def _picture(media: Media) -> Item:
    found = inline(media)
    address = found.uri if found else link(media)
    if not address:
        return _text(f"[An image that cannot be shown here: {media.mime}]")
    return {"type": "input_image", "image_url": address, "detail": "auto"}


def _text(text: str) -> Item:
    return {"type": "input_text", "text": text}


def _tool(tool: ToolSpec) -> Item:
    """A tool, not strict: a strict schema must require every field, and users' schemas may not."""
    described = {"description": tool.description} if tool.description else {}
    return {"type": "function", "name": tool.name, **described, "parameters": schema(tool), "strict": False}
