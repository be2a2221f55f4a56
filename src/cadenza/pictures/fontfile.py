"""What is written in a font file: its family, its style, and which characters it has glyphs for.

Pillow draws with a font but does not say what is in it, and draws a box for what is not.
Only the few tables that answer these questions are read, never the outlines.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple


class FontFace(NamedTuple):
    """One font; a file may hold several."""

    file: str | bytes
    """Where its file is, or what is in it."""
    number: int
    """Which font of the file it is."""
    family: str
    bold: bool
    italic: bool
    fixed: bool
    """Whether all its letters are equally wide."""
    colour: bool
    strike: int
    """The one size in which its bitmaps are drawn; 0 if it can be drawn in any."""
    covers: int
    """Where in the file it says which characters it has."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """A set of characters, kept as ranges: a Chinese font has 45 000."""

    starts: tuple[int, ...]
    ends: tuple[int, ...]
    """The first character behind each range."""

    def __contains__(self, character: str) -> bool:
        number = bisect_right(self.starts, ord(character)) - 1
        return number >= 0 and ord(character) < self.ends[number]


def faces(file: str | bytes) -> tuple[FontFace, ...]:
    """The fonts in *file* that Pillow can draw with; none if it cannot be read or is no font."""
    try:
        with _opened(file) as data:
            return tuple(_faces(_Reader(data), file))
    except (OSError, ValueError, struct.error):
        return ()


def coverage(face: FontFace) -> Coverage:
    """The characters that *face* has a glyph for."""
    try:
        with _opened(face.file) as data:
            ranges = _ranges(_Reader(data), face.covers)
    except (OSError, ValueError, struct.error):
        ranges = []
    return Coverage(tuple(start for start, _ in ranges), tuple(end for _, end in ranges))


def _opened(file: str | bytes) -> BinaryIO:
    return BytesIO(file) if isinstance(file, bytes) else Path(file).open("rb")


_MOST_FACES = 64
_MOST_RECORDS = 65_535
_UNICODE = {(3, 10): 3, (0, 6): 3, (0, 4): 3, (3, 1): 2, (0, 3): 2, (0, 2): 1, (0, 1): 1, (0, 0): 1}
"""The numbers by which a map of Unicode characters is marked (a platform and its encoding), and how good it is."""


class _Reader:
    """Numbers at places of a file, most significant byte first."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def data(self, offset: int, size: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(size)

    def numbers(self, form: str, offset: int) -> tuple[int, ...]:
        form = ">" + form
        return struct.unpack(form, self.data(offset, struct.calcsize(form)))

    def number(self, form: str, offset: int) -> int:
        return self.numbers(form, offset)[0]


def _faces(reader: _Reader, file: str | bytes) -> Iterator[FontFace]:
    kind = reader.data(0, 4)
    starts: tuple[int, ...] = (0,)
    if kind == b"ttcf":
        starts = reader.numbers(f"{min(reader.number('I', 8), _MOST_FACES)}I", 12)
    elif kind not in (b"\0\1\0\0", b"OTTO", b"true"):
        return
    for number, start in enumerate(starts):
        tables = _tables(reader, start)
        if b"cmap" in tables and _can_be_drawn(reader, tables):
            yield _face(reader, tables, file, number)


def _tables(reader: _Reader, start: int) -> dict[bytes, int]:
    """Where each table of the font at *start* begins."""
    count = reader.number("H", start + 4)
    records = struct.iter_unpack(">4sIII", reader.data(start + 12, 16 * count))
    return {name: offset for name, _, offset, _ in records}


def _can_be_drawn(reader: _Reader, tables: dict[bytes, int]) -> bool:
    """Whether it has what FreeType draws: outlines, bitmaps, or outlines in layers of colour (not gradients)."""
    if b"COLR" in tables:
        return reader.number("H", tables[b"COLR"] + 2) > 0  # how many glyphs are made of plain layers
    return any(name in tables for name in (b"glyf", b"CFF ", b"CFF2", b"CBDT", b"sbix"))


def _face(reader: _Reader, tables: dict[bytes, int], file: str | bytes, number: int) -> FontFace:
    style = reader.number("H", tables[b"head"] + 44) if b"head" in tables else 0
    bold, italic = bool(style & 1), bool(style & 2)
    if b"OS/2" in tables:
        selection = reader.number("H", tables[b"OS/2"] + 62)
        bold, italic = bold or bool(selection & 32), italic or bool(selection & 1)
    return FontFace(
        file,
        number,
        _family(reader, tables[b"name"]) if b"name" in tables else "",
        bold=bold,
        italic=italic,
        fixed=b"post" in tables and reader.number("I", tables[b"post"] + 12) != 0,
        colour=any(name in tables for name in (b"CBDT", b"sbix", b"COLR")),
        strike=_strike(reader, tables),
        covers=tables[b"cmap"],
    )


def _family(reader: _Reader, start: int) -> str:
    """The name that the up to four styles of a family share."""
    _, count, texts = reader.numbers("3H", start)
    found = {}
    for record in struct.iter_unpack(">6H", reader.data(start + 6, 12 * count)):
        platform, _, language, name, size, offset = record
        if name == 1:
            data = reader.data(start + texts + offset, size)
            # The same font may be named in several languages; English stands for all.
            is_english = language in (0, 0x409)
            found[is_english, platform == 3] = data.decode("mac-roman" if platform == 1 else "utf-16-be", "replace")
    return found[max(found)] if found else ""


def _strike(reader: _Reader, tables: dict[bytes, int]) -> int:
    """The largest size of its bitmaps."""
    if b"CBLC" in tables:
        start = tables[b"CBLC"]
        count = min(reader.number("I", start + 4), _MOST_FACES)
        return max((reader.number("B", start + 8 + 48 * number + 44) for number in range(count)), default=0)
    if b"sbix" in tables:
        start = tables[b"sbix"]
        count = min(reader.number("I", start + 4), _MOST_FACES)
        offsets = reader.numbers(f"{count}I", start + 8)
        return max((reader.number("H", start + offset) for offset in offsets), default=0)
    return 0


def _ranges(reader: _Reader, start: int) -> list[tuple[int, int]]:
    """The ranges of characters of the map at *start*, in order, each with the place behind its end."""
    _, count = reader.numbers("2H", start)
    tables = [
        (_UNICODE[platform, encoding], start + offset)
        for platform, encoding, offset in struct.iter_unpack(">HHI", reader.data(start + 4, 8 * count))
        if (platform, encoding) in _UNICODE
    ]
    for _, offset in sorted(tables, reverse=True):
        match reader.number("H", offset):
            case 12:
                return sorted(_long_ranges(reader, offset))
            case 4:
                return sorted(_short_ranges(reader, offset))
    return []


def _long_ranges(reader: _Reader, start: int) -> Iterator[tuple[int, int]]:
    """A map of format 12: groups of characters that follow each other, as do their glyphs."""
    count = min(reader.number("I", start + 12), _MOST_RECORDS)
    for first, last, glyph in struct.iter_unpack(">III", reader.data(start + 16, 12 * count)):
        if glyph:
            yield first, last + 1
        elif last > first:
            yield first + 1, last + 1  # glyph 0 is the box that stands for what is missing


def _short_ranges(reader: _Reader, start: int) -> Iterator[tuple[int, int]]:
    """A map of format 4: segments of 16-bit characters, their glyphs reckoned or looked up in a list behind them."""
    count = reader.number("H", start + 6) // 2
    data = reader.data(start + 14, 0x20000)
    ends, firsts, shifts, lists = (
        struct.unpack_from(f">{count}H", data, place) for place in (0, 2 * count + 2, 4 * count + 2, 6 * count + 2)
    )
    reached = -1
    for number, (first, last, shift, listed) in enumerate(zip(firsts, ends, shifts, lists, strict=True)):
        if first <= reached:
            return  # segments are in order, or nothing that is said here can be trusted
        reached = last
        # Distances into the list are counted from where they are written.
        base = 6 * count + 2 + 2 * number + listed
        for code in range(first, min(last, 0xFFFE) + 1):
            if listed:
                glyph, *_ = struct.unpack_from(">H", data, base + 2 * (code - first))
            else:
                glyph = code
            if glyph and (glyph + shift) & 0xFFFF:
                yield code, code + 1
