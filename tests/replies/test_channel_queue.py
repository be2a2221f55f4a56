"""One reply at a time in each channel."""

from __future__ import annotations

import asyncio

import pytest

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


async def test_what_a_reply_leaves_running_waits_once_the_reply_is_over() -> None:
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
