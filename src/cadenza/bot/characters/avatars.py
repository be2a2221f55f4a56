"""Pictures that people give: which ones can be a face, and how they are kept."""

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
"""Pixels of a face that is kept: Discord shows no more."""
_MOST_PIXELS = 40_000_000
"""Pixels of a picture that is opened at all: a small file may hold a giant."""
_LONGEST_ADDRESS = 2048


def face_of(data: bytes) -> str:
    """A picture as a ``data:`` URI, made smaller where Pillow is there; raises an ``InputError`` if it can be no face."""
    if len(data) > LARGEST:
        msg = "The picture is larger than 8 MB; take a smaller one."
        raise InputError(msg)
    kind = kind_of(data)
    if not kind:
        msg = "The file is no picture that Discord shows; take a PNG, JPEG, GIF or WebP."
        raise InputError(msg)
    if find_spec("PIL") is not None:
        kind, data = _shrunk(kind, data)
    return as_uri(kind, data)


def kind_of(data: bytes) -> str:
    """What sort of picture *data* is, by its first bytes: ``png``, ``jpeg``, ``gif``, ``webp``, or nothing."""
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
    """The picture in a ``data:`` URI; ``None`` if there is none that can be a face."""
    head, _, content = uri.partition(",")
    if not head.lower().startswith("data:") or not head.lower().endswith(";base64") or len(content) > 2 * LARGEST:
        return None
    try:
        data = b64decode(content, validate=True)
    except ValueError:
        return None
    return data if kind_of(data) and len(data) <= LARGEST else None


def address_of(url: str) -> str:
    """*url*, if everybody can fetch a picture there; raises an ``InputError`` if that cannot be."""
    url = url.strip()
    try:
        parts = urlsplit(url)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and len(url) <= _LONGEST_ADDRESS
    except ValueError:
        is_good = False
    if not is_good or any(letter.isspace() for letter in url):
        msg = "This is no address of a picture; it begins with https:// and is copied from a browser."
        raise InputError(msg)
    return url


def _shrunk(kind: str, data: bytes) -> tuple[str, bytes]:
    """A picture that is at most 512 pixels wide and high; one that is, stays as it was."""
    from PIL import Image  # noqa: PLC0415  # of an extra, and slow to import

    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "GIF", "WEBP")) as picture:
            is_giant = picture.width * picture.height > _MOST_PIXELS
            small = None if is_giant else _small(picture)
    except Image.DecompressionBombError:  # it has a bound of its own
        is_giant, small = True, None
    except Exception:  # noqa: BLE001  # Pillow raises whatever it likes of a broken file
        msg = "The picture cannot be opened; save it again as PNG."
        raise InputError(msg) from None
    if is_giant:
        msg = "The picture has too many pixels; make it smaller first, 512×512 is enough."
        raise InputError(msg)
    if small is None:
        return kind, data
    written = io.BytesIO()
    small.save(written, "PNG")
    return "png", written.getvalue()


def _small(picture: Image.Image) -> Image.Image | None:
    """*picture* made smaller; ``None`` if it is small already, and whole.

    What a camera has written into it, such as where it was taken, is nobody's business; only which side is up is heeded.
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
