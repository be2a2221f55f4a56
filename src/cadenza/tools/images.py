"""Recognise images by their first bytes, and files of discord.py."""

from __future__ import annotations

import re

from ..types import Attachment, Media, MediaKind

_MIMES = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
)


def as_media(data: bytes) -> Media | None:
    """*data* as an image, or ``None`` if models do not accept its format."""
    mime = next((mime for beginning, mime in _MIMES if beginning.match(data)), None)
    return Media(MediaKind.IMAGE, mime, data=data) if mime else None


def as_attachment(value: object) -> Attachment | None:
    """*value* as a file for people: ours, or a ``discord.File``, which has a name and an open file."""
    if isinstance(value, Attachment):
        return value
    read, name = getattr(getattr(value, "fp", None), "read", None), getattr(value, "filename", None)
    if not callable(read) or not isinstance(name, str):
        return None
    data, description = read(), getattr(value, "description", None)
    return Attachment(name, data, description or "") if isinstance(data, bytes) else None
