"""Backups: a copy of a store that may be in use, with an integrity check.

A backup is a store itself. To restore it, stop the bot, remove the store's ``-wal`` and ``-shm`` files, and copy the
backup over the store.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from ...errors import Sentence
from .migrations import version_of
from .sqlite_errors import store_error
from .store import StoreError

BUSY_TIMEOUT = 5.0
"""Seconds to wait for another program that has locked the file."""


def connected(path: Path) -> sqlite3.Connection:
    """Connect to the existing file at *path*, without reading it yet."""
    # "rw" rather than "ro": it also works with read rights only, and with write rights SQLite cleans up its files.
    uri = f"{path.resolve().as_uri()}?mode=rw"
    return sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT, isolation_level=None)


def reading(path: Path) -> sqlite3.Connection:
    """Connect to the store at *path*, in use or not; raises a ``StoreError`` if it is not a store."""
    if not path.is_file():
        msg = Sentence("there is no store {path}; name one with --path, or start the bot once", path=repr(str(path)))
        raise StoreError(msg)
    try:
        connection = connected(path)
        try:
            version = version_of(connection, str(path))
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        raise store_error(error, str(path)) from error
    if not version:
        connection.close()
        msg = Sentence("the store {path} is empty; start the bot once", path=repr(str(path)))
        raise StoreError(msg)
    return connection


def back_up(source: Path, target: Path, *, force: bool = False) -> int:
    """Copy the store *source* to the new file *target*; return the number of records.

    The source may be in use: the copy is a snapshot. With *force* an existing file is overwritten.
    """
    if target.exists() and not force:
        msg = Sentence("the file {target} exists already; name another one, or add --force", target=repr(str(target)))
        raise StoreError(msg)
    if target.exists() and source.exists() and target.samefile(source):
        msg = Sentence("{target} is the store itself; name another file", target=repr(str(target)))
        raise StoreError(msg)
    with closing(reading(source)) as connection:
        copy(connection, target)
    with closing(reading(target)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM records").fetchone()
    return int(count)


def copy(connection: sqlite3.Connection, target: Path) -> None:
    """Copy the database of *connection* to the file *target* atomically, after an integrity check."""
    part = target.with_name(f"{target.name}.part")
    try:
        for left in (part, part.with_name(f"{part.name}-journal")):  # of an earlier copy that was interrupted
            left.unlink(missing_ok=True)  # or SQLite would roll the old journal back into the new file
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with closing(connected(part)) as fresh:
            connection.backup(fresh)
            fresh.execute("PRAGMA journal_mode = DELETE").fetchall()  # so that the backup is one file
            found = problems(fresh)
        if found:
            msg = Sentence(
                "the copy {target} was not made: the store is damaged, 'cadenza store check' shows how",
                target=repr(str(target)),
            )
            raise StoreError(msg)
        _sync(part)
        part.replace(target)
        _sync(target.parent)
    except (sqlite3.Error, OSError) as error:
        raise store_error(error, str(target)) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def problems(connection: sqlite3.Connection) -> list[str]:
    """The result of SQLite's integrity check; empty if the store is intact."""
    try:
        found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(20)")]
    except sqlite3.DatabaseError as error:  # too damaged for the check itself
        return [getattr(error, "sqlite_errorname", type(error).__name__)]
    return [] if found == ["ok"] else found


def _sync(path: Path) -> None:
    """Flush *path*, a file or a folder, to the disk."""
    if os.name == "nt" and path.is_dir():
        return  # Windows cannot open folders
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
