"""How much there is room for, in the prompt and behind it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from cadenza.stages.s1_budget import DROPPED, output_tokens, trimmed
from cadenza.stages.s1_parts import by_line
from cadenza.types import Abilities, Part, Prompt, PromptTurn, Role, Tag, ToolCall, ToolSpec
from tests.helpers import calls_of
from tests.prompts import FILM, PICTURE, abilities, prompts

ABLE = Abilities()
CALL = ToolCall("weather_0", "weather", "{}")


def says(text: str, tag: Tag = Tag.HISTORY) -> PromptTurn:
    return PromptTurn.said(Role.USER, text.ljust(39), tag=tag)


def answers(text: str, tag: Tag = Tag.HISTORY) -> PromptTurn:
    return PromptTurn.said(Role.MODEL, text.ljust(39), tag=tag)


# A turn of 39 characters and a line end costs 10 tokens and 4 besides.
SAMPLES = (says("s1", Tag.SAMPLE), answers("s2", Tag.SAMPLE), says("s3", Tag.SAMPLE), answers("s4", Tag.SAMPLE))
HISTORY = (says("1"), answers("2"), says("3"), replace(answers("4"), calls=(CALL,)))
HISTORY += (PromptTurn(Role.TOOL, ("5".ljust(39),), call_id="weather_0"), answers("6"), says("7"))
KNOWN = says("k", Tag.CURRENT_CONTEXT)
NOTE = says("n", Tag.NOTE)
WHOLE = Prompt("s" * 40, (KNOWN, *SAMPLES, *HISTORY[:1], NOTE, *HISTORY[1:]))


def kept(prompt: Prompt, able: Abilities = ABLE) -> str:
    return " ".join(turn.text.strip() for turn in trimmed(prompt, able).turns)


@pytest.mark.parametrize(
    ("tokens", "turns"),
    [
        pytest.param(0, "k s1 s2 s3 s4 1 n 2 3 4 5 6 7", id="no limit"),
        pytest.param(195, "k s1 s2 s3 s4 1 n 2 3 4 5 6 7", id="it fits"),
        pytest.param(194, "k s1 s2 s3 s4 n 3 4 5 6 7", id="the oldest exchange goes, a note in it stays"),
        pytest.param(167, "k s1 s2 s3 s4 n 3 4 5 6 7", id="that was enough"),
        pytest.param(166, "k s1 s2 s3 s4 n 7", id="a call goes with its result"),
        pytest.param(107, "k s3 s4 n 7", id="then the first sample"),
        pytest.param(79, "k n 7", id="then the other one"),
        pytest.param(1, "k n 7", id="never what is known, a note, or who is to be answered"),
    ],
)
def test_the_oldest_exchanges_are_left_out_first(tokens: int, turns: str) -> None:
    assert turns == kept(replace(WHOLE, context_tokens=tokens))


@pytest.mark.parametrize(
    ("prompt", "able", "least"),
    [
        pytest.param(WHOLE, ABLE, 195, id="words"),
        pytest.param(replace(WHOLE, system="s" * 44), ABLE, 196, id="instructions"),
        pytest.param(WHOLE, Abilities(token_length=2.0), 337, id="shorter tokens"),
        pytest.param(replace(WHOLE, tools=(ToolSpec("f", "d" * 56, {"a": {}}),)), ABLE, 215, id="tools"),
        pytest.param(
            replace(WHOLE, turns=(*WHOLE.turns, PromptTurn(Role.USER, (PICTURE,)))), ABLE, 1199, id="a picture"
        ),
        pytest.param(replace(WHOLE, turns=(*WHOLE.turns, PromptTurn(Role.USER, (FILM,)))), ABLE, 4199, id="a video"),
    ],
)
def test_what_a_prompt_takes_is_counted_roughly(prompt: Prompt, able: Abilities, least: int) -> None:
    enough, too_little = (replace(prompt, context_tokens=tokens) for tokens in (least, least - 1))

    assert enough == trimmed(enough, able)
    assert len(trimmed(too_little, able).turns) < len(prompt.turns)


@pytest.mark.parametrize(
    ("max_tokens", "least"),
    [
        pytest.param(0, 222, id="an eighth if nobody said how long it may be"),
        pytest.param(100, 295, id="as much as it may take"),
        pytest.param(9999, 389, id="half of it if that would be all"),
    ],
)
def test_some_of_what_a_model_takes_is_kept_for_the_answer(max_tokens: int, least: int) -> None:
    prompt = replace(WHOLE, max_tokens=max_tokens)

    assert prompt == trimmed(prompt, Abilities(context_tokens=least))
    assert len(trimmed(prompt, Abilities(context_tokens=least - 1)).turns) < len(prompt.turns)


@pytest.mark.parametrize(
    ("setting", "known"),
    [
        pytest.param(194, 100_000, id="the setting is smaller"),
        pytest.param(100_000, 221, id="the model is smaller"),
        pytest.param(194, 0, id="only the setting is known"),
        pytest.param(0, 221, id="only the model is known"),
    ],
)
def test_the_smaller_of_two_limits_counts(setting: int, known: int) -> None:
    prompt = replace(WHOLE, context_tokens=setting)

    assert kept(prompt, Abilities(context_tokens=known)) == "k s1 s2 s3 s4 n 3 4 5 6 7"


def test_a_notice_opens_no_exchange() -> None:
    """What the model has shown belongs to the exchange in which it did."""
    shown = PromptTurn(Role.USER, ("[System: An image was sent by Ren.]", PICTURE))
    turns = (says("1"), answers("2"), shown, says("3"), answers("4"), shown)

    assert turns[3:] == trimmed(Prompt("", turns, context_tokens=1), ABLE).turns


def test_samples_that_nothing_follows_are_not_all_left_out() -> None:
    assert kept(Prompt("", SAMPLES, context_tokens=1)) == "s3 s4"


def test_a_long_history_costs_as_much_more_as_it_is_longer() -> None:
    short, long = (Prompt("", (says("u"), answers("m")) * count, context_tokens=50) for count in (300, 3000))

    assert calls_of(lambda: trimmed(long, ABLE)) < 11 * calls_of(lambda: trimmed(short, ABLE))


LINES = tuple(letter * 39 for letter in "abcd")


@pytest.mark.parametrize(
    ("turns", "tokens", "left"),
    [
        pytest.param((LINES,), 44, "abcd", id="it fits"),
        pytest.param((LINES,), 43, "bcd", id="the oldest line goes first"),
        pytest.param((LINES,), 25, "cd", id="as many as must"),
        pytest.param((LINES,), 1, "d", id="never the last one"),
        pytest.param((LINES[:2], LINES[2:]), 38, "bcd", id="lines of two turns"),
        pytest.param((LINES[:2], LINES[2:]), 24, "cd", id="a turn goes with its last line"),
        pytest.param((("a" * 39, PICTURE, "b" * 39),), 999, "b", id="what was shown goes with its line"),
        pytest.param(((PICTURE, "b" * 39),), 999, "b", id="what was shown without a word"),
    ],
)
def test_where_nobody_answered_the_oldest_lines_are_left_out(
    turns: tuple[tuple[Part, ...], ...], tokens: int, left: str
) -> None:
    prompt = Prompt("", tuple(PromptTurn(Role.USER, parts) for parts in turns), context_tokens=tokens)

    trim = trimmed(prompt, ABLE)

    assert left == "".join(line[0] for turn in trim.turns for line in turn.text.split("\n"))
    assert trim == trimmed(trim, ABLE)


@pytest.mark.parametrize(
    ("tokens", "left"),
    [
        pytest.param(93, "abcd-e?", id="it fits"),
        pytest.param(92, "bcd-e?", id="lines before an answer"),
        pytest.param(63, "d-e?", id="the last of them stays with the answer"),
        pytest.param(62, "e?", id="and goes with it"),
        pytest.param(1, "e?", id="what waits for a result stays"),
    ],
)
def test_an_old_exchange_is_left_out_line_by_line(tokens: int, left: str) -> None:
    waiting = PromptTurn(Role.MODEL, ("?" * 39,), (CALL,)), PromptTurn(Role.TOOL, ("",), call_id=CALL.id)
    turns = PromptTurn(Role.USER, LINES), answers("-"), says("e"), *waiting

    trim = trimmed(Prompt("", turns, context_tokens=tokens), ABLE)

    assert left == "".join(line[:1] for turn in trim.turns for line in turn.text.split("\n"))


def test_many_lines_cost_as_much_more_as_they_are_more() -> None:
    short, long = (
        Prompt("", (PromptTurn(Role.USER, tuple(f"Ada: {n}" for n in range(count))),), context_tokens=50)
        for count in (300, 3000)
    )

    assert calls_of(lambda: trimmed(long, ABLE)) < 11 * calls_of(lambda: trimmed(short, ABLE))


def lines_of(prompt: Prompt, *tags: Tag) -> list[tuple[object, ...]]:
    """All that stands under *tags*, line by line."""
    return [
        (turn.role, turn.calls, turn.call_id, line)
        for turn in prompt.turns
        if turn.tag in tags
        for line in by_line(turn.parts) or [()]
    ]


@given(prompts(), abilities)
def test_only_what_is_old_is_left_out_and_no_more_than_must_be(prompt: Prompt, able: Abilities) -> None:
    left = trimmed(prompt, able)

    assert replace(prompt, turns=left.turns) == left
    always = [tag for tag in Tag if tag not in DROPPED]
    assert lines_of(prompt, *always) == lines_of(left, *always)
    history, history_left = (lines_of(side, Tag.HISTORY) for side in (prompt, left))
    samples, samples_left = (lines_of(side, Tag.SAMPLE) for side in (prompt, left))
    assert history_left == history[len(history) - len(history_left) :]
    assert samples_left == samples[len(samples) - len(samples_left) :]
    assert history_left or not history
    if history_left and history_left[0][0] is not Role.USER:
        assert history_left == history
    if samples_left != samples:  # the history had to give all that it can
        said = [role for role, *_ in history_left]
        assert Role.USER not in said[1:]


# --- the answer ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "length", "context", "tokens"),
    [
        pytest.param(4096, 28_000, 8192, 1072, id="3.14 a share of what is left"),
        pytest.param(4096, 32_000, 8192, 172, id="3.15 less than the least is left"),
        pytest.param(4096, 31_600, 8192, 262, id="a little more than the least"),
        pytest.param(4096, 31_700, 8192, 256, id="the least"),
        pytest.param(100, 32_000, 8192, 100, id="no more than is wanted, but as much"),
        pytest.param(4096, 100, 8192, 4096, id="room for all"),
        pytest.param(4096, 40_000, 8192, 1, id="no room at all"),
        pytest.param(4096, 40_000, 0, 4096, id="nobody knows how much there is"),
        pytest.param(0, 40_000, 8192, 0, id="left to the API"),
    ],
)
def test_an_answer_is_asked_for_that_there_is_room_for(wanted: int, length: int, context: int, tokens: int) -> None:
    assert tokens == output_tokens(wanted, length, context_tokens=context)


@pytest.mark.parametrize(
    ("wanted", "length", "tokens"),
    [
        pytest.param(2048, 25_000, 2048, id="GLM, 2288 are left"),
        pytest.param(2048, 30_000, 273, id="GLM, 288 are left"),
        pytest.param(2048, 30_600, 50, id="GLM, 48 are left"),
        pytest.param(2048, 99_999, 50, id="GLM, nothing is left"),
        pytest.param(30, 99_999, 30, id="GLM, less is wanted"),
    ],
)
def test_one_text_api_is_always_asked_for_something(wanted: int, length: int, tokens: int) -> None:
    """C-20, GLM: max(50, 95 % of what is left)."""
    found = output_tokens(wanted, length, context_tokens=12_288, token_length=2.5, share=0.95, least=50, otherwise=50)

    assert tokens == found


@pytest.mark.parametrize(
    ("length", "tokens"),
    [
        pytest.param(28_000, 150, id="192 are left"),
        pytest.param(28_350, 92, id="92 are left"),
        pytest.param(28_672, 150, id="nothing is left"),
        pytest.param(50_000, 150, id="less than nothing is left"),
    ],
)
def test_the_other_text_api_is_asked_as_it_was_if_nothing_is_left(length: int, tokens: int) -> None:
    """C-20, Kayra: all that is left; the API itself says that there is no room."""
    found = output_tokens(150, length, context_tokens=8192, token_length=3.5, share=1.0, least=1, otherwise=150)

    assert tokens == found


@given(st.integers(1, 10_000), st.integers(0, 100_000), st.integers(1, 20_000))
def test_an_answer_is_never_longer_than_wanted_nor_nothing(wanted: int, length: int, context: int) -> None:
    assert 1 <= output_tokens(wanted, length, context_tokens=context) <= wanted
