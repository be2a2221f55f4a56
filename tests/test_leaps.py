"""The clock that leaps: it costs nobody anything, and nobody who works is late."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

from tests.leaps import leaping, time_of_day
from tests.timing import now

LONG = 10.0
A_WHILE = 0.4
"""Seconds that a thread takes, as one does on a busy machine."""


async def test_a_pause_costs_nothing_and_both_clocks_have_leapt() -> None:
    began, on_the_wall, spent = now(), time_of_day(), time.process_time()
    with leaping():
        await asyncio.sleep(LONG)

        assert LONG == pytest.approx(now() - began, abs=1.0)
        assert LONG == pytest.approx(time_of_day() - on_the_wall, abs=1.0)
    assert time.process_time() - spent < 10.0


async def test_afterwards_it_goes_on_from_there_as_clocks_do() -> None:
    with leaping():
        await asyncio.sleep(LONG)
        leapt = now()
    time.sleep(0.01)  # noqa: ASYNC251  # the clock on the wall is meant

    assert leapt + 0.01 <= now() < leapt + 60


async def test_while_it_leaps_only_who_has_nothing_to_do_makes_it_later() -> None:
    with leaping():
        began = now()
        time.sleep(0.05)  # noqa: ASYNC251  # somebody is busy
        await asyncio.sleep(0)

        assert began == now()


async def test_one_around_another_leaps_until_the_outer_one_ends() -> None:
    with leaping():
        with leaping():
            await asyncio.sleep(1.0)
        began = now()
        time.sleep(0.01)  # noqa: ASYNC251  # somebody is busy

        assert began == now()


async def test_what_is_done_elsewhere_has_all_the_time_that_it_needs() -> None:
    with leaping():
        async with asyncio.timeout(3.0):
            await asyncio.to_thread(time.sleep, A_WHILE)


async def test_a_thread_of_somebody_s_own_that_works_has_it_too() -> None:
    loop, is_done = asyncio.get_running_loop(), asyncio.Event()

    def work() -> None:
        until = time.thread_time() + A_WHILE
        while time.thread_time() < until:
            pass
        loop.call_soon_threadsafe(is_done.set)

    thread = threading.Thread(target=work)
    with leaping():
        thread.start()
        async with asyncio.timeout(3.0):
            await is_done.wait()
    thread.join()


async def test_threads_that_wait_for_something_keep_nobody_waiting() -> None:
    selector: Any = vars(asyncio.get_running_loop())["_selector"]
    ask, looks = selector.select, 0

    def look(timeout: float | None = None) -> object:
        nonlocal looks
        looks += 1
        return ask(timeout)

    selector.select = look
    gate = threading.Event()
    thread = threading.Thread(target=gate.wait)
    thread.start()
    try:
        with leaping():
            await asyncio.sleep(LONG)
    finally:
        gate.set()
        thread.join()

    assert looks < LONG / 0.02  # and not one for each millisecond
