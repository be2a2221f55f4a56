"""Cards in pictures: texts in a PNG, read and written byte by byte, and a plain picture for who has none."""

from __future__ import annotations

import colorsys
import re
import struct
import zlib
from collections.abc import Collection, Iterator, Mapping
from hashlib import sha256

from ...errors import InputError
from .checked_json import LARGEST

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_END = b"IEND"
_TEXTS = (b"tEXt", b"zTXt", b"iTXt")
_KEYWORD = re.compile(rb"[^\0]{1,79}\0")
_INTERNATIONAL = re.compile(rb"(?P<packed>[\0\1])\0[^\0]*\0[^\0]*\0", re.DOTALL)
"""What stands before the text of an ``iTXt``: whether it is packed, how, in which language, the keyword in it."""
_SIDE = 64
"""Pixels of a plain picture."""


def texts(data: bytes) -> dict[str, str]:
    """All texts of a PNG by their keywords, the first of each; raises an ``InputError`` if it is none, or a broken one."""
    found: dict[str, str] = {}
    for kind, body in _chunks(data):
        if kind in _TEXTS and (match := _KEYWORD.match(body)):
            content = _unpacked(kind, body[match.end() :])
            if content is not None:
                found.setdefault(match[0][:-1].decode("latin-1"), content)
    return found


def with_texts(data: bytes, given: Mapping[str, str]) -> bytes:
    """A PNG with the *given* texts, which must be ASCII, by their keywords, instead of those that it had."""
    made = [(b"tEXt", keyword.encode("latin-1") + b"\0" + text.encode("ascii")) for keyword, text in given.items()]
    kept = list(_without(data, given))
    return SIGNATURE + b"".join(_chunk(*chunk) for chunk in (*kept[:-1], *made, kept[-1]))


def without_texts(data: bytes, keywords: Collection[str]) -> bytes:
    """A PNG without the texts that have these *keywords*."""
    return SIGNATURE + b"".join(_chunk(*chunk) for chunk in _without(data, keywords))


def plain(name: str) -> bytes:
    """A small picture of one colour, which *name* decides."""
    hue = int.from_bytes(sha256(name.encode("utf-8", "replace")).digest()[:2], "big") / 0x10000
    colour = bytes(round(part * 255) for part in colorsys.hls_to_rgb(hue, 0.55, 0.5))
    rows = (b"\0" + colour * _SIDE) * _SIDE
    header = struct.pack(">IIBBBBB", _SIDE, _SIDE, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (_END, b""))
    return SIGNATURE + b"".join(_chunk(*chunk) for chunk in chunks)


# --- chunks --------------------------------------------------------------------------


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The parts of a PNG, each with its kind, the last one ``IEND``."""
    if len(data) > LARGEST:
        msg = "The picture is larger than 8 MB; take a smaller one."
        raise InputError(msg)
    if not data.startswith(SIGNATURE):
        msg = "The file is no PNG; give a character card as PNG or JSON."
        raise InputError(msg)
    at, is_first = len(SIGNATURE), True
    while True:
        length, kind = struct.unpack_from(">I4s", data, at) if at + 12 <= len(data) else (len(data), b"")
        if at + 12 + length > len(data) or is_first != (kind == b"IHDR"):
            raise _broken()
        body = data[at + 8 : at + 8 + length]
        if struct.unpack_from(">I", data, at + 8 + length)[0] != zlib.crc32(kind + body):
            raise _broken()
        yield kind, body
        if kind == _END:
            return
        at, is_first = at + 12 + length, False


def _broken() -> InputError:
    return InputError("The picture is damaged; download it again, as the original and not as a preview.")


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _without(data: bytes, keywords: Collection[str]) -> Iterator[tuple[bytes, bytes]]:
    unwanted = tuple(keyword.encode("latin-1") + b"\0" for keyword in keywords)
    for kind, body in _chunks(data):
        if kind not in _TEXTS or not body.startswith(unwanted):
            yield kind, body


def _unpacked(kind: bytes, body: bytes) -> str | None:
    """The text of a chunk behind its keyword; ``None`` if it is packed in a way that nobody knows."""
    if kind == b"tEXt":
        return body.decode("latin-1")
    if kind == b"zTXt":
        return _inflated(body[1:]).decode("latin-1") if body[:1] == b"\0" else None
    match = _INTERNATIONAL.match(body)
    if match is None:
        return None
    content = body[match.end() :]
    return (_inflated(content) if match["packed"] == b"\1" else content).decode("utf-8", "replace")


def _inflated(packed: bytes) -> bytes:
    """What *packed* holds; a small file may not become a large one."""
    unpacking = zlib.decompressobj()
    try:
        content = unpacking.decompress(packed, 2 * LARGEST)
    except zlib.error:
        raise _broken() from None
    if unpacking.unconsumed_tail:
        msg = "The picture holds more text than any card; take another one."
        raise InputError(msg)
    return content
