"""Background tasks: failures are logged, and a shutdown waits for them."""

from __future__ import annotations

import asyncio

import pytest

from cadenza.bot.background import Background


async def test_a_failure_is_logged_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    async def fails() -> None:
        raise KeyError

    background = Background()
    background.start(fails())
    assert 1 == len(background)
    await background.finish()

    assert 0 == len(background)
    (record,) = caplog.records
    assert "background task failed" == record.getMessage()
    assert (record.exc_text or "").endswith("KeyError")


async def test_what_takes_too_long_is_cancelled_at_the_end() -> None:
    ended: list[str] = []

    async def waits() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    background = Background()
    background.start(waits())
    await asyncio.sleep(0)
    await background.finish(within=0.0)

    assert ["cancelled"] == ended
    assert not background
