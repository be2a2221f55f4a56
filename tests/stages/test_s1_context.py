from __future__ import annotations

import pytest

from cadenza.stages.s1_context import assemble
from cadenza.types import Line, Persona, PromptTurn, Role, Scene, Sprite, ToolSpec

REN = Persona("Ren", prompt="  You are kind.\n")


def test_a_model_is_told_who_it_is() -> None:
    assert assemble(Scene("general", REN)).system == "You are Ren.\n\nYou are kind."


def test_a_persona_without_a_name_or_a_prompt_says_nothing() -> None:
    assert assemble(Scene("general", Persona(""))).system == ""


def test_what_seldom_changes_comes_first() -> None:
    persona = Persona("Ren", prompt="You are kind.", sprites=(Sprite("mad"), Sprite("glad")))

    system = assemble(Scene("general", persona, memories=("Alice likes tea", "Bob left"))).system

    assert system.split("\n\n") == [
        "You are Ren.",
        "You are kind.",
        "Begin a line with 'Ren (look): ' to show one of your looks: mad, glad.",
        "You remember:\n- Alice likes tea\n- Bob left",
    ]


@pytest.mark.parametrize(
    ("history", "turns"),
    [
        pytest.param((), (), id="silence"),
        pytest.param((Line("Alice", "hi"),), (PromptTurn.said(Role.USER, "Alice: hi"),), id="one line"),
        pytest.param((Line("", "hi"),), (PromptTurn.said(Role.USER, "hi"),), id="nobody in particular"),
        pytest.param(
            (Line("Alice", "hi"), Line("Ren", "hello", is_own=True)),
            (PromptTurn.said(Role.USER, "Alice: hi"), PromptTurn.said(Role.MODEL, "hello")),
            id="own words have no name in front",
        ),
        pytest.param(
            (Line("Alice", "hi"), Line("Bob", "yo"), Line("Ren", "a", is_own=True), Line("Ren", "b", is_own=True)),
            (PromptTurn.said(Role.USER, "Alice: hi\nBob: yo"), PromptTurn.said(Role.MODEL, "a\nb")),
            id="neighbours of a role are one turn",
        ),
        pytest.param(
            (Line("Alice", "hi"), Line("Ren", " \n", is_own=True), Line("Bob", "yo")),
            (PromptTurn.said(Role.USER, "Alice: hi\nBob: yo"),),
            id="blank lines do not count",
        ),
    ],
)
def test_what_was_said_becomes_turns(history: tuple[Line, ...], turns: tuple[PromptTurn, ...]) -> None:
    assert turns == assemble(Scene("general", REN, history)).turns


def test_tools_go_along() -> None:
    tool = ToolSpec("weather", "tells the weather", {})

    assert (tool,) == assemble(Scene("general", REN), [tool]).tools
    assert assemble(Scene("general", REN)).tools == ()


def test_the_words_put_into_the_models_mouth_are_in_the_prompt() -> None:
    assert "Sure, here" == assemble(Scene("c", Persona("Ren"), prefill="Sure, here \n")).prefill
