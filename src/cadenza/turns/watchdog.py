"""Seeing to it that a turn ends: once it was asked to stop, when it does not get on, and whatever it does about it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine

from ..concurrency.stops import StopHandle
from ..settings import ChannelSettings
from ..types import StopReason
from .waiting import INSTANT

logger = logging.getLogger(__name__)

_LEAST_GRACE = 1.0
"""Seconds that a cancelled turn has at least: to clean up takes a moment, whatever the settings say."""


class Watchdog:
    """Attends to turns. It never waits for one for ever; what does not end is left behind, and counted."""

    def __init__(self, settings: ChannelSettings) -> None:
        self.settings = settings
        """What holds from now on."""
        self._left: set[asyncio.Task[None]] = set()  # the loop itself would not keep them
        self.left_behind = 0
        """How many turns did not end even when they were cancelled."""

    async def attend(
        self, answering: Coroutine[object, object, None], stop: StopHandle, *, on_stale: Callable[[], object]
    ) -> None:
        """Run *answering* until it ends, or has to.

        If *stop* hears of nothing for ``stale_timeout`` seconds, it is told to stop, and *on_stale* is called. Whoever
        was told to stop has ``stop_grace`` seconds, anew with each message that still gets through, and the same again
        when it is cancelled then.
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
        """Wait until *work* is done or was told to stop: by somebody, or here."""
        limit = self.settings.stale_timeout
        while not (work.done() or stop.requested.done()):
            left = limit - _idle(stop)
            if left <= INSTANT and stop.take(StopReason.STALE):
                on_stale()
                return
            await asyncio.wait([work, stop.requested], timeout=left, return_when=asyncio.FIRST_COMPLETED)

    async def _ended_or_stuck(self, work: asyncio.Task[None], stop: StopHandle) -> None:
        """Wait until *work* is done, or does not get on with its last words."""
        loop = asyncio.get_running_loop()
        told_at = loop.time()
        left = self.settings.stop_grace
        while not work.done() and left > INSTANT:
            await asyncio.wait([work], timeout=left)
            left = max(told_at, stop.alive_at) + self.settings.stop_grace - loop.time()

    async def _ended_or_left(self, work: asyncio.Task[None]) -> None:
        """Cancel *work* if it still runs; if that does not end it either, let it be."""
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
                logger.warning("a turn does not end although it was cancelled; it is left behind")


def _idle(stop: StopHandle) -> float:
    """For how long a turn has not got on."""
    since = stop.idle_since
    return 0.0 if since is None else asyncio.get_running_loop().time() - since
