"""What a record is, and what the shelves are called."""

from __future__ import annotations

import dataclasses

import pytest

from cadenza.bot.store.store import Record, Shelf, StoreError
from cadenza.errors import CadenzaError


def test_the_names_of_shelves_are_those_that_are_in_files_already() -> None:
    names = {"servers", "channels", "people", "personas", "sprites", "sprite_messages", "short_term", "notes", "webhooks",
             "keys", "turns", "explanations", "counts"}  # fmt: skip

    assert names <= {shelf.value for shelf in Shelf}


def test_a_record_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Record(Shelf.NOTES, "a").key = "b"  # type: ignore[misc]  # the point


def test_a_record_says_nothing_unless_it_is_told() -> None:
    record = Record(Shelf.NOTES, "a")

    assert ({}, "", "", None) == (record.value, record.owner, record.server, record.expires)


def test_a_failure_of_the_store_is_one_of_ours() -> None:
    assert issubclass(StoreError, CadenzaError)
