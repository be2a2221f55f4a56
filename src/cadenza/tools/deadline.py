"""Run a coroutine with a deadline; one that ignores cancellation is abandoned."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from ..explain.tracebacks import get_logger

logger = get_logger(__name__)

T = TypeVar("T")

GRACE = 2.0
"""Seconds that a cancelled task has to clean up."""
_LAST_WORD = 0.1
"""Seconds after the second cancellation."""


class DeadlineExceeded(Exception):  # noqa: N818  # a timeout, not an error
    """The work took too long."""

    def __init__(self, *, is_left_behind: bool) -> None:
        super().__init__("it took too long")
        self.is_left_behind = is_left_behind
        """Whether it ignored cancellation and may still run."""


async def bounded(work: Coroutine[Any, Any, T], seconds: float, *, grace: float = GRACE, name: str = "work") -> T:
    """Await *work* for *seconds*; then raise ``DeadlineExceeded``.

    At the deadline, or when the caller is cancelled, *work* is cancelled and has *grace* seconds to end. A result that
    it returns in that time counts.
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
    """Cancel *task*; return whether it ended within *grace* seconds."""
    task.add_done_callback(_forget)
    task.cancel()
    await asyncio.wait([task], timeout=grace)
    if task.done():
        return True
    logger.warning("%s did not end within %g seconds after it was cancelled, and was abandoned", task.get_name(), grace)
    task.cancel()
    await asyncio.wait([task], timeout=_LAST_WORD)
    return False


def _forget(task: asyncio.Task[Any]) -> None:
    """Retrieve the exception, so that asyncio does not warn."""
    if not task.cancelled():
        task.exception()
