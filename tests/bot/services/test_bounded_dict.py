"""Dictionaries that do not grow without end."""

from __future__ import annotations

import pytest

from cadenza.bot.services.bounded_dict import make_room


@pytest.mark.parametrize(
    ("most", "left"),
    [(4, "abc"), (3, "bc"), (2, "c"), (1, "")],
    ids=["there is room", "the oldest goes", "more than one goes", "all go"],
)
def test_the_oldest_go_until_there_is_room_for_one_more(most: int, left: str) -> None:
    entries = dict.fromkeys("abc")

    make_room(entries, most)

    assert list(left) == list(entries)
