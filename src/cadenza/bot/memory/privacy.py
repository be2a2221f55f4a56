"""What people wish to be remembered of them, and how they are forgotten."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ..store.store import Record, Shelf, Store
from .notes import DIRECT, About, Notes, NoteSubject
from .short_term import ShortTerm

logger = logging.getLogger(__name__)

_MOST_FORGOTTEN = 10_000
"""Of how many people it is known while the bot runs since when they are forgotten."""


class PrivacyLevel(StrEnum):
    """How much is remembered of a person."""

    OPEN = "open"
    """What was said lately, and notes about them."""
    LIMITED = "limited"
    """What was said lately, and no notes about them."""
    FULL = "full"
    """Nothing; nor are their words kept in what is remembered of others."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person has chosen."""

    level: PrivacyLevel = PrivacyLevel.OPEN
    keeps_direct: bool = False
    """Whether what they say in direct messages is remembered."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How much was deleted."""

    records: int = 0
    """What was theirs: notes, conversations, choices."""
    lines: int = 0
    """What was in the memory of others: lines, summaries, notes about servers."""


class Privacy:
    """The wishes of all people. Who writes something down holds ``writing``, so that nobody is forgotten meanwhile."""

    def __init__(self, store: Store, short_term: ShortTerm, notes: Notes) -> None:
        self._store = store
        self._short_term = short_term
        self._notes = notes
        self._listeners: list[Callable[[str], object]] = []
        self._since: dict[str, int] = {}  # with which id of Discord's people were forgotten, the oldest first
        self.writing = asyncio.Lock()

    def listen(self, listener: Callable[[str], object]) -> None:
        """Call *listener* with the id of whoever is forgotten: for what is known of them and not written down."""
        self._listeners.append(listener)

    async def of(self, person: str) -> Wishes:
        """What *person* has chosen."""
        record = await self._store.get(Shelf.PEOPLE, person)
        value: Mapping[str, Any] = {} if record is None else record.value
        return Wishes(_level_of(value.get("privacy", PrivacyLevel.OPEN)), keeps_direct=value.get("direct") is True)

    async def hidden(self, people: Iterable[str]) -> frozenset[str]:
        """Those of *people* of whom nothing is kept."""
        return frozenset([one for one in set(people) if one and (await self.of(one)).level is PrivacyLevel.FULL])

    def is_forgotten(self, person: str, message: str) -> bool:
        """Whether *person* was forgotten after *message*, by its id: it may stand in a channel still, but is not kept anew."""
        return message.isdecimal() and int(message) < self._since.get(person, 0)

    async def set_level(self, person: str, level: PrivacyLevel, *, asked: str = "") -> Forgotten:
        """Let *person* choose a level; what is there and may not be any more is deleted at once. *asked* as in ``forget``."""
        async with self.writing:
            await self._choose(person, "privacy", level.value)
            match level:
                case PrivacyLevel.OPEN:
                    return Forgotten()
                case PrivacyLevel.LIMITED:
                    gone = await self._notes.clear(NoteSubject(About.PERSON, person))
                    await self._store.sweep()  # nothing of it is left in the file
                    return Forgotten(gone)
                case PrivacyLevel.FULL:
                    return await self._clear(person, asked)

    async def set_direct(self, person: str, *, keeps: bool) -> int:
        """Let *person* choose whether direct messages are remembered; if not, say how much of them was deleted."""
        async with self.writing:
            await self._choose(person, "direct", keeps)
            if keeps:
                return 0
            said = [entry.key for entry in await self._short_term.of_person(person) if not entry.server]
            noted = [
                note.key for note in await self._notes.of(NoteSubject(About.PERSON, person)) if note.origin == DIRECT
            ]
            gone = await self._store.delete(Shelf.SHORT_TERM, *said) + await self._store.delete(Shelf.NOTES, *noted)
            await self._store.sweep()  # nothing of it is left in the file
            return gone

    async def clear(self, person: str, *, asked: str = "") -> Forgotten:
        """Forget what is remembered of *person*; what they have chosen stays. *asked* as in ``forget``."""
        async with self.writing:
            return await self._clear(person, asked)

    async def forget(self, person: str, *, asked: str = "") -> Forgotten:
        """Forget *person*: all that is theirs on every shelf, choices too, and their part in the memory of others.

        *asked* is the id of what they have asked for it with: what they said before is not remembered anew as long as
        the bot runs, though it can still be read in a channel, or is being answered.
        """
        if not person:
            return Forgotten()  # a store takes an empty owner for everything that is nobody's
        async with self.writing:
            self._note(person, asked)
            lines = await self._scrub(person)
            await self._store.sweep()  # what has expired is found by nobody any more, and may still be in the file
            records = await self._store.forget(owner=person)
        self._tell(person)
        return Forgotten(records, lines)

    async def _clear(self, person: str, asked: str) -> Forgotten:
        if not person:
            return Forgotten()  # as above
        self._note(person, asked)
        lines = await self._scrub(person)
        notes = await self._notes.clear(NoteSubject(About.PERSON, person))
        explained = await self._store.find(Shelf.EXPLANATIONS, owner=person)
        gone = await self._store.delete(Shelf.EXPLANATIONS, *(record.key for record in explained))
        said = await self._short_term.clear(person)
        await self._store.sweep()  # nothing of it is left in the file
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
            except Exception as error:  # noqa: BLE001  # one who cannot forget keeps nobody else from it
                logger.error("a part of the bot did not forget somebody (%s)", type(error).__name__)  # noqa: TRY400  # its text may name them

    async def _scrub(self, person: str) -> int:
        return await self._short_term.scrub(person) + await self._notes.scrub(person)

    async def _choose(self, person: str, name: str, value: object) -> None:
        def chosen(record: Record | None) -> Record:
            before = {} if record is None else record.value
            return Record(Shelf.PEOPLE, person, {**before, name: value}, owner=person)

        await self._store.change(Shelf.PEOPLE, person, chosen)


def _level_of(value: object) -> PrivacyLevel:
    """What was kept; of what is not understood, the strictest is meant."""
    try:
        return PrivacyLevel(str(value))
    except ValueError:
        return PrivacyLevel.FULL
