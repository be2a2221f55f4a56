"""The ``character_book`` of a card."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings, strategies as st

from cadenza.bot.characters.character import Lore
from cadenza.bot.characters.lorebooks import read_book, write_book
from tests.bot.characters.people import card, lores

BOOK = card("v3")["data"]["character_book"]


def test_everything_that_is_understood_is_read() -> None:
    assert Lore(
        "灯台の火は青い。", ("灯台", "lamp"), ("night", "夜"), is_selective=True, order=5
    ) == read_book(BOOK)[1]  # fmt: skip
    assert [True, True, True, False] == [lore.is_enabled for lore in read_book(BOOK)]
    assert [False, False, True, False] == [lore.is_constant for lore in read_book(BOOK)]


def test_what_stays_the_same_stays_as_it_was_written() -> None:
    assert BOOK == write_book(read_book(BOOK), BOOK)


def test_an_entry_that_is_changed_keeps_what_else_stood_in_it() -> None:
    first, *rest = read_book(BOOK)

    written = write_book((replace(first, keys=("beacon",)), *rest), BOOK)

    assert BOOK["entries"][0] | {"keys": ["beacon"]} == written["entries"][0]
    assert BOOK["entries"][1:] == written["entries"][1:]
    assert BOOK["name"] == written["name"]


def test_entries_can_go_and_move() -> None:
    first, second, *_ = read_book(BOOK)

    assert [BOOK["entries"][1], BOOK["entries"][0]] == write_book((second, first), BOOK)["entries"]


@settings(max_examples=50)
@given(st.lists(lores, max_size=4), st.sampled_from([{}, BOOK]))
def test_whatever_is_written_is_read_again(lore: list[Lore], book: dict[str, object]) -> None:
    assert tuple(lore) == read_book(write_book(lore, book))
