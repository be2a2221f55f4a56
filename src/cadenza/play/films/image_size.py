"""The size of a picture, read from its first bytes."""

from __future__ import annotations

import re
import struct
from typing import NamedTuple


class Size(NamedTuple):
    """Of a picture, in pixels."""

    width: int
    height: int


_PNG = re.compile(rb"\x89PNG\r\n\x1a\n.{4}IHDR(?P<size>.{8})", re.DOTALL)
_GIF = re.compile(rb"GIF8[79]a(?P<size>.{4})", re.DOTALL)
_WEBP = re.compile(
    rb"RIFF.{4}WEBP(?:VP8X.{8}(?P<extended>.{6})|VP8L.{4}/(?P<lossless>.{4})|VP8 .{7}\x9d\x01\x2a(?P<lossy>.{4}))",
    re.DOTALL,
)
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""The markers after which a JPEG states its size."""
_JPEG_ALONE = frozenset({0x01, *range(0xD0, 0xD9)})
"""Markers without content."""


def size_of(data: bytes) -> Size | None:
    """The size of the picture *data*; ``None`` if its format is unknown."""
    if png := _PNG.match(data):
        return _checked(*struct.unpack(">II", png["size"]))
    if gif := _GIF.match(data):
        return _checked(*struct.unpack("<HH", gif["size"]))
    if webp := _WEBP.match(data):
        return _of_webp(webp)
    return _of_jpeg(data) if data.startswith(b"\xff\xd8\xff") else None


def _checked(width: int, height: int) -> Size | None:
    return Size(width, height) if width and height else None


def _of_webp(webp: re.Match[bytes]) -> Size | None:
    if extended := webp["extended"]:
        return _checked(int.from_bytes(extended[:3], "little") + 1, int.from_bytes(extended[3:], "little") + 1)
    if lossless := webp["lossless"]:
        bits = int.from_bytes(lossless, "little")
        return _checked((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    width, height = struct.unpack("<HH", webp["lossy"])
    return _checked(width & 0x3FFF, height & 0x3FFF)


def _of_jpeg(data: bytes) -> Size | None:
    """Find the size in a JPEG: it is a list of parts with their lengths, and an early one has the size."""
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        mark = data[at + 1]
        if mark in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return _checked(width, height)
        if mark == 0xFF:
            at += 1  # a part may have any number of these in front
        elif mark in _JPEG_ALONE:
            at += 2
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None
