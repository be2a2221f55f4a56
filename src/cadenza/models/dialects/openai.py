"""Chat completions: the API of OpenAI and of nearly every other vendor.

``RequestStyle`` describes how vendors differ in requests. One decoder reads all their answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ...stages.s1_budget import CONTINUE, START, output_tokens
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
)
from ..guards import guarded
from ..ladder import Ladder
from .dialect import Dialect, ThinkingField
from .openai_decoder import OpenAIDecoder
from .request_bodies import THOUGHT_TOKENS, inline, link, schema, state_of, within, written
from .tool_pairs import with_paired_calls

_CALL = "/chat/completions"
_SAMPLING = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "frequency_penalty",
    "presence_penalty",
    "repetition_penalty",
)
"""The order of the sampling parameters; others follow."""
_WHOLE_NUMBERS = frozenset({"top_k", "seed"})
_ID = re.compile(r"(?s).{1,40}")
_SHORT_ID = re.compile(r"[a-zA-Z0-9]{9}")
_UNDERSTOOD = "Understood."
"""The model's reply to a tool result, where the API requires one and there was none."""


class OpenAICodec(Dialect):
    """The dialect of chat completions."""

    @property
    def owner(self) -> str:
        """The name under which provider-specific state of calls is kept."""
        return f"openai:{self.endpoint.vendor}"

    def encode(self, prompt: Prompt, /) -> HttpRequest:
        """Encode *prompt*."""
        endpoint = self.endpoint
        prompt = fit(with_paired_calls(prompt, _SHORT_ID if endpoint.style.short_ids else _ID), endpoint.abilities)
        messages = self._messages(prompt)
        begins = _marks_beginning(messages, prompt)
        if endpoint.style.strict_turns:
            messages = list(_in_strict_turns(messages, begins=begins))
        body: dict[str, object] = {"model": endpoint.model, "messages": messages, "stream": True}
        if endpoint.style.usage_on_request:
            body["stream_options"] = {"include_usage": True}
        body |= self._known({**self._limits(prompt, messages), **self._tools(prompt), **self._thinking(prompt)})
        if begins:
            body |= self._beginning(messages[-1])
        url = endpoint.at(_CALL) if not begins else self._beginning_url()
        return HttpRequest(url, written(body, within(body, endpoint.extra)), self._headers())

    def decoder(self, prompt: Prompt = NO_PROMPT, /) -> Stage[RawEvent, Chunk]:
        """A new decoder for events."""
        quirks = self.endpoint.quirks
        first = sum(len(turn.calls) for turn in prompt.turns)
        decoder = OpenAIDecoder(
            self.endpoint.vendor, self.owner, replays_reasoning=quirks.replays_reasoning, first=first
        )
        return guarded(decoder, quirks, prompt)

    def attempts(self, request: HttpRequest, /) -> Ladder:
        """Smaller requests to try if *request* is refused."""
        return Ladder(request, key=f"{self.endpoint.url} {self.endpoint.model}", hints=self.endpoint.style.retry)

    def _headers(self) -> dict[str, str]:
        headers = {"content-type": "application/json", "accept": "text/event-stream"}
        if self.endpoint.key:
            headers["authorization"] = f"Bearer {self.endpoint.key}"
        return {**headers, **self.endpoint.headers}

    # --- the conversation -------------------------------------------------------

    def _messages(self, prompt: Prompt) -> list[dict[str, object]]:
        messages: list[dict[str, object]] = []
        if prompt.system:
            messages.append({"role": "system", "content": prompt.system})
        shown: list[Media] = []  # media of tools; sent after the last result, as nothing may stand between results
        for turn in prompt.turns:
            if shown and turn.role is not Role.TOOL:
                messages += self._shown(shown)
                shown = []
            messages += self._turn(turn)
            if turn.role is Role.TOOL:
                shown += turn.media
        messages += self._shown(shown)
        if all(message["role"] == "system" for message in messages):
            messages.append({"role": "user", "content": START})
        return messages

    def _turn(self, turn: PromptTurn) -> Iterator[dict[str, object]]:
        match turn.role:
            case Role.TOOL:
                yield {"role": "tool", "tool_call_id": turn.call_id, "content": turn.text}
            case Role.MODEL if turn.calls:
                yield {"role": "assistant", **self._calling(turn)}
            case Role.MODEL:
                if turn.text:
                    yield {"role": "assistant", "content": turn.text, **self._no_thoughts()}
            case Role.USER | Role.SYSTEM:
                if content := self._content(turn.parts):
                    yield {"role": turn.role.value, "content": content}

    def _no_thoughts(self) -> dict[str, object]:
        return {"reasoning_content": ""} if self.endpoint.style.wants_thoughts else {}

    def _calling(self, turn: PromptTurn) -> dict[str, object]:
        """A turn with calls and the provider's state for them."""
        said = "".join(part for part in turn.parts if isinstance(part, str))
        calls: list[dict[str, object]] = []
        thoughts = self._no_thoughts()
        for call in turn.calls:
            state = state_of(call, self.owner)
            thoughts |= {name: state.pop(name) for name in ("reasoning_content", "reasoning_details") if name in state}
            function = {"name": call.name, "arguments": call.arguments}
            calls.append({"id": call.id, "type": "function", "function": function, **state})
        return {"content": said or None, **thoughts, "tool_calls": calls}

    def _content(self, parts: Sequence[Part]) -> str | list[dict[str, object]]:
        """The content of a user turn. Text alone is a plain string, because some APIs accept nothing else."""
        content: list[dict[str, object]] = []
        words: list[str] = []
        for part in parts:
            if isinstance(part, str):
                if part.strip():  # some APIs refuse blank text
                    words.append(part)
                    content.append({"type": "text", "text": part})
            elif url := _url(part):
                kind = "video_url" if part.kind is MediaKind.VIDEO else "image_url"
                content.append({"type": kind, kind: {"url": url}})
        return content if len(content) > len(words) else "\n".join(words)

    def _shown(self, media: Sequence[Media]) -> Iterator[dict[str, object]]:
        """The media of tool results as a user turn: results hold text only."""
        if not any(map(_url, media)):
            return
        where = ", ".join(dict.fromkeys(item.reference for item in media if item.reference))
        notice = f"[System: shown by the tool above{f'; it was sent in {where}' if where else ''}]"
        yield {"role": "user", "content": self._content((notice, *media))}

    # --- parameters ---------------------------------------------------------------

    def _limits(self, prompt: Prompt, messages: Sequence[Mapping[str, object]]) -> dict[str, object]:
        """Length, sampling and stop strings."""
        style = self.endpoint.style
        fields: dict[str, object] = {}
        if prompt.max_tokens:
            fields[style.max_tokens] = self._longest(prompt, messages)
        fields |= self._sampling(prompt)
        if prompt.stop:
            fields["stop"] = list(prompt.stop)
        if style.tells_context and (tokens := self.endpoint.abilities.context_tokens):
            fields |= {"options": {"num_ctx": tokens}, "max_context_length": tokens}  # Ollama and KoboldCpp
        return fields

    def _sampling(self, prompt: Prompt) -> dict[str, object]:
        style = self.endpoint.style
        if style.thinking_fixes_sampling and prompt.thinking not in (Thinking.AUTO, Thinking.NONE):
            return {}
        others = sorted(name for name in prompt.sampling if name not in _SAMPLING)
        names = style.sampling
        fields: dict[str, object] = {}
        for name in (*_SAMPLING, *others):
            value = prompt.sampling.get(name)
            if value is not None and (names is None or name in names):
                fields[name if names is None else names[name]] = int(value) if name in _WHOLE_NUMBERS else value
        return fields

    def _room(self, level: Thinking) -> int:
        """Tokens reserved for thoughts: they count as part of the answer, and might use up a short one."""
        style = self.endpoint.style
        if style.counts_thoughts and style.efforts.get(level) != "none":
            return THOUGHT_TOKENS[level] or THOUGHT_TOKENS[Thinking.LOW]
        is_told = level is not Thinking.AUTO and style.thinking is not ThinkingField.NOWHERE
        return THOUGHT_TOKENS[level] if is_told else 0

    def _longest(self, prompt: Prompt, messages: Sequence[Mapping[str, object]]) -> int:
        abilities, wanted = self.endpoint.abilities, prompt.max_tokens + self._room(prompt.thinking)
        if not self.endpoint.style.clamps_output:
            return wanted
        return output_tokens(
            wanted,
            sum(map(_length, messages)),
            context_tokens=abilities.context_tokens,
            token_length=abilities.token_length,
        )

    def _tools(self, prompt: Prompt) -> dict[str, object]:
        if not prompt.tools:
            return {}
        fields: dict[str, object] = {
            "tools": [
                {
                    "type": "function",
                    "function": {"name": tool.name, "description": tool.description, "parameters": schema(tool)},
                }
                for tool in prompt.tools
            ]
        }
        if self.endpoint.style.tool_stream:
            fields["tool_stream"] = True
        if self.endpoint.style.requires_parameters:
            fields["provider"] = {"require_parameters": True}
        return fields

    def _thinking(self, prompt: Prompt) -> dict[str, object]:
        """The thinking fields; empty to leave it to the model."""
        style, level = self.endpoint.style, prompt.thinking
        if level is Thinking.AUTO:
            return {}
        word = style.efforts.get(level, "")
        thinks = level is not Thinking.NONE
        match style.thinking:
            case ThinkingField.NOWHERE:
                return {}
            case ThinkingField.EFFORT:
                return {"reasoning_effort": word} if word else {}
            case ThinkingField.REASONING:
                return {"reasoning": {"effort": word}} if word else {}
            case ThinkingField.SWITCH:
                switch = {"thinking": {"type": "enabled" if thinks else "disabled"}}
                return {**switch, "reasoning_effort": word} if word else {**switch}
            case ThinkingField.TEMPLATE:
                fields: dict[str, object] = {"chat_template_kwargs": {"enable_thinking": thinks}}
                return (
                    {**fields, style.thinking_budget: THOUGHT_TOKENS[level]}
                    if thinks and style.thinking_budget
                    else fields
                )

    def _known(self, fields: dict[str, object]) -> dict[str, object]:
        """*fields* without those that the model is known to refuse."""
        known = self.endpoint.style.parameters
        if known is None:
            return fields
        same = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
        ours = {"provider", "tool_stream"} | ({"tools"} if self.endpoint.abilities.tools else set())
        return {
            name: value for name, value in fields.items() if name in known or same.get(name) in known or name in ours
        }

    # --- prefill -----------------------------------------------------------------

    def _beginning(self, last: dict[str, object]) -> dict[str, object]:
        """Mark *last* as the prefix of the answer, and return the fields that the request needs for it."""
        style = self.endpoint.style
        if self.endpoint.abilities.prefill is PrefillMode.PREFIX:
            last["prefix"] = True
        return {"add_generation_prompt": False, "continue_final_message": True} if style.continues_last else {}

    def _beginning_url(self) -> str:
        path = self.endpoint.style.prefix_path
        base, mark, query = self.endpoint.url.partition("?")
        base = base.rstrip("/")
        if path and self.endpoint.abilities.prefill is PrefillMode.PREFIX and not base.endswith(path):
            base = base.removesuffix("/v1") + path
        return f"{base}{_CALL}{mark}{query}"


def _url(media: Media) -> str:
    """*media* as a ``data:`` URI, or its public link."""
    found = inline(media)
    return found.uri if found else link(media)


def _in_strict_turns(messages: Sequence[dict[str, object]], *, begins: bool) -> Iterator[dict[str, object]]:
    """*messages* with filler turns where the API requires them; with *begins*, the last one may be the model's."""
    before = ""
    for message in messages:
        if before == "tool" and message["role"] not in ("assistant", "tool"):
            yield {"role": "assistant", "content": _UNDERSTOOD}
        before = str(message["role"])
        yield message
    if before == "assistant" and not begins:
        yield {"role": "user", "content": CONTINUE}


def _marks_beginning(messages: Sequence[Mapping[str, object]], prompt: Prompt) -> bool:
    """Whether the last message is exactly the prefill."""
    last = messages[-1] if messages else {}
    return bool(prompt.prefill.strip()) and last.get("role") == "assistant" and last.get("content") == prompt.prefill


def _length(message: Mapping[str, object]) -> int:
    """The characters of *message*, without media."""
    content = message.get("content")
    match content:
        case str():
            length = len(content)
        case list():
            length = sum(len(part.get("text", "")) for part in content)
        case _:
            length = 0
    calls = message.get("tool_calls")
    if isinstance(calls, list):
        length += sum(len(call["function"]["name"]) + len(call["function"]["arguments"]) for call in calls)
    return length
