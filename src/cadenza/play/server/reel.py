"""The numbered records of a session, kept for all pages while there is room."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import NamedTuple

from ...explain.fact_log import encoded
from ..films.film import FilmRecord

MOST = 50_000
"""Records that are kept; of older ones, whole turns are dropped."""
_ALWAYS = ("channel", "person")
"""Kinds that are always kept: nothing can be shown without them."""


class Numbered(NamedTuple):
    """A record as it is sent."""

    number: int
    data: bytes
    turn: str
    """The reply that it belongs to; empty if there is none."""
    is_lasting: bool


_number: Callable[[Numbered], int] = attrgetter("number")


class Reel:
    """Each page reads at its own position; a page that is too slow misses dropped records."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._records: list[Numbered] = []
        self._last = 0
        self._news = asyncio.Event()
        self.is_over = False

    def add(self, record: FilmRecord) -> None:
        """Add a record."""
        self._last += 1
        data = encoded(record.as_json())
        turn = str(record.about.get("turn", ""))
        self._records.append(Numbered(self._last, data, turn, record.kind in _ALWAYS))
        if len(self._records) > self._most:
            self._drop()
        self._stir()

    def close(self) -> None:
        """End the session, and wake all pages."""
        self.is_over = True
        self._stir()

    def beyond(self, number: int, most: int) -> Sequence[Numbered]:
        """At most *most* of the kept records after *number*, oldest first."""
        start = bisect_left(self._records, number + 1, key=_number)
        return self._records[start : start + most]

    @property
    def last(self) -> int:
        """The number of the newest record."""
        return self._last

    async def news(self, number: int) -> None:
        """Wait for a record after *number*, or for the end."""
        while self._last <= number and not self.is_over:
            await self._news.wait()

    def _stir(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    def _drop(self) -> None:
        """Drop about a fifth. Turns that are still going on are kept, unless they are too long themselves."""
        cut = len(self._records) - self._most * 4 // 5
        later = {record.turn for record in self._records[cut:] if record.turn}
        kept = [record for record in self._records[:cut] if record.is_lasting or record.turn in later]
        if len(kept) > self._most // 10:
            kept = [record for record in kept if record.is_lasting]
        self._records[:cut] = kept
