"""A copy of a store, made while it is in use, and looked over before anybody relies on it.

A copy is a store like any other: to go back to it, stop the bot and copy the file over the store, whose companions
``-wal`` and ``-shm`` must go before.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from .migrations import version_of
from .sqlite_errors import told
from .store import StoreError

PATIENCE = 5.0
"""Seconds for which another program that has the file is waited for."""


def connected(path: Path) -> sqlite3.Connection:
    """A way to the file at *path*, which must be there. Nothing is done with it yet."""
    # "rw" rather than "ro": who may only read still can, and who may write leaves no files of SQLite's behind.
    uri = f"{path.resolve().as_uri()}?mode=rw"
    return sqlite3.connect(uri, uri=True, timeout=PATIENCE, isolation_level=None)


def reading(path: Path) -> sqlite3.Connection:
    """A way to the store at *path*, in use or not, which is surely one; raises a ``StoreError``."""
    if not path.is_file():
        msg = f"there is no store {str(path)!r}; name one with --path, or start the bot once"
        raise StoreError(msg)
    try:
        connection = connected(path)
        try:
            version = version_of(connection, str(path))
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        raise told(error, str(path)) from None
    if not version:
        connection.close()
        msg = f"the store {str(path)!r} is empty; start the bot once"
        raise StoreError(msg)
    return connection


def back_up(source: Path, target: Path, *, force: bool = False) -> int:
    """Copy the store *source* to the new file *target*, and give back how many records are in it.

    It may be in use; what is copied is what it held at one moment. With *force* it is written over what is there.
    """
    if target.exists() and not force:
        msg = f"there is a file {str(target)!r} already; name another one, or add --force"
        raise StoreError(msg)
    if target.exists() and source.exists() and target.samefile(source):
        msg = f"{str(target)!r} is the store itself; name another file"
        raise StoreError(msg)
    with closing(reading(source)) as connection:
        copy(connection, target)
    with closing(reading(target)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM records").fetchone()
    return int(count)


def copy(connection: sqlite3.Connection, target: Path) -> None:
    """Copy what *connection* leads to into the file *target*, whole and checked, or leave that as it was."""
    part = target.with_name(f"{target.name}.part")
    try:
        for left in (part, part.with_name(f"{part.name}-journal")):  # of a copy in whose middle somebody died
            left.unlink(missing_ok=True)  # what SQLite would roll back is none of the new one
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with closing(connected(part)) as fresh:
            connection.backup(fresh)
            fresh.execute("PRAGMA journal_mode = DELETE").fetchall()  # so that it is one file, wherever it is carried
            found = complaints(fresh)
        if found:
            msg = f"the copy {str(target)!r} was not made, for the store is damaged: 'cadenza store check' says more"
            raise StoreError(msg)
        _settle(part)
        part.replace(target)
        _settle(target.parent)
    except (sqlite3.Error, OSError) as error:
        raise told(error, str(target)) from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def complaints(connection: sqlite3.Connection) -> list[str]:
    """What SQLite finds wrong with a store, when it looks at all of it; nothing if all is well."""
    try:
        found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(20)")]
    except sqlite3.DatabaseError as error:  # so damaged that not even that can be told
        return [getattr(error, "sqlite_errorname", type(error).__name__)]
    return [] if found == ["ok"] else found


def _settle(path: Path) -> None:
    """See to it that *path*, a file or a folder, is on the disk and not only on its way there."""
    if os.name == "nt" and path.is_dir():
        return  # a folder cannot be opened there
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
