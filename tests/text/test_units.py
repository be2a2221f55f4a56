from __future__ import annotations

import pytest

from cadenza.text.units import WHITESPACE, display_width, fits, fitting, graphemes, units, whole_grapheme

FAMILY = "👨\u200d👩\u200d👧"
FLAG = "🇳🇴"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param("abc", 3, id="ASCII"),
        pytest.param("äöü", 3, id="Latin"),
        pytest.param("日本語", 3, id="CJK"),
        pytest.param("😀", 2, id="an emoji counts twice"),
        pytest.param(FAMILY, 8, id="a family"),
        pytest.param("\ud83d", 1, id="half a pair"),
    ],
)
def test_a_length_is_counted_in_utf16(text: str, count: int) -> None:
    assert count == units(text)


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        pytest.param("", 0, True, id="nothing"),
        pytest.param("abc", 3, True, id="just"),
        pytest.param("abcd", 3, False, id="just not"),
        pytest.param("a", 2, True, id="so short that nobody counts"),
        pytest.param("😀😀", 4, True, id="emoji count twice"),
        pytest.param("😀😀", 3, False, id="emoji that do not fit"),
        pytest.param("日本語", 3, True, id="CJK counts once"),
    ],
)
def test_a_text_fits_if_its_units_do(text: str, limit: int, expected: bool) -> None:  # noqa: FBT001
    assert expected is fits(text, limit)


@pytest.mark.parametrize(
    ("text", "limit", "start", "index"),
    [
        pytest.param("abcdef", 3, 0, 3, id="ASCII"),
        pytest.param("abcdef", 99, 0, 6, id="all of it"),
        pytest.param("abcdef", 3, 4, 6, id="from a start"),
        pytest.param("", 5, 0, 0, id="nothing"),
        pytest.param("abc", 0, 1, 1, id="no room"),
        pytest.param("ab😀cd", 3, 0, 2, id="half an emoji does not fit"),
        pytest.param("ab😀cd", 4, 0, 3, id="a whole one does"),
        pytest.param("😀😀😀", 5, 0, 2, id="only emoji"),
        pytest.param("日本語", 2, 0, 2, id="CJK"),
        pytest.param("\ud800é", 5, 0, 2, id="half a pair is one unit"),
    ],
)
def test_as_much_as_fits_is_the_most_that_fits(text: str, limit: int, start: int, index: int) -> None:
    assert index == fitting(text, limit, start)


@pytest.mark.parametrize(
    ("text", "index", "start", "moved"),
    [
        pytest.param("abc", 2, 0, 2, id="ASCII"),
        pytest.param("abc", 3, 0, 3, id="the end"),
        pytest.param("abc", 0, 0, 0, id="the beginning"),
        pytest.param("ae\u0301b", 2, 0, 1, id="a letter and its accent"),
        pytest.param("ae\u0301b", 3, 0, 3, id="behind the accent"),
        pytest.param("a" + FAMILY + "b", 3, 0, 1, id="inside a family"),
        pytest.param("a" + FAMILY + "b", 6, 0, 6, id="behind a family"),
        pytest.param(FLAG + FLAG, 3, 0, 2, id="between the letters of the second flag"),
        pytest.param("👍🏽x", 1, 0, 1, id="longer than all there is: cut as asked"),
        pytest.param("xx👍🏽x", 3, 2, 3, id="likewise from a start"),
        pytest.param("각" * 3, 2, 0, 2, id="Hangul in one piece"),
        pytest.param("한".encode().decode() + "\u1112\u1161\u11ab", 2, 0, 1, id="Hangul in parts"),
    ],
)
def test_b21_a_cut_moves_to_where_a_visible_character_begins(text: str, index: int, start: int, moved: int) -> None:
    assert moved == whole_grapheme(text, index, start)


@pytest.mark.parametrize("character", [*"\t\n\v\f\r ", "\u00a0", "\u2003", "\u2028", "\u3000", "\ufeff"], ids=ascii)
def test_what_a_browser_calls_space_is_space(character: str) -> None:
    assert character in WHITESPACE


@pytest.mark.parametrize("character", ["\u0085", "\u200b", "\x1c", "\x1f", "_", "\u2060"], ids=ascii)
def test_what_only_python_calls_space_is_none(character: str) -> None:
    assert character not in WHITESPACE


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param("abc ~", 5, id="ASCII"),
        pytest.param("a\tb\0\x7f", 2, id="control characters"),
        pytest.param("äöü", 3, id="Latin"),
        pytest.param("e\u0301", 1, id="an accent of its own"),
        pytest.param("日本語", 6, id="wide"),
        pytest.param("ｱｲ", 2, id="half width"),
        pytest.param("Ａ", 2, id="full width"),
        pytest.param("각\u1100\u1161\u11a8", 4, id="Korean, whole and in letters"),
        pytest.param("a\u200b\u2060\ufeffb", 2, id="nothing to see"),
        pytest.param("⭐✅", 4, id="emoji"),
        pytest.param("👍🏽", 2, id="a colour of skin"),
        pytest.param(FAMILY, 2, id="a family"),
        pytest.param(FLAG * 2, 4, id="flags"),
        pytest.param("🇳", 1, id="half a flag"),
        pytest.param("1\ufe0f\u20e3", 2, id="a key"),
        pytest.param("❤ ❤\ufe0f", 4, id="a heart as a letter and as a picture"),
        pytest.param("\ufe0f", 0, id="a wish for a picture, of nothing"),
        pytest.param("\ud83d", 1, id="half a pair"),
        pytest.param(f"日{FAMILY}a", 5, id="mixed"),
    ],
)
def test_a_width_is_counted_in_columns(text: str, columns: int) -> None:
    assert columns == display_width(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("ab", ["a", "b"], id="ASCII"),
        pytest.param(f"e\u0301{FAMILY}{FLAG}a", ["e\u0301", FAMILY, FLAG, "a"], id="joined"),
    ],
)
def test_characters_are_what_people_see(text: str, expected: list[str]) -> None:
    assert expected == graphemes(text)
