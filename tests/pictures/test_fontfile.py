"""Font files: what is read from them, and that nothing in one can do harm."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import ImageFont

from cadenza.pictures.fontfile import Coverage, coverage, faces

BUILT_IN = ImageFont.load_default(16).font_bytes  # type: ignore[union-attr]  # with FreeType it is a real font


def _font(*, maps: bytes = b"", **tables: bytes) -> bytes:
    """A font file of *tables*, named by their tags, and a table of character *maps*."""
    entries = {"cmap": maps or _maps((3, 1, _segments((65, 90, 0)))), "glyf": b"\0", **tables}
    start = 12 + 16 * len(entries)
    head, body = b"\0\1\0\0" + struct.pack(">4H", len(entries), 0, 0, 0), b""
    for tag, data in entries.items():
        head += struct.pack(">4sIII", tag.ljust(4).encode(), 0, start + len(body), len(data))
        body += data
    return head + body


def _maps(*maps: tuple[int, int, bytes]) -> bytes:
    """A table of character maps, each with its platform and encoding."""
    head, body = struct.pack(">2H", 0, len(maps)), b""
    for platform, encoding, data in maps:
        head += struct.pack(">2HI", platform, encoding, 4 + 8 * len(maps) + len(body))
        body += data
    return head + body


def _groups(*groups: tuple[int, int, int]) -> bytes:
    """A map of format 12: first and last character, first glyph."""
    return struct.pack(">2H3I", 12, 0, 0, 0, len(groups)) + b"".join(struct.pack(">3I", *group) for group in groups)


def _segments(*segments: tuple[int, int, int], glyphs: tuple[int, ...] = ()) -> bytes:
    """A map of format 4: first and last character, and what is added to one to have its glyph.

    With *glyphs* the last segment looks its glyphs up there.
    """
    firsts, lasts, shifts = zip(*segments, strict=True)
    count = len(segments)
    lists = [0] * (count - 1) + [2 if glyphs else 0]
    return struct.pack(
        f">7H{count}HH{3 * count}H{len(glyphs)}H", 4, 0, 0, 2 * count, 0, 0, 0, *lasts, 0, *firsts, *shifts, *lists, *glyphs
    )  # fmt: skip


def _name(platform: int, language: int, data: bytes) -> bytes:
    return struct.pack(">3H", 0, 1, 18) + struct.pack(">6H", platform, 1, language, 1, len(data), 0) + data


def _covered(font: bytes) -> list[str]:
    (face,) = faces(font)
    found = coverage(face)
    return [chr(code) for code in range(0x11000) if chr(code) in found]


def test_a_real_font_is_read() -> None:
    (face,) = faces(BUILT_IN)

    assert ("Aileron", False, False, False, False, 0) == (
        face.family, face.bold, face.italic, face.fixed, face.colour, face.strike,
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
        pytest.param(_maps((3, 10, _groups((65, 67, 5), (0x10000, 0x10001, 9)))), "ABC\U00010000\U00010001", id="groups"),
        pytest.param(_maps((3, 10, _groups((65, 67, 0), (70, 70, 0)))), "BC", id="a group that begins with the box"),
        pytest.param(_maps((3, 1, _segments((65, 67, 9), (0xFFFF, 0xFFFF, 1)))), "ABC", id="segments"),
        pytest.param(_maps((3, 1, _segments((65, 67, 0x10000 - 66)))), "AC", id="a segment with the box in it"),
        pytest.param(_maps((3, 1, _segments((65, 67, 1), glyphs=(7, 0, 0xFFFF)))), "A", id="listed glyphs"),
        pytest.param(_maps((3, 1, _segments((70, 71, 1), (65, 67, 1)))), "FG", id="segments out of order"),
        pytest.param(_maps((3, 1, _segments((65, 66, 1))), (3, 10, _groups((97, 98, 1)))), "ab", id="the larger map"),
        pytest.param(_maps((0, 3, _segments((65, 66, 1)))), "AB", id="another name for the same"),
        pytest.param(_maps((3, 0, _segments((65, 66, 1)))), "", id="symbols are no letters"),
        pytest.param(_maps((3, 10, struct.pack(">2H3I", 13, 0, 0, 0, 0))), "", id="one glyph for many characters"),
        pytest.param(_maps((3, 10, struct.pack(">H", 13)), (3, 1, _segments((65, 65, 1)))), "A", id="the next best map"),
        pytest.param(_maps((3, 10, _groups((65, 67, 5))))[:-3], "", id="cut short"),
        pytest.param(_maps((3, 1, _segments((65, 67, 1), glyphs=(7,)))), "", id="a list that is too short"),
        pytest.param(_maps(), "", id="no map"),
    ],
)  # fmt: skip
def test_characters_are_found_in_every_kind_of_map(maps: bytes, expected: str) -> None:
    assert list(expected) == _covered(_font(maps=maps))


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        pytest.param({}, (False, False), id="nothing said"),
        pytest.param({"head": bytes(44) + b"\0\1"}, (True, False), id="bold"),
        pytest.param({"head": bytes(44) + b"\0\3"}, (True, True), id="bold and italic"),
        pytest.param({"OS/2": bytes(62) + b"\0\1"}, (False, True), id="italic, said elsewhere"),
        pytest.param({"OS/2": bytes(62) + b"\0\x20", "head": bytes(46)}, (True, False), id="bold, said elsewhere"),
    ],
)
def test_the_style_is_read(tables: dict[str, bytes], expected: tuple[bool, bool]) -> None:
    (face,) = faces(_font(**tables))

    assert expected == (face.bold, face.italic)


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        pytest.param({}, "", id="none"),
        pytest.param({"name": struct.pack(">3H", 0, 0, 6)}, "", id="no names"),
        pytest.param({"name": _name(3, 0x409, "Näme".encode("utf-16-be"))}, "Näme", id="Windows"),
        pytest.param({"name": _name(1, 0, b"N\x8ame")}, "Näme", id="Macintosh"),
        pytest.param({"name": _name(3, 0x411, b"\xd8\0")}, "\ufffd", id="half a character"),
    ],
)
def test_the_family_is_read(tables: dict[str, bytes], expected: str) -> None:
    (face,) = faces(_font(**tables))

    assert expected == face.family


def test_equal_widths_are_read() -> None:
    assert [True] == [face.fixed for face in faces(_font(post=bytes(12) + b"\0\0\0\1"))]


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        pytest.param({"CBDT": b"\0", "CBLC": struct.pack(">2I", 0, 2) + bytes(44) + b"\x40" + bytes(47) + b"\x6d" + bytes(3)}, 109, id="bitmaps"),
        pytest.param({"sbix": struct.pack(">2H3I", 1, 1, 2, 16, 18) + b"\0\x14\0\xa0"}, 160, id="other bitmaps"),
        pytest.param({"COLR": b"\0\0\0\1"}, 0, id="layers"),
        pytest.param({"COLR": b"\0\1\0\1"}, 0, id="layers beside gradients"),
    ],
)  # fmt: skip
def test_colours_and_their_sizes_are_read(tables: dict[str, bytes], expected: int) -> None:
    (face,) = faces(_font(**tables))

    assert face.colour
    assert expected == face.strike


def test_a_font_of_gradients_alone_is_left_out() -> None:
    assert () == faces(_font(COLR=b"\0\1\0\0"))


def test_a_file_may_hold_several_fonts() -> None:
    font = _font()
    # Places in a font are counted from the start of the file, so the same tables serve both.
    header = b"ttcf" + struct.pack(">3I", 0x10000, 2, 20) + struct.pack(">I", 20)
    moved = font[:12] + b"".join(
        struct.pack(">4sIII", tag, check, offset + 20, size)
        for tag, check, offset, size in struct.iter_unpack(">4sIII", font[12:44])
    )

    found = faces(header + moved + font[44:])

    assert [0, 1] == [face.number for face in found]
    assert "A" in coverage(found[1])


@pytest.mark.parametrize(
    "data", [b"", b"rubbish", b"\0\1\0\0", b"OTTO" + b"\xff" * 100, b"ttcf" + b"\xff" * 100, b"\0\1\0\0" * 9]
)
def test_rubbish_is_no_font(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.ttf"
    path.write_bytes(data)

    assert () == faces(str(path)) == faces(data)


def test_what_is_not_there_is_no_font(tmp_path: Path) -> None:
    assert () == faces(str(tmp_path)) == faces(str(tmp_path / "none.ttf")) == faces("a\0b")


def test_a_font_that_goes_away_covers_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.ttf"
    path.write_bytes(_font())
    (face,) = faces(str(path))
    path.unlink()

    assert Coverage((), ()) == coverage(face)


@settings(max_examples=100)
@given(st.data())
def test_a_broken_font_does_no_harm(data: st.DataObject) -> None:
    broken = bytearray(BUILT_IN[:4096])
    for place, value in data.draw(st.lists(st.tuples(st.integers(0, 1023), st.integers(0, 255)), max_size=20)):
        broken[place] = value

    for face in faces(bytes(broken)):
        found = coverage(face)
        assert len(found.starts) == len(found.ends)
