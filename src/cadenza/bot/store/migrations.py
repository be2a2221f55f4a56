"""How a store looks inside, and how an older one is brought there: numbered steps, each done whole or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress

from .store import StoreError

APPLICATION = 0x43444E5A
"""What SQLite files of ours are marked with: ``CDNZ``."""

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
"""What is done to get from each version to the next. What was ever released stays as it is."""


def version_of(connection: sqlite3.Connection, path: str) -> int:
    """The version of the store at *path*; 0 is an empty file. Raises a ``StoreError`` if it is something else's."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application == APPLICATION:
        return int(version)
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application or version or tables:
        msg = f"{path!r} is the database of another program, not a store; name another file"
        raise StoreError(msg)
    return 0


def migrate(
    connection: sqlite3.Connection,
    path: str,
    *,
    backup: Callable[[int], object],
    migrations: Sequence[Sequence[str]] = MIGRATIONS,
) -> int:
    """Bring the store at *path* up to date, and give back which version it was.

    *backup* is called with that version before anything is changed, unless there is nothing yet that could be lost.
    """
    version = version_of(connection, path)
    if version > len(migrations):
        msg = (
            f"the store {path!r} was made by a newer Cadenza; update this one, or put a backup from before in its place"
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
        with suppress(sqlite3.Error):  # a full disk has rolled it back already
            connection.execute("ROLLBACK")
        raise
