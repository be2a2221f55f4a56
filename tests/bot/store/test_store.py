"""Records, and the names of the collections."""

from __future__ import annotations

import dataclasses

import pytest

from cadenza.bot.store.store import Namespace, Record, StoreError
from cadenza.errors import CadenzaError


def test_the_names_of_shelves_are_those_that_are_in_files_already() -> None:
    names = {"servers", "channels", "people", "personas", "sprites", "sprite_messages", "short_term", "notes", "webhooks",
             "keys", "turns", "explanations", "counts"}  # fmt: skip

    assert names <= {namespace.value for namespace in Namespace}


def test_a_record_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Record(Namespace.NOTES, "a").key = "b"  # type: ignore[misc]  # the point


def test_a_record_says_nothing_unless_it_is_told() -> None:
    record = Record(Namespace.NOTES, "a")

    assert ({}, "", "", None) == (record.value, record.owner, record.server, record.expires)


def test_a_failure_of_the_store_is_one_of_ours() -> None:
    assert issubclass(StoreError, CadenzaError)
