"""The machine: whatever happens, in whatever order, there is one outcome and nothing said is forgotten."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadenza.errors import DeliveryError, ProviderError
from cadenza.pipeline import text_row
from cadenza.settings import Settings
from cadenza.stages.s4_round import KEEPS, Keep, Round, kept
from cadenza.types import (
    Broke,
    Completed,
    Empty,
    Failed,
    FellSilent,
    Finished,
    NeedsTools,
    Outcome,
    Persona,
    RoundEvent,
    Scene,
    SendFailed,
    Stalled,
    Stopped,
    StopReason,
    StopRequested,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)

CALL = ToolCall("1", "dice", "{}")


def new_round(**values: object) -> Round:
    settings = Settings.of(**{"degree": 1, **values})
    row = text_row(Scene("", Persona("")), settings, Random(0))
    return Round(row, limit=settings.delivery.limit, on_stop=settings.turn.on_stop)


def told(*events: RoundEvent, **values: object) -> tuple[list[str], Outcome | None]:
    round_ = new_round(**values)
    posts = [post for event in events for post in round_.receive(event)]
    return [post.text for post in posts], round_.outcome


@pytest.mark.parametrize(
    ("events", "texts", "outcome"),
    [
        pytest.param([TextDelta("a\nb"), Finished()], ["a", "b"], Completed(), id="completed"),
        pytest.param([Finished("length")], [], Empty("length"), id="empty"),
        pytest.param([TextDelta("  \n "), Finished()], [], Empty(), id="blank is empty"),
        pytest.param([TextDelta("I look. Then maybe"), CALL, Finished()], ["I look."], NeedsTools((CALL,)), id="tool"),
        pytest.param(
            [TextDelta("no end here"), CALL, Finished()], ["no end here"], NeedsTools((CALL,)), id="no clause"
        ),
        pytest.param([CALL, CALL, Finished()], [], NeedsTools((CALL, CALL)), id="two tools"),
        pytest.param(
            [TextDelta("One. Tw"), StopRequested(StopReason.USER)], ["One."], Stopped(StopReason.USER), id="user stop"
        ),
        pytest.param(
            [TextDelta("Hello wor"), StopRequested(StopReason.USER)],
            ["Hello wor"],
            Stopped(StopReason.USER),
            id="user stop without a clause",
        ),
        pytest.param(
            [TextDelta("a\nb"), StopRequested(StopReason.FOLLOW_UP)],
            ["a"],
            Stopped(StopReason.FOLLOW_UP),
            id="follow-up",
        ),
        pytest.param(
            [TextDelta("a\nb"), FellSilent(has_begun=True)],
            ["a", "b"],
            Stalled(has_begun=True),
            id="stalled",
        ),
        pytest.param(
            [TextDelta("a\nb"), StopRequested(StopReason.CHANNEL_GONE)],
            ["a"],
            Stopped(StopReason.CHANNEL_GONE),
            id="channel gone",
        ),
    ],
)
def test_what_comes_of_a_story(events: list[RoundEvent], texts: list[str], outcome: Outcome) -> None:
    assert (texts, outcome) == told(*events)


def test_a_failure_leaves_what_was_said() -> None:
    error = ProviderError("overloaded")

    assert (["hi"], Broke(error)) == told(TextDelta("hi"), Failed(error))


def test_a_failed_send_sends_nothing_more() -> None:
    error = DeliveryError("gone")

    assert (["a"], Broke(error)) == told(TextDelta("a\nb"), SendFailed(error))


def test_silence_on_stop_is_a_setting() -> None:
    events = TextDelta("One. Tw"), StopRequested(StopReason.USER)

    assert ([], Stopped(StopReason.USER)) == told(*events, on_stop="silence")


def test_a_stop_is_followed_by_one_message_at_most() -> None:
    events = TextDelta('"a\nb\n\nc\nd. e'), StopRequested(StopReason.USER)

    assert len(told(*events, degree=0)[0]) == 1


def test_a_stage_that_halts_ends_the_round() -> None:
    round_ = new_round(message_limit=2)

    texts = [post.text for post in round_.receive(TextDelta("a\nb\nc\nd\n"))]

    assert (["a", "b"], Stopped(StopReason.MESSAGE_LIMIT)) == (texts, round_.outcome)
    assert [] == round_.receive(TextDelta("more\nand more\n"))


def test_thoughts_are_kept_block_by_block_in_their_order() -> None:
    round_ = new_round()
    for event in (
        ThoughtDelta("fir"),
        ThoughtDelta("st"),
        TextDelta("<think>second</think>hi"),
        ThoughtDelta("third"),
        Finished(),
    ):
        round_.receive(event)

    assert ["first", "second", "third"] == round_.thoughts


def test_thoughts_with_words_between_them_are_two() -> None:
    round_ = new_round()
    for event in (ThoughtDelta("first."), TextDelta("hi"), ThoughtDelta("second."), Finished()):
        round_.receive(event)

    assert ["first.", "second."] == round_.thoughts


def test_the_last_usage_counts() -> None:
    round_ = new_round()
    round_.receive(Usage(1, 1))
    round_.receive(Usage(5, 9))

    assert Usage(5, 9) == round_.usage


@pytest.mark.parametrize("event", [StopRequested(StopReason.USER), SendFailed(DeliveryError("x"))])
def test_until_everything_is_sent_a_stop_or_a_failed_send_renames_the_outcome(event: RoundEvent) -> None:
    round_ = new_round()
    round_.receive(TextDelta("a"))
    round_.receive(Finished())

    assert [] == round_.receive(event)
    assert isinstance(round_.outcome, (Stopped, Broke))


def test_every_reason_has_its_row_in_the_table() -> None:
    assert set(StopReason) == set(KEEPS)


def test_whatever_is_no_early_end_keeps_everything() -> None:
    assert {Keep.EVERYTHING} == {
        kept(Completed()),
        kept(Empty()),
        kept(NeedsTools(())),
        kept(Broke(ProviderError("x"))),
    }


_EVENTS = st.one_of(
    st.sampled_from(["a\n", "b. c", "```\n", "(", '"x', "<think>", "</think>", "| a |\n|-|\n", ""]).map(TextDelta),
    st.just(ThoughtDelta("t")),
    st.just(CALL),
    st.just(Usage(1, 2)),
    st.just(Finished()),
    st.just(Failed(ProviderError("x"))),
    st.just(SendFailed(DeliveryError("x"))),
    st.sampled_from(StopReason).map(StopRequested),
)


@given(st.lists(_EVENTS, max_size=30), st.sampled_from([0, 1, 3]))
def test_events_in_any_order_give_one_outcome_and_then_silence(events: list[RoundEvent], degree: int) -> None:
    round_ = new_round(degree=degree)
    for event in events:
        over = round_.outcome
        posts = round_.receive(event)
        if over is not None:
            assert posts == []
            assert round_.outcome is not None
            assert not isinstance(over, (Stopped, Broke)) or round_.outcome is over
    round_.receive(Finished())

    assert round_.outcome is not None
