"""A channel: what is a follow-up there, and what may be answered anew."""

from __future__ import annotations

import pytest

from cadenza.concurrency.stops import Stops
from cadenza.settings import ChannelSettings
from cadenza.turns.channels import ChannelTurns, Running, Turn
from cadenza.turns.waiting import IncomingMessage, QueuedTurn, TurnReason
from cadenza.types import StopReason
from tests.at_the_desk import receipts


def heard(text: str = "more", author: str = "ann", *, command: bool = False, persona: str = "") -> IncomingMessage:
    return IncomingMessage(text, "general", author, text, is_command=command, persona=persona)


def answering(
    message: IncomingMessage,
    why: TurnReason = TurnReason.MESSAGE,
    *,
    interrupts: int = 0,
    reason: StopReason | None = None,
) -> tuple[ChannelTurns, Running]:
    """A channel in which *message* is being answered since second 100."""
    channel = ChannelTurns("general", ChannelSettings())
    entry, stop = QueuedTurn.of(message, why, 100.0), Stops().open("turn")
    if reason:
        stop.take(reason)
    turn = Turn("turn", "general", entry.messages, why, stop, persona=entry.persona, queue=channel.waiting)
    channel.running = Running(turn, entry, 100.0)
    channel.interrupts = interrupts
    return channel, channel.running


@pytest.mark.parametrize(
    ("message", "first", "why", "interrupts", "reason", "follows"),
    [
        pytest.param(heard(), heard("one"), TurnReason.MESSAGE, 0, None, True, id="the same person"),
        pytest.param(heard(), heard("one"), TurnReason.FOLLOW_UP, 2, None, True, id="the third time"),
        pytest.param(heard(), heard("one"), TurnReason.FOLLOW_UP, 3, None, False, id="the fourth time"),
        pytest.param(
            heard(), heard("one"), TurnReason.MESSAGE, 3, StopReason.FOLLOW_UP, True, id="interrupted already"
        ),
        pytest.param(heard(), heard("one"), TurnReason.MESSAGE, 0, StopReason.USER, False, id="stopped already"),
        pytest.param(heard(author="bob"), heard("one"), TurnReason.MESSAGE, 0, None, False, id="somebody else"),
        pytest.param(heard(command=True), heard("one"), TurnReason.MESSAGE, 0, None, False, id="a command"),
        pytest.param(heard(), heard("one", command=True), TurnReason.MESSAGE, 0, None, False, id="after a command"),
        pytest.param(heard(persona="Ren"), heard("one"), TurnReason.MESSAGE, 0, None, False, id="to somebody named"),
        pytest.param(
            heard(persona="Ren"), heard("one", persona="Ren"), TurnReason.EDITED, 0, None, True, id="to the same"
        ),
    ],
)
def test_what_is_a_follow_up(
    message: IncomingMessage,
    first: IncomingMessage,
    why: TurnReason,
    interrupts: int,
    reason: StopReason | None,
    *,
    follows: bool,
) -> None:
    channel, running = answering(first, why, interrupts=interrupts, reason=reason)

    assert follows == channel.is_follow_up(message, running)


def test_a_channel_knows_what_is_answered_and_what_waits() -> None:
    channel, running = answering(heard("one"))
    channel.waiting.add(heard("two"), TurnReason.QUEUED, 100.0)

    assert [True, True, False] == [channel.knows(message_id) for message_id in ("one", "two", "three")]
    assert running is channel.running_for("ann")
    assert channel.running_for("bob") is None


@pytest.mark.parametrize(("now", "again"), [(104.9, True), (105.0, False)])
def test_what_ran_undisturbed_may_be_run_again_for_a_while(now: float, *, again: bool) -> None:
    channel, running = answering(heard("one"))
    channel.running = None
    channel.remember(running, receipts("said"), 101.0)

    assert again == channel.rerun(IncomingMessage("one", "general", "ann", "1"), now)
    entry = channel.waiting.take_ripe(now)
    assert again == (entry is not None and (entry.why, entry.supersedes) == (TurnReason.EDITED, receipts("said")))


@pytest.mark.parametrize("reason", [StopReason.USER, StopReason.FOLLOW_UP, StopReason.STALE])
def test_what_was_ended_before_its_time_is_not_run_again(reason: StopReason) -> None:
    channel, running = answering(heard("one"), reason=reason)

    assert not channel.rerun(IncomingMessage("one", "general", "ann", "1"), 101.0)
    channel.running = None
    channel.remember(running, (), 101.0)
    assert [] == channel.past


def test_there_is_something_to_do_when_something_ripens_or_is_forgotten() -> None:
    channel, running = answering(heard("one"))
    assert channel.due(100.0) is None

    channel.remember(running, (), 101.0)
    assert 105.0 == channel.due(102.0)
    channel.waiting.add(heard("two"), TurnReason.QUEUED, 103.0)
    assert 103.0 == channel.due(102.0)
    assert ["two"] == [message.text for message in channel.waiting.take_out()]
    assert channel.due(105.0) is None
