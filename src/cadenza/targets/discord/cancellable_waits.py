"""Haste: what only waits is given up when a reply is stopped. A message that is being sent never is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class Hurried(Exception):  # noqa: N818  # it is no failure: somebody wants it to end
    """There is no time for it any more, and nothing of it was sent."""


class CancellableWaits:
    """Whether there is time. One for a turn; each message begins with all the time in the world."""

    def __init__(self) -> None:
        self.is_wanted = False
        """Whether nothing is to be waited for."""
        self._limits: set[asyncio.Timeout] = set()

    def hurry(self) -> None:
        """Let what is under way wait for nothing more."""
        if self.is_wanted:
            return  # once is enough: a limit that is over cannot be moved
        self.is_wanted = True
        for limit in self._limits:
            limit.reschedule(0)

    def take_time(self) -> None:
        """Begin with the next message."""
        self.is_wanted = False

    @asynccontextmanager
    async def patience(self) -> AsyncIterator[None]:
        """Wait in here for what may be given up at every moment; raises ``Hurried`` if there is no time for it."""
        limit = asyncio.timeout_at(0 if self.is_wanted else None)
        try:
            async with limit:
                self._limits.add(limit)
                try:
                    yield
                finally:
                    self._limits.discard(limit)
        except TimeoutError:
            if limit.expired():
                raise Hurried from None
            raise

    async def pause(self, seconds: float) -> None:
        """Wait for *seconds*, or until there is no time."""
        with suppress(Hurried):
            async with self.patience():
                await asyncio.sleep(seconds)
