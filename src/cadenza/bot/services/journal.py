"""What is being answered, written down before it is, so that a process that dies is followed by one that knows."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from ...concurrency.tasks import must_rise
from ..store.store import Record, Shelf, Store

logger = logging.getLogger(__name__)

T = TypeVar("T")

KEPT_SECONDS = 86_400.0
"""How long an entry is kept that nobody strikes out."""

_LEADER = "leader"
"""Under which name a record says with which other one it is answered."""
_STORE_TAKES = 5.0
"""Seconds that an answer waits for the store at most."""
_LAST_WAITS = 1.0
"""Seconds that its last message does."""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A message that is to be answered; no words of anybody's."""

    key: str
    """Of the desk: the id of the message, or what was made up for a command."""
    message: str
    """The id of the message that is answered."""
    channel: str
    author: str
    server: str = ""
    persona: str = ""
    has_begun: bool = False
    """Whether it was being answered, and did not only wait."""
    at: float = 0.0
    """When it was heard, in seconds since 1970."""
    began: float = 0.0
    """When its answer first began, likewise, in whichever process; what was said before is none of it."""
    last_behind: str = ""
    """Behind which message the last one of the answer was going to stand, ``0`` if behind none of it; empty before that."""
    tries: int = 0
    """How many processes have seen to it after a death."""
    goes_on: bool = False
    """Whether *message* is our own, and was to go on."""
    supersedes: tuple[str, ...] = ()
    """The ids of messages in whose place the answer was to come."""
    root: str = ""
    """The id of what a person said, if characters were answering each other."""


class Journal:
    """The book of all turns. Its methods never raise: a bot that cannot write it answers all the same."""

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock
        self._own: set[str] = set()  # what this process wrote: nobody has left that
        self._owed: set[str] = set()  # what is over, and could not be struck out yet

    async def heard(self, entry: JournalEntry) -> None:
        """*entry* is going to be answered."""
        await self.takes_over(entry if entry.at else replace(entry, at=self._clock()))

    async def takes_over(self, entry: JournalEntry) -> bool:
        """*entry* is this process's from now on; say whether that could be written down."""
        self._own.add(entry.key)
        self._owed.discard(entry.key)
        return await self._tried(self._written(entry), otherwise=False)

    async def began(self, *keys: str) -> None:
        """They are being answered, together, in answer to the last of them."""
        begun = partial(_begun, at=self._clock(), leader=keys[-1] if keys else "")
        for key in keys:
            await self._tried(self._store.change(Shelf.TURNS, key, begun), otherwise=None)

    async def ends(self, *keys: str, behind: str) -> None:
        """The last message of the answer to them is about to be sent, *behind* which other one of it, if there is one."""
        ending = partial(_ending, behind=behind or "0")
        for key in keys[-1:]:  # the others are not looked at while there is this one
            await self._tried(self._store.change(Shelf.TURNS, key, ending), otherwise=None, within=_LAST_WAITS)

    async def over(self, *keys: str) -> None:
        """They were answered, or will not be. What cannot be struck out now is when the next one is."""
        self._own.difference_update(keys)
        self._owed.update(keys)
        owed = frozenset(self._owed)
        if await self._tried(self._struck(owed), otherwise=False):
            self._owed -= owed

    async def left(self) -> list[JournalEntry]:
        """What a process before this one left unfinished, the oldest first; it stands there until it is ``over``.

        Of several that were being answered together only the last is told: its answer is the answer to all of them, and
        the others are struck out. If they cannot be, nothing is left: the next process would find it again, and say it
        twice.
        """
        records = await self._tried(self._store.find(Shelf.TURNS), otherwise=[])
        foreign = [record for record in records if record.key not in self._own]
        keys = {record.key for record in foreign}
        alone = [record for record in foreign if record.value.get(_LEADER, record.key) not in keys - {record.key}]
        entries = [entry for record in alone if (entry := _of_record(record))]
        others = keys - {entry.key for entry in entries}
        if others and not await self._tried(self._struck(others), otherwise=False):
            return []
        return sorted(entries, key=lambda entry: entry.at)

    async def sweep(self) -> int:
        """Strike out what has stood there for longer than any turn takes, whoever wrote it; say how many."""
        since = self._clock() - KEPT_SECONDS
        records = await self._tried(self._store.find(Shelf.TURNS), otherwise=[])
        old = [record.key for record in records if (entry := _of_record(record)) is None or entry.at < since]
        self._own.difference_update(old)
        return await self._tried(self._store.delete(Shelf.TURNS, *old), otherwise=0) if old else 0

    async def _written(self, entry: JournalEntry) -> bool:
        await self._store.put(_as_record(entry))
        return True

    async def _struck(self, keys: Collection[str]) -> bool:
        await self._store.delete(Shelf.TURNS, *keys)
        return True

    async def _tried(self, asked: Awaitable[T], *, otherwise: T, within: float = _STORE_TAKES) -> T:
        """What comes of *asked*; *otherwise*, if the store fails or takes too long."""
        try:
            async with asyncio.timeout(within):
                return await asked
        except BaseException as error:
            if must_rise(error):
                raise
            logger.warning("the journal of turns could not be kept (%s)", type(error).__name__)
            return otherwise


def _as_record(entry: JournalEntry) -> Record:
    value = {
        "message": entry.message,
        "channel": entry.channel,
        "author": entry.author,
        "persona": entry.persona,
        "has_begun": entry.has_begun,
        "at": entry.at,
        "began": entry.began,
        "last_behind": entry.last_behind,
        "tries": entry.tries,
        "goes_on": entry.goes_on,
        "supersedes": list(entry.supersedes),
        "root": entry.root,
    }
    expires = entry.at + KEPT_SECONDS
    return Record(Shelf.TURNS, entry.key, value, owner=entry.author, server=entry.server, expires=expires)


def _begun(record: Record | None, *, at: float, leader: str) -> Record | None:
    """*record* of a turn that began; one that a process before this one had begun, began then: what stands there counts."""
    if record is None:
        return None
    began = record.value.get("began") or at
    return replace(record, value={**record.value, "has_begun": True, "began": began, _LEADER: leader})


def _ending(record: Record | None, *, behind: str) -> Record | None:
    return None if record is None else replace(record, value={**record.value, "last_behind": behind})


def _of_record(record: Record) -> JournalEntry | None:
    """The entry in *record*; ``None`` if it is none, because another version wrote it."""
    value: Mapping[str, Any] = record.value
    try:
        return JournalEntry(
            record.key,
            str(value["message"]),
            str(value["channel"]),
            str(value["author"]),
            server=record.server,
            persona=str(value.get("persona", "")),
            has_begun=bool(value.get("has_begun")),
            at=float(value["at"]),
            began=float(value.get("began", 0.0)),
            last_behind=str(value.get("last_behind", "")),
            tries=int(value.get("tries", 0)),
            goes_on=bool(value.get("goes_on")),
            supersedes=tuple(map(str, value.get("supersedes", ()))),
            root=str(value.get("root", "")),
        )
    except (KeyError, TypeError, ValueError):
        return None
