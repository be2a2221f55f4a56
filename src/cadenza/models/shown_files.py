"""Files for people, from what streams and tools yield: media, and images that a client gives."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping

from ..errors import InputError, Sentence
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
    if isinstance(item, Media) and (data := item.data or _in_address(item.url)):
        return Attachment(named(item.kind.value, item.mime), data)
    return opened_file(item)


def opened_file(item: object) -> Attachment | None:
    """*item* as a file for people: ours, or a ``discord.File``, which has a name and an open file."""
    if isinstance(item, Attachment):
        return checked(item)
    read, name = getattr(getattr(item, "fp", None), "read", None), getattr(item, "filename", None)
    if not callable(read) or not isinstance(name, str):
        return None
    data, description = read(), getattr(item, "description", None)
    return Attachment(name, data, description or "") if isinstance(data, bytes) else None


def checked(file: Attachment) -> Attachment:
    """*file*, if it has a name and bytes: its author may have given it something else."""
    name: type = type(file.name)
    data: type = type(file.data)
    if not (issubclass(name, str) and issubclass(data, bytes) and isinstance(file.description, str)):
        msg = Sentence(
            "an Attachment needs a name, bytes and a description, such as Attachment('fox.png', data, 'a fox'), "
            "not {name_type}, {data_type} and {description_type}",
            name_type=name.__name__,
            data_type=data.__name__,
            description_type=type(file.description).__name__,
        )
        raise InputError(msg)
    return file


def generated(data: object, mime: str = "image/png", description: object = "") -> Attachment | None:
    """An image that a model made: *data* is bytes or Base64; ``None`` if it is neither."""
    raw = (_in_address(data) or _decoded(data)) if isinstance(data, str) else data
    if not isinstance(raw, bytes | bytearray) or not raw:
        return None
    kind = mime.partition("/")[0] or "file"
    return Attachment(named(kind, mime), bytes(raw), description if isinstance(description, str) else "")


def named(kind: str, mime: str) -> str:
    """A name for a file of *mime*: ``image.png``."""
    subtype = mime.partition("/")[2].partition(";")[0].strip()
    ending = _ENDINGS.get(subtype, subtype)
    return f"{kind}.{ending if ending.isalnum() else 'bin'}"


def _in_address(url: str) -> bytes:
    """The bytes in a ``data:`` URI."""
    head, comma, body = url.partition(",")
    is_held = comma and head.startswith("data:") and head.endswith(";base64")
    return (_decoded(body) or b"") if is_held else b""


def _decoded(text: str) -> bytes | None:
    try:
        return b64decode(text, validate=True)
    except ValueError:
        return None
