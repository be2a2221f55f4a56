"""The typing indicator."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ...concurrency.tasks import end_task, must_rise
from ...explain.tracebacks import get_logger
from ...targets.target import Target
from ...types import Identity

logger = get_logger(__name__)

_LASTS = 8.0
"""Seconds after which it is shown again; Discord's ends after ten."""

_AGAIN = 0.5
"""Seconds after a message before it is shown again: often the next message is sent by then, or none follows."""


class TypingIndicator:
    """Shows the typing indicator in a target. A failure delays and ends nothing.

    It is switched on and off around every message, mostly without any work, so it is a timer and not a task.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._loop = asyncio.get_running_loop()
        self._typist: Identity | None = None
        self._due = self._out_until = self._loop.time()
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None

    def is_out(self) -> None:
        """Note that a message ended it; it is shown again a moment later if still wanted."""
        self._due = self._out_until = self._loop.time() + _AGAIN

    @asynccontextmanager
    async def shown(self, identity: Identity | None) -> AsyncIterator[None]:
        """Show *identity* typing within the context."""
        self.begin(identity)
        try:
            yield
        finally:
            await self.end()

    def begin(self, identity: Identity | None) -> None:
        """Show *identity* typing until ``end``: at once, unless it still shows or a message was just sent."""
        if identity != self._typist:
            self._typist, self._due = identity, max(self._loop.time(), self._out_until)
        self._look()

    async def end(self) -> None:
        """Show it no longer, and cancel a call to the target."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._task is not None:
            task, self._task = self._task, None
            await end_task(task)

    def _look(self) -> None:
        """Show it if it is due, and check again when it would end."""
        now = self._loop.time()
        if self._due <= now:
            self._due = now + _LASTS
            if self._task is None or self._task.done():  # a slow call is not repeated meanwhile
                self._task = self._loop.create_task(self._show(self._typist), name="cadenza typing")
        self._timer = self._loop.call_at(self._due, self._look)

    async def _show(self, identity: Identity | None) -> None:
        try:
            await self._target.typing(identity)
        except BaseException as error:
            if must_rise(error):
                raise
            logger.warning("showing the typing indicator failed", exc_info=error)
