"""Where each piece of the model's text stands, in characters and in UTF-16 units, and when it came."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.explain.heard_text import HeardText
from cadenza.text.origins import Range
from cadenza.text.units import WHITESPACE

ANY_TEXT = st.text("ab é日😀\ud83d\ude00\n\u00a0\ufeff\u0085", max_size=6)
PIECES = st.lists(ANY_TEXT, max_size=6)
PLACE = st.integers(0, 15)
RANGES: st.SearchStrategy[list[Range]] = st.lists(st.tuples(PLACE, PLACE).map(sorted).map(tuple), max_size=4)


def heard(*pieces: str) -> HeardText:
    """*pieces*, each of which came a second after the one before."""
    text = HeardText()
    for at, piece in enumerate(pieces):
        text.add(piece, float(at))
    return text


def units_of(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@given(PIECES, RANGES)
def test_places_are_counted_in_units_as_utf_16_has_them(pieces: list[str], found: list[Range]) -> None:
    whole = "".join(pieces)

    expected = [[units_of(whole[:start]), units_of(whole[:end])] for start, end in found]

    assert expected == heard(*pieces).in_units(found)


@pytest.mark.parametrize(
    ("place", "units"),
    [
        pytest.param((0, 1), [0, 1], id="a letter"),
        pytest.param((1, 2), [1, 3], id="an emoji"),
        pytest.param((2, 3), [3, 4], id="after an emoji"),
        pytest.param((3, 5), [4, 7], id="an emoji in the next piece"),
        pytest.param((0, 5), [0, 7], id="all"),
        pytest.param((5, 5), [7, 7], id="nothing, at the end"),
        pytest.param((4, 99), [6, 7], id="beyond the end"),
    ],
)
def test_an_emoji_takes_two_units(place: Range, units: list[int]) -> None:
    assert [units] == heard("a😀b", "😀日").in_units([place])


@given(PIECES, RANGES)
def test_ranges_have_their_texts(pieces: list[str], found: list[Range]) -> None:
    whole = "".join(pieces)

    assert [whole[start:end] for start, end in found] == heard(*pieces).texts(found)


@given(PIECES, RANGES)
def test_trimmed_ranges_begin_and_end_with_something_to_see(pieces: list[str], found: list[Range]) -> None:
    whole = "".join(pieces)
    expected: list[Range] = []
    for start, end in found:
        seen = [place for place in range(start, min(end, len(whole))) if whole[place] not in WHITESPACE]
        expected += [(seen[0], seen[-1] + 1)] if seen else []

    assert expected == heard(*pieces).trimmed(found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("  so \n", [(2, 4)], id="spaces and line ends"),
        pytest.param("so it is", [(0, 8)], id="between words"),
        pytest.param("\ufeffso\u00a0", [(1, 3)], id="what browsers take for white space"),
        pytest.param("\u0085so\u001c", [(0, 4)], id="what only Python does"),
        pytest.param(" \n ", [], id="nothing else"),
    ],
)
def test_white_space_is_trimmed(text: str, expected: list[Range]) -> None:
    assert expected == heard(text[:1], text[1:]).trimmed([(0, len(text))])


@given(PIECES)
def test_every_character_came_with_its_piece(pieces: list[str]) -> None:
    text = heard(*pieces)

    told = [(number, float(at)) for number, (at, piece) in enumerate(_with_text(pieces)) for _ in piece]
    assert told == [text.heard_at(place)[::-1] for place in range(text.size)]
    assert len("".join(pieces)) == text.size
    assert len([*filter(None, pieces)]) == text.pieces


def _with_text(pieces: list[str]) -> list[tuple[int, str]]:
    return [(at, piece) for at, piece in enumerate(pieces) if piece]


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        pytest.param(0, (0.0, 0), id="the first character"),
        pytest.param(1, (0.0, 0), id="the last of a piece"),
        pytest.param(2, (2.0, 1), id="the first of the next; an empty piece is none"),
        pytest.param(9, (2.0, 1), id="one that has not come"),
    ],
)
def test_a_character_came_when_its_piece_did(place: int, expected: tuple[float, int]) -> None:
    assert expected == heard("ab", "", "cd").heard_at(place)


def test_before_anything_was_heard_there_is_nothing() -> None:
    text = heard("")

    assert (0, 0) == (text.size, text.pieces)
    assert (0.0, 0) == text.heard_at(0)
    assert [[0, 0]] == text.in_units([(0, 3)])
    assert [""] == text.texts([(0, 3)])
    assert [] == text.trimmed([(0, 3)])
