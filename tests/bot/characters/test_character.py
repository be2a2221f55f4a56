"""A character as a persona of the pipeline."""

from __future__ import annotations

from cadenza.bot.characters.character import SPRITES_TOLD, Character, CharacterSprite
from cadenza.types import Persona, Sprite


def test_a_character_becomes_a_persona() -> None:
    ren = Character(
        "Ren",
        prompt="{{char}} is a fox.",
        personality="Shy.",
        scenario="{{user}} comes in.{{// quietly}}",
        triggers=("fox",),
        avatar="https://example.org/a.png",
        sprites=(
            CharacterSprite("sad", "https://example.org/b.png", "When {{user}} leaves.", is_identity=True),
            CharacterSprite("bare"),
        ),
    )

    assert Persona(
        "Ren",
        aliases=("fox",),
        prompt="Ren is a fox.\n\nShy.\n\nMia comes in.\n\nWhen to use your sprites:\n- sad: When Mia leaves.",
        avatar="https://example.org/a.png",
        sprites=(Sprite("sad", "https://example.org/b.png", is_identity=True), Sprite("bare", is_usable=False)),
        is_alter=True,
    ) == ren.as_persona("Mia")


def test_the_main_one_is_no_alter_and_whoever_has_nothing_says_nothing() -> None:
    assert Persona("Ren") == Character("Ren", is_main=True).as_persona()


def test_the_model_is_told_of_so_many_sprites_and_no_more() -> None:
    sprites = tuple(
        CharacterSprite(f"sprite {number}", "https://example.org/a.png", f"When {number}.") for number in range(50)
    )

    prompt = Character("Ren", sprites=sprites).as_persona().prompt

    assert SPRITES_TOLD == prompt.count("\n- ")
    assert 50 == len(Character("Ren", sprites=sprites).as_persona().sprites)


def test_a_nickname_is_what_the_model_calls_them() -> None:
    assert "Rennie and User" == Character("Ren", nickname="Rennie", prompt="{{char}} and {{user}}").as_persona().prompt


def test_a_nickname_is_one_more_thing_that_they_are_called() -> None:
    assert ("Bee", "fox") == Character("Bea", nickname=" Bee ", triggers=("fox", "Bee")).as_persona().aliases
    assert () == Character("Bea").aliases
