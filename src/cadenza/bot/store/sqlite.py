"""The store by default: one file of SQLite, for one process, on a thread of its own."""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Self, TypeAlias

from .opening import copied, opened
from .store import Record, Shelf, StoreError
from .values import check, check_texts, packed, unpacked
from .worker import Worker

_Row: TypeAlias = tuple[str, str, str, str, str, float | None]

_COLUMNS = "shelf, key, value, owner, server, expires"
_IS_LIVE = "(expires IS NULL OR expires > ?)"
_PUT = f"INSERT OR REPLACE INTO records ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"  # noqa: S608  # our own names
_GET = f"SELECT {_COLUMNS} FROM records WHERE shelf = ? AND key = ? AND {_IS_LIVE}"  # noqa: S608  # likewise
_DELETE = "DELETE FROM records WHERE shelf = ? AND key = ?"
_SWEEP = "DELETE FROM records WHERE rowid IN (SELECT rowid FROM records WHERE expires <= ? LIMIT ?)"
_MOST_SWEPT = 500
"""How many records that have expired are removed with a write: of those a bot finds many that was away for long."""
_LAST = "\U0010ffff"


class SqliteStore:
    """A ``Store`` in the file at *path*, which is made if need be; ``:memory:`` is nowhere.

    It is opened by ``async with``, or else when it is first asked for something. Only one at a time can have a file.
    Every write is on the disk when it returns. What has expired is swept out with a write, every *sweep_every* seconds
    at most. A *copy* is what the file holds at the moment, in memory: to be read while a bot is using the file.
    """

    def __init__(
        self, path: str, *, copy: bool = False, clock: Callable[[], float] = time.time, sweep_every: float = 600.0
    ) -> None:
        self._clock = clock
        self._sweep_every = sweep_every
        self._swept = -math.inf  # when; the thread's own
        self._worker = Worker(partial(copied if copy else opened, path), name="cadenza store")

    # --- the protocol -----------------------------------------------------------------------

    async def get(self, shelf: Shelf, key: str, /) -> Record | None:
        """The record with this key."""
        check_texts(key)
        return await self._worker.do(partial(self._got, shelf, key))

    async def put(self, *records: Record) -> None:
        """Keep *records*, all of them or none."""
        rows = [_row(record) for record in records]
        if rows:
            await self._worker.do(partial(self._written, rows), writes=True)

    async def delete(self, shelf: Shelf, *keys: str) -> int:
        """Forget the records with these keys; say how many there were."""
        check_texts(*keys)
        return await self._worker.do(partial(self._deleted, shelf, list(dict.fromkeys(keys))), writes=True)

    async def find(
        self, shelf: Shelf, /, *, prefix: str = "", owner: str | None = None, server: str | None = None
    ) -> list[Record]:
        """All records that fit, in the order of their keys."""
        check_texts(prefix, owner or "", server or "")
        conditions, values = _of(owner, server)
        conditions = ["shelf = ?", *conditions, "key >= ?"]
        values = [shelf, *values, prefix]
        if beyond := _beyond(prefix):
            conditions.append("key < ?")
            values.append(beyond)
        return await self._worker.do(partial(self._found, conditions, values))

    async def change(
        self, shelf: Shelf, key: str, change: Callable[[Record | None], Record | None], /
    ) -> Record | None:
        """Put what *change* makes of a record in its place. It is called on the store's thread, maybe twice."""
        check_texts(key)
        return await self._worker.do(partial(self._changed, shelf, key, change), writes=True)

    async def forget(self, *, owner: str | None = None, server: str | None = None) -> int:
        """Forget every record of this owner, or of this server, so that nothing of it is left in the file."""
        check_texts(owner or "", server or "")
        if not owner and not server:
            return 0
        return await self._worker.do(partial(self._removed, *_of(owner, server)), writes=True, scrubs=True)

    async def sweep(self) -> int:
        """Remove what has expired, so that nothing of it, nor of what was deleted before, is left in the file."""
        return await self._worker.do(self._swept_out, writes=True, scrubs=True)

    async def close(self) -> None:
        """Finish what was asked for, and let the file go."""
        await self._worker.close()

    async def __aenter__(self) -> Self:
        try:
            await self._worker.do(lambda connection: None)  # noqa: ARG005  # it opens the file
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # --- on the thread ----------------------------------------------------------------------

    def _got(self, shelf: Shelf, key: str, connection: sqlite3.Connection) -> Record | None:
        row = connection.execute(_GET, (shelf, key, self._clock())).fetchone()
        return None if row is None else _record(row)

    def _written(self, rows: Sequence[_Row], connection: sqlite3.Connection) -> None:
        connection.executemany(_PUT, rows)
        if self._clock() >= self._swept + self._sweep_every:
            self._swept_a_little(connection)

    def _deleted(self, shelf: Shelf, keys: Sequence[str], connection: sqlite3.Connection) -> int:
        count = sum(self._got(shelf, key, connection) is not None for key in keys)
        connection.executemany(_DELETE, [(shelf, key) for key in keys])
        return count

    def _found(self, conditions: Sequence[str], values: Sequence[str], connection: sqlite3.Connection) -> list[Record]:
        where = " AND ".join([*conditions, _IS_LIVE])
        rows = connection.execute(
            f"SELECT {_COLUMNS} FROM records WHERE {where} ORDER BY key",  # noqa: S608  # the conditions are our own
            [*values, self._clock()],
        )
        return [_record(row) for row in rows]

    def _changed(
        self,
        shelf: Shelf,
        key: str,
        change: Callable[[Record | None], Record | None],
        connection: sqlite3.Connection,
    ) -> Record | None:
        changed = change(self._got(shelf, key, connection))
        if changed is None:
            connection.execute(_DELETE, (shelf, key))
            return None
        changed = replace(changed, shelf=shelf, key=key)
        self._written([_row(changed)], connection)
        return changed

    def _removed(self, conditions: Sequence[str], values: Sequence[str], connection: sqlite3.Connection) -> int:
        where = " AND ".join(conditions)
        (count,) = connection.execute(
            f"SELECT count(*) FROM records WHERE {where} AND {_IS_LIVE}",  # noqa: S608  # likewise
            [*values, self._clock()],
        ).fetchone()
        connection.execute(f"DELETE FROM records WHERE {where}", values)  # noqa: S608  # likewise
        return int(count)

    def _swept_a_little(self, connection: sqlite3.Connection) -> None:
        """Sweep out as much as holds up nobody; if there is more, the next write goes on with it."""
        now = self._clock()
        count = connection.execute(_SWEEP, [now, _MOST_SWEPT]).rowcount
        self._swept = now if count < _MOST_SWEPT else -math.inf

    def _swept_out(self, connection: sqlite3.Connection) -> int:
        self._swept = self._clock()
        return connection.execute("DELETE FROM records WHERE expires <= ?", [self._swept]).rowcount


def _row(record: Record) -> _Row:
    check(record)
    return record.shelf, record.key, packed(record.value), record.owner, record.server, record.expires


def _record(row: _Row) -> Record:
    shelf, key, value, owner, server, expires = row
    try:
        place = Shelf(shelf)
    except ValueError:
        msg = "the store has a shelf that this Cadenza does not know; update it"
        raise StoreError(msg) from None
    return Record(place, key, unpacked(value), owner=owner, server=server, expires=expires)


def _of(owner: str | None, server: str | None) -> tuple[list[str], list[str]]:
    """Conditions for records of *owner* and *server*, where they are given, and what stands for their marks."""
    given = {"owner = ?": owner, "server = ?": server}
    return [name for name, value in given.items() if value is not None], [v for v in given.values() if v is not None]


def _beyond(prefix: str) -> str:
    """The first text behind all that begin with *prefix*, in the order of their characters; empty if there is none."""
    stem = prefix.rstrip(_LAST)
    if not stem:
        return ""
    following = ord(stem[-1]) + 1
    return stem[:-1] + chr(0xE000 if following == 0xD800 else following)  # halves of characters are in between
