"""A store in memory, which lasts as long as the process."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import NamedTuple, Self

from .store import Namespace, Record
from .values import check, check_texts, packed, unpacked


class _Kept(NamedTuple):
    """A record and its value as JSON text, so that later changes to the caller's value have no effect."""

    record: Record
    value: str


class MemoryStore:
    """A ``Store`` in memory, for tests and for bots that keep nothing on disk."""

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._records: dict[tuple[Namespace, str], _Kept] = {}

    async def get(self, namespace: Namespace, key: str, /) -> Record | None:
        """The record with this key."""
        check_texts(key)
        return self._live(namespace, key)

    async def put(self, *records: Record) -> None:
        """Insert or replace *records*."""
        self._records |= {(record.namespace, record.key): _kept(record) for record in records}

    async def delete(self, namespace: Namespace, *keys: str) -> int:
        """Delete the records with these keys; return how many there were."""
        check_texts(*keys)
        return self._remove([(namespace, key) for key in dict.fromkeys(keys)])

    async def find(
        self, namespace: Namespace, /, *, prefix: str = "", owner: str | None = None, server: str | None = None
    ) -> list[Record]:
        """All matching records, ordered by key."""
        check_texts(prefix, owner or "", server or "")
        fitting = sorted(
            key
            for (place, key), kept in self._records.items()
            if place is namespace and key.startswith(prefix) and _is_of(kept.record, owner, server)
        )
        return [record for key in fitting if (record := self._live(namespace, key))]

    async def change(
        self, namespace: Namespace, key: str, change: Callable[[Record | None], Record | None], /
    ) -> Record | None:
        """Replace a record by what *change* makes of it."""
        check_texts(key)
        changed = change(self._live(namespace, key))
        if changed is None:
            self._records.pop((namespace, key), None)
            return None
        changed = replace(changed, namespace=namespace, key=key)
        self._records[namespace, key] = _kept(changed)
        return changed

    async def forget(self, *, owner: str | None = None, server: str | None = None) -> int:
        """Delete every record of this owner or this server."""
        check_texts(owner or "", server or "")
        if not owner and not server:
            return 0
        return self._remove([place for place, kept in self._records.items() if _is_of(kept.record, owner, server)])

    async def sweep(self) -> int:
        """Delete expired records."""
        over = [place for place in self._records if self._live(*place) is None]
        self._remove(over)
        return len(over)

    async def close(self) -> None:
        """Do nothing."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _live(self, namespace: Namespace, key: str) -> Record | None:
        kept = self._records.get((namespace, key))
        if kept is None or (kept.record.expires is not None and kept.record.expires <= self._clock()):
            return None
        return replace(kept.record, value=unpacked(kept.value))

    def _remove(self, places: list[tuple[Namespace, str]]) -> int:
        """Delete the records in *places*; return how many had not expired."""
        count = sum(self._live(*place) is not None for place in places)
        for place in places:
            self._records.pop(place, None)
        return count


def _kept(record: Record) -> _Kept:
    check(record)
    return _Kept(replace(record, value={}), packed(record.value))


def _is_of(record: Record, owner: str | None, server: str | None) -> bool:
    return owner in (None, record.owner) and server in (None, record.server)
