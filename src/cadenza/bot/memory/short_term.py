"""Short-term memory: recent conversations with a character, by person and by server, for some hours."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from ...types import Line, Reply
from ..config.config import MemoryConfig
from ..store.store import Namespace, Record, Store
from .conversation import ConversationMemory, lines_to_keep
from .location import Location

SUMMARY_LENGTH = 1500


class ShortTerm:
    """The entries of all people and servers. It does not check privacy choices; the caller does."""

    def __init__(self, store: Store, config: Callable[[], MemoryConfig], clock: Callable[[], float]) -> None:
        self._store = store
        self._config = config
        self._clock = clock

    async def keep(
        self, where: Location, history: Sequence[Line], reply: Reply, *, hidden: Collection[str] = ()
    ) -> None:
        """Store a turn for the person who was answered, and for the server unless the channel is private."""
        lines = lines_to_keep(where, history, reply, hidden=hidden, limit=self._config().messages)
        for entry in self._entries(where):
            await self._write(entry, lambda kept: replace(kept, lines=lines))

    async def sum_up(self, where: Location, summary: str, *, people: Iterable[str]) -> None:
        """Store a *summary* of the conversation with *people*. The prompt prefers it to the lines, which stay."""
        cut = summary if len(summary) <= SUMMARY_LENGTH else summary[: SUMMARY_LENGTH - 1] + "…"
        of = frozenset(people) | {where.person}
        for entry in self._entries(where):
            await self._write(entry, lambda kept: replace(kept, summary=cut, summary_of=of))

    async def of_person(self, person: str) -> list[ConversationMemory]:
        """The entries of *person*, the newest first."""
        return _newest_first(await self._store.find(Namespace.SHORT_TERM, prefix=f"user:{person}:", owner=person))

    async def of_server(self, server: str) -> list[ConversationMemory]:
        """The entries of *server*, the newest first."""
        return _newest_first(await self._store.find(Namespace.SHORT_TERM, prefix=f"server:{server}:", server=server))

    async def clear(self, person: str) -> int:
        """Delete the entries of *person*; return how many there were."""
        records = await self._store.find(Namespace.SHORT_TERM, owner=person)
        return await self._store.delete(Namespace.SHORT_TERM, *(record.key for record in records))

    async def leave(self, channel: str, *, server: str = "", person: str = "") -> int:
        """Delete the entries of *channel*, in a *server* or in direct messages with *person*; return how many."""
        about = {"server": server} if server else {"owner": person}
        records = await self._store.find(Namespace.SHORT_TERM, **about)
        keys = [record.key for record in records if ConversationMemory.of_record(record).channel == channel]
        return await self._store.delete(Namespace.SHORT_TERM, *keys) if keys else 0

    async def scrub(self, person: str) -> int:
        """Remove *person* from the entries of all others; return the number of lines and summaries."""
        gone = 0
        for record in await self._store.find(Namespace.SHORT_TERM):
            if record.owner != person and ConversationMemory.of_record(record).involves(person):
                left = await self._store.change(Namespace.SHORT_TERM, record.key, lambda kept: _without(kept, person))
                gone += _size(record) - _size(left)
        return gone

    def _entries(self, where: Location) -> tuple[ConversationMemory, ...]:
        """The empty entries for a turn: the person's, and the server's unless the channel is private."""
        owners = (where.person,) if where.stays_private else (where.person, "")
        return tuple(ConversationMemory.empty_at(where, owner=owner, at=self._clock()) for owner in owners)

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

        await self._store.change(Namespace.SHORT_TERM, entry.key, written)

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
    """The number of lines and summaries in *record*."""
    if record is None:
        return 0
    entry = ConversationMemory.of_record(record)
    return len(entry.lines) + bool(entry.summary)
