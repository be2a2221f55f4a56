"""A store that keeps everything for as long as the process runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import NamedTuple, Self

from .store import Record, Shelf
from .values import check, check_texts, packed, unpacked


class _Kept(NamedTuple):
    """A record, and its value apart: who changes theirs later does not change what is kept."""

    record: Record
    value: str


class MemoryStore:
    """A ``Store`` of nothing but memory: for tests, and for whoever wants nothing kept."""

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._records: dict[tuple[Shelf, str], _Kept] = {}

    async def get(self, shelf: Shelf, key: str, /) -> Record | None:
        """The record with this key."""
        check_texts(key)
        return self._live(shelf, key)

    async def put(self, *records: Record) -> None:
        """Keep *records*."""
        self._records |= {(record.shelf, record.key): _kept(record) for record in records}

    async def delete(self, shelf: Shelf, *keys: str) -> int:
        """Forget the records with these keys; say how many there were."""
        check_texts(*keys)
        return self._remove([(shelf, key) for key in dict.fromkeys(keys)])

    async def find(
        self, shelf: Shelf, /, *, prefix: str = "", owner: str | None = None, server: str | None = None
    ) -> list[Record]:
        """All records that fit, in the order of their keys."""
        check_texts(prefix, owner or "", server or "")
        fitting = sorted(
            key
            for (place, key), kept in self._records.items()
            if place is shelf and key.startswith(prefix) and _is_of(kept.record, owner, server)
        )
        return [record for key in fitting if (record := self._live(shelf, key))]

    async def change(
        self, shelf: Shelf, key: str, change: Callable[[Record | None], Record | None], /
    ) -> Record | None:
        """Put what *change* makes of a record in its place."""
        check_texts(key)
        changed = change(self._live(shelf, key))
        if changed is None:
            self._records.pop((shelf, key), None)
            return None
        changed = replace(changed, shelf=shelf, key=key)
        self._records[shelf, key] = _kept(changed)
        return changed

    async def forget(self, *, owner: str | None = None, server: str | None = None) -> int:
        """Forget every record of this owner, or of this server."""
        check_texts(owner or "", server or "")
        if not owner and not server:
            return 0
        return self._remove([place for place, kept in self._records.items() if _is_of(kept.record, owner, server)])

    async def sweep(self) -> int:
        """Remove what has expired."""
        over = [place for place in self._records if self._live(*place) is None]
        self._remove(over)
        return len(over)

    async def close(self) -> None:
        """Nothing is held that had to be given back."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _live(self, shelf: Shelf, key: str) -> Record | None:
        kept = self._records.get((shelf, key))
        if kept is None or (kept.record.expires is not None and kept.record.expires <= self._clock()):
            return None
        return replace(kept.record, value=unpacked(kept.value))

    def _remove(self, places: list[tuple[Shelf, str]]) -> int:
        """Remove what is in *places*; say how many had not expired."""
        count = sum(self._live(*place) is not None for place in places)
        for place in places:
            self._records.pop(place, None)
        return count


def _kept(record: Record) -> _Kept:
    check(record)
    return _Kept(replace(record, value={}), packed(record.value))


def _is_of(record: Record, owner: str | None, server: str | None) -> bool:
    return owner in (None, record.owner) and server in (None, record.server)
