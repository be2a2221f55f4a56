"""Waits that end when a reply is stopped. A message that is being sent is never interrupted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class Hurried(Exception):  # noqa: N818  # no failure: a user stopped it
    """The wait was cut short, and nothing was sent."""


class CancellableWaits:
    """Whether waits are cut short. One for a turn; each message begins without haste."""

    def __init__(self) -> None:
        self.is_wanted = False
        """Whether waits end at once."""
        self._limits: set[asyncio.Timeout] = set()

    def hurry(self) -> None:
        """End all present waits, and further ones at once."""
        if self.is_wanted:
            return  # an expired timeout cannot be rescheduled
        self.is_wanted = True
        for limit in self._limits:
            limit.reschedule(0)

    def take_time(self) -> None:
        """Allow waits again, for the next message."""
        self.is_wanted = False

    @asynccontextmanager
    async def patience(self) -> AsyncIterator[None]:
        """Context for a wait that may be cut short at any moment; raises ``Hurried`` then."""
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
        """Sleep for *seconds*, or until haste is wanted."""
        with suppress(Hurried):
            async with self.patience():
                await asyncio.sleep(seconds)
