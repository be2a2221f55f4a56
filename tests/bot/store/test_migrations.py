"""Steps from one version of the store to the next."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from cadenza.bot.store.migrations import APPLICATION, MIGRATIONS, migrate, version_of
from cadenza.bot.store.store import StoreError

STEPS = (("CREATE TABLE one (a)",), ("CREATE TABLE two (a)", "INSERT INTO two VALUES (2)"), ("CREATE TABLE three (a)",))


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    yield connection
    connection.close()


def tables(connection: sqlite3.Connection) -> list[str]:
    return [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")]


def test_an_empty_file_is_made_a_store_without_a_backup(connection: sqlite3.Connection) -> None:
    backups: list[int] = []

    assert 0 == migrate(connection, "a.db", backup=backups.append, migrations=STEPS)

    assert ["one", "two", "three"] == tables(connection)
    assert (3, []) == (version_of(connection, "a.db"), backups)


def test_an_older_store_is_copied_and_brought_up_to_date(connection: sqlite3.Connection) -> None:
    migrate(connection, "a.db", backup=pytest.fail, migrations=STEPS[:1])
    seen: list[tuple[int, list[str]]] = []

    migrate(connection, "a.db", backup=lambda version: seen.append((version, tables(connection))), migrations=STEPS)

    assert [(1, ["one"])] == seen
    assert ["one", "two", "three"] == tables(connection)


def test_a_store_that_is_up_to_date_is_left_alone(connection: sqlite3.Connection) -> None:
    migrate(connection, "a.db", backup=pytest.fail, migrations=STEPS)

    assert 3 == migrate(connection, "a.db", backup=pytest.fail, migrations=STEPS)


def test_a_step_that_fails_leaves_the_store_as_the_step_before_made_it(connection: sqlite3.Connection) -> None:
    migrate(connection, "a.db", backup=pytest.fail, migrations=STEPS[:1])
    broken = (STEPS[0], STEPS[1], ("CREATE TABLE three (a)", "INSERT INTO nothing VALUES (3)"))

    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, "a.db", backup=lambda _: None, migrations=broken)

    assert (["one", "two"], 2) == (tables(connection), version_of(connection, "a.db"))
    migrate(connection, "a.db", backup=lambda _: None, migrations=STEPS)
    assert ["one", "two", "three"] == tables(connection)


def test_nothing_is_changed_if_no_backup_can_be_made(connection: sqlite3.Connection) -> None:
    def fail(_: int) -> None:
        raise StoreError

    migrate(connection, "a.db", backup=pytest.fail, migrations=STEPS[:1])
    with pytest.raises(StoreError):
        migrate(connection, "a.db", backup=fail, migrations=STEPS)

    assert ["one"] == tables(connection)


def test_a_store_of_a_newer_version_is_refused(connection: sqlite3.Connection) -> None:
    migrate(connection, "a.db", backup=pytest.fail, migrations=STEPS)

    with pytest.raises(StoreError, match=r"'a.db' was made by a newer Cadenza; update this one"):
        migrate(connection, "a.db", backup=pytest.fail, migrations=STEPS[:2])


@pytest.mark.parametrize(
    "statement", ["CREATE TABLE diary (page)", "PRAGMA user_version = 4", "PRAGMA application_id = 5"]
)
def test_the_database_of_another_program_is_refused(connection: sqlite3.Connection, statement: str) -> None:
    connection.execute(statement)

    with pytest.raises(StoreError, match="the database of another program"):
        version_of(connection, "a.db")


def test_every_record_has_its_indexes(connection: sqlite3.Connection) -> None:
    migrate(connection, "a.db", backup=pytest.fail)
    assert (APPLICATION,) == connection.execute("PRAGMA application_id").fetchone()
    assert len(MIGRATIONS) == version_of(connection, "a.db")

    def plan(condition: str) -> str:
        return str(connection.execute(f"EXPLAIN QUERY PLAN DELETE FROM records WHERE {condition}").fetchall())  # noqa: S608  # our own words

    assert "records_of_owner" in plan("owner = 'a'")
    assert "records_of_server" in plan("server = 'a'")
    assert "records_that_expire" in plan("expires <= 5")
    assert "sqlite_autoindex_records_1" in plan("shelf = 'a' AND key >= 'a' AND key < 'b'")
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute("INSERT INTO records VALUES ('notes', 'a', x'00', '', '', NULL)")
