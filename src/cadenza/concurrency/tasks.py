"""Waiting for one's own tasks, also while cancelled, so that none is left running."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from .stops import is_cancelled

T = TypeVar("T")


async def end_task(task: asyncio.Task[Any]) -> None:
    """Cancel *task* if it still runs and wait until it has cleaned up; raise what it raised.

    A cancellation of the caller does not end the wait.
    """
    if not task.done():
        task.cancel()
    await _over(task)
    if not task.cancelled():
        task.result()


async def outlast(task: asyncio.Task[T], *, hurry: Callable[[], None] | None = None) -> T:
    """Wait for *task*, which must not be cancelled, and return its result.

    A cancellation of the caller does not end the wait; it calls *hurry*, so that the task begins nothing more.
    """
    await _over(task, hurry)
    return task.result()


def must_rise(error: BaseException) -> bool:
    """Return whether *error*, caught around foreign code, must be raised again: a cancellation of us, or an exit."""
    return isinstance(error, KeyboardInterrupt | SystemExit) or is_cancelled(error)


async def _over(task: asyncio.Task[Any], hurry: Callable[[], None] | None = None) -> None:
    """Wait until *task* is done, however often we are cancelled; then raise the cancellation."""
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
            task.exception()  # retrieved, so asyncio does not warn about it
        raise cancelled
