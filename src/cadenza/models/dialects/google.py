"""Requests to Gemini: the Gemini API with a key, Vertex AI with a token, or Vertex AI express with a key.

The three differ only in their URLs and in the header for the key. The key is never part of a URL.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from ...stages.s1_budget import CONTINUE, START
from ...stages.s1_context import fit
from ...stages.s3_chunks import NO_PROMPT
from ...stages.stage import Stage
from ...types import Chunk, HttpRequest, Links, Media, Prompt, PromptTurn, RawEvent, Role, Thinking, ToolCall, ToolSpec
from ..guards import guarded
from .dialect import Dialect, Endpoint
from .google_events import GoogleDecoder
from .request_bodies import THOUGHT_TOKENS, inline, object_of, state_of, within, written
from .tool_pairs import ANY_ID, with_paired_calls

Content: TypeAlias = tuple[str, list[Mapping[str, object]]]
"""A role and its parts."""

_STOPS = 5
"""Most stop sequences that the API accepts."""
_UNSIGNED = "skip_thought_signature_validator"
"""Placeholder signature that Gemini 3 accepts for a call of another model; without one it refuses the conversation."""

_SAMPLING: Mapping[str, str] = MappingProxyType(
    {
        "temperature": "temperature",
        "top_p": "topP",
        "top_k": "topK",
        "frequency_penalty": "frequencyPenalty",
        "presence_penalty": "presencePenalty",
    }
)
"""Our names → the API's; others are not sent."""
_BUDGETS: Mapping[Thinking, int] = MappingProxyType({**THOUGHT_TOKENS, Thinking.AUTO: -1})
_LEAST_OF_PRO = 128
"""Least thinking tokens of the Pro models, which always think."""
_VERSION = re.compile(r"gemini-(\d+)(?:\.(\d+))?")
_PENALTYLESS = (2, 5)
"""First version that refuses penalties."""
_NEVER_MINIMAL = (3, 7)
"""First version whose Flash models refuse the lowest level too."""
_LATEST = (3, 0)
"""The version of names without one, such as ``gemini-flash-latest``."""
_THOUGHTLESS = re.compile(r"-(?:image|tts|audio|live)\b")


def vertex_url(project: str, location: str = "global") -> str:
    """The base URL of Vertex AI for a project."""
    match location:
        case "global":
            host = "aiplatform.googleapis.com"
        case "us" | "eu":
            host = f"aiplatform.{location}.rep.googleapis.com"
        case _:
            host = f"{location}-aiplatform.googleapis.com"
    return f"https://{host}/v1beta1/projects/{project}/locations/{location}/publishers/google"


class GoogleCodec(Dialect):
    """The dialect of Gemini, and of Gemma where Google serves it."""

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(endpoint.able(links=Links.OWN))

    def encode(self, prompt: Prompt, /) -> HttpRequest:
        """Encode *prompt*."""
        endpoint = self.endpoint
        prompt = fit(with_paired_calls(prompt, ANY_ID), endpoint.abilities)
        body: dict[str, object] = {"contents": _in_turn(self._contents(prompt.turns), begins=bool(prompt.prefill))}
        if prompt.system:
            body["systemInstruction"] = {"parts": [{"text": prompt.system}]}
        if prompt.tools:
            body["tools"] = [{"functionDeclarations": [_declaration(tool) for tool in prompt.tools]}]
        if config := _generation_config(prompt, endpoint.model.lower()):
            body["generationConfig"] = config
        return HttpRequest(self._url(), written(body, within(body, endpoint.extra)), self._headers())

    def decoder(self, prompt: Prompt = NO_PROMPT, /) -> Stage[RawEvent, Chunk]:
        """A new decoder for events."""
        first = sum(len(turn.calls) for turn in prompt.turns)
        decoder = GoogleDecoder(self.endpoint.vendor, owner=self._owner, first=first)
        return guarded(decoder, self.endpoint.quirks, prompt)

    @property
    def _owner(self) -> str:
        return f"google:{self.endpoint.vendor}"

    def _url(self) -> str:
        model = self.endpoint.model
        path = model if "/" in model else f"models/{model}"  # tuned models have a path of their own
        address = self.endpoint.at(f"/{path}:streamGenerateContent")
        return f"{address}{'&' if '?' in address else '?'}alt=sse"

    def _headers(self) -> Mapping[str, str]:
        endpoint = self.endpoint
        headers = {"content-type": "application/json"}
        if endpoint.key and "/projects/" in endpoint.url:
            headers["authorization"] = f"Bearer {endpoint.key}"  # a project takes a token instead of a key
        elif endpoint.key:
            headers["x-goog-api-key"] = endpoint.key
        return {**headers, **endpoint.headers}

    # --- the conversation ---

    def _contents(self, turns: Sequence[PromptTurn]) -> Iterator[Content]:
        """The turns; results of parallel calls form one turn."""
        calls = {call.id: call for turn in turns for call in turn.calls}
        results: list[PromptTurn] = []
        for turn in turns:
            if turn.role is Role.TOOL:
                results.append(turn)
                continue
            yield from self._results(results, calls)
            results = []
            if turn.role is Role.MODEL:
                yield from _content("model", [*_parts(turn), *self._call_parts(turn.calls)])
            else:
                yield from _content("user", _parts(turn))
        yield from self._results(results, calls)

    def _call_parts(self, calls: Sequence[ToolCall]) -> Iterator[Mapping[str, object]]:
        """The calls of one turn with their signatures; other signed parts come back without text."""
        states = [state_of(call, self._owner) for call in calls]
        is_signed = any("signature" in state for state in states)
        for index, (call, state) in enumerate(zip(calls, states, strict=True)):
            yield from _signed_parts(state.get("before"))
            part: dict[str, object] = {"functionCall": _with_id(call, state, args=object_of(call.arguments))}
            if "signature" in state:
                part["thoughtSignature"] = state["signature"]
            elif not index and not is_signed and _version(self.endpoint.model.lower()) >= _LATEST:
                part["thoughtSignature"] = _UNSIGNED
            yield part
            yield from _signed_parts(state.get("after"))

    def _results(self, results: Sequence[PromptTurn], calls: Mapping[str, ToolCall]) -> Iterator[Content]:
        """The results of the calls, then their media in a turn of their own."""
        parts: list[Mapping[str, object]] = []
        for turn in results:
            call = calls[turn.call_id or ""]
            response = {"result": _result(turn.text)}
            parts.append({"functionResponse": _with_id(call, state_of(call, self._owner), response=response)})
        yield from _content("user", parts)
        yield from _content("user", _media_parts(medium for turn in results for medium in turn.media))


def _in_turn(contents: Iterable[Content], *, begins: bool) -> list[Mapping[str, object]]:
    """*contents* in a valid order: the user first and last, and no turn with calls directly after a model turn.

    With *begins*, the last turn may be the model's.
    """
    taken: list[Content] = []
    for role, parts in contents:
        if role == "model" and taken and taken[-1][0] == "model":
            taken[-1][1].extend(parts)
            continue
        if role == "model" and not taken:
            taken.append(("user", [{"text": START}]))
        taken.append((role, parts))
    if not taken or (taken[-1][0] == "model" and not begins):
        taken.append(("user", [{"text": CONTINUE if taken else START}]))
    return [{"role": role, "parts": parts} for role, parts in taken]


def _content(role: str, parts: Iterable[Mapping[str, object]]) -> Iterator[Content]:
    """A turn, unless it is empty."""
    if written_parts := list(parts):
        yield role, written_parts


def _parts(turn: PromptTurn) -> Iterator[Mapping[str, object]]:
    for part in turn.parts:
        if isinstance(part, Media):
            yield from _media_parts([part])
        elif part:
            yield {"text": part}


def _media_parts(media: Iterable[Media]) -> Iterator[Mapping[str, object]]:
    """The media that can be sent: inline data, files in Google's storage, and videos that Gemini loads itself."""
    for medium in media:
        if found := inline(medium):
            yield {"inlineData": {"mimeType": found.mime, "data": found.base64}}
        elif medium.url.startswith("gs://") or (medium.is_watched and medium.url.startswith("http")):
            kind = {"mimeType": medium.mime} if medium.mime else {}
            yield {"fileData": {"fileUri": medium.url, **kind}}


def _signed_parts(signatures: object) -> Iterator[Mapping[str, object]]:
    """Signatures of earlier text, which must go back even without that text."""
    if isinstance(signatures, list):
        yield from ({"text": "", "thoughtSignature": signature} for signature in signatures)


def _result(text: str) -> object:
    """The result of a tool, parsed if it is a JSON object or list."""
    try:
        value = json.loads(text) if text[:1] in ("{", "[") else text
        json.dumps(value, allow_nan=False)  # Python accepts NaN; the API does not
    except (ValueError, RecursionError):
        return text
    return value


def _with_id(call: ToolCall, state: Mapping[str, object], **fields: object) -> Mapping[str, object]:
    """A call or result, with its id only if Google assigned it."""
    return {"id": call.id, "name": call.name, **fields} if state.get("id") else {"name": call.name, **fields}


# --- the rest of the request ---------------------------------------------------------------


def _declaration(tool: ToolSpec) -> Mapping[str, object]:
    """The declaration of *tool* with its JSON schema; without parameters the field is left out."""
    declaration: dict[str, object] = {"name": tool.name, "description": tool.description}
    if tool.parameters.get("properties"):
        schema = {name: value for name, value in tool.parameters.items() if name != "$schema"}
        declaration["parametersJsonSchema"] = schema
    return declaration


def _generation_config(prompt: Prompt, model: str) -> Mapping[str, object]:
    config: dict[str, object] = {
        theirs: prompt.sampling[ours] for ours, theirs in _SAMPLING.items() if ours in prompt.sampling
    }
    if "topK" in config:
        config["topK"] = int(prompt.sampling["top_k"])
    if _version(model) >= _PENALTYLESS:
        config = {name: value for name, value in config.items() if not name.endswith("Penalty")}
    thinking = _thinking_config(model, prompt.thinking)
    if prompt.max_tokens:
        config["maxOutputTokens"] = prompt.max_tokens + _room(thinking, prompt.thinking)
    if prompt.stop:
        config["stopSequences"] = list(prompt.stop[:_STOPS])
    if thinking:
        config["thinkingConfig"] = thinking
    return config


def _room(config: Mapping[str, object], thinking: Thinking) -> int:
    """Tokens reserved for thoughts, which count as part of the answer."""
    if not config or config.get("thinkingBudget") == 0:
        return 0
    return THOUGHT_TOKENS[thinking] or THOUGHT_TOKENS[Thinking.LOW]


def _thinking_config(model: str, thinking: Thinking) -> Mapping[str, object]:
    """The thinking config: a token budget before Gemini 3, a level since then; empty for models that do not think."""
    version = _version(model)
    if version < (2, 5) or _THOUGHTLESS.search(model):
        return {}
    shown: dict[str, object] = {} if thinking is Thinking.NONE else {"includeThoughts": True}
    is_pro = "-pro" in model
    if version < (3, 0):
        budget = _LEAST_OF_PRO if is_pro and thinking is Thinking.NONE else _BUDGETS[thinking]
        return {**shown, "thinkingBudget": budget}
    match thinking:
        case Thinking.AUTO:
            return shown
        case Thinking.NONE:
            has_less = not is_pro and _VERSION.search(model) and version < _NEVER_MINIMAL
            return {"thinkingLevel": "MINIMAL" if has_less else "LOW"}
        case Thinking.MEDIUM if is_pro and version == (3, 0) and _VERSION.search(model):
            return {**shown, "thinkingLevel": "HIGH"}  # Gemini 3.0 knows two levels only
        case Thinking.LOW | Thinking.MEDIUM | Thinking.HIGH:
            return {**shown, "thinkingLevel": thinking.value.upper()}


def _version(model: str) -> tuple[int, int]:
    """The Gemini version in *model*; ``(0, 0)`` for other models."""
    if "gemini" not in model:
        return (0, 0)
    found = _VERSION.search(model)
    return (int(found[1]), int(found[2] or 0)) if found else _LATEST
