"""Font files: what is read from them, and that nothing in one can do harm."""

from __future__ import annotations

import struct
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.ttLib import TTCollection, TTFont, newTable
from fontTools.ttLib.tables._c_m_a_p import CmapSubtable
from fontTools.ttLib.tables._g_l_y_f import Glyph
from fontTools.ttLib.tables.DefaultTable import DefaultTable
from fontTools.ttLib.tables.sbixStrike import Strike
from hypothesis import given, settings, strategies as st
from PIL import ImageFont

from cadenza.pictures.fontfile import Coverage, coverage, faces

BUILT_IN = ImageFont.load_default(16).font_bytes  # type: ignore[union-attr]  # with FreeType it is a real font
GLYPHS = (".notdef", "one")
MANY = struct.pack(">2H2HI", 0, 1, 3, 10, 12) + struct.pack(">2H6I", 12, 0, 28, 0, 1, 65, 0xFFFF_FFFF, 1)
"""A ``cmap`` that claims four billion characters."""


def _builder(*maps: Any) -> FontBuilder:
    """A font with an empty glyph, and the character *maps*."""
    builder = FontBuilder(1000)
    builder.setupGlyphOrder(list(GLYPHS))
    builder.setupGlyf({name: Glyph() for name in GLYPHS})
    builder.setupHorizontalMetrics(dict.fromkeys(GLYPHS, (500, 0)))
    builder.setupHorizontalHeader()
    builder.font["cmap"] = newTable("cmap")
    builder.font["cmap"].tableVersion = 0
    builder.font["cmap"].tables = list(maps or [_map(3, 1, "A")])
    return builder


def _map(platform: int, encoding: int, characters: str, *, form: int = 4, boxes: str = "") -> Any:
    """A character map; *boxes* are characters with the glyph for missing ones."""
    table = CmapSubtable.newSubtable(form)
    table.platformID, table.platEncID, table.language = platform, encoding, 0
    table.cmap = {ord(character): "one" for character in characters} | {ord(box): ".notdef" for box in boxes}
    return table


def _saved(font: FontBuilder | TTFont | TTCollection) -> bytes:
    data = BytesIO()
    font.save(data)
    return data.getvalue()


def _raw(tag: str, data: bytes) -> bytes:
    """A font whose table *tag* is *data*."""
    font = TTFont(BytesIO(_saved(_builder())))
    font[tag] = DefaultTable(tag)
    font[tag].data = data
    return _saved(font)


def _covered(font: bytes) -> str:
    (face,) = faces(font)
    found = coverage(face)
    return "".join(chr(code) for code in range(0x11000) if chr(code) in found)


def test_a_real_font_is_read() -> None:
    (face,) = faces(BUILT_IN)

    assert ("Aileron", False, False, False, False, 0) == (
        face.family, face.bold, face.italic, face.monospaced, face.colour, face.bitmap_size,
    )  # fmt: skip
    assert set(map(chr, range(32, 127))) <= set(_covered(BUILT_IN))
    assert "日" not in coverage(face)
    assert "\U0010ffff" not in coverage(face)


def test_what_is_covered_is_what_is_drawn() -> None:
    """Pillow draws the same box for every character that a font lacks, and never for one that it has."""
    drawn = ImageFont.load_default(40)
    box = bytes(drawn.getmask("\U0010ffff"))
    (face,) = faces(BUILT_IN)
    covered = coverage(face)
    characters = [chr(code) for code in range(33, 0x250) if chr(code).isprintable()]

    assert [character for character in characters if character in covered] == [
        character for character in characters if bytes(drawn.getmask(character)) != box
    ]


@pytest.mark.parametrize(
    ("maps", "expected"),
    [
        pytest.param([_map(3, 10, "ABCa\U00010000", form=12)], "ABCa\U00010000", id="format 12"),
        pytest.param([_map(3, 10, "BC", form=12, boxes="AF")], "BC", id="format 12 with boxes"),
        pytest.param([_map(3, 1, "ABCa")], "ABCa", id="format 4"),
        pytest.param([_map(3, 1, "AC", boxes="B")], "AC", id="format 4 with a box"),
        pytest.param([_map(3, 1, "AB"), _map(3, 10, "ab", form=12)], "ab", id="the larger map"),
        pytest.param([_map(0, 3, "AB")], "AB", id="the Unicode platform"),
        pytest.param([_map(3, 0, "AB")], "", id="symbols are no letters"),
        pytest.param([_map(3, 10, "AB", form=13)], "", id="one glyph for many characters"),
        pytest.param([_map(3, 10, "AB", form=13), _map(3, 1, "a")], "a", id="the next best map"),
    ],
)
def test_characters_are_found_in_every_kind_of_map(maps: list[Any], expected: str) -> None:
    assert expected == _covered(_saved(_builder(*maps)))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(struct.pack(">2H", 0, 0), id="no map"),
        pytest.param(MANY[:-3], id="cut short"),
        pytest.param(MANY.replace(b"\0\x0c\0\0\0\0", b"\0\x09\0\0\0\0"), id="an unknown format"),
        pytest.param(
            struct.pack(">2H2HI", 0, 1, 3, 1, 12)
            + struct.pack(">7H9H", 4, 32, 0, 4, 0, 0, 0, 67, 65535, 0, 65, 65535, 0, 0, 4, 0),
            id="glyphs listed outside the map",
        ),
    ],
)
def test_a_broken_map_covers_nothing(data: bytes) -> None:
    (face,) = faces(_raw("cmap", data))

    assert Coverage() == coverage(face)


def test_a_map_that_claims_billions_of_characters_ends() -> None:
    (face,) = faces(_raw("cmap", MANY))

    assert (65, 0x110000) == coverage(face).edges


@pytest.mark.parametrize(
    ("style", "selection", "expected"),
    [
        pytest.param(0, None, (False, False), id="nothing said"),
        pytest.param(1, None, (True, False), id="bold"),
        pytest.param(3, None, (True, True), id="bold and italic"),
        pytest.param(0, 1, (False, True), id="italic, said elsewhere"),
        pytest.param(0, 32, (True, False), id="bold, said elsewhere"),
    ],
)
def test_the_style_is_read(style: int, selection: int | None, expected: tuple[bool, bool]) -> None:
    builder = _builder()
    builder.updateHead(macStyle=style)
    if selection is not None:
        builder.setupOS2(fsSelection=selection)

    (face,) = faces(_saved(builder))

    assert expected == (face.bold, face.italic)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        pytest.param([], "", id="none"),
        pytest.param([("Näme", 4, 3, 1, 0x409)], "", id="another name"),
        pytest.param([("Näme", 1, 3, 1, 0x409)], "Näme", id="Windows"),
        pytest.param([("Näme", 1, 1, 0, 0)], "Näme", id="Macintosh"),
        pytest.param([("名", 1, 3, 1, 0x411), ("Name", 1, 3, 1, 0x409)], "Name", id="English first"),
        pytest.param([("名", 1, 3, 1, 0x411)], "名", id="not English"),
        pytest.param([(b"\xd8\0", 1, 3, 1, 0x409)], "", id="half a character"),
    ],
)
def test_the_family_is_read(names: list[tuple[str | bytes, int, int, int, int]], expected: str) -> None:
    builder = _builder()
    builder.font["name"] = newTable("name")
    for name in names:
        builder.font["name"].setName(*name)

    (face,) = faces(_saved(builder))

    assert expected == face.family


def test_equal_widths_are_read() -> None:
    builder = _builder()
    builder.setupPost(isFixedPitch=1)

    assert [True] == [face.monospaced for face in faces(_saved(builder))]


@pytest.mark.parametrize("tag", ["head", "OS/2", "post"])
def test_a_font_with_a_broken_table_is_plain_and_nothing_is_logged(tag: str, caplog: pytest.LogCaptureFixture) -> None:
    (face,) = faces(_raw(tag, b"\xff"))

    assert (False, False, False) == (face.bold, face.italic, face.monospaced)
    assert [] == caplog.records


def test_the_largest_bitmaps_are_taken() -> None:
    sizes = struct.pack(">2I", 0x20000, 2) + bytes(44) + b"\x6d" + bytes(47) + b"\x40" + bytes(3)
    builder = _builder()
    builder.font["sbix"] = newTable("sbix")
    builder.font["sbix"].strikes = {size: Strike(ppem=size) for size in (20, 160, 96)}

    (cblc,), (sbix,) = faces(_raw("CBLC", sizes)), faces(_saved(builder))

    assert 109 == cblc.bitmap_size
    assert (True, 160) == (sbix.colour, sbix.bitmap_size)


LAYERS, GRADIENT = [("one", 0)], {"Format": 10, "Glyph": "one", "Paint": {"Format": 2, "PaletteIndex": 0, "Alpha": 1.0}}


@pytest.mark.parametrize(
    ("glyphs", "drawn"),
    [
        pytest.param({"one": LAYERS}, [True], id="layers"),
        pytest.param({"one": LAYERS, ".notdef": GRADIENT}, [True], id="layers beside gradients"),
        pytest.param({"one": GRADIENT}, [], id="gradients alone"),
    ],
)
def test_layers_of_colour_are_drawn_and_gradients_are_not(glyphs: dict[str, Any], drawn: list[bool]) -> None:
    builder = _builder()
    builder.setupCOLR(glyphs)

    assert drawn == [face.colour for face in faces(_saved(builder))]


def test_a_file_may_hold_several_fonts() -> None:
    collection = TTCollection()
    collection.fonts = [TTFont(BytesIO(_saved(_builder(_map(3, 1, characters))))) for characters in ("A", "B", "A")]

    found = faces(_saved(collection))

    assert [0, 1, 2] == [face.number for face in found]
    assert ["A" in coverage(face) for face in found] == [True, False, True]
    assert found[0].cmap_offset == found[2].cmap_offset != found[1].cmap_offset


def test_a_font_for_the_web_is_left_out() -> None:
    font = TTFont(BytesIO(BUILT_IN))
    font.flavor = "woff"

    assert () == faces(_saved(font))


@pytest.mark.parametrize(
    "data", [b"", b"rubbish", b"\0\1\0\0", b"OTTO" + b"\xff" * 100, b"ttcf" + b"\xff" * 100, b"\0\1\0\0" * 9, b"wOF2" * 20]
)  # fmt: skip
def test_rubbish_is_no_font(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.ttf"
    path.write_bytes(data)

    assert () == faces(str(path)) == faces(data)


def test_what_is_not_there_is_no_font(tmp_path: Path) -> None:
    assert () == faces(str(tmp_path)) == faces(str(tmp_path / "none.ttf")) == faces("a\0b")


def test_a_font_that_goes_away_covers_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.ttf"
    path.write_bytes(BUILT_IN)
    (face,) = faces(str(path))
    path.unlink()

    assert Coverage() == coverage(face)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_broken_font_does_no_harm(data: st.DataObject) -> None:
    broken = bytearray(BUILT_IN[: data.draw(st.sampled_from([4096, len(BUILT_IN)]))])
    for place, value in data.draw(st.lists(st.tuples(st.integers(0, 1023), st.integers(0, 255)), max_size=20)):
        broken[place] = value

    for face in faces(bytes(broken)):
        edges = coverage(face).edges
        assert len(edges) % 2 == 0
        assert all(before < after for before, after in pairwise(edges))
