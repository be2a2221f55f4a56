"""The form with which a persona is edited; that it is shown and sent is tested with the command."""

from __future__ import annotations

import pytest

from cadenza.bot.characters.character import Character
from cadenza.bot.commands.persona_form import changes, fields_of, listed

REN = Character("Ren", prompt="x" * 5000, personality="Shy", greeting="Hi.")
AS_IT_WAS = {"prompt": "", "personality": "Shy", "scenario": "", "samples": "", "greeting": "Hi."}


def test_what_was_left_as_it_was_is_not_changed() -> None:
    assert {} == changes(fields_of(REN), AS_IT_WAS)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        pytest.param({"personality": "Bold "}, {"personality": "Bold"}, id="a text"),
        pytest.param({"personality": ""}, {"personality": ""}, id="nothing clears"),
        pytest.param({"prompt": "short"}, {"prompt": "short"}, id="what was too long is written anew"),
        pytest.param({"greeting": "Hello.\nYou?"}, {"greeting": "Hello.\nYou?"}, id="a greeting of two lines"),
    ],
)
def test_only_what_was_changed_is_changed(written: dict[str, str], expected: dict[str, object]) -> None:
    assert expected == changes(fields_of(REN), AS_IT_WAS | written)


@pytest.mark.parametrize("text", ["a, b,, c", "a、b，c", "a\nb\nc", " a،b ,c,"])
def test_words_stand_between_all_sorts_of_commas(text: str) -> None:
    assert ("a", "b", "c") == listed(text)
