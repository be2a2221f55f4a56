"""The schema of a store and its migrations: numbered steps, each in a transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress

from ...errors import Sentence
from .store import StoreError

APPLICATION = 0x43444E5A
"""The SQLite application id of a store: ``CDNZ``."""

MIGRATIONS: Sequence[Sequence[str]] = (
    (
        """
        CREATE TABLE records (
            shelf TEXT NOT NULL,
            key TEXT NOT NULL,
            value TEXT NOT NULL,
            owner TEXT NOT NULL,
            server TEXT NOT NULL,
            expires REAL,
            PRIMARY KEY (shelf, key)
        ) STRICT
        """,
        "CREATE INDEX records_of_owner ON records (owner, shelf, key)",
        "CREATE INDEX records_of_server ON records (server, shelf, key)",
        "CREATE INDEX records_that_expire ON records (expires) WHERE expires IS NOT NULL",
    ),
)
"""The statements from each version to the next. Released ones never change."""


def version_of(connection: sqlite3.Connection, path: str) -> int:
    """The version of the store at *path*; 0 is an empty file. Raises a ``StoreError`` for a foreign database."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application == APPLICATION:
        return int(version)
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application or version or tables:
        msg = Sentence("{path} is the database of another program, not a store; name another file", path=repr(path))
        raise StoreError(msg)
    return 0


def migrate(
    connection: sqlite3.Connection,
    path: str,
    *,
    backup: Callable[[int], object],
    migrations: Sequence[Sequence[str]] = MIGRATIONS,
) -> int:
    """Migrate the store at *path* to the newest version; return the version it had.

    *backup* is called with that version before the first change, unless the store is new.
    """
    version = version_of(connection, path)
    if version > len(migrations):
        msg = Sentence(
            "the store {path} was made by a newer Cadenza; update this one, or restore an earlier backup",
            path=repr(path),
        )
        raise StoreError(msg)
    if 0 < version < len(migrations):
        backup(version)
    for number, statements in enumerate(migrations[version:], start=version + 1):
        _step(connection, number, statements)
    return version


def _step(connection: sqlite3.Connection, number: int, statements: Sequence[str]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in statements:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # on a full disk SQLite has rolled back already
            connection.execute("ROLLBACK")
        raise
