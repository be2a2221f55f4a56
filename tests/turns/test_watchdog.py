"""Seeing to it that a turn ends, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

import pytest

from cadenza.concurrency.stops import StopHandle, Stops
from cadenza.settings import ChannelSettings
from cadenza.turns.watchdog import Watchdog
from cadenza.types import StopReason
from tests.at_the_desk import others
from tests.timing import now

pytestmark = pytest.mark.looptime

Work = Callable[[StopHandle], Coroutine[object, object, None]]


async def short(_: StopHandle) -> None:
    await asyncio.sleep(3.0)


async def heeding(stop: StopHandle) -> None:
    await stop.wait()
    await asyncio.sleep(1.0)


async def heedless(_: StopHandle) -> None:
    await asyncio.sleep(1000.0)


async def cleaning_up(_: StopHandle) -> None:
    try:
        await asyncio.sleep(1000.0)
    finally:
        await asyncio.sleep(2.0)


async def getting_on(stop: StopHandle) -> None:
    """Its last words take three sends of four seconds each."""
    await stop.wait()
    for _ in range(3):
        await asyncio.sleep(4.0)
        stop.touch()


async def stubborn(_: StopHandle) -> None:
    end = now() + 1000.0
    while now() < end:
        try:
            await asyncio.sleep(end - now())
        except asyncio.CancelledError:
            continue


async def watched(stop: StopHandle) -> None:
    with stop.watched():
        await asyncio.sleep(1000.0)


@pytest.mark.parametrize(
    ("work", "stopped_at", "ended_at", "reason", "left"),
    [
        pytest.param(short, None, 3.0, None, 0, id="it ends by itself"),
        pytest.param(heeding, 10.0, 11.0, StopReason.USER, 0, id="it heeds a stop"),
        pytest.param(heeding, None, 181.0, StopReason.STALE, 0, id="it does not get on"),
        pytest.param(getting_on, 10.0, 22.0, StopReason.USER, 0, id="its last words still get through"),
        pytest.param(heedless, 10.0, 15.0, StopReason.USER, 0, id="it does not heed a stop"),
        pytest.param(heedless, None, 185.0, StopReason.STALE, 0, id="it does not get on and heeds nothing"),
        pytest.param(cleaning_up, 10.0, 17.0, StopReason.USER, 0, id="it cleans up"),
        pytest.param(stubborn, 10.0, 20.0, StopReason.USER, 1, id="it heeds not even that it is cancelled"),
        pytest.param(watched, None, 1000.0, None, 0, id="it has limits of its own"),
    ],
)
async def test_every_turn_ends_for_whoever_attends_to_it(
    work: Work, stopped_at: float | None, ended_at: float, reason: StopReason | None, left: int
) -> None:
    attendant, stops, stale = Watchdog(ChannelSettings(stop_grace=5.0)), Stops(), list[float]()
    with stops.open("turn") as stop:
        stop.touch()
        if stopped_at:
            asyncio.get_running_loop().call_at(stopped_at, stops.request, "turn")
        await attendant.attend(work(stop), stop, on_stale=lambda: stale.append(now()))

    assert (ended_at, reason, left) == (now(), stop.reason, attendant.left_behind)
    assert ([180.0] if reason is StopReason.STALE else []) == stale
    await asyncio.sleep(1000.0)
    assert set() == others()


async def test_without_any_grace_a_turn_may_still_clean_up() -> None:
    attendant, stops = Watchdog(ChannelSettings(stop_grace=0.0)), Stops()

    async def closing(_: StopHandle) -> None:
        try:
            await asyncio.sleep(1000.0)
        finally:
            await asyncio.sleep(0.5)

    with stops.open("turn") as stop:
        asyncio.get_running_loop().call_later(1.0, stops.request, "turn")
        await attendant.attend(closing(stop), stop, on_stale=list)

    assert (1.5, 0) == (now(), attendant.left_behind)


async def test_an_attendant_that_is_cancelled_ends_the_turn_first() -> None:
    attendant, ended = Watchdog(ChannelSettings(stop_grace=5.0)), list[float]()

    async def work() -> None:
        try:
            await asyncio.sleep(1000.0)
        finally:
            await asyncio.sleep(2.0)
            ended.append(now())

    with Stops().open("turn") as stop:
        task = asyncio.create_task(attendant.attend(work(), stop, on_stale=list))
        await asyncio.sleep(1.0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    assert [3.0] == ended == [now()]
    assert set() == others()
