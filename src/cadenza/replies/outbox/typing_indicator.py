"""The typing indicator: what people see while a message is on its way to them."""

from __future__ import annotations

import asyncio

from ...concurrency.tasks import end_task, must_rise
from ...stages.s7_delivery import Target
from ...types import Identity

_LASTS = 8.0
"""Seconds after which it is shown again; Discord's goes out after ten."""

_AGAIN = 0.5
"""Seconds after a message before it is shown again: often the next one is there by then, or that was the last."""


class TypingIndicator:
    """Shows in a target that somebody is writing. A courtesy: whatever goes wrong with it holds up and ends nothing.

    It is switched on and off around every message, and most of the time there is nothing to do for that: so it is a
    timer that waits until it must be shown again, not a task.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._loop = asyncio.get_running_loop()
        self._typist: Identity | None = None
        self._due = self._out_until = self._loop.time()
        self._timer: asyncio.TimerHandle | None = None
        self._showing: asyncio.Task[None] | None = None

    def is_out(self) -> None:
        """A message has put it out; if it is still wanted in a moment, it is shown again."""
        self._due = self._out_until = self._loop.time() + _AGAIN

    def begin(self, identity: Identity | None) -> None:
        """From now on *identity* is seen writing until ``end``: at once, unless that still shows or a message was just sent."""
        if identity != self._typist:
            self._typist, self._due = identity, max(self._loop.time(), self._out_until)
        self._look()

    async def end(self) -> None:
        """Show nobody any more. If a target is just being told, it is told no further."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._showing is not None:
            showing, self._showing = self._showing, None
            await end_task(showing)

    def _look(self) -> None:
        """Show it if it is time, and look again when it would go out."""
        now = self._loop.time()
        if self._due <= now:
            self._due = now + _LASTS
            if self._showing is None or self._showing.done():  # one that takes so long is not hurried by a second
                self._showing = self._loop.create_task(self._show(self._typist), name="cadenza typing")
        self._timer = self._loop.call_at(self._due, self._look)

    async def _show(self, identity: Identity | None) -> None:
        try:
            await self._target.typing(identity)
        except BaseException as error:
            if must_rise(error):
                raise
