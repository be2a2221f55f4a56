"""Ending a task that one has begun: nothing is left running behind anybody's back."""

from __future__ import annotations

import asyncio
from typing import Any


async def end_task(task: asyncio.Task[Any]) -> None:
    """Cancel *task* if it still runs, and wait until it has cleaned up; what it raised is raised here.

    If we are cancelled meanwhile, we still wait: nothing is left running behind our back.
    """
    cancelled: asyncio.CancelledError | None = None
    if not task.done():
        task.cancel()
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled:
        raise cancelled
    if not task.cancelled():
        task.result()
