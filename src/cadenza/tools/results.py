"""The return value of a tool as text and images for the model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..models.shown_files import opened_file
from ..types import Attachment, Media, Part, ToolResult
from .images import as_media
from .jsonable import as_json, plain, sendable

RESULT_LIMIT = 20_000
"""Characters of a result that the model gets."""
_MIXED = 1000
"""Items of a list that are searched for an image; a later image comes after the data."""
_APART = (Media, Attachment, bytes, bytearray)
"""Items of a list that are no data."""
_DONE = "Done; there is nothing to show."
_NOTE = "\n[… {} characters are left out here …]\n"
_NOTE_LENGTH = len(_NOTE) + 10


def as_result(value: object, *, limit: int = RESULT_LIMIT) -> ToolResult:
    """*value* for the model: at most *limit* characters, and all images."""
    if isinstance(value, ToolResult):
        return replace(value, parts=tuple(_within(value.parts, limit)))
    value = _with_files(value)
    files = tuple(item for item in _items(value) if isinstance(item, Attachment))
    return ToolResult(tuple(_within(_parts(value, limit), limit)) or (_DONE,), files=files)


def failure(text: str, *, limit: int = RESULT_LIMIT) -> ToolResult:
    """A failed result; *text* tells the model why."""
    return replace(as_result(text, limit=limit), is_error=True)


def _items(value: object) -> Iterable[object]:
    """*value*, or what is in it."""
    return value[:_MIXED] if isinstance(value, list | tuple) else (value,)


def _with_files(value: object) -> object:
    """*value* with files of discord.py, which can be read only once, as our own."""
    if isinstance(value, list | tuple):
        return [*map(_with_file, value[:_MIXED]), *value[_MIXED:]]
    return _with_file(value)


def _with_file(value: object) -> object:
    return opened_file(value) or value


def _told(file: Attachment) -> str:
    described = f": {file.description}" if file.description else ""
    return f"The file {file.name} ({len(file.data)} bytes) is shown to the people in the chat now{described}"


def _parts(value: object, limit: int) -> Iterator[Part]:
    match value:
        case None | "":
            return
        case str() | Media():
            yield value
        case Attachment():
            yield _told(value)
        case list() | tuple() if any(isinstance(item, _APART) for item in value[:_MIXED]):
            for item in value:
                yield from _parts(item, limit)
        case bytes() | bytearray():
            yield as_media(bytes(value)) or f"({len(value)} bytes that are no picture)"
        case _:
            data, media = plain(value, limit // 2)  # every value takes at least two characters
            yield data if isinstance(data, str) else as_json(data)
            yield from media


def _within(parts: Iterable[Part], limit: int) -> Iterator[Part]:
    """*parts* with at most *limit* characters in all; later text is dropped."""
    left = limit
    for part in parts:
        if isinstance(part, Media):
            yield part
        elif left > 0:
            text = sendable(shortened(str(part), left))
            left -= len(text)
            yield text


def shortened(text: str, limit: int) -> str:
    """*text* in at most *limit* characters: the middle is left out, at line ends if possible."""
    if len(text) <= limit:
        return text
    room = max(0, limit - _NOTE_LENGTH)
    head, tail = text[: room - room // 2], text[len(text) - room // 2 :]
    head = head[: _end_of_line(head)]
    tail = tail[_start_of_line(tail) :]
    note = _NOTE.format(len(text) - len(head) - len(tail))
    return (head + note + tail)[:limit]


def _end_of_line(head: str) -> int:
    """The end of the last whole line of *head*, unless that would drop more than half of it."""
    end = head.rfind("\n")
    return end if end >= len(head) // 2 else len(head)


def _start_of_line(tail: str) -> int:
    start = tail.find("\n") + 1
    return start if start <= len(tail) // 2 else 0
