"""Recognise images by their first bytes."""

from __future__ import annotations

import re

from ..types import Media, MediaKind

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
