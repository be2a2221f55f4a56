"""Opens the SQLite file of a store: lock, modes, migrations."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from .backup import connected, copy, reading
from .locking import Lock
from .migrations import MIGRATIONS, migrate
from .sqlite_errors import store_error

MEMORY = ":memory:"
"""The path of a store that is not on disk."""

_MODES = (
    "PRAGMA journal_mode = WAL",  # readers, such as a backup, block no writers
    # Every commit reaches the disk before it returns. Otherwise the last commits would survive a killed process, but
    # not a power cut. It costs little, as waiting writes share one commit.
    "PRAGMA synchronous = FULL",
    "PRAGMA secure_delete = ON",  # deleted records are overwritten
)


@dataclass(frozen=True, slots=True)
class OpenFile:
    """An open store, for use on the thread that opened it."""

    connection: sqlite3.Connection
    path: str
    lock: Lock | None = None

    def close(self) -> None:
        """Close the connection and release the lock."""
        with suppress(sqlite3.Error):  # commits are safe in the write-ahead log
            self.connection.close()
        if self.lock:
            self.lock.release()


def opened(path: str, *, migrations: Sequence[Sequence[str]] = MIGRATIONS) -> OpenFile:
    """Open the store at *path* exclusively, create it if it is missing, and migrate it; raises a ``StoreError``."""
    try:
        if path == MEMORY:
            return _ready(OpenFile(sqlite3.connect(MEMORY, isolation_level=None), path), migrations)
        file = Path(path).resolve()
        lock = Lock(file)
        try:
            with suppress(FileExistsError):  # create it readable for the owner only
                os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            return _ready(OpenFile(connected(file), path, lock), migrations)
        except BaseException:
            lock.release()
            raise
    except (sqlite3.Error, OSError) as error:
        raise store_error(error, path) from error


def copied(path: str, *, migrations: Sequence[Sequence[str]] = MIGRATIONS) -> OpenFile:
    """A migrated snapshot of the store at *path* in memory; the store may be in use."""
    try:
        with closing(reading(Path(path))) as source:
            connection = sqlite3.connect(MEMORY, isolation_level=None)
            try:
                source.backup(connection)
            except BaseException:
                connection.close()
                raise
        return _ready(OpenFile(connection, MEMORY), migrations)
    except (sqlite3.Error, OSError) as error:
        raise store_error(error, path) from error


def _ready(file: OpenFile, migrations: Sequence[Sequence[str]]) -> OpenFile:
    def back_up(version: int) -> None:
        if file.path != MEMORY:
            whole = Path(file.path).resolve()
            copy(file.connection, whole.with_name(f"{whole.name}.version-{version}"))

    try:
        migrate(file.connection, file.path, backup=back_up, migrations=migrations)
        for mode in _MODES:
            file.connection.execute(mode).fetchall()
        file.connection.execute("BEGIN IMMEDIATE")  # fails now if the file is not writable
        file.connection.execute("ROLLBACK")
    except BaseException:
        file.connection.close()
        raise
    return file
