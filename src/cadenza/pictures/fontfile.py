"""Read a font file: family, style and characters; Pillow draws a box for a character that a font lacks."""

from __future__ import annotations

import logging
from bisect import bisect_right
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

from fontTools.ttLib import TTFont

if not (logger := logging.getLogger("fontTools")).level:
    logger.setLevel(logging.CRITICAL)  # it logs every oddity of a font; here a broken one is skipped quietly


class FontFace(NamedTuple):
    """A font: the one with this *number* in *file*, a path or the content."""

    file: str | bytes
    number: int
    family: str
    bold: bool
    italic: bool
    monospaced: bool
    colour: bool
    bitmap_size: int  # 0 if it is scalable
    cmap_offset: int  # the same for fonts of a file that share a cmap


@dataclass(frozen=True, slots=True)
class Coverage:
    """A set of characters, stored as ranges: a CJK font has 45 000."""

    edges: tuple[int, ...] = ()  # the start of a range, its end, the start of the next one, ...

    def __contains__(self, character: str) -> bool:
        return bisect_right(self.edges, ord(character)) % 2 == 1


def faces(file: str | bytes) -> tuple[FontFace, ...]:
    """The fonts in *file* that Pillow can draw, at most 64; empty if it is not a readable font."""
    try:
        with _opened(file) as data:
            count = min(getattr(_font(data, 0).reader, "numFonts", 1), 64)
            fonts = [_font(data, number) for number in range(count)]
            return tuple(_face(font, file, number) for number, font in enumerate(fonts) if _can_be_drawn(font))
    except Exception:  # noqa: BLE001  # a broken file makes fontTools raise anything
        return ()


def coverage(face: FontFace) -> Coverage:
    """The characters that *face* has glyphs for."""
    try:
        with _opened(face.file) as data:
            cmap = _font(data, face.number)["cmap"]
            cmap.tables = [table for table in cmap.tables if table.format in (4, 12)]  # 13 maps many to one box
            codes = set(cmap.getBestCmap() or ())
    except Exception:  # noqa: BLE001  # likewise
        return Coverage()
    return Coverage(tuple(sorted(codes ^ {code + 1 for code in codes})))


def _opened(file: str | bytes) -> BinaryIO:
    return BytesIO(file) if isinstance(file, bytes) else Path(file).open("rb")


def _font(data: BinaryIO, number: int) -> TTFont:
    font = TTFont(data, fontNumber=number, lazy=True, ignoreDecompileErrors=True)
    font.setGlyphOrder([])  # else it reads the names of all glyphs
    return font


def _can_be_drawn(font: TTFont) -> bool:
    """Whether FreeType can draw it: outlines, bitmaps, or layers of colour (not gradients)."""
    if "COLR" in font and not any(font.getTableData("COLR")[2:4]):  # the number of glyphs made of plain layers
        return False
    drawn = any(tag in font for tag in ("glyf", "CFF ", "CFF2", "CBDT", "sbix", "COLR"))
    return drawn and "cmap" in font and not font.flavor


def _face(font: TTFont, file: str | bytes, number: int) -> FontFace:
    style, selection = getattr(font.get("head"), "macStyle", 0), getattr(font.get("OS/2"), "fsSelection", 0)
    return FontFace(
        file,
        number,
        family=("name" in font and font["name"].getDebugName(1)) or "",  # the name that up to four styles share
        bold=bool(style & 1 or selection & 32),
        italic=bool(style & 2 or selection & 1),
        monospaced=bool(getattr(font.get("post"), "isFixedPitch", 0)),
        colour=any(tag in font for tag in ("CBDT", "sbix", "COLR")),
        bitmap_size=max(_bitmap_sizes(font), default=0),
        cmap_offset=font.reader.tables["cmap"].offset,
    )


def _bitmap_sizes(font: TTFont) -> list[int]:
    if "CBLC" in font:
        return [strike.bitmapSizeTable.ppemX for strike in font["CBLC"].strikes]
    if "sbix" not in font:
        return []
    # fontTools would load every bitmap: 180 MB in Apple's font.
    file, start = font.reader.file, font.reader.tables["sbix"].offset
    offsets = [_number(file, start + 8 + 4 * index, 4) for index in range(min(_number(file, start + 4, 4), 64))]
    return [_number(file, start + offset, 2) for offset in offsets]


def _number(file: BinaryIO, offset: int, size: int) -> int:
    file.seek(offset)
    return int.from_bytes(file.read(size))
