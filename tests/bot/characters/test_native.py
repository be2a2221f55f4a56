"""Our own format."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from cadenza.bot.characters import checked_json, native
from cadenza.bot.characters.character import Character
from cadenza.errors import InputError
from tests.bot.characters.people import characters, texts


@settings(max_examples=100, deadline=None)
@given(characters(id=texts, is_main=st.booleans()))
def test_whoever_is_written_is_read_again(character: Character) -> None:
    data = native.write(character)

    assert character == native.read(checked_json.parsed(data))


def test_a_file_says_what_it_is_and_holds_no_more_than_there_is() -> None:
    assert {"format": "cadenza/character", "version": 1, "character": {"name": "蓮"}} == json.loads(
        native.write(Character("蓮"))
    )
    assert native.is_native({"format": "cadenza/character"})
    assert not native.is_native({"spec": "chara_card_v2"})


@pytest.mark.parametrize(
    ("form", "complaint"),
    [
        ({"version": 2, "character": {"name": "x"}}, "version 2, and this bot reads version 1; update"),
        ({"version": "x"}, "“version” is not a number"),
        ({}, "has no name"),
        ({"character": [1]}, "“character” is not an object"),
        ({"character": {"name": " "}}, "has no name"),
        ({"character": {"name": "x", "sprites": [1]}}, "“sprites” is not a list of objects"),
        ({"character": {"name": "x", "lore": [{"is_enabled": 1}]}}, "“is_enabled” is not true or false"),
        ({"character": {"name": "x", "degree": -1}}, "“degree” is not a number from 0 to 3"),
    ],
)
def test_rubbish_is_refused_in_one_sentence(form: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        native.read(form)
