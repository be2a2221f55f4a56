"""A client's view of rate limits, from response headers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..targets.discord.api import Bucket

INSTANT = 1e-5
"""Seconds; shorter waits are skipped, since clocks are not exact."""


@dataclass(slots=True)
class BucketMeter:
    """One bucket, as the headers describe it. Its requests go one after the other, in order."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _limit: int = 0
    _left: int = 0
    _resets_at: float = 0.0

    def read(self, headers: Mapping[str, str], now: float) -> None:
        """Read the headers of a response; many have none."""
        if "X-RateLimit-Remaining" in headers:
            self._limit = int(headers["X-RateLimit-Limit"])
            self._left = int(headers["X-RateLimit-Remaining"])
            self._resets_at = now + float(headers["X-RateLimit-Reset-After"])

    def bucket(self, now: float) -> Bucket | None:
        """The bucket now; ``None`` without any headers so far."""
        if not self._limit:
            return None
        if self._resets_at - now < INSTANT:
            return Bucket(self._limit, self._limit, 0.0)
        return Bucket(self._limit, self._left, self._resets_at - now)

    def wait(self, now: float) -> float:
        """Seconds until the next request is allowed."""
        bucket = self.bucket(now)
        return bucket.resets_in if bucket and not bucket.left else 0.0
