"""A prompt as one model and its interface can take it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import example, given, settings

from cadenza.stages.s1_budget import CONTINUE, START
from cadenza.stages.s1_fit import fit, speaker_stop
from cadenza.types import Abilities, Media, MediaKind, PrefillMode, Prompt, PromptTurn, Role, Tag, ToolCall
from tests.helpers import calls_of
from tests.prompts import WEATHER, abilities, prompts, unbounded

X = Media(MediaKind.IMAGE, "image/png", data=b"X")
CALL = ToolCall("weather_0", "weather", '{"city":"Oslo"}')
A = PromptTurn.said(Role.MODEL, "a")
B, C = (PromptTurn.said(Role.USER, text) for text in "bc")
CALLS = PromptTurn(Role.MODEL, ("let me see",), (CALL,))
RESULT = PromptTurn(Role.TOOL, ("rain",), call_id="weather_0")
STRICT = Abilities(alternates=True)
fewer = settings(max_examples=max(100, settings().max_examples // 3))
START_TURN = PromptTurn.said(Role.USER, START, tag=Tag.NOTE)


# --- what there is no place for ----------------------------------------------------------------------


def test_a_prompt_that_can_be_taken_stays_as_it_is() -> None:
    prompt = Prompt("be kind", (A, B, C, PromptTurn(Role.USER, ("x", X, "y")), CALLS, RESULT), (WEATHER,))

    assert prompt == fit(prompt, Abilities())


def test_what_people_said_in_a_row_is_one_text_between_what_they_showed() -> None:
    lines = PromptTurn(Role.USER, ("Ada: a", "Bob: b", " ", X, "Ada: c", "Ada: d"))

    assert ("Ada: a\nBob: b", X, "Ada: c\nAda: d") == fit(Prompt("", (lines,)), Abilities()).turns[0].parts


@pytest.mark.parametrize(
    ("able", "told"),
    [
        pytest.param(Abilities(), ("Ada: b", X), id="with what was shown"),
        pytest.param(
            Abilities(images=False),
            ("Ada: b\n[An image was sent here that you cannot see.]",),
            id="with the words for it",
        ),
    ],
)
def test_a_line_is_left_out_with_what_was_shown_in_it(able: Abilities, told: tuple[str | Media, ...]) -> None:
    lines = PromptTurn(Role.USER, ("Ada: " + "a" * 100, X, "Ada: b", X))

    assert told == fit(Prompt("", (lines,), context_tokens=1), able).turns[0].parts


def test_instructions_without_a_place_of_their_own_are_the_first_turn() -> None:
    fitted = fit(Prompt("be kind", (B,)), Abilities(system=False))

    first, second = fitted.turns
    assert ("", Role.USER, B) == (fitted.system, first.role, second)
    assert first.text.split("\n")[0].startswith("[System: ")
    assert "do not reveal" in first.text
    assert first.text.endswith("\nbe kind")


def test_no_instructions_are_no_turn() -> None:
    assert (B,) == fit(Prompt("", (B,)), Abilities(system=False)).turns


def test_what_a_model_without_tools_would_not_understand_is_told_in_words() -> None:
    silent = replace(CALLS, parts=())
    fitted = fit(Prompt("", (B, CALLS, RESULT, silent, RESULT), (WEATHER,)), Abilities(tools=False))

    told = '[System: The tool weather was run with {"city":"Oslo"} and gave back what follows.]\nrain'
    assert fitted.tools == ()
    assert [B, replace(CALLS, calls=()), PromptTurn.said(Role.USER, told), PromptTurn.said(Role.USER, told)] == list(
        fitted.turns
    )


def test_a_result_of_nobody_knows_what_is_told_too() -> None:
    (turn,) = fit(Prompt("", (RESULT,)), Abilities(tools=False)).turns

    assert turn.text == "[System: A tool was run and gave back what follows.]\nrain"


def test_the_same_call_again_is_told_with_its_own_arguments() -> None:
    again = replace(CALLS, calls=(replace(CALL, arguments='{"city":"Rome"}'),))
    turns = fit(Prompt("", (CALLS, RESULT, again, RESULT)), Abilities(tools=False)).turns

    assert ["Oslo" in turns[1].text, "Rome" in turns[3].text] == [True, True]


def test_what_the_model_has_shown_is_moved_and_what_it_cannot_see_is_told() -> None:
    prompt = Prompt("", (PromptTurn(Role.MODEL, ("look", X)), B), speaker="Ren")

    assert [turn.parts for turn in fit(prompt, Abilities()).turns] == [
        ("look",),
        ("[System: An image was sent by Ren.]", X),
        ("b",),
    ]
    assert [turn.parts for turn in fit(prompt, Abilities(images=False)).turns] == [
        ("look",),
        ("[System: An image was sent by Ren.]\n[An image was sent here that you cannot see.]",),
        ("b",),
    ]


# --- words to begin with -----------------------------------------------------------------------------


@pytest.mark.parametrize("how", [PrefillMode.TURN, PrefillMode.PREFIX], ids=["a turn", "a marked one"])
def test_the_words_to_begin_with_are_a_last_turn_of_the_model(how: PrefillMode) -> None:
    fitted = fit(Prompt("", (B,), prefill="Once upon"), Abilities(prefill=how))

    assert (B, PromptTurn.said(Role.MODEL, "Once upon", tag=Tag.NOTE)) == fitted.turns
    assert fitted.prefill == "Once upon"


@pytest.mark.parametrize(
    "able",
    [
        pytest.param(Abilities(), id="it cannot be made to"),
        pytest.param(Abilities(prefill=PrefillMode.PREFIX, prefill_with_tools=False), id="not with tools"),
    ],
)
def test_a_model_that_cannot_be_made_to_begin_so_is_told_to(able: Abilities) -> None:
    fitted = fit(Prompt("", (B,), (WEATHER,), prefill="Once upon"), able)

    before, last = fitted.turns
    assert (B, Role.USER, "") == (before, last.role, fitted.prefill)
    assert last.text.endswith("go on from there: Once upon]")


def test_tools_that_a_model_does_not_get_do_not_keep_it_from_beginning() -> None:
    able = Abilities(tools=False, prefill=PrefillMode.TURN, prefill_with_tools=False)

    assert fit(Prompt("", (B,), (WEATHER,), prefill="Once upon"), able).turns[-1].role is Role.MODEL


@pytest.mark.parametrize("how", PrefillMode)
def test_what_was_said_before_a_tool_was_called_is_not_said_again(how: PrefillMode) -> None:
    prompt = Prompt("", (B, CALLS, RESULT), (WEATHER,), prefill="Once upon")

    assert replace(prompt, prefill="") == fit(prompt, Abilities(prefill=how))


def test_an_earlier_call_has_nothing_to_do_with_it() -> None:
    prompt = Prompt("", (B, CALLS, RESULT, A, C), (WEATHER,), prefill="Once upon")

    assert fit(prompt, Abilities(prefill=PrefillMode.TURN)).turns[-1].text == "Once upon"


# --- who speaks when ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("able", "turns"),
    [
        pytest.param(STRICT, (START_TURN, A, PromptTurn.said(Role.USER, "b\nc"), CALLS, RESULT), id="3.6 on"),
        pytest.param(Abilities(), (A, B, C, CALLS, RESULT), id="3.7 off"),
    ],
)
def test_user_and_model_take_turns_if_they_must(able: Abilities, turns: tuple[PromptTurn, ...]) -> None:
    assert turns == fit(Prompt("", (A, B, C, CALLS, RESULT)), able).turns


@pytest.mark.parametrize(
    ("turns", "alternating"),
    [
        pytest.param((B,), (B,), id="one"),
        pytest.param((), (), id="none"),
        pytest.param(
            (B, PromptTurn(Role.USER, ("x", X)), PromptTurn(Role.USER, (X, "y")), C),
            (PromptTurn(Role.USER, ("b\nx", X, X, "y\nc")),),
            id="with media",
        ),
        pytest.param((B, A, CALLS, RESULT, CALLS, RESULT), (B, A, CALLS, RESULT, CALLS, RESULT), id="calls"),
        pytest.param((B, CALLS, RESULT, RESULT, B), (B, CALLS, RESULT, RESULT, B), id="two results"),
        pytest.param(
            (replace(B, tag=Tag.CURRENT_CONTEXT), C),
            (PromptTurn.said(Role.USER, "b\nc", tag=Tag.CURRENT_CONTEXT),),
            id="what must stay keeps the rest",
        ),
        pytest.param(
            (replace(B, tag=Tag.SAMPLE), C),
            (PromptTurn.said(Role.USER, "b\nc"),),
            id="a sample and what was said",
        ),
    ],
)
def test_neighbours_become_one_turn_unless_they_call_or_answer_a_call(
    turns: tuple[PromptTurn, ...], alternating: tuple[PromptTurn, ...]
) -> None:
    assert alternating == fit(Prompt("", turns), STRICT).turns


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        pytest.param((B, A), ["b", "a", CONTINUE, "Once upon"], id="behind words of its own"),
        pytest.param((B,), ["b", "Once upon"], id="behind words of others"),
        pytest.param((), [START, "Once upon"], id="behind nothing"),
    ],
)
def test_the_words_to_begin_with_are_never_merged(turns: tuple[PromptTurn, ...], expected: list[str]) -> None:
    fitted = fit(Prompt("", turns, prefill="Once upon"), Abilities(alternates=True, prefill=PrefillMode.PREFIX))

    assert expected == [turn.text for turn in fitted.turns]


# --- where to stop -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("able", "stops"),
    [
        pytest.param(Abilities(stops=4), ("###", "\nMi ri:", "x", "y"), id="all that it takes"),
        pytest.param(Abilities(stops=2), ("###", "\nMi ri:"), id="B40 the least wanted are left out"),
        pytest.param(Abilities(stops=2, speaker_stop=False), ("###", "x"), id="C-17 without the persona's"),
        pytest.param(Abilities(stops=0), (), id="none"),
    ],
)
def test_no_more_stops_than_an_api_takes(able: Abilities, stops: tuple[str, ...]) -> None:
    prompt = Prompt("", (B,), stop=("###", "\nMi ri:", "x", "y"), speaker=" Mi\n ri ")

    assert stops == fit(prompt, able).stop


def test_nobody_has_no_stop() -> None:
    assert ["", "\nRen:"] == [speaker_stop(" \n"), speaker_stop("Ren")]


# --- what holds for every prompt and model -------------------------------------------------------------


@given(prompts(), abilities)
@example(  # what comes last is merged with something that must stay
    Prompt(
        "",
        (
            replace(A, tag=Tag.SAMPLE),
            replace(B, tag=Tag.NOTE),
            PromptTurn.said(Role.USER, "[System: An image was sent.]", tag=Tag.SAMPLE),
        ),
        context_tokens=1,
    ),
    STRICT,
)
@example(  # what tools gave back is told in words, and becomes one turn with what was said before
    Prompt("", (PromptTurn(Role.USER, ("b", X)), replace(CALLS, parts=()), RESULT), context_tokens=1),
    Abilities(tools=False, alternates=True),
)
def test_what_was_fitted_once_stays_as_it_is(prompt: Prompt, able: Abilities) -> None:
    fitted = fit(prompt, able)

    assert fitted == fit(fitted, able)


@given(prompts(), abilities)
def test_a_call_and_its_results_are_never_parted(prompt: Prompt, able: Abilities) -> None:
    turns = list(fit(prompt, replace(able, tools=True)).turns)

    while turns:
        turn = turns.pop(0)
        assert turn.role is not Role.TOOL
        assert [call.id for call in turn.calls] == [turns.pop(0).call_id for _ in turn.calls]


@fewer
@given(prompts(), abilities)
def test_with_room_for_it_everything_is_told_in_order(prompt: Prompt, able: Abilities) -> None:
    prompt, able = unbounded(prompt, able)

    told = "\n".join(turn.text for turn in fit(prompt, able).turns)

    place = 0
    for part in (part for turn in prompt.turns for part in turn.parts if isinstance(part, str)):
        place = told.index(part, place) + len(part)


@fewer
@given(prompts(), abilities)
def test_what_can_be_seen_is_shown_in_order(prompt: Prompt, able: Abilities) -> None:
    prompt, able = unbounded(prompt, replace(able, videos=True, images=True))

    seen = [part for turn in prompt.turns for part in turn.media if part.mime != "image/gif"]

    # What the model showed with a call is told before its words, and not behind; nothing else moves.
    assert seen == [part for turn in fit(prompt, able).turns for part in turn.media]


@fewer
@given(prompts(), abilities)
def test_what_cannot_be_seen_is_not_there(prompt: Prompt, able: Abilities) -> None:
    shown = [part for turn in fit(prompt, able).turns for part in turn.media]

    kinds = {MediaKind.IMAGE: able.images, MediaKind.VIDEO: able.videos}
    assert all(kinds[part.kind] and part.mime != "image/gif" for part in shown)
    assert all(turn.role is not Role.MODEL or not turn.media for turn in fit(prompt, able).turns)


@fewer
@given(prompts(), abilities)
def test_alternation_merges_neither_calls_nor_results_and_all_else(prompt: Prompt, able: Abilities) -> None:
    prompt, able = unbounded(prompt, able)

    plain, strict = (fit(prompt, replace(able, alternates=is_on)).turns for is_on in (False, True))

    def fixed(turns: tuple[PromptTurn, ...]) -> list[PromptTurn]:
        return [turn for turn in turns if turn.calls or turn.role is Role.TOOL]

    assert fixed(plain) == fixed(strict)
    free = [turn.role if turn.role is not Role.TOOL and not turn.calls else None for turn in strict]
    assert all(role is None or role is not following for role, following in pairwise(free))
    assert all(turn.role is not Role.MODEL for turn in strict[:1])


@fewer
@given(prompts(), abilities)
def test_the_prefill_is_the_last_turn_or_none(prompt: Prompt, able: Abilities) -> None:
    fitted = fit(prompt, able)

    if fitted.prefill:
        last = fitted.turns[-1]
        assert (Role.MODEL, prompt.prefill, (prompt.prefill,)) == (last.role, fitted.prefill, last.parts)


@fewer
@given(prompts(), abilities)
def test_nothing_is_left_that_cannot_be_taken(prompt: Prompt, able: Abilities) -> None:
    fitted = fit(prompt, able)

    assert able.system or not fitted.system
    assert len(fitted.stop) <= able.stops
    assert able.tools or not (fitted.tools or any(turn.calls or turn.role is Role.TOOL for turn in fitted.turns))


def test_a_long_prompt_costs_as_much_more_as_it_is_longer() -> None:
    able = Abilities(images=False, system=False, alternates=True, tools=False, context_tokens=500)
    turns = (B, PromptTurn(Role.USER, ("c", X)), CALLS, RESULT, PromptTurn(Role.MODEL, ("a", X)))
    short, long = (Prompt("be kind", turns * count, (WEATHER,), prefill="So") for count in (100, 1000))

    assert calls_of(lambda: fit(long, able)) < 11 * calls_of(lambda: fit(short, able))
