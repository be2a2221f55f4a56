"""Retry with a smaller request: which parameters are dropped when an API refuses a request, and in which order.

A rung lists what is dropped; the request is encoded only when it is sent. Parameters named in the error come first.
Otherwise single parameters are dropped, the least important first, then pictures, then tools, and at last everything
but the mandatory fields.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import Aspect, ErrorKind, ProviderError
from ..stages.s1_fit import RULES
from ..types import HttpRequest
from .dialects.dialect import RetryHints
from .error_text import is_generic

_MANDATORY = frozenset({"model", "messages", "stream"})
_NO_HINTS = RetryHints()
_STREAM_OPTIONS = "stream_options"
_DROP_ORDER = (
    "top_p",
    "top_k",
    "min_p",
    "frequency_penalty",
    "presence_penalty",
    "repetition_penalty",
    "logit_bias",
    "temperature",
    "max_tokens",
    "stop",
)
"""The least important first; fields of a particular API come last."""
_TOOLS = frozenset({"tools", "tool_choice", "parallel_tool_calls", "tool_stream"})
"""Without ``tools``, APIs refuse the others."""
_SHOWN = frozenset({"image_url", "input_image", "image", "video_url"})
"""Types of message parts that hold media."""
_TARGETED = 3
"""Most retries because of parameters named in an error."""

_FINAL_KINDS = frozenset({ErrorKind.RATE_LIMIT, ErrorKind.TIMEOUT, ErrorKind.CONTENT_BLOCKED, ErrorKind.MODEL})
_FINAL_STATUSES = frozenset({401, 402, 403})
_FINAL_ASPECTS = frozenset({Aspect.CREDIT, Aspect.PRIVACY})
_REJECTIONS = (
    "invalid api parameter",
    "unsupported parameter",
    "unknown parameter",
    "parameter not supported",
    "parameters are not yet supported",
    "parameter is not supported",
    "parameters are not supported",
    "not support parameter",
    "not support the parameter",
    "not support this parameter",
)
_SPEAKS_OF_A_PARAMETER = (
    r"(?:param(?:eter)?s?|arguments?|fields?|propert(?:y|ies)|un(?:supported|known|recogni[sz]ed|expected)|invalid|extra"
    r"|must be|(?:not|n't) (?:yet |currently )?(?:support(?:ed)?|allowed|permitted|accept(?:ed)?))"
)
_STOP_REFUSED = re.compile(r"(?i)\b(?:unsupported|unknown|invalid|not allowed|unrecogni[sz]ed)\b")
_IMAGES_REFUSED = re.compile(
    r"""(?ix)
    \bmulti-?modal\b .{0,80} (?:not\ (?:enabled|supported)|disabled|--?enable)
    | (?:not\ (?:enabled|supported)|unsupported|does\ not\ support|--?enable) .{0,60} \bmulti-?modal\b
    | \b(?:images?|image_urls?|pictures?|vision) (?:\ (?:inputs?|contents?|parts?|blocks?|urls?))? \W{1,3} (?:(?:is|are)\ )?
      (?:\w+ly\ )? (?:unsupported\b | disabled\b | not\ (?:yet\ |currently\ )?(?:supported|enabled|allowed|accepted|available)\b)
    | (?:\b(?:not|cannot|no\ endpoints\ found\ that)|n't) \ (?:support|accept|process|take|handle|read) \ (?:\w+\ ){0,2}
      (?:images?|image_urls?|pictures?|vision) \b (?!\ (?:format|type|size|of\b|larger|over))
    | \bunsupported\ (?:content|message|part|input)[\w\s]{0,20} \W{1,3} image
    | \bunknown\ variant\ .?image
    """,
)


def _refusal(name: str, *others: str) -> re.Pattern[str]:
    """A pattern for errors that say that the model lacks *name*; *others* are further patterns."""
    few_words = r"(?:[^\w.;!?]+\w+){0,2}?[^\w.;!?]+"  # more words in between mean something else
    lacks = (
        r"(?:\bnot|n't|\bcannot|\bno endpoints found that) (?:yet |currently )?(?:support|accept|allow|take|handle|use)"
    )
    is_lacking = (
        r"(?:unsupported|disabled|(?:not|n't) (?:yet |currently )?"
        r"(?:support(?:ed)?|enabled|allowed|permitted|available|accepted))"
    )
    forms = (
        rf"(?:{lacks}|\bunsupported){few_words}{name}\b(?![.\[]\w)",
        rf"\b{name}\b{few_words}{is_lacking}\b",
        *others,
    )
    return re.compile("|".join(forms), re.IGNORECASE)


_MEANT: Sequence[tuple[re.Pattern[str], frozenset[str]]] = (
    (
        _refusal(r"(?:thinking|reasoning)"),
        frozenset({"think", "thinking", "reasoning", "reasoning_effort", "reasoning_budget", "chat_template_kwargs"}),
    ),
    (
        _refusal(
            r"(?:tools|functions|(?:tool|function)[ _-]?(?:use|usage|calls?|calling|choice))",
            r"\btool[ _]choice requires\b",  # vLLM and llama.cpp: supported, but not switched on
            r"\btools param requires\b",
        ),
        _TOOLS,
    ),
)
"""Errors about a missing feature, and the parameters that request it."""
_SYSTEM_REFUSED = _refusal(r"(?:system|developer)[ _-](?:role|prompt|message|instruction)s?")


@dataclass(frozen=True, slots=True)
class Rung:
    """What is dropped from a request."""

    label: str
    without: frozenset[str] = frozenset()
    is_blind: bool = False
    """Whether media are dropped."""
    is_in_band: bool = False
    """Whether the system prompt moves to the beginning of the first user message."""

    def is_same(self, other: Rung) -> bool:
        """Whether both give the same request."""
        return replace(self, label="") == replace(other, label="")


class Ladder:
    """The rungs of one request. See ``stages.s3_chunks.Attempts``."""

    def __init__(self, request: HttpRequest, *, key: str, hints: RetryHints = _NO_HINTS) -> None:
        self.key = key
        self._first = request
        self._hints = hints
        self._request = request
        self._body: dict[str, Any] | None = None  # parsed on demand, which is seldom
        self._rung = Rung("default")
        self._tried: list[Rung] = []
        self._waiting: list[Rung] | None = None
        self._targeted = 0
        self._pictures_refused = False
        self._has_learnt = False

    @property
    def request(self) -> HttpRequest:
        """The request to send now."""
        return self._request

    @property
    def label(self) -> str:
        """What was done to the present request, for operators."""
        return self._rung.label

    @property
    def lesson(self) -> str:
        """What to remember if the present request is answered; empty if the errors taught nothing.

        What was dropped after a possibly temporary error is no lesson.
        """
        if not self._has_learnt:
            return ""
        rung = self._rung
        learnt = {"without": sorted(rung.without), "blind": rung.is_blind}
        return json.dumps({**learnt, "in_band": True} if rung.is_in_band else learnt)

    def recall(self, lesson: str, /) -> None:
        """Start from an earlier lesson: all rungs drop at least what it dropped."""
        try:
            learnt = json.loads(lesson)
            without, is_blind = frozenset(map(str, learnt["without"])), bool(learnt["blind"])
            is_in_band = bool(learnt.get("in_band"))
        except (ValueError, TypeError, KeyError):
            return
        rung = self._fitted(Rung("recalled", without & self._droppable(), is_blind, is_in_band))
        if not rung.is_same(self._rung):
            self._pictures_refused = rung.is_blind
            self._take(rung)

    def degrade(self, error: ProviderError, /) -> bool:
        """Switch to the next request, if it may avoid *error*."""
        if _is_final(error) or not self._read():
            return False
        if self._waiting is None:
            self._waiting = list(self._distinct(self._static(self._rung)))
        self._tried.append(self._rung)
        is_targeted = self._queue_targets(error.detail)
        if not (is_targeted or self._is_degradable(error)) or not self._waiting:
            return False
        self._take(self._waiting.pop(0))
        # One broken picture must not blind a model: remember it only where the error named pictures.
        is_sure = self._pictures_refused or not self._rung.is_blind
        self._has_learnt = is_sure and (is_targeted or (error.status or 0) < 500)
        return True

    # --- rungs ---------------------------------------------------------------------------

    def _static(self, first: Rung) -> Iterator[Rung]:
        """The rungs below *first* for errors that name nothing."""
        baseline = first.without | ({_STREAM_OPTIONS} & self._droppable())
        yield replace(first, label="no_stream_options", without=baseline)
        for key in self._in_drop_order():
            yield replace(first, label=f"probe_drop_{key}", without=baseline | {key})
        yield replace(first, label="strip_images", without=baseline, is_blind=True)
        if "tools" in self._droppable():
            yield replace(first, label="probe_drop_tools", without=baseline | (_TOOLS & self._droppable()))
        yield replace(first, label="minimal_payload", without=self._droppable(), is_blind=True)

    def _distinct(self, rungs: Iterator[Rung]) -> Iterator[Rung]:
        """*rungs* without those that give the same request as an earlier one."""
        seen = [self._rung]
        for rung in map(self._fitted, rungs):
            if not any(rung.is_same(other) for other in seen):
                seen.append(rung)
                yield rung

    def _fitted(self, rung: Rung) -> Rung:
        """*rung* without steps that change nothing: no media to drop, or no system prompt to move."""
        body = self._read()
        is_in_band = rung.is_in_band and _instructs(body)
        return replace(rung, is_blind=rung.is_blind and _shows(body), is_in_band=is_in_band)

    def _in_drop_order(self) -> list[str]:
        droppable = self._droppable() - {"tools", _STREAM_OPTIONS}
        known = [key for key in (*self._hints.priority, *_DROP_ORDER) if key in droppable]
        return list(dict.fromkeys([*known, *(key for key in self._read() if key in droppable)]))

    def _droppable(self) -> frozenset[str]:
        return frozenset(self._read()).difference(_MANDATORY, self._hints.mandatory)

    # --- what the error names --------------------------------------------------------------

    def _queue_targets(self, words: str) -> bool:
        """Put rungs for what *words* name first; return whether there are any."""
        smaller = self._without_named(words)
        targets = (smaller, self._without_shown(words), self._without_system(words))
        queued = [rung for rung in targets if rung and not any(rung.is_same(tried) for tried in self._tried)]
        for rung in reversed(queued):
            self._put_in_front(rung)
        self._targeted += smaller in queued
        return bool(queued)

    def _without_named(self, words: str) -> Rung | None:
        keys = [_STREAM_OPTIONS, *self._in_drop_order()]
        named = [key for key in keys if self._has(key) and _names(words, key)] or self._meant(words)
        if not named or self._targeted >= _TARGETED:
            return None
        return replace(self._rung, label="targeted_drop_" + "+".join(named), without=self._rung.without | set(named))

    def _without_shown(self, words: str) -> Rung | None:
        if self._rung.is_blind or not _IMAGES_REFUSED.search(words):
            return None
        self._pictures_refused = True
        return self._fitted(replace(self._rung, label="targeted_strip_images", is_blind=True))

    def _without_system(self, words: str) -> Rung | None:
        if self._rung.is_in_band or not _SYSTEM_REFUSED.search(words):
            return None
        return self._fitted(replace(self._rung, label="targeted_system_in_band", is_in_band=True))

    def _meant(self, words: str) -> list[str]:
        """The parameters for a feature that *words* mention, where they name no parameter."""
        meant = [keys for wording, keys in _MEANT if wording.search(words)]
        return [key for key in self._read() if any(key in keys for keys in meant) and self._has(key)]

    def _has(self, key: str) -> bool:
        """Whether *key* can still be dropped."""
        return key in self._droppable() and key not in self._rung.without

    def _put_in_front(self, target: Rung) -> None:
        waiting = self._waiting or []
        same = next((rung for rung in waiting if rung.is_same(target)), target)
        self._waiting = [same, *(rung for rung in waiting if rung is not same)]

    def _is_degradable(self, error: ProviderError) -> bool:
        """Whether *error* may be caused by a parameter, though it names none."""
        status, words = error.status or 0, error.detail.lower()
        match status:
            case 400 if is_generic(words) or any(rejection in words for rejection in _REJECTIONS):
                return True
            case 404 if "no endpoints found" in words:
                return True
            case 502 if self._hints.is_router:
                return True
            case 400 | 422 if _STREAM_OPTIONS in words and self._has(_STREAM_OPTIONS):
                return True
            case 400 | 422 if self._hints.is_custom and self._has("stop") and "stop" in words:
                return _STOP_REFUSED.search(words) is not None
        return self._hints.opaque_5xx and status >= 500 and is_generic(words)

    # --- requests ------------------------------------------------------------------------

    def _take(self, rung: Rung) -> None:
        self._rung = rung
        body = {key: value for key, value in self._read().items() if key not in rung.without}
        if rung.is_blind:
            body |= {key: [_without_pictures(message) for message in turns] for key, turns in _conversation(body)}
        if rung.is_in_band:
            body |= {key: _in_band(turns) for key, turns in _conversation(body)}
        self._request = replace(self._first, body=json.dumps(body).encode())

    def _read(self) -> dict[str, Any]:
        """The body of the first request; empty if it is not a JSON object."""
        if self._body is None:
            try:
                body = json.loads(self._first.body)
            except (ValueError, RecursionError):
                body = {}
            self._body = body if isinstance(body, dict) else {}
        return self._body


def _is_final(error: ProviderError) -> bool:
    """Whether *error* has a cause other than the request, whatever its words."""
    return error.kind in _FINAL_KINDS or error.status in _FINAL_STATUSES or error.aspect in _FINAL_ASPECTS


def _names(words: str, key: str) -> bool:
    """Whether *words* mention *key* as a parameter.

    A key that is no ordinary word always counts. ``stop`` must be quoted, stand before a colon at the beginning of the
    message, or stand near a word such as "parameter".
    """
    name = rf"(?<![\w-]){re.escape(key)}(?![\w-])"
    if re.search(name, words, re.IGNORECASE) is None:
        return False
    if "_" in key:
        return True
    few_words = r"(?:[^\w.;!?]+\w+){0,4}[^\w.;!?]+"
    forms = (
        rf"[\"'`](?:[\w\[\]]+\.)*{name}[\w\[\].]*[\"'`]",
        rf"(?:^|[;\n])\s*{name}\s*:",
        rf"{name}{few_words}{_SPEAKS_OF_A_PARAMETER}\b",
        rf"\b{_SPEAKS_OF_A_PARAMETER}{few_words}{name}",
    )
    return any(re.search(form, words, re.IGNORECASE) for form in forms)


def _conversation(body: dict[str, Any]) -> list[tuple[str, list[Any]]]:
    """The list of messages, with its key."""
    return [(key, turns) for key in ("messages", "input") if isinstance(turns := body.get(key), list)]


def _shows(body: dict[str, Any]) -> bool:
    return any(_pictures(message) for _, turns in _conversation(body) for message in turns)


def _pictures(message: Any) -> int:
    if not isinstance(message, dict):
        return 0
    content, beside = message.get("content"), message.get("images")  # "images" is Ollama's field
    among = sum(map(_is_picture, content)) if isinstance(content, list) else 0
    return among + (len(beside) if isinstance(beside, list) else 0)


def _is_picture(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in _SHOWN


def _without_pictures(message: Any) -> Any:
    """*message* with one notice in place of its media."""
    count = _pictures(message)
    if not count:
        return message
    if not isinstance(message.get("content"), list):
        said = filter(None, [message.get("content"), _notice(count)])
        return {name: value for name, value in message.items() if name != "images"} | {"content": "\n".join(said)}
    kept = [part for part in message["content"] if not _is_picture(part)]
    is_item = any(_is_picture(part) and part["type"] == "input_image" for part in message["content"])
    notice = {"type": "input_text" if is_item else "text", "text": _notice(count)}
    return {**message, "content": _as_text([*kept, notice])}


def _instructs(body: dict[str, Any]) -> bool:
    return any(_is_instruction(message) for _, turns in _conversation(body) for message in turns)


def _is_instruction(message: Any) -> bool:
    is_system = isinstance(message, dict) and message.get("role") in ("system", "developer")
    return is_system and isinstance(message.get("content"), str)


def _in_band(turns: list[Any]) -> list[Any]:
    """*turns* with the system prompt at the start of the first user message: some APIs insist on alternating roles."""
    told = "\n\n".join(message["content"] for message in turns if _is_instruction(message))
    others = [message for message in turns if not _is_instruction(message)]
    text = f"{RULES}\n{told}"
    match others:
        case [{"role": "user", "content": str(said)} as first, *rest]:
            return [{**first, "content": f"{text}\n{said}"}, *rest]
        case [{"role": "user", "content": list(parts)} as first, *rest]:
            return [{**first, "content": [{"type": "text", "text": text}, *parts]}, *rest]
    return [{"role": "user", "content": text}, *others]


def _notice(count: int) -> str:
    if count == 1:
        return "[A picture was shown here, but this endpoint rejected it. You have not seen it: do not guess what it shows.]"
    return f"[{count} pictures were shown here, but this endpoint rejected them. You have not seen them: do not guess what they show.]"


def _as_text(parts: list[Any]) -> Any:
    """*parts* as one text if they are all text: an API without pictures may not accept parts."""
    if all(isinstance(part, dict) and part.keys() == {"type", "text"} for part in parts):
        return "\n".join(str(part["text"]) for part in parts)
    return parts
