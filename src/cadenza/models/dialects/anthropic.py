"""Anthropic's messages: how a prompt is written for Claude.

A request has the instructions apart, user and assistant in turns, and calls and their results as blocks within those.
What Claude thought before a call goes back with it, signed as it came, or it is not allowed to go on thinking.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias, assert_never

from ...stages.s1_budget import CONTINUE, START
from ...stages.s1_context import fit
from ...stages.s3_chunks import NO_PROMPT
from ...stages.stage import Stage
from ...text.units import WHITESPACE
from ...types import (
    Abilities,
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
from .anthropic_events import AnthropicDecoder
from .claude import Claude, Silence, claude
from .dialect import Dialect, Endpoint
from .request_bodies import THOUGHT_TOKENS, inline, link, object_of, schema, state_of, written
from .tool_pairs import settled

Block: TypeAlias = dict[str, object]

_VERSION = "2023-06-01"
"""Of the interface. Its answers are those of 2026-10-21, which no longer takes the sampling that older models do."""
_CACHED = {"type": "ephemeral"}
_IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
_ID = re.compile(r"[a-zA-Z0-9_-]+")
_SAMPLING = ("temperature", "top_p", "top_k")


class AnthropicCodec(Dialect):
    """The dialect of Claude.

    Caching: a mark after the tools and one after the instructions, which seldom change. With ``cache_control`` among
    the endpoint's extra fields there are none of ours: the API then sets its own, or with ``None`` caches nothing.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(endpoint)
        self._claude = claude(endpoint.model)
        self._owner = f"anthropic:{endpoint.vendor}"

    def encode(self, prompt: Prompt, /) -> HttpRequest:
        """Write *prompt* down."""
        endpoint = self._endpoint
        thinking = self._thinking(prompt)
        thinks = _is_on(thinking)
        prompt = fit(settled(prompt, _ID), self._abilities(thinks=thinks))
        is_cached = "cache_control" not in endpoint.extra
        body: dict[str, object] = {
            "model": endpoint.model,
            "max_tokens": (prompt.max_tokens or self._claude.answer_tokens) + self._room(prompt, thinks=thinks),
            "system": _system(prompt.system, is_cached=is_cached),
            "messages": self._messages(prompt, thinks=thinks),
            **_tools(prompt, is_cached=is_cached),
            "stop_sequences": [stop for stop in prompt.stop if stop.strip()] or None,
            **_sampling(prompt, self._claude, thinks=thinks),
            "thinking": thinking,
            "output_config": self._effort(prompt),
            "stream": True,
        }
        return HttpRequest(_address(endpoint.url), written(body, endpoint.extra), self._headers())

    def decoder(self, prompt: Prompt = NO_PROMPT, /) -> Stage[RawEvent, Chunk]:
        """A fresh reader of events into chunks."""
        endpoint = self._endpoint
        first = sum(len(turn.calls) for turn in prompt.turns)
        decoder = AnthropicDecoder(endpoint.vendor, endpoint.model, self._owner, first=first)
        return guarded(decoder, endpoint.quirks, prompt)

    def _headers(self) -> Mapping[str, str]:
        endpoint = self._endpoint
        headers = {"content-type": "application/json", "anthropic-version": _VERSION}
        if endpoint.key:
            headers["x-api-key"] = endpoint.key
        return {**headers, **endpoint.headers}

    def _abilities(self, *, thinks: bool) -> Abilities:
        """The endpoint's, less what this request rules out: who thinks first does not begin with somebody's words."""
        abilities = self._endpoint.abilities
        prefill = abilities.prefill if self._claude.prefill and not thinks else PrefillMode.NONE
        return replace(abilities, alternates=True, prefill=prefill)

    # --- thinking ---

    def _thinking(self, prompt: Prompt) -> Mapping[str, object] | None:
        """How the model is told to think, or not to; what the endpoint's extra fields say comes first."""
        extra = self._endpoint.extra
        if "thinking" in extra:
            told = extra["thinking"]
            return told if isinstance(told, Mapping) else None
        model = self._claude
        if not model.thinks:
            return None
        if prompt.thinking is Thinking.NONE and model.silence is not Silence.NEVER:
            return {"type": model.silence.value}
        if model.adapts:
            shown = {"display": "summarized"} if model.hides_thoughts else {}
            return {"type": "adaptive", **shown}
        if prompt.thinking is Thinking.AUTO:
            return None
        if self._has_lost_thoughts(prompt):
            return {"type": "disabled"}
        return {"type": "enabled", "budget_tokens": THOUGHT_TOKENS[prompt.thinking]}

    def _has_lost_thoughts(self, prompt: Prompt) -> bool:
        """Whether calls are waiting for an answer without what was thought before them: another model made them.

        One that thinks by budget wants to see its thoughts, and refuses the request without them.
        """
        first: ToolCall | None = None  # after it, until somebody else speaks, such a model does not think again
        for turn in reversed(prompt.turns):
            if turn.role is Role.USER:
                break
            first = turn.calls[0] if turn.calls else first
        return first is not None and not self._thoughts(first)

    def _effort(self, prompt: Prompt) -> Mapping[str, object] | None:
        """How hard to try, for models that are told so."""
        if not self._claude.adapts:
            return None
        match prompt.thinking:
            case Thinking.LOW | Thinking.MEDIUM | Thinking.HIGH:
                return {"effort": prompt.thinking.value}
            case Thinking.NONE:
                return {"effort": "low"} if self._claude.silence is Silence.NEVER else None
            case Thinking.AUTO:
                return None
            case _:
                assert_never(prompt.thinking)

    def _room(self, prompt: Prompt, *, thinks: bool) -> int:
        """Tokens for thoughts: the API counts them with the answer, and should not cut it short for them."""
        if not thinks:
            return 0
        return THOUGHT_TOKENS[prompt.thinking] or THOUGHT_TOKENS[Thinking.LOW]

    # --- messages ---

    def _messages(self, prompt: Prompt, *, thinks: bool) -> list[Block]:
        """The turns as messages, those of one role together: results of several calls must stand in one."""
        messages: list[tuple[str, list[Block]]] = []
        for turn in prompt.turns:
            role = "assistant" if turn.role is Role.MODEL else "user"
            blocks = self._blocks(turn, thinks=thinks)
            if messages and messages[-1][0] == role:
                messages[-1][1].extend(blocks)
            elif blocks:
                messages.append((role, blocks))
        if not messages or messages[0][0] == "assistant":  # what came before it may have been blank
            messages.insert(0, ("user", [_text(START)]))
        role, blocks = messages[-1]
        if role == "assistant" and (thinks or not self._claude.prefill):
            messages.append(("user", [_text(CONTINUE)]))  # such a model must be answered before it speaks
        elif role == "assistant" and blocks[-1]["type"] == "text":
            blocks[-1] = _text(str(blocks[-1]["text"]).rstrip(WHITESPACE))
        return [{"role": role, "content": _content(blocks)} for role, blocks in messages]

    def _blocks(self, turn: PromptTurn, *, thinks: bool) -> list[Block]:
        said = [block for part in turn.parts for block in _part(part)]
        match turn.role:
            case Role.TOOL:
                result: Block = {"type": "tool_result", "tool_use_id": turn.call_id}
                return [{**result, "content": _content(said)} if said else result]
            case Role.MODEL:
                return self._with_calls(said, turn.calls, thinks=thinks)
            case Role.USER | Role.SYSTEM:
                return said
            case _:
                assert_never(turn.role)

    def _with_calls(self, said: list[Block], calls: Sequence[ToolCall], *, thinks: bool) -> list[Block]:
        """What was said, the calls, and before each what was thought before it; the words stand where they stood."""
        blocks: list[Block] = []
        for call in calls:
            for block in self._thoughts(call) if thinks else ():
                if block["type"] != "text":
                    blocks.append(block)
                elif said:
                    blocks += said
                    said = []
            blocks += said
            said = []
            blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": object_of(call.arguments)})
        return [*blocks, *said]

    def _thoughts(self, call: ToolCall) -> list[Block]:
        """The blocks that came before *call*, if this very model made it."""
        state = state_of(call, self._owner)
        blocks = state.get("blocks") if state.get("model") == self._endpoint.model else None
        return blocks if isinstance(blocks, list) else []


def _is_on(thinking: Mapping[str, object] | None) -> bool:
    return thinking is not None and thinking.get("type") in ("adaptive", "enabled", Silence.BETWEEN_TOOLS.value)


def _address(base: str) -> str:
    base = base.rstrip("/")
    if base.endswith("/messages"):
        return base
    return f"{base}/messages" if base.endswith("/v1") else f"{base}/v1/messages"


def _system(text: str, *, is_cached: bool) -> list[Block] | None:
    if not text.strip():
        return None
    return [{**_text(text), "cache_control": _CACHED} if is_cached else _text(text)]


def _tools(prompt: Prompt, *, is_cached: bool) -> Mapping[str, object]:
    """The tools; without any, but with calls of some among the turns, their names: the API does not take the one without the other."""
    if prompt.tools:
        tools = [_tool(tool) for tool in prompt.tools]
        if is_cached:
            tools[-1]["cache_control"] = _CACHED
        return {"tools": tools}
    names = dict.fromkeys(call.name for turn in prompt.turns for call in turn.calls)
    if not names:
        return {}
    return {"tools": [_tool(ToolSpec(name, "", {})) for name in names], "tool_choice": {"type": "none"}}


def _tool(tool: ToolSpec) -> Block:
    described = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **described, "input_schema": schema(tool)}


def _sampling(prompt: Prompt, model: Claude, *, thinks: bool) -> Mapping[str, float]:
    """What of the sampling the model takes; of two that exclude each other, the temperature."""
    if thinks or not model.samples:
        return {}
    given = {name: prompt.sampling[name] for name in _SAMPLING if name in prompt.sampling}
    if "temperature" in given:
        given["temperature"] = min(given["temperature"], 1.0)
        if not model.samples_twice:
            given.pop("top_p", None)
    if "top_k" in given:
        given["top_k"] = int(given["top_k"])
    return given


def _part(part: Part) -> Iterable[Block]:
    if isinstance(part, str):
        return [_text(part)] if part.strip() else []
    return [_picture(part)] if part.kind is MediaKind.IMAGE else []


def _picture(media: Media) -> Block:
    found = inline(media)
    if found is not None and found.mime in _IMAGES:
        return {"type": "image", "source": {"type": "base64", "media_type": found.mime, "data": found.base64}}
    if found is None and (address := link(media)):
        return {"type": "image", "source": {"type": "url", "url": address}}
    return _text(f"[An image that cannot be shown here: {media.mime}]")


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _content(blocks: list[Block]) -> object:
    """Words alone are a plain string: some who speak this dialect take nothing else."""
    if len(blocks) == 1 and blocks[0]["type"] == "text":
        return blocks[0]["text"]
    return blocks
