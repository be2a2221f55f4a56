"""A store that keeps everything for as long as the process runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from .api import Record, Shelf


class MemoryStore:
    """A ``Store`` of nothing but memory: for tests, and for whoever wants nothing kept."""

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._records: dict[tuple[Shelf, str], Record] = {}

    async def get(self, shelf: Shelf, key: str, /) -> Record | None:
        """The record with this key."""
        return self._live(self._records.get((shelf, key)))

    async def put(self, *records: Record) -> None:
        """Keep *records*."""
        self._records |= {(record.shelf, record.key): record for record in records}

    async def delete(self, shelf: Shelf, *keys: str) -> int:
        """Forget the records with these keys; say how many there were."""
        return sum(self._live(self._records.pop((shelf, key), None)) is not None for key in keys)

    async def find(
        self, shelf: Shelf, /, *, prefix: str = "", owner: str | None = None, server: str | None = None
    ) -> list[Record]:
        """All records that fit, in the order of their keys."""
        return sorted(
            (
                record
                for record in self._records.values()
                if record.shelf is shelf
                and record.key.startswith(prefix)
                and owner in (None, record.owner)
                and server in (None, record.server)
                and self._live(record)
            ),
            key=lambda record: record.key,
        )

    async def change(
        self, shelf: Shelf, key: str, change: Callable[[Record | None], Record | None], /
    ) -> Record | None:
        """Put what *change* makes of a record in its place."""
        changed = change(self._live(self._records.get((shelf, key))))
        if changed is None:
            self._records.pop((shelf, key), None)
        else:
            self._records[shelf, key] = changed
        return changed

    async def forget(self, *, owner: str | None = None, server: str | None = None) -> int:
        """Forget every record of this owner, or of this server."""
        if owner is None and server is None:
            return 0
        return self._remove(lambda record: owner in (None, record.owner) and server in (None, record.server))

    async def sweep(self) -> int:
        """Remove what has expired."""
        return self._remove(lambda record: self._live(record) is None)

    async def close(self) -> None:
        """Nothing is held that had to be given back."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _live(self, record: Record | None) -> Record | None:
        is_over = record is not None and record.expires is not None and record.expires <= self._clock()
        return None if is_over else record

    def _remove(self, is_meant: Callable[[Record], bool]) -> int:
        gone = [place for place, record in self._records.items() if is_meant(record)]
        for place in gone:
            del self._records[place]
        return len(gone)
