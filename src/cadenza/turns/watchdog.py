"""The watchdog of turns: ends one that is stuck, or that ignores a stop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

from ..concurrency.stops import StopHandle
from ..explain.tracebacks import get_logger
from ..settings import ChannelSettings
from ..types import StopReason
from .waiting import INSTANT

logger = get_logger(__name__)

_LEAST_GRACE = 1.0
"""Seconds that a cancelled turn has at least for its clean-up, whatever the settings say."""


class Watchdog:
    """Watches turns. One that does not end even when cancelled is abandoned and counted."""

    def __init__(self, settings: ChannelSettings) -> None:
        self.settings = settings
        """The current settings."""
        self._left: set[asyncio.Task[None]] = set()  # the loop itself holds tasks only weakly
        self.left_behind = 0
        """Number of turns that did not end even when cancelled."""

    async def attend(
        self, answering: Coroutine[object, object, None], stop: StopHandle, *, on_stale: Callable[[], object]
    ) -> None:
        """Run *answering* until it ends, or end it.

        After ``stale_timeout`` seconds without progress it is asked to stop, and *on_stale* is called. After any stop it
        has ``stop_grace`` seconds, again with each message that is still sent. Then it is cancelled and has as long
        again.
        """
        work = asyncio.create_task(answering, name="cadenza answer")
        try:
            await self._ended_or_stopped(work, stop, on_stale)
            await self._ended_or_stuck(work, stop)
        finally:
            await self._ended_or_left(work)

    async def _ended_or_stopped(
        self, work: asyncio.Task[None], stop: StopHandle, on_stale: Callable[[], object]
    ) -> None:
        """Wait until *work* is done, asked to stop, or stale."""
        limit = self.settings.stale_timeout
        while not (work.done() or stop.requested.done()):
            left = limit - _idle(stop)
            if left <= INSTANT and stop.take(StopReason.STALE):
                on_stale()
                return
            await asyncio.wait([work, stop.requested], timeout=left, return_when=asyncio.FIRST_COMPLETED)

    async def _ended_or_stuck(self, work: asyncio.Task[None], stop: StopHandle) -> None:
        """Wait until *work* is done, or makes no more progress after its stop."""
        loop = asyncio.get_running_loop()
        told_at = loop.time()
        left = self.settings.stop_grace
        while not work.done() and left > INSTANT:
            await asyncio.wait([work], timeout=left)
            left = max(told_at, stop.alive_at) + self.settings.stop_grace - loop.time()

    async def _ended_or_left(self, work: asyncio.Task[None]) -> None:
        """Cancel *work* if it still runs; if that does not end it, abandon it."""
        if work.done():
            return
        work.cancel()
        try:
            await asyncio.wait([work], timeout=max(self.settings.stop_grace, _LEAST_GRACE))
        finally:
            if not work.done():
                self.left_behind += 1
                self._left.add(work)
                work.add_done_callback(self._left.discard)
                logger.warning("a turn ignored its cancellation and was abandoned")


def _idle(stop: StopHandle) -> float:
    """Return the seconds since the turn last made progress."""
    since = stop.idle_since
    return 0.0 if since is None else asyncio.get_running_loop().time() - since
