"""Opening the file of a store."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from cadenza.bot.store.migrations import MIGRATIONS, version_of
from cadenza.bot.store.opening import copied, opened
from cadenza.bot.store.store import StoreError

NEXT = (*MIGRATIONS, ("ALTER TABLE records ADD COLUMN colour TEXT",))
BROKEN = (*MIGRATIONS, ("ALTER TABLE nothing ADD COLUMN colour TEXT",))


def pragma(connection: sqlite3.Connection, name: str) -> object:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


def test_a_new_store_is_for_its_owner_alone_and_careful(tmp_path: Path) -> None:
    file = opened(str(tmp_path / "cadenza.db"))
    try:
        assert {0o600} == {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
        assert ("wal", 2, 1) == tuple(
            pragma(file.connection, name) for name in ("journal_mode", "synchronous", "secure_delete")
        )
    finally:
        file.close()


def test_an_older_store_is_copied_before_it_is_changed(tmp_path: Path) -> None:
    path = tmp_path / "cadenza.db"
    opened(str(path)).close()
    assert not list(tmp_path.glob("*.version-*"))

    opened(str(path), migrations=NEXT).close()

    with closing(sqlite3.connect(tmp_path / "cadenza.db.version-1")) as before:
        assert len(MIGRATIONS) == version_of(before, "before")
    with closing(sqlite3.connect(path)) as after:
        assert len(NEXT) == version_of(after, "after")


def test_a_change_that_fails_leaves_the_store_as_it_was_and_open_to_others(tmp_path: Path) -> None:
    path = str(tmp_path / "cadenza.db")
    opened(path).close()

    with pytest.raises(StoreError, match=r"failed \(SQLITE_ERROR\)"):
        opened(path, migrations=BROKEN)

    opened(path).close()


def test_a_newer_store_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "cadenza.db"
    opened(str(path), migrations=NEXT).close()
    before = path.read_bytes()

    with pytest.raises(StoreError, match="newer Cadenza"):
        opened(str(path))
    with pytest.raises(StoreError, match="newer Cadenza"):
        copied(str(path))

    assert before == path.read_bytes()


def test_a_copy_of_an_older_store_is_brought_up_to_date_and_the_store_is_not(tmp_path: Path) -> None:
    path = tmp_path / "cadenza.db"
    opened(str(path)).close()
    before = path.read_bytes()

    file = copied(str(path), migrations=NEXT)
    try:
        assert len(NEXT) == version_of(file.connection, "copy")
    finally:
        file.close()

    assert before == path.read_bytes()
    assert {"cadenza.db", "cadenza.db.lock"} == {file.name for file in tmp_path.iterdir()}


def test_one_store_by_two_names_is_one_store(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "cadenza.db")
    file = opened(str(tmp_path / "cadenza.db"))
    try:
        with pytest.raises(StoreError, match="another bot"):
            opened(str(tmp_path / "link.db"))
    finally:
        file.close()


def test_another_program_that_holds_the_file_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cadenza.bot.store.backup.PATIENCE", 0.05)
    path = tmp_path / "cadenza.db"
    opened(str(path)).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"another program keeps the store .* busy"):
            opened(str(path))

    opened(str(path)).close()
