"""Films that a page asks for: made in threads, a few at a time, and given up when nobody waits for them any more."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from msgspec import UNSET

from ..errors import CadenzaError, InputError
from ..films.film import Film, encoded
from ..films.rehearsal import Rehearsal, rehearse
from ..films.sources import understood
from ..films.troubles import Trouble
from ..films.usual import rehearse_usual
from ..films.virtual import Abandoned, GivenUp
from ..page import film_page
from ..settings import Settings
from ..sim.limits import Rate
from .bodies import Rehearse, Share, Side
from .telling import check_changeable
from .tour import LABELS, shown, story_of

T = TypeVar("T")

AT_ONCE = 2
TAKES = 120.0
"""Seconds after which a film is given up: several times as long as 1 MB takes."""
WAITING = 16
"""Who may wait for a film at the same time, those included for whom one is being made."""


class Screening:
    """Makes films. Whoever waits for one and is cancelled gives it up, and so does who has waited too long."""

    def __init__(self, *, takes: float = TAKES) -> None:
        self._takes = takes
        self._seats = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0

    async def rehearsed(self, wanted: Rehearse) -> bytes:
        """What was asked for, as JSON."""
        sides = [_checked(side) for side in wanted.sides]
        return await self._in_thread(lambda given_up: _rehearsed(wanted, sides, given_up))

    async def story(self, id_: str, language: str) -> bytes:
        """A story of the tour with its films, as JSON; a ``KeyError`` if there is none."""
        story = story_of(id_)
        if story is None:
            raise KeyError(id_)

        def told(given_up: GivenUp) -> bytes:
            seen = _finished(lambda: shown(story, language, given_up=given_up))
            return encoded(
                {
                    "id": story.id,
                    "title": dict(story.title),
                    "about": dict(story.about),
                    "captions": seen.captions,
                    "labels": [dict(label) for label in LABELS],
                    "films": [film.as_json() for film in seen.films],
                }
            )

        return await self._in_thread(told)

    async def shared(self, wanted: Share, language: str) -> bytes:
        """A page with those films in it."""

        def made(_given_up: GivenUp) -> bytes:
            page = film_page(
                wanted.films, title=wanted.title, labels=wanted.labels, captions=wanted.captions, language=language
            )
            return page.encode("utf-8", "replace")

        return await self._in_thread(made)

    async def _in_thread(self, work: Callable[[GivenUp], T]) -> T:
        if self._waiting >= WAITING:
            msg = "too many films are being made at the moment; wait until some of them are there"
            raise InputError(msg)
        self._waiting += 1
        try:
            return await self._seated(work)
        finally:
            self._waiting -= 1

    async def _seated(self, work: Callable[[GivenUp], T]) -> T:
        over = threading.Event()
        async with self._seats:
            working = asyncio.ensure_future(asyncio.to_thread(work, over.is_set))
            try:
                async with asyncio.timeout(self._takes):
                    return await asyncio.shield(working)
            except TimeoutError:
                msg = f"it takes longer than {self._takes:g} seconds, and was given up; try a shorter text"
                raise InputError(msg) from None
            finally:
                over.set()
                await _outlived(working)


async def _outlived(working: asyncio.Future[Any]) -> None:
    """Wait for a thread that was told to give up, so that its seat is free; what it came to is nobody's business."""
    if not working.done():
        await asyncio.wait([working])
    if not working.cancelled():
        working.exception()


def _checked(side: Side) -> Settings:
    """The settings of *side*; what is wrong with them is said before anybody waits."""
    check_changeable(side.settings)
    return Settings().with_values(side.settings)


def _rehearsed(wanted: Rehearse, sides: list[Settings], given_up: GivenUp) -> bytes:
    source = understood(wanted.text, wanted.name, rate=wanted.rate)[0]  # a file may hold more, and the page shows one
    films = [
        _film(source.rehearsal(_rehearsal(wanted, side, settings)), side, given_up)
        for side, settings in zip(wanted.sides, sides, strict=True)
    ]
    return encoded({"what": source.what, "told": source.told, "films": [film.as_json() for film in films]})


def _rehearsal(wanted: Rehearse, side: Side, settings: Settings) -> Rehearsal:
    plain = Rehearsal(
        (),
        settings,
        asked=wanted.asked,
        title=side.label if isinstance(side.label, str) else "",
        stop_at=side.stop_at,
        faults=tuple(Trouble(one.what, one.times, one.at_message, one.seconds) for one in side.faults),
    )
    if side.limits is UNSET:
        return plain
    rate = None if side.limits is None else Rate(side.limits.messages, side.limits.seconds)
    return replace(plain, limits=rate)


def _film(rehearsal: Rehearsal, side: Side, given_up: GivenUp) -> Film:
    make = rehearse_usual if side.is_usual else rehearse
    return _finished(lambda: make(rehearsal, given_up=given_up))


def _finished(work: Callable[[], T]) -> T:
    """What comes of *work*, unless it was given up."""
    try:
        return work()
    except Abandoned:
        msg = "nobody waits for this film any more"
        raise CadenzaError(msg) from None
