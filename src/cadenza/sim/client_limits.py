"""What a client knows of the limits from the headers that it saw, and how long it holds back for them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..targets.discord.api import Bucket

INSTANT = 1e-5
"""Seconds; so little is not waited for, since clocks are not exact and nobody should go round and round for that."""


@dataclass(slots=True)
class BucketMeter:
    """One bucket, as the headers told of it. Requests of a bucket go one after the other, in the order of asking."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _limit: int = 0
    _left: int = 0
    _resets_at: float = 0.0

    def read(self, headers: Mapping[str, str], now: float) -> None:
        """Take from an answer what it says; many say nothing."""
        if "X-RateLimit-Remaining" in headers:
            self._limit = int(headers["X-RateLimit-Limit"])
            self._left = int(headers["X-RateLimit-Remaining"])
            self._resets_at = now + float(headers["X-RateLimit-Reset-After"])

    def bucket(self, now: float) -> Bucket | None:
        """How it is at present; ``None`` if nothing was ever told."""
        if not self._limit:
            return None
        if self._resets_at - now < INSTANT:
            return Bucket(self._limit, self._limit, 0.0)
        return Bucket(self._limit, self._left, self._resets_at - now)

    def wait(self, now: float) -> float:
        """Seconds until it takes the next."""
        bucket = self.bucket(now)
        return bucket.resets_in if bucket and not bucket.left else 0.0
