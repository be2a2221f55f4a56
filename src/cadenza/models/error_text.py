"""What a provider says when something goes wrong, found in whatever shape it says it.

There is no standard for this: ``error`` is an object or a text, the text may be JSON again, a router wraps the answer
of another, a proxy answers with a page of HTML. Only keys that are known are looked at, the outermost first, so that
nothing of a prompt that is quoted somewhere deep inside is taken for a message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

_DEPTH = 8
"""How many wrappings are taken off."""
_MOST = 4
"""How many messages are kept, where there are several."""
_ENOUGH = 16
"""How many are looked at, to choose from; and how many names."""
_LONGEST = 2000
"""Characters of a message; the rest is a dump of something."""
_LONGEST_PARAMETER = 200
_WEEK = 7 * 24 * 3600.0

_HOLDERS = (
    "error", "errors", "message", "msg", "detail", "error_message", "errorMessage", "error_description", "description",
    "title", "metadata", "raw", "details", "fieldViolations",
)  # fmt: skip
"""Where messages stand, or objects that hold one."""
_NAMES = ("code", "type", "error_type", "status", "reason")
"""Where a provider's own word for a failure stands, the most precise first."""
_STATUSES = ("code", "status", "status_code", "statusCode", "http_code", "error_code")
_NO_NAMES = frozenset({"error", "errors", "failed", "failure", "fail", "none", "null", "unknown"})

_NAME = re.compile(r"[A-Za-z][\w.-]{1,60}")
_GENERIC = re.compile(
    r"(?i)[\s.!]*+(?:(?:api |unknown |internal |internal server )?error|bad request|request failed|provider returned error)?"
    r"[\s.!]*+"
)
_NAMES_BEHIND = re.compile(r"\s*\([\w.,'\s-]{1,200}\)\s*")
_STATED = re.compile(
    r"""(?ix) (?:^\W{0,3} | \b(?:https?|status|code|error|failed\ with)\b[\s:=\#(/.]{0,4}(?:code\b[\s:=\#(]{0,3})? | \()
    ([45]\d\d) (?![\w.,]*\d | \s*(?:tokens?|char|words?|ms\b|s\b|seconds?|kb|mb|bytes|requests|%))\b""",
)
_TITLE = re.compile(r"(?i)<(?:title|h1)\b[^<>]*>\s*([^<>]+)")
_TAG = re.compile(r"<[^<>]*>")
_DATA_LINE = re.compile(r"(?m)^data:\s*(\S.*)$")
_DURATION = re.compile(
    r"(?i)(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)(?![a-z])\s*"
)
_TOLD_TO_WAIT = re.compile(r"(?i)\b(?:re)?try(?:ing)?(?: again)?(?: after| in) (?=\d)")


@dataclass(frozen=True, slots=True)
class ErrorText:
    """A provider's own words on a failure."""

    message: str = ""
    status: int | None = None
    names: tuple[str, ...] = ()
    """What the provider calls it, ``rate_limit_error``; the outermost and most precise first."""
    retry_after: float | None = None

    @property
    def detail(self) -> str:
        """The message, with what else it is called behind it."""
        more = [name for name in self.names if name.lower() not in self.message.lower()]
        return " ".join([self.message, f"({', '.join(more)})"]).strip() if more else self.message


def is_generic(message: str) -> bool:
    """Whether *message* says no more than that something is wrong; what it is called behind that does not count."""
    return _GENERIC.fullmatch(_NAMES_BEHIND.sub("", message)) is not None


def stated_status(text: str) -> int | None:
    """The HTTP status that *text* speaks of as one: ``HTTP 429: slow down``, but not ``40012 tokens``."""
    stated = _STATED.search(text)
    return int(stated[1]) if stated else None


def complaint_in(value: object) -> ErrorText:
    """What *value* says: the object or text of an error event, or a body."""
    reader = _Reader()
    reader.read(value, 0)
    return reader.complaint()


def complaint_of(body: bytes, headers: Mapping[str, str]) -> ErrorText:
    """What the body of an answer says, and how long its headers ask us to wait."""
    complaint = complaint_in(body.decode("utf-8", "replace"))
    wait = _asked_to_wait(headers)
    return complaint if wait is None else replace(complaint, retry_after=wait)


class _Reader:
    """Walks through a value and gathers what is said in it."""

    def __init__(self) -> None:
        self._messages: list[str] = []
        self._names: list[str] = []
        self._status: int | None = None
        self._wait: float | None = None

    def complaint(self) -> ErrorText:
        said = [message for message in self._messages if not is_generic(message)] or self._messages[:1]
        said = [one for number, one in enumerate(said) if not any(one in other for other in said[:number])][:_MOST]
        message = "; ".join(said)
        told = _TOLD_TO_WAIT.search(message)
        wait = self._wait if self._wait is not None or not told else _duration(message[told.end() :])
        return ErrorText(message, self._status, tuple(self._names), wait)

    def read(self, value: object, depth: int) -> None:
        if depth > _DEPTH or len(self._messages) >= _ENOUGH:
            return
        match value:
            case str():
                self._read_text(value.strip(), depth)
            case Mapping():
                self._read_object(value, depth)
            case list() | tuple():
                for item in value[:_MOST]:
                    self.read(item, depth + 1)
            case _:
                pass

    def _read_text(self, text: str, depth: int) -> None:
        if text.startswith("<") and text.endswith(">"):
            self._say(_page(text))
            return
        found, before = _json_in(text)
        if found is None:
            self._say(text)
            return
        self._state(stated_status(before[-_LONGEST:]))
        known = len(self._messages)
        self.read(found, depth + 1)
        if len(self._messages) == known and (before.strip() or _is_foreign(found)):
            self._say(text)  # as it stands, it says more than nothing

    def _read_object(self, value: Mapping[object, object], depth: int) -> None:
        if isinstance(value.get("loc"), list):
            self._read_validation(value)
            return
        for key in _STATUSES:
            self._state(_status(value.get(key)))
        for key in _NAMES:
            self._name(value.get(key))
        for key in ("retryDelay", "retry_after_seconds", "retry_after", "retryAfter"):
            if self._wait is None:
                self._wait = _duration(value.get(key))
        known = len(self._messages)
        for key in _HOLDERS:
            self.read(value.get(key), depth + 1)
        self._read_parameter(value, known)

    def _read_validation(self, value: Mapping[object, object]) -> None:
        """An item of FastAPI's: where in the body something is wrong, and what."""
        where = value["loc"]
        path = ".".join(map(str, where)) if isinstance(where, list) else ""
        self._say(f"'{path.removeprefix('body.')}': {value.get('msg', '')}")

    def _read_parameter(self, value: Mapping[object, object], known: int) -> None:
        """Some name the parameter that is wrong beside the message."""
        name = value.get("param", value.get("field"))
        if isinstance(name, str) and name and len(self._messages) > known and name not in self._messages[known]:
            self._messages[known] += f" (parameter '{name[:_LONGEST_PARAMETER]}')"

    def _say(self, message: str) -> None:
        message = " ".join(message[:_LONGEST].split())
        if message and message not in self._messages:
            self._messages.append(message)

    def _name(self, name: object) -> None:
        if isinstance(name, str) and _NAME.fullmatch(name) and name.lower() not in _NO_NAMES:
            self._names += [] if name in self._names or len(self._names) >= _ENOUGH else [name]

    def _state(self, status: int | None) -> None:
        if self._status is None:
            self._status = status


def _json_in(text: str) -> tuple[object, str]:
    """The JSON that *text* ends with, and what stands before it; ``None`` if there is none."""
    starts = [start for start in (text.find("{"), text.find("[")) if start >= 0]
    if starts and text[-1] in "}]":
        start = min(starts)
        try:
            return json.loads(text[start:]), text[:start]
        except (ValueError, RecursionError):
            pass
    line = _DATA_LINE.search(text)  # an answer in the form of a stream, though it is none
    return (line[1], "") if line else (None, "")


def _is_foreign(found: object) -> bool:
    """Whether *found* has none of the keys that we know; one that is there and empty says just that."""
    return isinstance(found, Mapping) and bool(found) and found.keys().isdisjoint(_HOLDERS)


def _page(text: str) -> str:
    """What a page of HTML says: its title, or else its words."""
    title = _TITLE.search(text)
    return title[1] if title else _TAG.sub(" ", text)


def _status(value: object) -> int | None:
    if isinstance(value, str) and value.isdecimal() and len(value) == 3:
        value = int(value)
    return value if isinstance(value, int) and 400 <= value <= 599 else None


def _asked_to_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that *headers* ask us to wait."""
    if (wait := _duration(headers.get("retry-after-ms", "") + "ms")) is not None:
        return wait
    if (wait := _duration(headers.get("retry-after"))) is not None:
        return wait
    # When a limit is reset says how long to wait only if it is that limit that was reached.
    reached = [
        _duration(headers.get(f"x-ratelimit-reset-{what}"))
        for what in ("requests", "tokens")
        if headers.get(f"x-ratelimit-remaining-{what}", "").strip() == "0"
    ]
    return max((wait for wait in reached if wait is not None), default=None)


def _duration(value: object) -> float | None:
    """Seconds: a number, or ``12s``, ``6m0s``, ``20ms``, ``3 minutes``; what is absurd is not believed."""
    if isinstance(value, bool) or value is None:
        return None
    return believable(_spelt_out(value) if isinstance(value, str) else value)


def believable(seconds: object) -> float | None:
    """*seconds*, if they are a time that somebody may be asked to wait."""
    return float(seconds) if isinstance(seconds, int | float) and 0 <= seconds <= _WEEK else None


def _spelt_out(text: str) -> float | None:
    text = text.strip()
    if re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", text):
        return float(text)
    units = {"ms": 0.001, "mi": 60.0, "m": 60.0, "s": 1.0, "h": 3600.0}
    total, position = 0.0, 0
    while (part := _DURATION.match(text, position)) and len(part[1]) < 20:
        unit = part[2].lower()
        total += float(part[1]) * (units["ms"] if unit.startswith("mil") else units.get(unit[:2], units[unit[0]]))
        position = part.end()
    return total if position else None
