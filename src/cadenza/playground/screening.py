"""Films that a page asks for: a few at a time, and given up when nobody waits for them any more.

Small ones are made in threads, which begin at once; large ones in processes of their own, so that everybody else is
still answered.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar

import msgspec

from ..errors import InputError
from ..films.virtual import GivenUp
from . import apart, filming
from .bodies import Rehearse, Share, read
from .filming import checked
from .tour import story_of

T = TypeVar("T")

AT_ONCE = 2
TAKES = 300.0
"""Seconds after which a film is given up: many times as long as 1 MB takes on a machine with time for it."""
WAITING = 16
"""Who may wait for a film at the same time, those included for whom one is being made."""
LARGE = 50_000
"""Characters of a text, or bytes of films, above which a process of its own does it."""


class Screening:
    """Makes films. Whoever waits for one and is cancelled gives it up, and so does who has waited too long."""

    def __init__(self, *, takes: float = TAKES) -> None:
        self._takes = takes
        self._seats = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0

    async def rehearsed(self, wanted: Rehearse) -> bytes:
        """What was asked for, as JSON."""
        for side in wanted.sides:
            checked(side)
        if wanted.file or len(wanted.text) > LARGE:
            return await self._apart("rehearse", msgspec.json.encode(wanted))
        return await self._in_thread(lambda given_up: filming.rehearsed(wanted, given_up))

    async def story(self, id_: str, language: str) -> bytes:
        """A story of the tour with its films, as JSON; a ``KeyError`` if there is none."""
        story = story_of(id_)
        if story is None:
            raise KeyError(id_)
        return await self._in_thread(lambda given_up: filming.told(story, language, given_up))

    async def shared(self, request: bytes, language: str) -> bytes:
        """A page with the films in it that are in *request*, which is a ``Share``."""
        if len(request) > LARGE:
            return await self._apart("share", request, language)
        wanted = read(request, Share)
        return await self._in_thread(lambda _given_up: filming.shared(wanted, language))

    async def _apart(self, what: Literal["rehearse", "share"], request: bytes, language: str = "en") -> bytes:
        """Have it made by a process of its own, which ends when we do."""
        return await self._seated(lambda: self._in_time(apart.made(what, request, language)))

    async def _in_thread(self, work: Callable[[GivenUp], T]) -> T:
        return await self._seated(lambda: self._threaded(work))

    async def _seated(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do *work* when there is a seat for it."""
        if self._waiting >= WAITING:
            msg = "too many films are being made at the moment; wait until some are done"
            raise InputError(msg)
        self._waiting += 1
        try:
            async with self._seats:
                return await work()
        finally:
            self._waiting -= 1

    async def _threaded(self, work: Callable[[GivenUp], T]) -> T:
        over = threading.Event()
        working = asyncio.ensure_future(asyncio.to_thread(work, over.is_set))
        try:
            return await self._in_time(asyncio.shield(working))
        finally:
            over.set()
            await _outlived(working)

    async def _in_time(self, work: Awaitable[T]) -> T:
        try:
            async with asyncio.timeout(self._takes):
                return await work
        except TimeoutError:
            msg = f"the film took longer than {self._takes:g} seconds and was cancelled; try a shorter text"
            raise InputError(msg) from None


async def _outlived(working: asyncio.Future[Any]) -> None:
    """Wait for a thread that was told to give up, so that its seat is free; what it came to is nobody's business."""
    if not working.done():
        await asyncio.wait([working])
    if not working.cancelled():
        working.exception()
