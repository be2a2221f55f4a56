"""Valid names of characters and sprites."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.bot.characters.names import character_name, key_of, sprite_name
from cadenza.errors import InputError
from cadenza.text.usernames import as_username, from_username


@pytest.mark.parametrize(
    ("name", "other"), [("Ren", "REN"), ("é", "e\u0301"), ("Straße", "STRASSE"), (" 蓮 ", "蓮"), ("İ", "i\u0307")]
)
def test_two_names_are_the_same_whatever_case_and_accents(name: str, other: str) -> None:
    assert key_of(name) == key_of(other)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Ren", "Ren"),
        ("  Ren\n Fox ", "Ren Fox"),
        ("Re\u200bn", "Ren"),
        ("e\u0301", "é"),
        ("x" * 80, "x" * 80),
        ("Discord Dan", "Discord Dan"),
        ("persona", "persona"),
        ("Persona", "Persona"),
    ],
)
def test_a_name_is_kept_as_people_see_it(name: str, expected: str) -> None:
    assert expected == character_name(name)


@pytest.mark.parametrize("name", ["", " ", "\u200b\u200b", "\u3164", "x" * 81])
def test_a_name_that_nobody_can_bear_is_refused(name: str) -> None:
    with pytest.raises(InputError):
        character_name(name)


@given(st.text(max_size=90))
def test_a_name_that_is_kept_stays_as_it_is_and_can_be_shown(name: str) -> None:
    try:
        kept = character_name(name)
    except InputError:
        return
    assert kept == character_name(kept)
    assert 1 <= len(as_username(kept)) <= 80
    assert kept == from_username(as_username(kept))


@pytest.mark.parametrize(
    ("name", "expected"), [(" very  sad ", "very sad"), ("悲しい", "悲しい"), ("x" * 64, "x" * 64)]
)
def test_a_sprite_has_a_name_that_a_model_can_write(name: str, expected: str) -> None:
    assert expected == sprite_name(name)


@pytest.mark.parametrize("name", ["", " ", "x" * 65, "a(b", "a）", "a:b", "a：b", "a\x00b", "\u200b"])
def test_a_sprite_cannot_be_called_what_a_label_cannot_hold(name: str) -> None:
    with pytest.raises(InputError):
        sprite_name(name)
