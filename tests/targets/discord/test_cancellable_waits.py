"""What is given up when there is no time, and what never is. All in virtual time."""

from __future__ import annotations

import asyncio

import pytest

from cadenza.targets.discord.cancellable_waits import CancellableWaits, Hurried
from tests.timing import now

pytestmark = pytest.mark.looptime


async def test_what_only_waits_is_given_up_at_once() -> None:
    waits = CancellableWaits()
    asyncio.get_running_loop().call_later(2.0, waits.hurry)
    with pytest.raises(Hurried):
        async with waits.patience():
            await asyncio.sleep(30)
    assert (2.0, True) == (now(), waits.is_wanted)


async def test_who_hurries_twice_hurries() -> None:
    waits = CancellableWaits()

    def hurry() -> None:
        waits.hurry()
        waits.hurry()

    asyncio.get_running_loop().call_later(2.0, hurry)
    await asyncio.gather(waits.pause(30), waits.pause(30))
    assert 2.0 == now()


async def test_a_pause_ends_early_and_takes_no_time_afterwards() -> None:
    waits = CancellableWaits()
    asyncio.get_running_loop().call_later(2.0, waits.hurry)
    await waits.pause(30)
    await waits.pause(30)
    assert 2.0 == now()


async def test_in_haste_what_need_not_wait_is_still_done() -> None:
    waits = CancellableWaits()
    waits.hurry()
    async with waits.patience():
        done = "this"
    assert "this" == done


async def test_the_next_message_has_time_again() -> None:
    waits = CancellableWaits()
    waits.hurry()
    waits.take_time()
    await waits.pause(3)
    assert 3.0 == now()


async def test_a_time_out_of_somebody_else_is_theirs() -> None:
    with pytest.raises(TimeoutError):
        async with CancellableWaits().patience():
            raise TimeoutError


async def test_who_is_patient_can_be_cancelled() -> None:
    waiting = asyncio.create_task(CancellableWaits().pause(30))
    await asyncio.sleep(1)
    waiting.cancel()
    await asyncio.wait([waiting])
    assert (True, 1.0) == (waiting.cancelled(), now())
