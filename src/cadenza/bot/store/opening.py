"""Opening the file of a store: its lock, its modes, its version."""

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
from .sqlite_errors import told

MEMORY = ":memory:"
"""The path of a store that is nowhere."""

_MODES = (
    "PRAGMA journal_mode = WAL",  # who reads, as a backup does, holds nobody up
    # Every commit reaches the disk before it counts. Without it, what was kept last would outlive a process that is
    # killed, but not a power cut. As all that waits goes into one commit, it costs little.
    "PRAGMA synchronous = FULL",
    "PRAGMA secure_delete = ON",  # what is forgotten is overwritten
)


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A store that is open, for the thread that opened it."""

    connection: sqlite3.Connection
    path: str
    lock: Lock | None = None

    def close(self) -> None:
        """Let it go."""
        with suppress(sqlite3.Error):  # whatever was committed is safe in its log
            self.connection.close()
        if self.lock:
            self.lock.release()


def opened(path: str, *, migrations: Sequence[Sequence[str]] = MIGRATIONS) -> OpenFile:
    """The store at *path*, made if it is not there, ours alone and up to date; raises a ``StoreError``."""
    try:
        if path == MEMORY:
            return _ready(OpenFile(sqlite3.connect(MEMORY, isolation_level=None), path), migrations)
        file = Path(path).resolve()
        lock = Lock(file)
        try:
            with suppress(FileExistsError):  # what it holds is nobody else's business
                os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            return _ready(OpenFile(connected(file), path, lock), migrations)
        except BaseException:
            lock.release()
            raise
    except (sqlite3.Error, OSError) as error:
        raise told(error, path) from None


def copied(path: str, *, migrations: Sequence[Sequence[str]] = MIGRATIONS) -> OpenFile:
    """A copy in memory of the store at *path* as it is at this moment, in use or not, up to date."""
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
        raise told(error, path) from None


def _ready(file: OpenFile, migrations: Sequence[Sequence[str]]) -> OpenFile:
    def back_up(version: int) -> None:
        if file.path != MEMORY:
            whole = Path(file.path).resolve()
            copy(file.connection, whole.with_name(f"{whole.name}.version-{version}"))

    try:
        migrate(file.connection, file.path, backup=back_up, migrations=migrations)
        for mode in _MODES:
            file.connection.execute(mode).fetchall()
        file.connection.execute("BEGIN IMMEDIATE")  # who may not write is told now, and not when it matters
        file.connection.execute("ROLLBACK")
    except BaseException:
        file.connection.close()
        raise
    return file
