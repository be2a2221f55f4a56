"""The default store: one SQLite file for one process, on a thread of its own."""

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
from .store import Namespace, Record, StoreError
from .values import check, check_texts, packed, unpacked
from .worker import Worker

_Row: TypeAlias = tuple[str, str, str, str, str, float | None]

_COLUMNS = "shelf, key, value, owner, server, expires"
_IS_LIVE = "(expires IS NULL OR expires > ?)"
_PUT = f"INSERT OR REPLACE INTO records ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"  # noqa: S608  # our own names
_GET = f"SELECT {_COLUMNS} FROM records WHERE shelf = ? AND key = ? AND {_IS_LIVE}"  # noqa: S608  # as above
_DELETE = "DELETE FROM records WHERE shelf = ? AND key = ?"
_SWEEP = "DELETE FROM records WHERE rowid IN (SELECT rowid FROM records WHERE expires <= ? LIMIT ?)"
_MOST_SWEPT = 500
"""How many expired records are deleted with one write; after a long downtime there may be many."""
_LAST = "\U0010ffff"


class SqliteStore:
    """A ``Store`` in the file at *path*, which is created if it is missing; ``:memory:`` is not on disk.

    It is opened by ``async with``, or on first use. Only one process can open a file. A write is on disk when it
    returns. Writes also delete expired records, at most every *sweep_every* seconds. A *copy* is a snapshot of the file
    in memory, for reading while a bot uses the file.
    """

    def __init__(
        self, path: str, *, copy: bool = False, clock: Callable[[], float] = time.time, sweep_every: float = 600.0
    ) -> None:
        self._clock = clock
        self._sweep_every = sweep_every
        self._swept = -math.inf  # when; used by the thread only
        self._worker = Worker(partial(copied if copy else opened, path), name="cadenza store")

    # --- the protocol -----------------------------------------------------------------------

    async def get(self, namespace: Namespace, key: str, /) -> Record | None:
        """The record with this key."""
        check_texts(key)
        return await self._worker.do(partial(self._got, namespace, key))

    async def put(self, *records: Record) -> None:
        """Insert or replace *records*, all of them or none."""
        rows = [_row(record) for record in records]
        if rows:
            await self._worker.do(partial(self._written, rows), writes=True)

    async def delete(self, namespace: Namespace, *keys: str) -> int:
        """Delete the records with these keys; return how many there were."""
        check_texts(*keys)
        return await self._worker.do(partial(self._deleted, namespace, list(dict.fromkeys(keys))), writes=True)

    async def find(
        self, namespace: Namespace, /, *, prefix: str = "", owner: str | None = None, server: str | None = None
    ) -> list[Record]:
        """All matching records, ordered by key."""
        check_texts(prefix, owner or "", server or "")
        conditions, values = _of(owner, server)
        conditions = ["shelf = ?", *conditions, "key >= ?"]
        values = [namespace, *values, prefix]
        if beyond := _beyond(prefix):
            conditions.append("key < ?")
            values.append(beyond)
        return await self._worker.do(partial(self._found, conditions, values))

    async def change(
        self, namespace: Namespace, key: str, change: Callable[[Record | None], Record | None], /
    ) -> Record | None:
        """Replace a record by what *change* makes of it, which is called on the store's thread, maybe twice."""
        check_texts(key)
        return await self._worker.do(partial(self._changed, namespace, key, change), writes=True)

    async def forget(self, *, owner: str | None = None, server: str | None = None) -> int:
        """Delete every record of this owner or this server, without traces in the file."""
        check_texts(owner or "", server or "")
        if not owner and not server:
            return 0
        return await self._worker.do(partial(self._removed, *_of(owner, server)), writes=True, scrubs=True)

    async def sweep(self) -> int:
        """Delete expired records, without traces of them, or of earlier deletions, in the file."""
        return await self._worker.do(self._swept_out, writes=True, scrubs=True)

    async def close(self) -> None:
        """Finish pending work and close the file."""
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

    def _got(self, namespace: Namespace, key: str, connection: sqlite3.Connection) -> Record | None:
        row = connection.execute(_GET, (namespace, key, self._clock())).fetchone()
        return None if row is None else _record(row)

    def _written(self, rows: Sequence[_Row], connection: sqlite3.Connection) -> None:
        connection.executemany(_PUT, rows)
        if self._clock() >= self._swept + self._sweep_every:
            self._swept_a_little(connection)

    def _deleted(self, namespace: Namespace, keys: Sequence[str], connection: sqlite3.Connection) -> int:
        count = sum(self._got(namespace, key, connection) is not None for key in keys)
        connection.executemany(_DELETE, [(namespace, key) for key in keys])
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
        namespace: Namespace,
        key: str,
        change: Callable[[Record | None], Record | None],
        connection: sqlite3.Connection,
    ) -> Record | None:
        changed = change(self._got(namespace, key, connection))
        if changed is None:
            connection.execute(_DELETE, (namespace, key))
            return None
        changed = replace(changed, namespace=namespace, key=key)
        self._written([_row(changed)], connection)
        return changed

    def _removed(self, conditions: Sequence[str], values: Sequence[str], connection: sqlite3.Connection) -> int:
        where = " AND ".join(conditions)
        (count,) = connection.execute(
            f"SELECT count(*) FROM records WHERE {where} AND {_IS_LIVE}",  # noqa: S608  # as above
            [*values, self._clock()],
        ).fetchone()
        connection.execute(f"DELETE FROM records WHERE {where}", values)  # noqa: S608  # as above
        return int(count)

    def _swept_a_little(self, connection: sqlite3.Connection) -> None:
        """Delete a bounded number of expired records; if there are more, the next write goes on."""
        now = self._clock()
        count = connection.execute(_SWEEP, [now, _MOST_SWEPT]).rowcount
        self._swept = now if count < _MOST_SWEPT else -math.inf

    def _swept_out(self, connection: sqlite3.Connection) -> int:
        self._swept = self._clock()
        return connection.execute("DELETE FROM records WHERE expires <= ?", [self._swept]).rowcount


def _row(record: Record) -> _Row:
    check(record)
    return record.namespace, record.key, packed(record.value), record.owner, record.server, record.expires


def _record(row: _Row) -> Record:
    namespace, key, value, owner, server, expires = row
    try:
        place = Namespace(namespace)
    except ValueError:
        msg = "the store has records of a kind that this Cadenza does not know; update Cadenza"
        raise StoreError(msg) from None
    return Record(place, key, unpacked(value), owner=owner, server=server, expires=expires)


def _of(owner: str | None, server: str | None) -> tuple[list[str], list[str]]:
    """SQL conditions for *owner* and *server*, where given, and their parameters."""
    given = {"owner = ?": owner, "server = ?": server}
    return [name for name, value in given.items() if value is not None], [v for v in given.values() if v is not None]


def _beyond(prefix: str) -> str:
    """The least text greater than all texts with *prefix*; empty if there is none."""
    stem = prefix.rstrip(_LAST)
    if not stem:
        return ""
    following = ord(stem[-1]) + 1
    return stem[:-1] + chr(0xE000 if following == 0xD800 else following)  # skips the surrogates
