"""Background tasks of a bot: replies do not wait for them, and a shutdown does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine
from typing import Any

from ..concurrency.tasks import must_rise
from ..explain.tracebacks import get_logger

logger = get_logger(__name__)


class Background:
    """The background tasks of one bot."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run *work* as a task of its own; a failure is logged."""
        task = asyncio.create_task(guarded("background task", work), name="cadenza background")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def finish(self, within: float = 5.0) -> None:
        """Wait for all tasks; those that take longer than *within* seconds are cancelled."""
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=within)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=within or 1.0)


async def guarded(what: str, work: Awaitable[object]) -> None:
    """Await *work*; a failure is logged as "*what* failed" and goes no further."""
    try:
        await work
    except BaseException as error:
        if must_rise(error):
            raise
        logger.warning("%s failed", what, exc_info=error)
