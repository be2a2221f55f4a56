"""Draws the avatars of the playground's personas, so that none has to be fetched."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from math import hypot
from typing import assert_never

_SIZE = 64
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_TRUE_COLOUR = 2

Colour = tuple[int, int, int]


class Mood(Enum):
    """The expression of a face."""

    CALM = "calm"
    HAPPY = "happy"
    AWED = "awed"
    SLEEPY = "sleepy"


@dataclass(frozen=True, slots=True)
class Paint:
    """The colours of a face."""

    ground: Colour
    skin: Colour
    ink: Colour = (34, 30, 52)


PARROT = Paint((31, 111, 92), (255, 205, 86), (40, 28, 20))
STARGAZER = Paint((52, 48, 110), (244, 214, 190))


@cache
def drawn_avatar(paint: Paint, mood: Mood) -> str:
    """A face as a ``data:`` address of a PNG, which every chat takes as an avatar."""
    rows = b"".join(b"\0" + bytes(part for colour in row for part in colour) for row in _rows(paint, mood))
    head = struct.pack(">2I5B", _SIZE, _SIZE, 8, _TRUE_COLOUR, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    picture = _SIGNATURE + b"".join(_chunk(name, data) for name, data in parts)
    return f"data:image/png;base64,{b64encode(picture).decode()}"


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _rows(paint: Paint, mood: Mood) -> Iterator[list[Colour]]:
    for y in range(_SIZE):
        yield [_pixel(paint, mood, x + 0.5, y + 0.5) for x in range(_SIZE)]


def _pixel(paint: Paint, mood: Mood, x: float, y: float) -> Colour:
    colour = _over(paint.ground, paint.skin, _disc(x, y, 32, 35, 22))
    for eye in (24.0, 40.0):
        colour = _over(colour, paint.ink, _eye(mood, x - eye, y - 31))
    return _over(colour, paint.ink, _mouth(mood, x, y))


def _eye(mood: Mood, x: float, y: float) -> float:
    """The share of a pixel that is eye, at this distance from its middle."""
    match mood:
        case Mood.SLEEPY:
            return min(_disc(x, y, 0, 0, 4.5), 1 - _disc(x, y, 0, -1.5, 4.5)) if y > 0 else 0.0
        case Mood.AWED:
            return _disc(x, y, 0, 0, 3.6)
        case Mood.CALM | Mood.HAPPY:
            return _disc(x, y, 0, 0, 2.8)
        case _:
            assert_never(mood)


def _mouth(mood: Mood, x: float, y: float) -> float:
    """The share of a pixel that is mouth."""
    match mood:
        case Mood.CALM | Mood.SLEEPY:
            return min(_disc(x, y, 32, 34, 11.5), 1 - _disc(x, y, 32, 33, 10)) if y > 41 else 0.0
        case Mood.HAPPY:
            return _disc(x, y, 32, 39, 10.5) if y > 40 else 0.0
        case Mood.AWED:
            return _disc(x, y, 32, 45, 4.5)
        case _:
            assert_never(mood)


def _disc(x: float, y: float, across: float, down: float, radius: float) -> float:
    """The share of a pixel that lies in a disc; between 0 and 1 at its edge, for anti-aliasing."""
    return min(1.0, max(0.0, radius - hypot(x - across, y - down) + 0.5))


def _over(below: Colour, above: Colour, much: float) -> Colour:
    red, green, blue = (round(old + (new - old) * much) for old, new in zip(below, above, strict=True))
    return red, green, blue
