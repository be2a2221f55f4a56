"""The clock that leaps: it costs nobody anything, and nobody who works is late."""

from __future__ import annotations

import asyncio
import time

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


async def test_what_is_done_elsewhere_has_all_the_time_that_it_needs() -> None:
    with leaping():
        async with asyncio.timeout(3.0):
            await asyncio.to_thread(time.sleep, A_WHILE)
