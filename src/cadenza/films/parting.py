"""Several answers that were saved one behind the other: where one ends, and the next begins.

A stream has no mark between them. So a new one begins where its dialect says so, or with an event of another id, once the
one before was over; whatever else comes behind an end, such as what it has cost, belongs to what ended.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

_EVENT = re.compile(r".+?(?:\n\n+|\Z)", re.DOTALL)
_LINE = re.compile(r".*?(?:\n|\Z)")
_DONE = "[DONE]"
_BEGINNINGS = ("message_start", "response.created")
_ENDS = ("message_stop", "response.completed", "response.incomplete", "response.failed", "error")


def events_parted(body: str) -> list[str]:
    """The server-sent events in *body*, those of each answer together."""
    return _parted(event[0] for event in _EVENT.finditer(body))


def lines_parted(body: str) -> list[str]:
    """The same for a body that has an object a line; one that is written otherwise stays whole."""
    return _parted(line[0] for line in _LINE.finditer(body))


def _parted(pieces: Iterator[str]) -> list[str]:
    parts: list[list[str]] = [[]]
    seen = _Seen()
    for piece in pieces:
        data = _data(piece)
        if data and seen.is_left_by(data):
            parts.append([])
            seen = _Seen()
        parts[-1].append(piece)
        if data:
            seen.hear(data)
    return ["".join(part) for part in parts]


class _Seen:
    """What was seen of one answer so far."""

    def __init__(self) -> None:
        self._id = ""
        self._has_spoken = False
        self._is_over = False
        """It said why it ended; its cost may still come."""
        self._is_closed = False
        """Nothing comes any more."""

    def is_left_by(self, data: str) -> bool:
        """Whether *data* belongs to another answer."""
        if self._is_closed:
            return data != _DONE
        one = _object(data)
        if one.get("type") in _BEGINNINGS:
            return self._has_spoken
        return self._is_over and self._id not in ("", _id(one) or self._id)

    def hear(self, data: str) -> None:
        """Take *data* in."""
        self._has_spoken = True
        one = _object(data)
        self._id = self._id or _id(one)
        self._is_closed = self._is_closed or data == _DONE or one.get("type") in _ENDS or one.get("done") is True
        self._is_over = self._is_over or self._is_closed or _has_ended(one)


def _data(piece: str) -> str:
    """What an event or a line holds; empty if that is nothing."""
    if piece.startswith("{"):
        return piece.strip()
    lines = (line for line in piece.split("\n") if line.startswith("data:"))
    return "\n".join(line.removeprefix("data:").strip() for line in lines)


def _object(data: str) -> Mapping[str, object]:
    try:
        value = json.loads(data) if data.startswith("{") else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _id(one: Mapping[str, object]) -> str:
    """Of which answer *one* is, if it says that."""
    match one:
        case {"choices": list(), "id": str(id_)} | {"responseId": str(id_)}:
            return id_
        case _:
            return ""


def _has_ended(one: Mapping[str, object]) -> bool:
    match one:
        case {"choices": [{"finish_reason": str()}, *_]} | {"candidates": [{"finishReason": str()}, *_]}:
            return True
        case _:
            return False
