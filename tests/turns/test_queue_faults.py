"""What goes wrong around a turn ends neither its channel nor anything else."""

from __future__ import annotations

import asyncio

import pytest

from cadenza.concurrency.stops import StopHandle, Stops
from cadenza.turns import Turns, Verdict
from cadenza.turns.channels import Turn
from cadenza.turns.waiting import IncomingMessage
from cadenza.types import Completed, Reply
from tests.at_the_desk import Answer, desk, others, quiet

pytestmark = pytest.mark.looptime


class Odd(BaseException):
    """Something that is no ``Exception``."""


@pytest.mark.parametrize("error", [LookupError("key sk-secret"), asyncio.CancelledError("sk-secret"), Odd("sk-secret")])
async def test_an_answer_that_fails_does_not_end_the_channel(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    made = desk(answers={"one": Answer(1.0, error=error)})
    made.write("one")
    made.write("two", "bob")
    await quiet(made)

    assert ["failed", "completed"] == made.outcomes
    assert [("one", error)] == made.failed
    assert type(error).__name__ in caplog.text
    assert "secret" not in caplog.text


async def test_an_answer_that_is_no_coroutine_fails_as_any_other(caplog: pytest.LogCaptureFixture) -> None:
    failed: list[str] = []
    turns = Turns(lambda _: 5, on_failed=lambda _, error: failed.append(type(error).__name__))  # type: ignore[arg-type,return-value]
    turns.heard(IncomingMessage("1", "general", "ann", "hi"))
    await asyncio.sleep(1.0)

    assert ["TypeError"] == failed
    assert "TypeError" in caplog.text
    await turns.close()


async def test_there_may_be_nothing_to_say() -> None:
    async def answer(_: Turn) -> None:
        return None

    async with Turns(answer) as turns:
        turns.heard(IncomingMessage("1", "general", "ann", "hi"))
        await asyncio.sleep(1.0)
        assert turns.edited(IncomingMessage("1", "general", "ann", "ho"))


async def test_a_listener_that_fails_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    async def answer(_: Turn) -> Reply:
        msg = "sk-secret"
        raise LookupError(msg)

    def listener(*_: object) -> None:
        msg = "sk-secret"
        raise ValueError(msg)

    turns = Turns(answer, on_failed=listener, on_dropped=listener)
    turns.heard(IncomingMessage("1", "general", "ann", "hi"))
    turns.heard(IncomingMessage("2", "general", "bob", "hi"))
    turns.deleted("general", "2")
    await asyncio.sleep(1.0)

    assert {"answering a message failed", "a listener failed"} == {record.message for record in caplog.records}
    assert {", in answer\n", ", in listener\n"} == {
        place for place in (", in answer\n", ", in listener\n") if place in caplog.text
    }
    assert "sk-secret" not in caplog.text
    assert () == turns.running()
    await turns.close()


async def test_who_is_told_that_something_was_dropped_may_say_it_again() -> None:
    heard: list[Verdict] = []

    async def answer(_: Turn) -> Reply:
        await asyncio.sleep(5.0)
        return Reply(Completed())

    turns = Turns(answer, on_dropped=lambda message, _: heard.append(turns.heard(message)))
    turns.heard(IncomingMessage("1", "general", "ann", "hi"))
    turns.heard(IncomingMessage("2", "general", "bob", "hi"))
    turns.stop("general")
    await asyncio.sleep(1.0)

    assert [Verdict.QUEUED] == heard
    await turns.close()


class BrokenStops(Stops):
    def open(self, turn: str, /) -> StopHandle:
        msg = f"no way to sk-secret {turn}"
        raise OSError(msg)


async def test_a_registry_that_fails_does_not_keep_anybody_from_being_answered(
    caplog: pytest.LogCaptureFixture,
) -> None:
    made = desk(stops=BrokenStops())
    made.write("one")
    await asyncio.sleep(1.0)
    made.write("stop")
    await quiet(made)

    assert ["user"] == made.outcomes
    assert "OSError" in caplog.text
    assert "secret" not in caplog.text


async def test_a_thousand_channels_are_forgotten_when_nothing_goes_on_in_them() -> None:
    stops = Stops()
    made = desk(stops=stops)
    for number in range(1_000):
        made.write("one", channel=str(number))
    assert 1_000 == len(made.turns._channels) == len(stops.running())
    made.write("two", "bob", channel="0")
    await asyncio.sleep(25.0)

    assert 1_001 == len(made.ran)
    assert {} == made.turns._channels
    assert () == stops.running()
    assert set() == others()
