"""Chunks gathered into records."""

from __future__ import annotations

from hypothesis import given, strategies as st

from cadenza.play.films.film import FilmRecord
from cadenza.play.films.tokens import MOST, SPAN, Tokens
from cadenza.text.units import units

CHUNKS = st.lists(
    st.tuples(st.sampled_from(["1", "2"]), st.sampled_from(["text", "thought"]), st.text(min_size=1), st.floats(0, 1)),
    max_size=60,
)


def gathered(chunks: list[tuple[str, str, str, float]], *, is_live: bool) -> list[FilmRecord]:
    """The records of *chunks*, each with the seconds since the one before."""
    tokens, records, at = Tokens(is_live=is_live), [], 0.0
    for turn, sort, text, after in chunks:
        at += after
        records.append(tokens.add(turn, sort, text, at))
    return [record for record in (*records, tokens.flush()) if record]


@given(CHUNKS, st.booleans())
def test_nothing_is_lost_and_everything_keeps_its_place(
    chunks: list[tuple[str, str, str, float]],
    is_live: bool,  # noqa: FBT001  # hypothesis gives it by its place
) -> None:
    records = gathered(chunks, is_live=is_live)

    seen = [
        (record.about["turn"], record.about["sort"], length, round(record.at + since, 3))
        for record in records
        for length, since in zip(record.about["lengths"], record.about["times"], strict=True)
    ]
    at, expected = 0.0, []
    for turn, sort, text, after in chunks:
        at += after
        expected.append((turn, sort, units(text), at))
    assert [one[:3] for one in expected] == [one[:3] for one in seen]
    assert all(abs(one[3] - other[3]) < 0.001 for one, other in zip(expected, seen, strict=True))
    assert "".join(text for _, _, text, _ in chunks) == "".join(record.about["text"] for record in records)
    assert all(units(record.about["text"]) == sum(record.about["lengths"]) for record in records)


def test_one_record_is_of_one_turn_and_one_sort() -> None:
    chunks = [
        ("1", "text", "a", 0.0),
        ("1", "thought", "b", 0.0),
        ("2", "thought", "c", 0.0),
        ("2", "thought", "d", 0.0),
    ]

    assert ["a", "b", "cd"] == [record.about["text"] for record in gathered(chunks, is_live=False)]


def test_one_record_holds_only_so_many() -> None:
    chunks = [("1", "text", "a", 0.0)] * (MOST + 1)

    assert [MOST, 1] == [len(record.about["lengths"]) for record in gathered(chunks, is_live=False)]


def test_who_watches_does_not_wait_long() -> None:
    chunks = [("1", "text", "a", SPAN * 0.6)] * 4

    assert [2, 2] == [len(record.about["lengths"]) for record in gathered(chunks, is_live=True)]
    assert [4] == [len(record.about["lengths"]) for record in gathered(chunks, is_live=False)]
