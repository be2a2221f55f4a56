"""What a tool gave back, as a model is told and shown it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..types import Media, Part, ToolResult
from .images import as_media
from .jsonable import as_json, plain, sendable

RESULT_LIMIT = 20_000
"""Characters of a result that a model is told; a book would leave no room for the conversation."""
_MIXED = 1000
"""Items of a list among which a picture is looked for; one that stands behind them is shown behind the data."""
_DONE = "Done; there is nothing to show."
_NOTE = "\n[… {} characters are left out here …]\n"
_NOTE_LENGTH = len(_NOTE) + 10


def as_result(value: object, *, limit: int = RESULT_LIMIT) -> ToolResult:
    """What the model is told of *value*: at most *limit* characters, and all the pictures."""
    if isinstance(value, ToolResult):
        return replace(value, parts=tuple(_within(value.parts, limit)))
    return ToolResult(tuple(_within(_parts(value, limit), limit)) or (_DONE,))


def failure(text: str, *, limit: int = RESULT_LIMIT) -> ToolResult:
    """That it did not work, and why: *text* is for the model."""
    return replace(as_result(text, limit=limit), is_error=True)


def _parts(value: object, limit: int) -> Iterator[Part]:
    match value:
        case None | "":
            return
        case str() | Media():
            yield value
        case list() | tuple() if any(isinstance(item, Media | bytes | bytearray) for item in value[:_MIXED]):
            for item in value:
                yield from _parts(item, limit)
        case bytes() | bytearray():
            yield as_media(bytes(value)) or f"({len(value)} bytes that are no picture)"
        case _:
            data, media = plain(value, limit // 2)  # no value takes less than two characters in writing
            yield data if isinstance(data, str) else as_json(data)
            yield from media


def _within(parts: Iterable[Part], limit: int) -> Iterator[Part]:
    """*parts* with at most *limit* characters in all; what comes when there is no room is not told."""
    left = limit
    for part in parts:
        if isinstance(part, Media):
            yield part
        elif left > 0:
            text = sendable(shortened(str(part), left))
            left -= len(text)
            yield text


def shortened(text: str, limit: int) -> str:
    """*text* in at most *limit* characters: where it is longer its middle is left out, if it can be at the ends of lines."""
    if len(text) <= limit:
        return text
    room = max(0, limit - _NOTE_LENGTH)
    head, tail = text[: room - room // 2], text[len(text) - room // 2 :]
    head = head[: _end_of_line(head)]
    tail = tail[_start_of_line(tail) :]
    note = _NOTE.format(len(text) - len(head) - len(tail))
    return (head + note + tail)[:limit]


def _end_of_line(head: str) -> int:
    """Where the last whole line of *head* ends; its own end if that would leave less than half of it."""
    end = head.rfind("\n")
    return end if end >= len(head) // 2 else len(head)


def _start_of_line(tail: str) -> int:
    start = tail.find("\n") + 1
    return start if start <= len(tail) // 2 else 0
