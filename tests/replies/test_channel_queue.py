"""One reply at a time in each channel."""

from __future__ import annotations

import asyncio

import pytest

from cadenza.concurrency.stops import Stops
from cadenza.replies.channel_queue import ChannelQueue

pytestmark = pytest.mark.looptime


async def stand_in_line(
    queue: ChannelQueue, channel: str, name: str, told: list[str], *, seconds: float = 1.0
) -> float:
    """Join the queue of *channel*, and take *seconds* once it is one's turn; how long one waited."""
    with queue.joined(channel) as queued:
        await queued.first()
        told.append(f"{name} begins")
        await asyncio.sleep(seconds)
        told.append(f"{name} ends")
        return queued.seconds


async def test_replies_go_in_the_order_in_which_they_were_called() -> None:
    queue, told = ChannelQueue(), list[str]()

    waited = await asyncio.gather(*(stand_in_line(queue, "hill", name, told) for name in "abc"))

    assert ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"] == told
    assert [0.0, 1.0, 2.0] == waited


async def test_channels_do_not_wait_for_each_other() -> None:
    queue, told = ChannelQueue(), list[str]()

    waited = await asyncio.gather(*(stand_in_line(queue, name, name, told) for name in "abc"))

    assert [0.0, 0.0, 0.0] == waited


async def test_one_that_is_cancelled_while_it_waits_holds_up_none() -> None:
    queue, told = ChannelQueue(), list[str]()
    tasks = [asyncio.create_task(stand_in_line(queue, "hill", name, told)) for name in "abc"]
    await asyncio.sleep(0.5)
    tasks[1].cancel()

    await asyncio.wait(tasks)

    assert ["a begins", "a ends", "c begins", "c ends"] == told


async def test_one_that_fails_lets_the_next_begin() -> None:
    queue, told = ChannelQueue(), list[str]()

    async def fail() -> None:
        with queue.joined("hill") as queued:
            await queued.first()
            raise KeyError

    failed, _ = await asyncio.gather(fail(), stand_in_line(queue, "hill", "b", told), return_exceptions=True)

    assert isinstance(failed, KeyError)
    assert ["b begins", "b ends"] == told


async def test_a_reply_inside_another_is_part_of_it() -> None:
    queue, told = ChannelQueue(), list[str]()

    async def outer() -> None:
        with queue.joined("hill") as queued:
            await queued.first()
            await asyncio.create_task(stand_in_line(queue, "hill", "inner", told))
            told.append("outer ends")

    await asyncio.gather(outer(), stand_in_line(queue, "hill", "next", told))

    assert ["inner begins", "inner ends", "outer ends", "next begins", "next ends"] == told


async def test_replies_that_wait_for_each_others_channels_inside_do_not_wait_for_ever() -> None:
    queue, told = ChannelQueue(), list[str]()

    async def crossing(here: str, there: str) -> None:
        with queue.joined(here) as queued:
            await queued.first()
            await asyncio.sleep(1.0)
            await stand_in_line(queue, there, f"{here} in {there}", told)

    async with asyncio.timeout(5.0):
        await asyncio.gather(crossing("a", "b"), crossing("b", "a"))

    assert {"a in b ends", "b in a ends"} <= set(told)


async def test_others_wait_for_a_reply_inside_another_ones_channel() -> None:
    queue, told = ChannelQueue(), list[str]()

    async def announcing() -> None:
        with queue.joined("hill"):
            await stand_in_line(queue, "news", "inner", told, seconds=2.0)

    async def later() -> None:
        await asyncio.sleep(1.0)
        await stand_in_line(queue, "news", "next", told)

    await asyncio.gather(announcing(), later())

    assert ["inner begins", "inner ends", "next begins", "next ends"] == told


async def test_a_task_that_outlives_the_reply_it_was_made_in_is_waited_for() -> None:
    queue, told = ChannelQueue(), list[str]()

    async def outer() -> asyncio.Task[float]:
        with queue.joined("hill"):
            inner = asyncio.create_task(stand_in_line(queue, "hill", "inner", told, seconds=3.0))
            await asyncio.sleep(1.0)
            return inner

    async def later() -> None:
        await asyncio.sleep(0.5)
        await stand_in_line(queue, "hill", "next", told)

    inner, _ = await asyncio.gather(outer(), later())
    await inner

    assert ["inner begins", "inner ends", "next begins", "next ends"] == told


async def test_a_task_that_was_made_in_a_waiting_reply_has_its_turn_though_that_reply_is_cancelled() -> None:
    queue, told = ChannelQueue(), list[str]()

    async def waiting() -> None:
        with queue.joined("hill") as queued:
            inner = asyncio.create_task(stand_in_line(queue, "hill", "inner", told))
            tasks.append(inner)
            await queued.first()

    tasks: list[asyncio.Task[float]] = []
    first = asyncio.create_task(stand_in_line(queue, "hill", "first", told, seconds=2.0))
    await asyncio.sleep(0)
    cancelled = asyncio.create_task(waiting())
    await asyncio.sleep(1.0)
    cancelled.cancel()
    async with asyncio.timeout(10.0):
        await asyncio.wait([first, cancelled, *tasks])

    assert ["first begins", "first ends", "inner begins", "inner ends"] == told


async def test_a_task_that_begins_after_its_reply_waits_as_any_other() -> None:
    queue, told = ChannelQueue(), list[str]()

    async def later() -> None:
        await asyncio.sleep(1.5)
        await stand_in_line(queue, "hill", "later", told)

    async def outer() -> asyncio.Task[None]:
        with queue.joined("hill"):
            return asyncio.create_task(later())

    left = await outer()
    await asyncio.gather(left, stand_in_line(queue, "hill", "next", told, seconds=3.0))

    assert ["next begins", "next ends", "later begins", "later ends"] == told


async def test_a_stop_ends_the_waiting() -> None:
    queue, stops = ChannelQueue(), Stops()

    async def waiting() -> bool:
        with stops.open("second") as stop, queue.joined("hill") as queued:
            asyncio.get_running_loop().call_later(1.0, stops.request, "second")
            return await queued.first(stop)

    _, came = await asyncio.gather(stand_in_line(queue, "hill", "first", [], seconds=5.0), waiting())

    assert not came


async def test_a_loop_has_one_queue_that_keeps_nothing() -> None:
    queue, told = ChannelQueue.of_loop(), list[str]()
    assert queue is ChannelQueue.of_loop()

    await asyncio.gather(*(stand_in_line(queue, "hill", name, told) for name in "ab"))

    with queue.joined("hill") as queued:
        assert (0, True) == (queued.ahead, queued.is_first)


def test_another_loop_has_another_queue() -> None:
    async def queue_here() -> ChannelQueue:
        return ChannelQueue.of_loop()

    assert asyncio.run(queue_here()) is not asyncio.run(queue_here())


def test_a_loop_in_a_thread_of_a_reply_does_not_wait_for_it() -> None:
    """The context of a thread is a copy of the caller's, and so would be the reply around it."""

    async def inside() -> int:
        with ChannelQueue.of_loop().joined("hill") as queued:
            await queued.first()
            return queued.ahead

    async def outside() -> int:
        with ChannelQueue.of_loop().joined("hill"):
            return await asyncio.to_thread(lambda: asyncio.run(inside()))

    assert 0 == asyncio.run(outside())
