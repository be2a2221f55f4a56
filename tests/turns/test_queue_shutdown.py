"""A graceful shutdown: replies may end for a while, then they are stopped, and nothing is left running."""

from __future__ import annotations

import asyncio
import logging

import pytest

from cadenza.turns import ShutdownResult, Verdict
from cadenza.turns.waiting import Dropped
from tests.at_the_desk import Answer, desk, others
from tests.timing import now

pytestmark = pytest.mark.looptime

LONG = Answer(60.0)


async def test_shutdown_when_nothing_goes_on() -> None:
    made = desk()

    assert ShutdownResult(stopped=0, left=0, dropped=0) == await made.turns.close()
    assert 0.0 == now()
    assert Verdict.CLOSED is made.write("one")
    assert not made.edit("one", "1")
    assert {} == made.turns._channels


async def test_at_a_shutdown_what_could_be_answered_anew_is_forgotten() -> None:
    made = desk(rerun_seconds=600.0, answers={"one": Answer(1.0)})
    made.write("one")
    await asyncio.sleep(2.0)

    await made.turns.close()

    assert ({}, 2.0) == (made.turns._channels, now())


async def test_at_a_shutdown_a_short_reply_ends_by_itself_and_nobody_else_is_answered() -> None:
    made = desk(answers={"one": Answer(8.0), "three": Answer(9.0)})
    made.write("one")
    made.write("two", "bob")
    made.write("three", channel="another")
    made.write("four", "bob", channel="another")

    closing = asyncio.create_task(made.turns.close())
    await asyncio.sleep(1.0)
    assert Verdict.CLOSED is made.write("late", "cat")
    assert not made.edit("one", "1")

    assert ShutdownResult(stopped=0, left=0, dropped=2) == await closing
    assert 9.0 == now()
    assert ["one", "three"] == made.texts
    assert ["completed", "completed"] == made.outcomes
    assert [("two", Dropped.SHUTDOWN), ("four", Dropped.SHUTDOWN)] == made.dropped
    assert set() == others()


async def test_at_a_shutdown_a_long_reply_is_stopped() -> None:
    made = desk(answers={"one": LONG})
    made.write("one")

    assert ShutdownResult(stopped=1, left=0, dropped=0) == await made.turns.close()
    assert 10.0 == now()
    assert ["shutdown"] == made.outcomes
    assert set() == others()


async def test_at_a_shutdown_a_reply_that_heeds_nothing_is_cancelled() -> None:
    made = desk(answers={"one": Answer(60.0, heeds=False)})
    made.write("one")

    assert ShutdownResult(stopped=1, left=0, dropped=0) == await made.turns.close()
    assert 15.0 == now()
    assert ["cancelled"] == made.outcomes


async def test_at_a_shutdown_a_reply_that_ignores_everything_is_left_behind() -> None:
    made = desk(answers={"one": Answer(60.0, heeds=False, yields=False)})
    made.write("one")

    assert ShutdownResult(stopped=1, left=1, dropped=0) == await made.turns.close()
    assert 20.0 == now()
    assert {"cadenza answer"} == others()
    await asyncio.sleep(60.0)


async def test_at_a_shutdown_what_is_gathered_is_dropped() -> None:
    made = desk(debounce=5.0)
    made.write("one")

    assert ShutdownResult(stopped=0, left=0, dropped=1) == await made.turns.close()
    await asyncio.sleep(10.0)
    assert [] == made.texts
    assert [("one", Dropped.SHUTDOWN)] == made.dropped


async def test_at_a_shutdown_an_interrupted_reply_has_no_successor() -> None:
    made = desk(answers={"one": Answer(4.0, heeds=False)})
    made.write("one")
    await asyncio.sleep(1.0)
    made.write("more")
    await made.turns.close()

    assert ["one"] == made.texts
    assert [("one", Dropped.SHUTDOWN), ("more", Dropped.SHUTDOWN)] == made.dropped


async def test_a_shutdown_that_is_itself_cancelled_ends_everything_at_once() -> None:
    made = desk(answers={"one": LONG})
    made.write("one")
    closing = asyncio.create_task(made.turns.close())
    await asyncio.sleep(1.0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing

    assert 1.0 == now()
    assert ["cancelled"] == made.outcomes
    assert {} == made.turns._channels
    assert set() == others()


async def test_a_shutdown_may_be_asked_for_twice() -> None:
    made = desk(answers={"one": LONG})
    made.write("one")

    first, second = await asyncio.gather(made.turns.close(), made.turns.close())

    assert 1 == max(first.stopped, second.stopped)
    assert ShutdownResult(0, 0, 0) == await made.turns.close()


async def test_leaving_the_block_is_a_shutdown() -> None:
    made = desk()
    async with made.turns:
        made.write("one")

    assert ["completed"] == made.outcomes
    assert {} == made.turns._channels


async def test_whoever_cancels_all_tasks_ends_everything() -> None:
    made = desk(answers={"one": LONG})
    made.write("one")
    made.write("two", "bob")
    await asyncio.sleep(1.0)
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()
    await asyncio.sleep(1.0)

    assert ["one"] == made.texts
    assert [("two", Dropped.SHUTDOWN)] == made.dropped
    assert {} == made.turns._channels
    assert set() == others()


async def test_what_is_cancelled_before_it_begins_is_dropped() -> None:
    made = desk()
    made.write("one")
    for task in made.turns._tasks:
        task.cancel()
    await asyncio.sleep(1.0)

    assert [] == made.texts
    assert [("one", Dropped.SHUTDOWN)] == made.dropped
    assert {} == made.turns._channels


@pytest.mark.parametrize("level", [logging.DEBUG])
async def test_what_people_say_is_not_logged(level: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(level, "cadenza")
    made = desk(answers={"my secret": Answer(1000.0, heeds=False, yields=False)})
    made.write("my secret", "somebody")
    await made.turns.close()
    await asyncio.sleep(1000.0)

    assert caplog.records
    assert "secret" not in caplog.text
    assert "somebody" not in caplog.text
