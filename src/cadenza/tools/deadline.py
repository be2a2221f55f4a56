"""Foreign work for so long and no longer: what does not end when it is told to is left behind."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

logger = logging.getLogger(__name__)

T = TypeVar("T")

GRACE = 2.0
"""Seconds in which something that was cancelled has to clean up."""
_LAST_WORD = 0.1
"""Seconds for what it does when it is told for the second time."""


class DeadlineExceeded(Exception):  # noqa: N818  # it is no error of ours
    """Something took too long."""

    def __init__(self, *, is_left_behind: bool) -> None:
        super().__init__("it took too long")
        self.is_left_behind = is_left_behind
        """Whether it goes on for all that we know."""


async def bounded(work: Coroutine[Any, Any, T], seconds: float, *, grace: float = GRACE, name: str = "work") -> T:
    """What *work* comes to within *seconds*, or ``DeadlineExceeded``.

    It is cancelled when the time is over, and when we are; then it is waited for, for *grace* seconds. What it comes to
    even so is taken.
    """
    task = asyncio.create_task(work, name=f"cadenza {name}")
    try:
        await asyncio.wait([task], timeout=seconds)
    except asyncio.CancelledError:
        await _end(task, grace)
        raise
    if task.done():
        return task.result()
    is_in_time = await _end(task, grace)
    if not is_in_time or task.cancelled():
        raise DeadlineExceeded(is_left_behind=not is_in_time)
    return task.result()


async def _end(task: asyncio.Task[Any], grace: float) -> bool:
    """Cancel *task*; say whether it ended in time."""
    task.add_done_callback(_forget)
    task.cancel()
    await asyncio.wait([task], timeout=grace)
    if task.done():
        return True
    logger.warning("%s did not end within %g seconds after it was stopped, and was left behind", task.get_name(), grace)
    task.cancel()
    await asyncio.wait([task], timeout=_LAST_WORD)
    return False


def _forget(task: asyncio.Task[Any]) -> None:
    """Nobody asks what came of *task*, and that is no reason for a warning."""
    if not task.cancelled():
        task.exception()
