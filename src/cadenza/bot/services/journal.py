"""The journal of turns: each is stored before it is answered, so that after a crash the next process can finish it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from ...concurrency.tasks import must_rise
from ...explain.tracebacks import get_logger
from ..store.store import Namespace, Record, Store

logger = get_logger(__name__)

T = TypeVar("T")

KEPT_SECONDS = 86_400.0
"""How long an entry is kept at most."""

_LEADER = "leader"
"""The field that names the entry together with which this one is answered."""
_STORE_TAKES = 5.0
"""Seconds that a reply waits for the store."""
_LAST_WAITS = 1.0
"""Seconds that its last message waits for the store."""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A message that is to be answered, without its text."""

    key: str
    """The key in the queue of turns: the id of the message, or one made up for a command."""
    message: str
    """The id of the message that is answered."""
    channel: str
    author: str
    server: str = ""
    persona: str = ""
    has_begun: bool = False
    """Whether the reply had begun, not only waited."""
    at: float = 0.0
    """When the message arrived, in seconds since 1970."""
    began: float = 0.0
    """When the reply first began, in any process; earlier messages are not part of it."""
    last_behind: str = ""
    """The id of the message after which the last message of the reply was to be sent, ``0`` if it was the only one."""
    tries: int = 0
    """How many processes took it over after a crash."""
    goes_on: bool = False
    """Whether *message* is our own, to be continued."""
    supersedes: tuple[str, ...] = ()
    """The ids of messages that the reply was to replace."""
    root: str = ""
    """The id of the person's message, if characters were answering each other."""


class Journal:
    """The journal of all turns. Its methods never raise: without the store the bot still answers."""

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock
        self._own: set[str] = set()  # entries of this process
        self._owed: set[str] = set()  # entries that ended and could not be deleted yet

    async def heard(self, entry: JournalEntry) -> None:
        """Store *entry*, which is going to be answered."""
        await self.takes_over(entry if entry.at else replace(entry, at=self._clock()))

    async def takes_over(self, entry: JournalEntry) -> bool:
        """Make *entry* this process's; return whether it was stored."""
        self._own.add(entry.key)
        self._owed.discard(entry.key)
        return await self._tried(self._written(entry), otherwise=False)

    async def began(self, *keys: str) -> None:
        """Mark entries as being answered together, in reply to the last of them."""
        begun = partial(_begun, at=self._clock(), leader=keys[-1] if keys else "")
        for key in keys:
            await self._tried(self._store.change(Namespace.TURNS, key, begun), otherwise=None)

    async def ends(self, *keys: str, behind: str) -> None:
        """Note that the last message of the reply is about to be sent, after its message *behind*, if there is one."""
        ending = partial(_ending, behind=behind or "0")
        for key in keys[-1:]:  # ``left`` ignores the others while this one is there
            await self._tried(self._store.change(Namespace.TURNS, key, ending), otherwise=None, within=_LAST_WAITS)

    async def over(self, *keys: str) -> None:
        """Delete entries that were answered, or will not be. What cannot be deleted now is deleted with the next."""
        self._own.difference_update(keys)
        self._owed.update(keys)
        owed = frozenset(self._owed)
        if await self._tried(self._deleted(owed), otherwise=False):
            self._owed -= owed

    async def left(self) -> list[JournalEntry]:
        """Unfinished entries of an earlier process, the oldest first; each stays until it is ``over``.

        Of several that were answered together only the last is returned, as its reply answers all of them; the others
        are deleted. If that fails, the result is empty: the next process would find them again and answer twice.
        """
        records = await self._tried(self._store.find(Namespace.TURNS), otherwise=[])
        foreign = [record for record in records if record.key not in self._own]
        keys = {record.key for record in foreign}
        alone = [record for record in foreign if record.value.get(_LEADER, record.key) not in keys - {record.key}]
        entries = [entry for record in alone if (entry := _of_record(record))]
        others = keys - {entry.key for entry in entries}
        if others and not await self._tried(self._deleted(others), otherwise=False):
            return []
        return sorted(entries, key=lambda entry: entry.at)

    async def sweep(self) -> int:
        """Delete entries that are older than any turn takes, of any process; return how many."""
        since = self._clock() - KEPT_SECONDS
        records = await self._tried(self._store.find(Namespace.TURNS), otherwise=[])
        old = [record.key for record in records if (entry := _of_record(record)) is None or entry.at < since]
        self._own.difference_update(old)
        return await self._tried(self._store.delete(Namespace.TURNS, *old), otherwise=0) if old else 0

    async def _written(self, entry: JournalEntry) -> bool:
        await self._store.put(_as_record(entry))
        return True

    async def _deleted(self, keys: Collection[str]) -> bool:
        await self._store.delete(Namespace.TURNS, *keys)
        return True

    async def _tried(self, asked: Awaitable[T], *, otherwise: T, within: float = _STORE_TAKES) -> T:
        """Await *asked*; return *otherwise* if the store fails or times out."""
        try:
            async with asyncio.timeout(within):
                return await asked
        except BaseException as error:
            if must_rise(error):
                raise
            logger.warning("the journal of turns could not be kept", exc_info=error)
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
    return Record(Namespace.TURNS, entry.key, value, owner=entry.author, server=entry.server, expires=expires)


def _begun(record: Record | None, *, at: float, leader: str) -> Record | None:
    """*record*, marked as begun; the time of an earlier process is kept."""
    if record is None:
        return None
    began = record.value.get("began") or at
    return replace(record, value={**record.value, "has_begun": True, "began": began, _LEADER: leader})


def _ending(record: Record | None, *, behind: str) -> Record | None:
    return None if record is None else replace(record, value={**record.value, "last_behind": behind})


def _of_record(record: Record) -> JournalEntry | None:
    """The entry in *record*; ``None`` if another version wrote it and it cannot be read."""
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
