"""Gemini, as Google's two clouds speak it: the Gemini API with a key, Vertex AI with a token or, express, a key.

The three differ in their addresses only, and in where the key stands; it never stands in an address.
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
from .tool_pairs import ANY_ID, settled

Content: TypeAlias = tuple[str, list[Mapping[str, object]]]
"""A role, and parts."""

GEMINI_URL = "https://generativelanguage.googleapis.com/v1beta"
VERTEX_EXPRESS_URL = "https://aiplatform.googleapis.com/v1beta1/publishers/google"

_STOPS = 5
"""The most stop strings that are taken."""
_UNSIGNED = "skip_thought_signature_validator"
"""What Gemini 3 takes as the signature of a call that somebody else made; without any it refuses the conversation."""

_SAMPLING: Mapping[str, str] = MappingProxyType(
    {
        "temperature": "temperature",
        "top_p": "topP",
        "top_k": "topK",
        "frequency_penalty": "frequencyPenalty",
        "presence_penalty": "presencePenalty",
    }
)
"""Our names and theirs; what is not here is not known there."""
_BUDGETS: Mapping[Thinking, int] = MappingProxyType({**THOUGHT_TOKENS, Thinking.AUTO: -1})
_LEAST_OF_PRO = 128
"""Tokens: the Pro models cannot do without any thought."""
_VERSION = re.compile(r"gemini-(\d+)(?:\.(\d+))?")
_PENALTYLESS = (2, 5)
"""Since when penalties are refused."""
_NEVER_MINIMAL = (3, 7)
"""Since when the Flash models do not take the least level either."""
_LATEST = (3, 0)
"""What a name without a version stands for, ``gemini-flash-latest``."""
_THOUGHTLESS = re.compile(r"-(?:image|tts|audio|live)\b")


def vertex_url(project: str, location: str = "global") -> str:
    """The base of Vertex AI's interface for a project of yours."""
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
        """Write *prompt* down."""
        endpoint = self.endpoint
        prompt = fit(settled(prompt, ANY_ID), endpoint.abilities)
        body: dict[str, object] = {"contents": _in_turn(self._contents(prompt.turns), begins=bool(prompt.prefill))}
        if prompt.system:
            body["systemInstruction"] = {"parts": [{"text": prompt.system}]}
        if prompt.tools:
            body["tools"] = [{"functionDeclarations": [_declaration(tool) for tool in prompt.tools]}]
        if config := _generation_config(prompt, endpoint.model.lower()):
            body["generationConfig"] = config
        return HttpRequest(self._url(), written(body, within(body, endpoint.extra)), self._headers())

    def decoder(self, prompt: Prompt = NO_PROMPT, /) -> Stage[RawEvent, Chunk]:
        """A fresh reader of events into chunks."""
        first = sum(len(turn.calls) for turn in prompt.turns)
        decoder = GoogleDecoder(self.endpoint.vendor, owner=self._owner, first=first)
        return guarded(decoder, self.endpoint.quirks, prompt)

    @property
    def _owner(self) -> str:
        return f"google:{self.endpoint.vendor}"

    def _url(self) -> str:
        model = self.endpoint.model
        path = model if "/" in model else f"models/{model}"  # a tuned model has a path of its own
        address = self.endpoint.at(f"/{path}:streamGenerateContent")
        return f"{address}{'&' if '?' in address else '?'}alt=sse"

    def _headers(self) -> Mapping[str, str]:
        endpoint = self.endpoint
        headers = {"content-type": "application/json"}
        if endpoint.key and "/projects/" in endpoint.url:
            headers["authorization"] = f"Bearer {endpoint.key}"  # a project is opened by a token
        elif endpoint.key:
            headers["x-goog-api-key"] = endpoint.key
        return {**headers, **endpoint.headers}

    # --- the conversation ---

    def _contents(self, turns: Sequence[PromptTurn]) -> Iterator[Content]:
        """The turns; the results of calls that were made together are one of them."""
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
        """The calls of one turn, each with what it was signed with; other parts that were signed have no words left."""
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
        """What the calls came to, and then, in a turn of its own, what they showed."""
        parts: list[Mapping[str, object]] = []
        for turn in results:
            call = calls[turn.call_id or ""]
            response = {"result": _result(turn.text)}
            parts.append({"functionResponse": _with_id(call, state_of(call, self._owner), response=response)})
        yield from _content("user", parts)
        yield from _content("user", _media_parts(medium for turn in results for medium in turn.media))


def _in_turn(contents: Iterable[Content], *, begins: bool) -> list[Mapping[str, object]]:
    """*contents* as they are taken: the user first and last, and no call in a turn behind another of the model's.

    With *begins*, the last one may be the model's.
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
    """A turn, if there is anything in it."""
    if written_parts := list(parts):
        yield role, written_parts


def _parts(turn: PromptTurn) -> Iterator[Mapping[str, object]]:
    for part in turn.parts:
        if isinstance(part, Media):
            yield from _media_parts([part])
        elif part:
            yield {"text": part}


def _media_parts(media: Iterable[Media]) -> Iterator[Mapping[str, object]]:
    """What can be shown: what is here, what lies in their own store, and a video that they are to watch themselves."""
    for medium in media:
        if found := inline(medium):
            yield {"inlineData": {"mimeType": found.mime, "data": found.base64}}
        elif medium.url.startswith("gs://") or (medium.is_watched and medium.url.startswith("http")):
            kind = {"mimeType": medium.mime} if medium.mime else {}
            yield {"fileData": {"fileUri": medium.url, **kind}}


def _signed_parts(signatures: object) -> Iterator[Mapping[str, object]]:
    """A signature must come back even where the words that it was on are told without it."""
    if isinstance(signatures, list):
        yield from ({"text": "", "thoughtSignature": signature} for signature in signatures)


def _result(text: str) -> object:
    """What a tool said, as an object or a list if it is one."""
    try:
        value = json.loads(text) if text[:1] in ("{", "[") else text
        json.dumps(value, allow_nan=False)  # Python reads NaN and writes it, but no interface would take it
    except (ValueError, RecursionError):
        return text
    return value


def _with_id(call: ToolCall, state: Mapping[str, object], **fields: object) -> Mapping[str, object]:
    """A call or its result, with the id only if it is one of theirs."""
    return {"id": call.id, "name": call.name, **fields} if state.get("id") else {"name": call.name, **fields}


# --- the rest of the request ---------------------------------------------------------------


def _declaration(tool: ToolSpec) -> Mapping[str, object]:
    """*tool* with its JSON Schema as it is; one without parameters must have none."""
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
    """Tokens for thoughts: they are counted with the answer, and should not cut it short."""
    if not config or config.get("thinkingBudget") == 0:
        return 0
    return THOUGHT_TOKENS[thinking] or THOUGHT_TOKENS[Thinking.LOW]


def _thinking_config(model: str, thinking: Thinking) -> Mapping[str, object]:
    """How long to think: a number of tokens before Gemini 3, a level since; older ones and others do not think."""
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
            return {**shown, "thinkingLevel": "HIGH"}  # the first of them knew two levels only
        case Thinking.LOW | Thinking.MEDIUM | Thinking.HIGH:
            return {**shown, "thinkingLevel": thinking.value.upper()}


def _version(model: str) -> tuple[int, int]:
    """Which Gemini it is; nothing at all if it is none."""
    if "gemini" not in model:
        return (0, 0)
    found = _VERSION.search(model)
    return (int(found[1]), int(found[2] or 0)) if found else _LATEST
