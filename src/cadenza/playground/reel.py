"""What has happened so far, numbered, for every page that looks: kept for as long as there is room."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import NamedTuple

from ..films.film import FilmRecord, encoded

MOST = 50_000
"""Records that are kept; of what is older, whole turns are dropped."""
_ALWAYS = ("channel", "person")
"""Kinds that are kept whatever their age, for without them nothing else can be shown."""


class Numbered(NamedTuple):
    """A record as it is sent."""

    number: int
    data: bytes
    turn: str
    """Of what happened inside a reply: which; else empty."""
    is_lasting: bool


_number: Callable[[Numbered], int] = attrgetter("number")


class Reel:
    """Each page has a place of its own in it, and none is waited for: who is too slow misses what was dropped."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._records: list[Numbered] = []
        self._last = 0
        self._news = asyncio.Event()
        self.is_over = False

    def add(self, record: FilmRecord) -> None:
        """Something has happened."""
        self._last += 1
        data = encoded(record.as_json())
        turn = str(record.about.get("turn", ""))
        self._records.append(Numbered(self._last, data, turn, record.kind in _ALWAYS))
        if len(self._records) > self._most:
            self._drop()
        self._stir()

    def close(self) -> None:
        """Nothing more happens; who waits for it is told."""
        self.is_over = True
        self._stir()

    def beyond(self, number: int, most: int) -> Sequence[Numbered]:
        """What is kept of what came after *number*, the oldest first, and no more than *most* of it."""
        start = bisect_left(self._records, number + 1, key=_number)
        return self._records[start : start + most]

    @property
    def last(self) -> int:
        """The number of the newest."""
        return self._last

    async def news(self, number: int) -> None:
        """Wait until there is something after *number*, or there will be nothing any more."""
        while self._last <= number and not self.is_over:
            await self._news.wait()

    def _stir(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    def _drop(self) -> None:
        """Make room for a fifth of all: of turns that go on beyond that, nothing is dropped, unless one alone is too long."""
        cut = len(self._records) - self._most * 4 // 5
        later = {record.turn for record in self._records[cut:] if record.turn}
        kept = [record for record in self._records[:cut] if record.is_lasting or record.turn in later]
        if len(kept) > self._most // 10:
            kept = [record for record in kept if record.is_lasting]
        self._records[:cut] = kept
