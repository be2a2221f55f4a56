"""People's privacy choices, and the deletion of what is remembered about them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ...explain.tracebacks import get_logger
from ..store.store import Namespace, Record, Store
from .notes import DIRECT, About, Notes, NoteSubject
from .short_term import ShortTerm

logger = get_logger(__name__)

_MOST_FORGOTTEN = 10_000
"""How many deletions are remembered while the bot runs."""


class PrivacyLevel(StrEnum):
    """How much is remembered of a person."""

    OPEN = "open"
    """Recent conversations, and notes about them."""
    LIMITED = "limited"
    """Recent conversations, but no notes about them."""
    FULL = "full"
    """Nothing, and their words are left out of other people's memory too."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """The choices of a person."""

    level: PrivacyLevel = PrivacyLevel.OPEN
    keeps_direct: bool = False
    """Whether direct messages are remembered."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How much was deleted."""

    records: int = 0
    """Their own records: notes, conversations, choices."""
    lines: int = 0
    """Their part in others' memory: lines, summaries, notes about servers."""


class Privacy:
    """The choices of all people. Hold ``writing`` while storing something, so that no deletion happens meanwhile."""

    def __init__(self, store: Store, short_term: ShortTerm, notes: Notes) -> None:
        self._store = store
        self._short_term = short_term
        self._notes = notes
        self._listeners: list[Callable[[str], object]] = []
        self._since: dict[str, int] = {}  # the Discord id at which each person was forgotten, the oldest first
        self.writing = asyncio.Lock()

    def listen(self, listener: Callable[[str], object]) -> None:
        """Call *listener* with the id of each person who is forgotten, to clear what is only in memory."""
        self._listeners.append(listener)

    async def of(self, person: str) -> Wishes:
        """The choices of *person*."""
        record = await self._store.get(Namespace.PEOPLE, person)
        value: Mapping[str, Any] = {} if record is None else record.value
        return Wishes(_level_of(value.get("privacy", PrivacyLevel.OPEN)), keeps_direct=value.get("direct") is True)

    async def hidden(self, people: Iterable[str]) -> frozenset[str]:
        """Those of *people* whose level is ``FULL``."""
        return frozenset([one for one in set(people) if one and (await self.of(one)).level is PrivacyLevel.FULL])

    def is_forgotten(self, person: str, message: str) -> bool:
        """Whether *person* was forgotten after *message*, by id: it may still be in a channel, but is not stored again."""
        return message.isdecimal() and int(message) < self._since.get(person, 0)

    async def set_level(self, person: str, level: PrivacyLevel, *, asked: str = "") -> Forgotten:
        """Set the level of *person*, and delete at once what it does not allow. *asked* as in ``forget``."""
        async with self.writing:
            await self._choose(person, "privacy", level.value)
            match level:
                case PrivacyLevel.OPEN:
                    return Forgotten()
                case PrivacyLevel.LIMITED:
                    gone = await self._notes.clear(NoteSubject(About.PERSON, person))
                    await self._store.sweep()  # removes its traces from the file
                    return Forgotten(gone)
                case PrivacyLevel.FULL:
                    return await self._clear(person, asked)

    async def set_direct(self, person: str, *, keeps: bool) -> int:
        """Set whether direct messages of *person* are remembered; return how many records were deleted."""
        async with self.writing:
            await self._choose(person, "direct", keeps)
            if keeps:
                return 0
            said = [entry.key for entry in await self._short_term.of_person(person) if not entry.server]
            noted = [
                note.key for note in await self._notes.of(NoteSubject(About.PERSON, person)) if note.origin == DIRECT
            ]
            gone = await self._store.delete(Namespace.SHORT_TERM, *said) + await self._store.delete(
                Namespace.NOTES, *noted
            )
            await self._store.sweep()  # removes its traces from the file
            return gone

    async def clear(self, person: str, *, asked: str = "") -> Forgotten:
        """Delete what is remembered of *person*; their choices stay. *asked* as in ``forget``."""
        async with self.writing:
            return await self._clear(person, asked)

    async def forget(self, person: str, *, asked: str = "") -> Forgotten:
        """Delete all records of *person*, choices too, and their part in the memory of others.

        *asked* is the id of the request: earlier messages are not remembered again while the bot runs, though they may
        still be in a channel, or are being answered.
        """
        if not person:
            return Forgotten()  # records without an owner have an empty one
        async with self.writing:
            self._note(person, asked)
            lines = await self._scrub(person)
            await self._store.sweep()  # expired records may still be in the file
            records = await self._store.forget(owner=person)
        self._tell(person)
        return Forgotten(records, lines)

    async def _clear(self, person: str, asked: str) -> Forgotten:
        if not person:
            return Forgotten()  # as above
        self._note(person, asked)
        lines = await self._scrub(person)
        notes = await self._notes.clear(NoteSubject(About.PERSON, person))
        explained = await self._store.find(Namespace.EXPLANATIONS, owner=person)
        gone = await self._store.delete(Namespace.EXPLANATIONS, *(record.key for record in explained))
        said = await self._short_term.clear(person)
        await self._store.sweep()  # removes its traces from the file
        self._tell(person)
        return Forgotten(notes + gone + said, lines)

    def _note(self, person: str, asked: str) -> None:
        if not asked.isdecimal():
            return
        self._since.pop(person, None)
        while len(self._since) >= _MOST_FORGOTTEN:
            del self._since[next(iter(self._since))]
        self._since[person] = int(asked)

    def _tell(self, person: str) -> None:
        for listener in self._listeners:
            try:
                listener(person)
            except Exception:  # the other listeners still forget
                logger.exception("a part of the bot failed to forget a person")

    async def _scrub(self, person: str) -> int:
        return await self._short_term.scrub(person) + await self._notes.scrub(person)

    async def _choose(self, person: str, name: str, value: object) -> None:
        def chosen(record: Record | None) -> Record:
            before = {} if record is None else record.value
            return Record(Namespace.PEOPLE, person, {**before, name: value}, owner=person)

        await self._store.change(Namespace.PEOPLE, person, chosen)


def _level_of(value: object) -> PrivacyLevel:
    """The stored level; an unknown value means the strictest."""
    try:
        return PrivacyLevel(str(value))
    except ValueError:
        return PrivacyLevel.FULL
