"""A channel: what is a follow-up there, and what may be answered anew."""

from __future__ import annotations

import pytest

from cadenza.settings import ChannelSettings
from cadenza.stops import Stops
from cadenza.turns.channels import Channel, Running, Turn
from cadenza.turns.waiting import Entry, Heard, Why
from cadenza.types import StopReason
from tests.at_the_desk import receipts


def heard(text: str = "more", author: str = "ann", *, command: bool = False, persona: str = "") -> Heard:
    return Heard(text, "general", author, text, is_command=command, persona=persona)


def answering(
    message: Heard, why: Why = Why.MESSAGE, *, interrupts: int = 0, reason: StopReason | None = None
) -> tuple[Channel, Running]:
    """A channel in which *message* is being answered since second 100."""
    channel = Channel("general", ChannelSettings())
    entry, stop = Entry.of(message, why, 100.0), Stops().open("turn")
    if reason:
        stop.take(reason)
    turn = Turn("turn", "general", entry.messages, why, stop, persona=entry.persona, queue=channel.waiting)
    channel.running = Running(turn, entry, 100.0)
    channel.interrupts = interrupts
    return channel, channel.running


@pytest.mark.parametrize(
    ("message", "first", "why", "interrupts", "reason", "follows"),
    [
        pytest.param(heard(), heard("one"), Why.MESSAGE, 0, None, True, id="the same person"),
        pytest.param(heard(), heard("one"), Why.FOLLOW_UP, 2, None, True, id="the third time"),
        pytest.param(heard(), heard("one"), Why.FOLLOW_UP, 3, None, False, id="the fourth time"),
        pytest.param(heard(), heard("one"), Why.MESSAGE, 3, StopReason.FOLLOW_UP, True, id="interrupted already"),
        pytest.param(heard(), heard("one"), Why.MESSAGE, 0, StopReason.USER, False, id="stopped already"),
        pytest.param(heard(), heard("one"), Why.STOP_REPLY, 0, None, False, id="the answer to a stop"),
        pytest.param(heard(author="bob"), heard("one"), Why.MESSAGE, 0, None, False, id="somebody else"),
        pytest.param(heard(command=True), heard("one"), Why.MESSAGE, 0, None, False, id="a command"),
        pytest.param(heard(), heard("one", command=True), Why.MESSAGE, 0, None, False, id="after a command"),
        pytest.param(heard(persona="Ren"), heard("one"), Why.MESSAGE, 0, None, False, id="to somebody named"),
        pytest.param(heard(persona="Ren"), heard("one", persona="Ren"), Why.EDITED, 0, None, True, id="to the same"),
    ],
)
def test_what_is_a_follow_up(
    message: Heard, first: Heard, why: Why, interrupts: int, reason: StopReason | None, *, follows: bool
) -> None:
    channel, running = answering(first, why, interrupts=interrupts, reason=reason)

    assert follows == channel.is_follow_up(message, running)


def test_a_channel_knows_what_is_answered_and_what_waits() -> None:
    channel, running = answering(heard("one"))
    channel.waiting.add(heard("two"), Why.QUEUED, 100.0)

    assert [True, True, False] == [channel.knows(message_id) for message_id in ("one", "two", "three")]
    assert running is channel.running_for("ann")
    assert channel.running_for("bob") is None


@pytest.mark.parametrize(("now", "again"), [(104.9, True), (105.0, False)])
def test_what_ran_undisturbed_may_be_run_again_for_a_while(now: float, *, again: bool) -> None:
    channel, running = answering(heard("one"))
    channel.running = None
    channel.remember(running, receipts("said"), 101.0)

    assert again == channel.rerun(Heard("one", "general", "ann", "1"), now)
    entry = channel.waiting.take_ripe(now)
    assert again == (entry is not None and (entry.why, entry.supersedes) == (Why.EDITED, receipts("said")))


@pytest.mark.parametrize("reason", [StopReason.USER, StopReason.FOLLOW_UP, StopReason.STALE])
def test_what_was_ended_before_its_time_is_not_run_again(reason: StopReason) -> None:
    channel, running = answering(heard("one"), reason=reason)

    assert not channel.rerun(Heard("one", "general", "ann", "1"), 101.0)
    channel.running = None
    channel.remember(running, (), 101.0)
    assert [] == channel.past


def test_there_is_something_to_do_when_something_ripens_or_is_forgotten() -> None:
    channel, running = answering(heard("one"))
    assert channel.due(100.0) is None

    channel.remember(running, (), 101.0)
    assert 105.0 == channel.due(102.0)
    channel.waiting.add(heard("two"), Why.QUEUED, 103.0)
    assert 103.0 == channel.due(102.0)
    assert ["two"] == [message.text for message in channel.waiting.take_out()]
    assert channel.due(105.0) is None
