"""Splits several responses that were saved one after the other.

No mark separates them. A new response begins where its dialect says so; with an event of another id, if the one before was
over, or kept one id and a new message starts; and, without ids, with the first text after an end. Anything else after
an end, such as the usage, belongs to the response that ended.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

_EVENT = re.compile(r".+?(?:\n\n+|\Z)", re.DOTALL)
_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_DONE = "[DONE]"
_KEEP_ALIVE = "ping"
_BEGINNINGS = ("message_start", "response.created")
_ENDS = ("message_stop", "response.completed", "response.incomplete", "response.failed", "error")


def events_parted(body: str) -> list[str]:
    """The server-sent events in *body*, grouped by response."""
    return _parted(event[0] for event in _EVENT.finditer(body))


def lines_parted(body: str) -> list[str]:
    """The same for a body with one object a line; any other body stays whole."""
    return _parted(line[0] for line in _LINE.finditer(body))


def _parted(pieces: Iterator[str]) -> list[str]:
    parts: list[list[str]] = [[]]
    seen = _Seen()
    for piece in pieces:
        data = _data(piece)
        one = _object(data)
        if data and seen.is_left_by(data, one):
            parts.append([])
            seen = _Seen()
        parts[-1].append(piece)
        if data and one.get("type") != _KEEP_ALIVE:
            seen.hear(data, one)
    return ["".join(part) for part in parts]


class _Seen:
    """What was seen of one response so far."""

    def __init__(self) -> None:
        self._id = ""
        self._has_spoken = False
        self._keeps_id = False
        """Whether its events share one id."""
        self._is_over = False
        """It gave its finish reason; its usage may follow."""
        self._is_closed = False
        """Nothing follows."""

    def is_left_by(self, data: str, one: Mapping[str, object]) -> bool:
        """Whether *data*, parsed as *one*, begins another response."""
        if self._is_closed:
            return data != _DONE and one.get("type") != _KEEP_ALIVE
        if one.get("type") in _BEGINNINGS:
            return self._has_spoken
        id_ = _id(one)
        if self._id and id_ not in ("", self._id):
            return self._is_over or (self._keeps_id and _begins(one))
        return self._is_over and not self._id and _says(one)

    def hear(self, data: str, one: Mapping[str, object]) -> None:
        """Note *data*, parsed as *one*."""
        self._has_spoken = True
        id_ = _id(one)
        self._keeps_id = self._keeps_id or (self._id != "" and id_ == self._id)
        self._id = self._id or id_
        is_last = one.get("type") in _ENDS or one.get("done") is True or one.get("final") is True
        self._is_closed = self._is_closed or data == _DONE or is_last
        self._is_over = self._is_over or self._is_closed or _has_ended(one)


def _data(piece: str) -> str:
    """The object in an event or a line; empty if there is none."""
    if piece.startswith("{"):
        return piece.strip()
    lines = (line for line in piece.split("\n") if line.startswith("data:"))
    return "\n".join(line.removeprefix("data:").strip() for line in lines)


def _object(data: str) -> Mapping[str, object]:
    if not (data.startswith("{") and data.endswith("}")):
        return {}
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _id(one: Mapping[str, object]) -> str:
    """The response id of *one*, if it has one."""
    match one:
        case {"choices": list(), "id": str(id_)} | {"responseId": str(id_)}:
            return id_
        case _:
            return ""


def _begins(one: Mapping[str, object]) -> bool:
    """Whether a message starts; some vendors repeat that with every token."""
    match one:
        case {"choices": [{"delta": {"role": str()}}, *_]} | {"candidates": [{"content": {"role": str()}}, *_]}:
            return True
        case _:
            return False


def _says(one: Mapping[str, object]) -> bool:
    match one:
        case {"choices": [{"delta": {"content": str(text)}}, *_]} | {"choices": [{"text": str(text)}, *_]}:
            return text != ""
        case {"candidates": [{"content": {"parts": list(parts)}}, *_]}:
            return any(isinstance(part, dict) and part.get("text") for part in parts)
        case _:
            return False


def _has_ended(one: Mapping[str, object]) -> bool:
    match one:
        case {"choices": [{"finish_reason": str()}, *_]} | {"candidates": [{"finishReason": str()}, *_]}:
            return True
        case _:
            return False
