"""Foreign work for so long and no longer, in virtual time."""

from __future__ import annotations

import asyncio
import logging

import pytest

from cadenza.tools.deadline import DeadlineExceeded, bounded
from tests.timing import now

pytestmark = pytest.mark.looptime


async def test_what_ends_in_time_is_what_it_comes_to() -> None:
    async def work() -> str:
        await asyncio.sleep(1)
        return "done"

    assert "done" == await bounded(work(), 2)


async def test_what_it_raises_is_raised() -> None:
    async def work() -> str:
        raise LookupError

    with pytest.raises(LookupError):
        await bounded(work(), 2)


async def test_a_cancellation_of_its_own_is_its_own() -> None:
    async def work() -> str:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await bounded(work(), 2)
    task = asyncio.current_task()
    assert task is not None
    assert 0 == task.cancelling()


async def test_what_takes_too_long_is_cancelled_and_waited_for() -> None:
    cleaned: list[float] = []

    async def work() -> None:
        try:
            await asyncio.sleep(100)
        finally:
            await asyncio.sleep(0.5)
            cleaned.append(now())

    with pytest.raises(DeadlineExceeded) as caught:
        await bounded(work(), 2)

    assert ([2.5], False) == (cleaned, caught.value.is_left_behind)


async def test_what_it_comes_to_even_so_is_taken() -> None:
    async def work() -> str:
        try:
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            await asyncio.sleep(0.5)
        return "just in time"

    assert "just in time" == await bounded(work(), 2)


async def test_what_does_not_listen_is_left_behind_after_a_while(caplog: pytest.LogCaptureFixture) -> None:
    ended = asyncio.Event()

    async def work() -> None:
        while now() < 60:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                continue
        ended.set()
        msg = "token=secret"
        raise RuntimeError(msg)

    with caplog.at_level(logging.WARNING), pytest.raises(DeadlineExceeded) as caught:
        await bounded(work(), 2, grace=3, name="tool deaf")

    assert (True, pytest.approx(5.1)) == (caught.value.is_left_behind, now())
    assert [
        "cadenza tool deaf did not end within 3 seconds after it was stopped, and was left behind"
    ] == caplog.messages
    await ended.wait()
    await asyncio.sleep(1)  # what it raises then is nobody's, and no warning tells its text


async def test_who_is_cancelled_cancels_it_and_waits_for_it() -> None:
    cleaned: list[float] = []

    async def work() -> None:
        try:
            await asyncio.sleep(100)
        finally:
            await asyncio.sleep(0.5)
            cleaned.append(now())

    task = asyncio.create_task(bounded(work(), 50))
    await asyncio.sleep(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert [1.5] == cleaned


async def test_who_is_cancelled_does_not_wait_for_ever() -> None:
    async def work() -> None:
        while now() < 60:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                continue

    task = asyncio.create_task(bounded(work(), 50, grace=3))
    await asyncio.sleep(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert pytest.approx(4.1) == now()
    await asyncio.sleep(100)
