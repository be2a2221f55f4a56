"""Makes films for pages: a few at a time, and cancelled when the page goes away.

Small films are made in threads, which start at once; large ones in processes of their own, so that the server stays
responsive.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar

import msgspec

from ...errors import InputError, Sentence
from ..films.virtual_time import GivenUp
from . import filming, worker_process
from .filming import checked
from .request_types import Rehearse, Share, read
from .tour import story_of

T = TypeVar("T")

AT_ONCE = 2
TAKES = 300.0
"""Seconds after which a film is cancelled: many times what 1 MB takes on an idle machine."""
WAITING = 16
"""Most requests at the same time, running ones included."""
LARGE = 50_000
"""Characters of a text, or bytes of films, from which a process of its own is used."""


class FilmJobs:
    """Makes films. Cancelling the waiting task cancels its film; so does the timeout."""

    def __init__(self, *, takes: float = TAKES) -> None:
        self._takes = takes
        self._seats = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0

    async def rehearsed(self, wanted: Rehearse, language: str = "en") -> bytes:
        """The films of *wanted*, as JSON; *language* is that of a refusal."""
        for side in wanted.sides:
            checked(side)
        if wanted.file or len(wanted.text) > LARGE:
            return await self._apart("rehearse", msgspec.json.encode(wanted), language)
        return await self._in_thread(lambda given_up: filming.rehearsed(wanted, given_up))

    async def story(self, id_: str, language: str) -> bytes:
        """A story of the tour with its films, as JSON; a ``KeyError`` if there is none."""
        story = story_of(id_)
        if story is None:
            raise KeyError(id_)
        return await self._in_thread(lambda given_up: filming.told(story, language, given_up))

    async def shared(self, request: bytes, language: str) -> bytes:
        """An HTML page with the films in *request*, which is a ``Share``."""
        if len(request) > LARGE:
            return await self._apart("share", request, language)
        wanted = read(request, Share)
        return await self._in_thread(lambda _given_up: filming.shared(wanted, language))

    async def _apart(self, what: Literal["rehearse", "share"], request: bytes, language: str) -> bytes:
        """Have it made by a process of its own."""
        return await self._seated(lambda: self._in_time(worker_process.made(what, request, language)))

    async def _in_thread(self, work: Callable[[GivenUp], T]) -> T:
        return await self._seated(lambda: self._threaded(work))

    async def _seated(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run *work* when a slot is free."""
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
            msg = Sentence(
                "the film took longer than {seconds} seconds and was cancelled; try a shorter text",
                seconds=f"{self._takes:g}",
            )
            raise InputError(msg) from None


async def _outlived(working: asyncio.Future[Any]) -> None:
    """Wait for the end of a cancelled thread, so that its slot is free; its result is ignored."""
    if not working.done():
        await asyncio.wait([working])
    if not working.cancelled():
        working.exception()
