"""What a model is told in one reply: it grows with every tool, and what was adapted for one is not told to the next."""

from __future__ import annotations

from random import Random

import pytest

from cadenza.replies.conversation import ModelConversation
from cadenza.replies.pipeline import text_row
from cadenza.settings import Settings
from cadenza.stages.s4_round import Round
from cadenza.types import (
    ContextItem,
    Finished,
    Line,
    Note,
    Persona,
    Role,
    Scene,
    Tag,
    TextDelta,
    ToolCall,
    ToolResult,
    ToolSpec,
    ToolUse,
)

HISTORY = tuple(
    Line("Ren" if is_own else "Mia", f"{'m' if is_own else 'u'}{number}", is_own=is_own)
    for number in range(1, 4)
    for is_own in (False, True)
)[:-1]
SCENE = Scene("channel", Persona("Ren"), history=HISTORY)
VIDEO = ContextItem(Tag.CURRENT_CONTEXT, ("what the video shows",))


def conversation(scene: Scene = SCENE, **settings: object) -> ModelConversation:
    return ModelConversation(scene, Settings.of(**settings))


def spoken(*said: str) -> Round:
    round_ = Round(text_row(SCENE, Settings.of(degree=1), Random(0)))
    round_.receive(TextDelta("\n".join(said)))
    round_.receive(Finished())
    return round_


def use(text: str = "4", *, name: str = "dice", context: tuple[ContextItem, ...] = ()) -> ToolUse:
    return ToolUse(ToolCall(name, name, "{}"), ToolResult((text,) if text else (), context=context))


def told(about: ModelConversation) -> list[tuple[str, str]]:
    return [(turn.role.value, turn.text) for turn in about.prompt().turns]


# --- what a scene comes to ------------------------------------------------------------------------


def test_at_first_it_is_the_scene_and_the_tools() -> None:
    tools = (ToolSpec("dice", "", {}),)

    prompt = conversation().prompt(tools)

    assert ["u1", "m1", "u2", "m2", "u3"] == [turn.text.removeprefix("Mia: ") for turn in prompt.turns]
    assert tools == prompt.tools


@pytest.mark.parametrize(
    ("drop", "left"),
    [
        pytest.param(0, ["u1", "m1", "u2", "m2", "u3"], id="nothing"),
        pytest.param(1, ["u2", "m2", "u3"], id="one exchange"),
        pytest.param(2, ["u3"], id="§10 test 12: two exchanges"),
        pytest.param(9, ["u3"], id="what is answered always stays"),
    ],
)
def test_the_oldest_exchanges_can_be_left_out(drop: int, left: list[str]) -> None:
    about = conversation()
    about.adapt(drop=drop)

    assert left == [text.removeprefix("Mia: ") for _, text in told(about)]


def test_what_tools_found_is_never_left_out() -> None:
    about = conversation()
    about.add(spoken("Rolling."), [use()])
    about.adapt(drop=9)

    assert [("user", "Mia: u3"), ("model", "Rolling."), ("tool", "4")] == told(about)


def test_a_model_is_reminded_of_whom_it_speaks_for_and_the_next_one_is_not() -> None:
    about = conversation(Scene("channel", Persona("Ren"), history=HISTORY[:1], notes=(Note("be brief"),)))
    about.adapt(insist=True)
    about.adapt(insist=True)
    reminded = told(about)
    about.adapt()

    first, *_ = [text for _, text in reminded]
    brief, reminder = reminded[-1][1].split("\n")
    assert ("Mia: u1", "[Author's note: be brief]", 2) == (first, brief, len(reminded))
    assert "Speak only as Ren." in reminder
    assert ["Mia: u1", "[Author's note: be brief]"] == [text for _, text in told(about)]


def test_somebody_without_a_name_is_not_reminded_of_it() -> None:
    about = conversation(Scene("channel", Persona(""), history=HISTORY[:1]))
    about.adapt(insist=True)

    assert [("user", "Mia: u1")] == told(about)


# --- what tools add to it -----------------------------------------------------------------------------


def test_what_was_said_called_and_found_is_told_in_this_order() -> None:
    about = conversation()
    about.add(spoken("One.", "Two."), [use("4"), use("sunny", name="weather")])
    about.add(spoken(), [use("5")])

    turns = about.prompt().turns[-5:]

    assert [("model", "One.\nTwo."), ("tool", "4"), ("tool", "sunny"), ("model", ""), ("tool", "5")] == [
        (turn.role.value, turn.text) for turn in turns
    ]
    assert [["dice", "weather"], [], [], ["dice"], []] == [[call.name for call in turn.calls] for turn in turns]
    assert [None, "dice", "weather", None, "dice"] == [turn.call_id for turn in turns]


@pytest.mark.parametrize("said", [(), ("Let me watch it.",)], ids=["at once", "after words"])
def test_what_is_known_from_now_on_is_told_as_if_it_had_been_known(said: tuple[str, ...]) -> None:
    """The call is forgotten; what was said stays, in the same shape as before any other call (B62)."""
    about = conversation()
    about.add(spoken(*said), [use("", context=(VIDEO,)), use("", name="other", context=(VIDEO,))])
    about.add(spoken(), [use("", context=(VIDEO,))])

    assert ("user", "what the video shows") == told(about)[0]
    assert [("model", text) for text in said] == told(about)[6:]
    assert 1 == sum("video" in text for _, text in told(about))
    assert all(not turn.calls for turn in about.prompt().turns)


def test_something_to_know_beside_something_to_tell_loses_neither() -> None:
    about = conversation()
    about.add(spoken(), [use("", name="watch", context=(VIDEO,)), use("4")])

    assert ("user", "what the video shows") == told(about)[0]
    assert [
        ("model", ""),
        ("tool", "Done: what came of it is now among what you know."),
        ("tool", "4"),
    ] == told(about)[-3:]


# --- words that are put into a mouth ---------------------------------------------------------------------


def test_words_are_put_into_a_mouth_until_it_has_spoken() -> None:
    about = conversation(Scene("channel", Persona("Ren"), history=HISTORY[:1], prefill="Well, "))

    before = about.prompt().prefill
    about.add(spoken("rolling."), [use()])

    assert ("Well,", "") == (before, about.prompt().prefill)
    assert "Well, rolling." == about.prompt().turns[1].text
    assert "" == about.scene.prefill


def test_a_model_that_begins_anew_has_the_same_words_in_its_mouth() -> None:
    about = conversation(Scene("channel", Persona("Ren"), history=HISTORY[:1], prefill="Well,"))
    about.add(spoken(), [use("", context=(VIDEO,))])

    assert "Well," == about.prompt().prefill
    assert Role.MODEL not in {turn.role for turn in about.prompt().turns}
