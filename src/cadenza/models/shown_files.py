"""Files for people, from what streams and tools yield: our own, media, images of a client, files of discord.py."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Mapping
from urllib.parse import unquote_to_bytes

from ..types import Attachment, Media

_ENDINGS: Mapping[str, str] = {
    "jpeg": "jpg",
    "svg+xml": "svg",
    "quicktime": "mov",
    "octet-stream": "bin",
    "plain": "txt",
}
"""File extensions of MIME subtypes that are not their own."""


def as_attachment(item: object) -> Attachment | None:
    """*item* as a file, or ``None`` if it is none; a ``Media`` that is only a link has no bytes to show."""
    match item:
        case Attachment():
            return item
        case Media():
            data = item.data or _in_address(item.url)
            return Attachment(named(item.kind.value, item.mime), data) if data else None
        case _:
            return _of_discord(item)


def generated(data: object, mime: str = "image/png", description: object = "") -> Attachment | None:
    """An image that a model made: *data* is bytes or Base64; ``None`` if it is neither."""
    raw = _decoded(data) if isinstance(data, str) else data
    if not isinstance(raw, bytes | bytearray) or not raw:
        return None
    kind = mime.partition("/")[0] or "file"
    return Attachment(named(kind, mime), bytes(raw), description if isinstance(description, str) else "")


def named(kind: str, mime: str) -> str:
    """A name for a file of *mime*: ``image.png``."""
    subtype = mime.partition("/")[2].partition(";")[0].strip()
    return f"{kind}.{_ENDINGS.get(subtype, subtype) or 'bin'}"


def _in_address(url: str) -> bytes:
    """The bytes in a ``data:`` URI."""
    head, comma, body = url.partition(",")
    if not comma or not head.startswith("data:"):
        return b""
    return _decoded(body) or b"" if head.endswith(";base64") else unquote_to_bytes(body)


def _decoded(text: str) -> bytes | None:
    try:
        return b64decode(text)
    except (binascii.Error, ValueError):
        return None


def _of_discord(item: object) -> Attachment | None:
    """A ``discord.File``: it has a name and an open file."""
    read, name = getattr(getattr(item, "fp", None), "read", None), getattr(item, "filename", None)
    if not callable(read) or not isinstance(name, str):
        return None
    data, description = read(), getattr(item, "description", None)
    return Attachment(name, data, description or "") if isinstance(data, bytes) else None
