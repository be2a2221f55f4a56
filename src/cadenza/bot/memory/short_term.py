"""Short-term memory: what was said with a character lately, of each person and of each server, for some hours."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from ...types import Line, Reply
from ..config.config import MemoryConfig
from ..store.store import Record, Shelf, Store
from .conversation import ConversationMemory, remembered
from .location import Location

SUMMARY_LENGTH = 1500


class ShortTerm:
    """The entries of all people and servers. It knows nothing of what people wish: whoever writes asks before."""

    def __init__(self, store: Store, config: Callable[[], MemoryConfig], clock: Callable[[], float]) -> None:
        self._store = store
        self._config = config
        self._clock = clock

    async def keep(
        self, where: Location, history: Sequence[Line], reply: Reply, *, hidden: Collection[str] = ()
    ) -> None:
        """Remember a turn: for whoever was answered, and for the server unless the place is private."""
        lines = remembered(where, history, reply, hidden=hidden, limit=self._config().messages)
        for entry in self._entries(where):
            await self._write(entry, lambda kept: replace(kept, lines=lines))

    async def sum_up(self, where: Location, summary: str, *, people: Iterable[str]) -> None:
        """Keep *summary* of what was said there, by and to *people*; readers prefer it to the lines, which stay."""
        cut = summary if len(summary) <= SUMMARY_LENGTH else summary[: SUMMARY_LENGTH - 1] + "…"
        of = frozenset(people) | {where.person}
        for entry in self._entries(where):
            await self._write(entry, lambda kept: replace(kept, summary=cut, summary_of=of))

    async def of_person(self, person: str) -> list[ConversationMemory]:
        """What is remembered of *person*, the newest first."""
        return _newest_first(await self._store.find(Shelf.SHORT_TERM, prefix=f"user:{person}:", owner=person))

    async def of_server(self, server: str) -> list[ConversationMemory]:
        """What is remembered of everybody in *server*, the newest first."""
        return _newest_first(await self._store.find(Shelf.SHORT_TERM, prefix=f"server:{server}:", server=server))

    async def clear(self, person: str) -> int:
        """Forget the entries of *person*; say how many there were."""
        records = await self._store.find(Shelf.SHORT_TERM, owner=person)
        return await self._store.delete(Shelf.SHORT_TERM, *(record.key for record in records))

    async def leave(self, channel: str, *, server: str = "", person: str = "") -> int:
        """Forget what was said in *channel*, of a *server* or with a *person* alone; say how many entries that were."""
        about = {"server": server} if server else {"owner": person}
        records = await self._store.find(Shelf.SHORT_TERM, **about)
        keys = [record.key for record in records if ConversationMemory.of_record(record).channel == channel]
        return await self._store.delete(Shelf.SHORT_TERM, *keys) if keys else 0

    async def scrub(self, person: str) -> int:
        """Take *person* out of the entries of everybody else; say how many lines and summaries that were."""
        gone = 0
        for record in await self._store.find(Shelf.SHORT_TERM):
            if record.owner != person and ConversationMemory.of_record(record).involves(person):
                left = await self._store.change(Shelf.SHORT_TERM, record.key, lambda kept: _without(kept, person))
                gone += _size(record) - _size(left)
        return gone

    def _entries(self, where: Location) -> tuple[ConversationMemory, ...]:
        """What is to be written of a turn there: what is private has nobody but the person as its reader."""
        owners = (where.person,) if where.is_secluded else (where.person, "")
        return tuple(ConversationMemory.at_place(where, owner=owner, at=self._clock()) for owner in owners)

    async def _write(
        self, entry: ConversationMemory, change: Callable[[ConversationMemory], ConversationMemory]
    ) -> None:
        def written(record: Record | None) -> Record | None:
            kept = entry
            if record is not None:
                before = ConversationMemory.of_record(record)
                kept = replace(entry, lines=before.lines, summary=before.summary, summary_of=before.summary_of)
            changed = change(kept)
            return None if changed.is_empty else changed.as_record(changed.at + self._seconds(changed))

        await self._store.change(Shelf.SHORT_TERM, entry.key, written)

    def _seconds(self, entry: ConversationMemory) -> float:
        config = self._config()
        return 3600.0 * (max(config.hours, config.summary_hours) if entry.summary else config.hours)


def _newest_first(records: Iterable[Record]) -> list[ConversationMemory]:
    return sorted(
        (ConversationMemory.of_record(record) for record in records), key=lambda entry: (-entry.at, entry.key)
    )


def _without(record: Record | None, person: str) -> Record | None:
    if record is None:
        return None
    left = ConversationMemory.of_record(record).without(person)
    return None if left.is_empty else left.as_record(record.expires)


def _size(record: Record | None) -> int:
    """How much there is to forget in it: lines, and a summary."""
    if record is None:
        return 0
    entry = ConversationMemory.of_record(record)
    return len(entry.lines) + bool(entry.summary)
