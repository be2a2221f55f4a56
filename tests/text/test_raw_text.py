"""The model's text on its way into the buffer: it learns its places, and what never arrives there is known."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, strategies as st

from cadenza.text.origins import OriginRun, Range, Traced, origin_of
from cadenza.text.overlap import Overlap
from cadenza.text.raw_text import RawLedger, RawText

LINES = "".join(f"{number:03}." for number in range(40))
"""A text in which no eight characters are repeated."""


# --- places --------------------------------------------------------------------------------


@pytest.mark.parametrize("repeats", [False, True])
@given(start=st.integers(0, 9), pieces=st.lists(st.text("ab😀\r", max_size=5), max_size=6))
def test_a_piece_begins_where_the_last_one_ends(start: int, pieces: list[str], *, repeats: bool) -> None:
    raw = RawText(start, losses := [], repeats=repeats)

    for piece in pieces:
        taken = raw.traced(raw.take(piece))

        assert piece == taken
        assert ((OriginRun(len(piece), start),) if piece else ()) == origin_of(taken)
        assert isinstance(taken, Traced)
        start += len(piece)
    assert [] == losses


@pytest.mark.parametrize(("repeats", "taken"), [(False, [LINES[:20], LINES[4:24]]), (True, [LINES[:20], LINES[20:24]])])
def test_without_a_place_the_text_is_plain_and_nothing_is_noted(*, repeats: bool, taken: list[str]) -> None:
    raw = RawText(None, losses := [], repeats=repeats)

    found = [raw.traced(raw.take(piece)) for piece in (LINES[:20], LINES[4:24])]

    assert taken == found
    assert {str} == set(map(type, found))
    assert [] == losses


@pytest.mark.parametrize(
    ("pieces", "taken", "lost"),
    [
        pytest.param([LINES[:20], LINES[4:24]], [(0, 20), (36, 40)], [(20, 36)], id="the end"),
        pytest.param([LINES[:20], LINES[:20]], [(0, 20), (40, 40)], [(20, 40)], id="all of it"),
        pytest.param(
            [LINES[:20], LINES[:24], LINES[:28]], [(0, 20), (40, 44), (68, 72)], [(20, 40), (44, 68)], id="twice"
        ),
        pytest.param([LINES[:20], LINES[20:40]], [(0, 20), (20, 40)], [], id="nothing"),
        pytest.param([LINES[:20], LINES[16:40]], [(0, 20), (20, 44)], [], id="too little"),
        pytest.param([LINES[:20], "", LINES[4:20]], [(0, 20), (20, 20), (36, 36)], [(20, 36)], id="after nothing"),
    ],
)
def test_what_is_sent_again_is_lost_at_its_place(pieces: list[str], taken: list[Range], lost: list[Range]) -> None:
    whole = "".join(pieces)
    raw = RawText(0, losses := [], repeats=True)

    found = [raw.traced(raw.take(piece)) for piece in pieces]

    assert [whole[slice(*place)] for place in taken] == found
    assert [runs(place) for place in taken] == [*map(origin_of, found)]
    assert [(whole[slice(*place)], "overlap") for place in lost] == losses
    assert [runs(place) for place in lost] == [origin_of(text) for text, _ in losses]


def runs(place: Range) -> tuple[OriginRun, ...]:
    """The origin of the model's text there."""
    start, end = place
    return (OriginRun(end - start, start),) if start < end else ()


def test_where_nothing_is_sent_again_it_stays() -> None:
    raw = RawText(0, losses := [], repeats=False)

    assert [LINES, LINES] == [raw.take(LINES), raw.take(LINES)]
    assert [] == losses


def test_another_text_may_begin_like_the_one_before() -> None:
    raw = RawText(0, losses := [], repeats=True)
    raw.take(LINES[:20])

    raw.begin()

    assert LINES[:20] == (again := raw.traced(raw.take(LINES[:20])))
    assert (OriginRun(20, 20),) == origin_of(again)
    assert [] == losses


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 60)), max_size=8))
def test_every_character_is_taken_or_lost(cuts: list[Range]) -> None:
    pieces = [LINES[start : start + size] for start, size in cuts]
    raw, overlap = RawText(0, losses := [], repeats=True), Overlap()

    taken = [raw.traced(raw.take(piece)) for piece in pieces]

    assert [*map(overlap.take, pieces)] == taken
    found = [run for text in (*taken, *(text for text, _ in losses)) for run in origin_of(text)]
    assert [*range(sum(map(len, pieces)))] == sorted(
        place for run in found for place in range(run.start, run.start + run.size)
    )


# --- what became of it -----------------------------------------------------------------------


class NaiveLedger:
    """The same as a ledger, character by character."""

    def __init__(self, start: int) -> None:
        self._text: list[str] = []
        self._start = self._done = start
        self._known: set[int] = set()

    def hear(self, text: str) -> None:
        self._text += text

    def know(self, places: Iterable[Range]) -> None:
        self._known.update(place for start, end in places for place in range(start, end))

    def unknown(self, end: int | None = None) -> list[tuple[Range, str]]:
        parts: list[tuple[Range, str]] = []
        last = self._start + len(self._text)
        end = last if end is None else min(end, last)
        for place in range(self._done, end):
            if place in self._known:
                continue
            character = self._text[place - self._start]
            if parts and parts[-1][0][1] == place:
                (begin, _), text = parts.pop()
                parts.append(((begin, place + 1), text + character))
            else:
                parts.append(((place, place + 1), character))
        self._done = max(self._done, end)
        return parts


PLACE = st.integers(0, 30)
STEP = st.one_of(
    st.tuples(st.just("hear"), st.text("abc😀", max_size=8)),
    st.tuples(st.just("know"), st.lists(st.tuples(PLACE, PLACE).map(sorted).map(tuple), max_size=3)),
    st.tuples(st.just("unknown"), st.none() | PLACE),
)


@given(st.integers(0, 5), st.lists(STEP, max_size=16))
def test_a_ledger_returns_each_unknown_part_once(start: int, steps: list[tuple[str, object]]) -> None:
    ledger, naive = RawLedger(start), NaiveLedger(start)
    returned: list[int] = []

    for name, argument in [*steps, ("unknown", None), ("unknown", None)]:
        found = getattr(ledger, name)(argument)

        assert getattr(naive, name)(argument) == found
        returned += [place for part, _ in found or () for place in range(*part)]
    assert len(set(returned)) == len(returned)


@pytest.mark.parametrize(
    ("known", "end", "expected"),
    [
        pytest.param([], None, [((7, 13), "abcdef")], id="nothing is known"),
        pytest.param([(7, 13)], None, [], id="everything"),
        pytest.param([(9, 11)], None, [((7, 9), "ab"), ((11, 13), "ef")], id="the middle"),
        pytest.param([(9, 10), (8, 9), (0, 8)], None, [((10, 13), "def")], id="in any order"),
        pytest.param([(9, 11)], 10, [((7, 9), "ab")], id="up to a known place"),
        pytest.param([(9, 10)], 11, [((7, 9), "ab"), ((10, 11), "d")], id="up to an unknown place"),
        pytest.param([], 99, [((7, 13), "abcdef")], id="beyond all that has arrived"),
        pytest.param([], 3, [], id="before it"),
        pytest.param([(13, 20)], None, [((7, 13), "abcdef")], id="what has not arrived yet"),
    ],
)
def test_what_is_not_known_is_returned_with_its_text(
    known: list[Range], end: int | None, expected: list[tuple[Range, str]]
) -> None:
    ledger = RawLedger(7)
    ledger.hear("ab")
    ledger.hear("cdef")

    ledger.know(known)

    assert expected == ledger.unknown(end)
    assert [] == ledger.unknown(end)


def test_text_that_is_settled_is_not_kept() -> None:
    ledger = RawLedger(0)

    for number in range(100):
        ledger.hear(LINES)
        ledger.know([(number * len(LINES), (number + 1) * len(LINES))])
        ledger.unknown()

    assert "" == ledger._text
    assert [] == ledger._new
