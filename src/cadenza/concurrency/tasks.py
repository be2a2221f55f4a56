"""Waiting for a task that one has begun: nothing is left running behind anybody's back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from .stops import is_cancelled

T = TypeVar("T")


async def end_task(task: asyncio.Task[Any]) -> None:
    """Cancel *task* if it still runs, and wait until it has cleaned up; what it raised is raised here.

    If we are cancelled meanwhile, we still wait: nothing is left running behind our back.
    """
    if not task.done():
        task.cancel()
    await _over(task)
    if not task.cancelled():
        task.result()


async def outlast(task: asyncio.Task[T], *, hurry: Callable[[], None] | None = None) -> T:
    """Wait for *task*, which nobody may cancel; give back what it comes to.

    If we are cancelled meanwhile, we still wait, but let it know by *hurry* that it should not begin anything more.
    """
    await _over(task, hurry)
    return task.result()


def must_rise(error: BaseException) -> bool:
    """Whether *error*, caught around foreign code, is not that code's: we are cancelled, or the process is to end."""
    return isinstance(error, KeyboardInterrupt | SystemExit) or is_cancelled(error)


async def _over(task: asyncio.Task[Any], hurry: Callable[[], None] | None = None) -> None:
    """Wait until *task* is over, however often we are cancelled; then be cancelled."""
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
            if hurry:
                hurry()
    if cancelled:
        if not task.cancelled():
            task.exception()  # nobody is left who could care, and asyncio shall not complain of that
        raise cancelled
