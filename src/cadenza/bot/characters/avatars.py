"""Avatars from uploaded pictures: validation, scaling, and ``data:`` URIs."""

from __future__ import annotations

import io
from base64 import b64decode, b64encode
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ...errors import InputError
from .checked_json import LARGEST

if TYPE_CHECKING:
    from PIL import Image  # of an extra

_SIDE = 512
"""Largest width and height of a stored avatar: Discord shows no more."""
_MOST_PIXELS = 40_000_000
"""Largest picture that is opened: a small file may be a decompression bomb."""
_LONGEST_ADDRESS = 2048


def uri_of(data: bytes) -> str:
    """A picture as a ``data:`` URI, scaled down if Pillow is installed; raises an ``InputError`` if it is invalid."""
    if len(data) > LARGEST:
        msg = "The picture is larger than 8 MB; take a smaller one."
        raise InputError(msg)
    kind = kind_of(data)
    if not kind:
        msg = "The file is not a picture that Discord shows; use a PNG, JPEG, GIF or WebP."
        raise InputError(msg)
    if find_spec("PIL") is not None:
        kind, data = _shrunk(kind, data)
    return as_uri(kind, data)


def kind_of(data: bytes) -> str:
    """The format of a picture by its first bytes: ``png``, ``jpeg``, ``gif``, ``webp``, or empty."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if data.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "gif"
    return "webp" if data.startswith(b"RIFF") and data[8:12] == b"WEBP" else ""


def as_uri(kind: str, data: bytes) -> str:
    """A picture as a ``data:`` URI."""
    return f"data:image/{kind};base64,{b64encode(data).decode('ascii')}"


def of_uri(uri: str) -> bytes | None:
    """The picture in a ``data:`` URI; ``None`` if it cannot be an avatar."""
    head, _, content = uri.partition(",")
    if not head.lower().startswith("data:") or not head.lower().endswith(";base64") or len(content) > 2 * LARGEST:
        return None
    try:
        data = b64decode(content, validate=True)
    except ValueError:
        return None
    return data if kind_of(data) and len(data) <= LARGEST else None


def address_of(url: str) -> str:
    """*url*, if it is a public http address; raises an ``InputError`` otherwise."""
    url = url.strip()
    try:
        parts = urlsplit(url)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and len(url) <= _LONGEST_ADDRESS
    except ValueError:
        is_good = False
    if not is_good or any(letter.isspace() for letter in url):
        msg = "This is not the address of a picture; copy one that begins with https:// from a browser."
        raise InputError(msg)
    return url


def _shrunk(kind: str, data: bytes) -> tuple[str, bytes]:
    """A picture scaled to at most 512 pixels; a smaller one stays as it is."""
    from PIL import Image  # noqa: PLC0415  # of an extra, and slow to import

    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "GIF", "WEBP")) as picture:
            is_giant = picture.width * picture.height > _MOST_PIXELS
            small = None if is_giant else _small(picture)
    except Image.DecompressionBombError:  # it has a bound of its own
        is_giant, small = True, None
    except Exception as error:  # Pillow raises all kinds of errors for a broken file
        msg = "The picture cannot be opened; save it again as PNG."
        raise InputError(msg) from error
    if is_giant:
        msg = "The picture has too many pixels; make it smaller first, 512×512 is enough."
        raise InputError(msg)
    if small is None:
        return kind, data
    written = io.BytesIO()
    small.save(written, "PNG")
    return "png", written.getvalue()


def _small(picture: Image.Image) -> Image.Image | None:
    """*picture* scaled down; ``None`` if it is small enough as it is.

    EXIF data, such as the location, is removed, after the picture was rotated as it says.
    """
    from PIL import ImageOps  # noqa: PLC0415  # of an extra, and slow to import

    is_small = max(picture.size) <= _SIDE
    is_animated = getattr(picture, "is_animated", False)
    if is_small and (is_animated or not picture.getexif()):
        picture.load()
        return None
    small = ImageOps.exif_transpose(picture).convert("RGBA")
    small.thumbnail((_SIDE, _SIDE))
    return small
