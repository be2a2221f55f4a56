"""The SQLite store: the contract, the same answers as the store in memory, and failures of files."""

# ruff: noqa: ASYNC240  # nobody else runs in these loops

from __future__ import annotations

import asyncio
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.sqlite import SqliteStore
from cadenza.bot.store.store import Namespace, Record, Store, StoreError
from tests.contracts.store import NOTE, Clock, StoreContract

T = TypeVar("T")


class TestSqliteStore(StoreContract):
    def store(self, clock: Callable[[], float]) -> SqliteStore:
        return SqliteStore(":memory:", clock=clock, sweep_every=float("inf"))


class TestSqliteStoreInAFile(StoreContract):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    def store(self, clock: Callable[[], float]) -> SqliteStore:
        return SqliteStore(str(self.folder / "cadenza.db"), clock=clock, sweep_every=float("inf"))


# --- like the one in memory ----------------------------------------------------------------------

KEYS = st.text(st.sampled_from("ab/\x00é\ud7ff\ue000\U0010ffff"), max_size=3)
IDS = st.sampled_from(["", "1", "2"])
MAYBE = st.none() | IDS
SHELVES = st.sampled_from([Namespace.NOTES, Namespace.PEOPLE])
RECORDS = st.builds(
    Record,
    SHELVES,
    KEYS,
    st.dictionaries(st.text(max_size=2), st.integers() | st.text(max_size=3), max_size=2),
    owner=IDS,
    server=IDS,
    expires=st.none() | st.integers(0, 20).map(float),
)


class TwoStores(RuleBasedStateMachine):
    """Both stores give the same answers to the same operations."""

    @initialize()
    def open(self) -> None:
        self.clock = Clock()
        self.clock.now = 0.0
        self.runner = asyncio.Runner()
        self.memory = MemoryStore(clock=self.clock)
        self.sqlite = SqliteStore(":memory:", clock=self.clock, sweep_every=float("inf"))

    def both(self, ask: Callable[[Store], Awaitable[T]]) -> T:
        async def asked(store: Store) -> T:
            return await ask(store)

        expected, actual = (self.runner.run(asked(store)) for store in (self.memory, self.sqlite))
        assert expected == actual
        return expected

    @rule(records=st.lists(RECORDS, max_size=4))
    def put(self, records: list[Record]) -> None:
        self.both(lambda store: store.put(*records))

    @rule(namespace=SHELVES, key=KEYS)
    def get(self, namespace: Namespace, key: str) -> None:
        self.both(lambda store: store.get(namespace, key))

    @rule(namespace=SHELVES, keys=st.lists(KEYS, max_size=3))
    def delete(self, namespace: Namespace, keys: list[str]) -> None:
        self.both(lambda store: store.delete(namespace, *keys))

    @rule(namespace=SHELVES, prefix=KEYS, owner=MAYBE, server=MAYBE)
    def find(self, namespace: Namespace, prefix: str, owner: str | None, server: str | None) -> None:
        self.both(lambda store: store.find(namespace, prefix=prefix, owner=owner, server=server))

    @rule(namespace=SHELVES, key=KEYS, record=st.none() | RECORDS)
    def change(self, namespace: Namespace, key: str, record: Record | None) -> None:
        self.both(lambda store: store.change(namespace, key, lambda was: record if was is None else None))

    @rule(owner=MAYBE, server=MAYBE)
    def forget(self, owner: str | None, server: str | None) -> None:
        self.both(lambda store: store.forget(owner=owner, server=server))

    @rule()
    def sweep(self) -> None:
        self.both(lambda store: store.sweep())

    @rule(seconds=st.integers(1, 5))
    def wait(self, seconds: int) -> None:
        self.clock.now += seconds

    @invariant()
    def everything_is_the_same(self) -> None:
        for namespace in (Namespace.NOTES, Namespace.PEOPLE):
            self.both(lambda store, namespace=namespace: store.find(namespace))  # type: ignore[misc]

    def teardown(self) -> None:
        if hasattr(self, "runner"):
            self.runner.run(self.sqlite.close())
            self.runner.close()


TwoStores.TestCase.settings = settings(max_examples=settings().max_examples // 8, stateful_step_count=25, deadline=None)
TestTwoStores = TwoStores.TestCase


# --- a file --------------------------------------------------------------------------------------


async def test_what_was_put_is_there_after_a_restart(tmp_path: Path) -> None:
    path = str(tmp_path / "cadenza.db")
    async with SqliteStore(path) as store:
        await store.put(NOTE)
    async with SqliteStore(path) as store:
        assert NOTE == await store.get(Namespace.NOTES, NOTE.key)


async def test_a_store_opens_when_it_is_first_asked(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "cadenza.db"))
    assert [] == list(tmp_path.iterdir())

    await store.put(NOTE)
    await store.close()

    assert (tmp_path / "cadenza.db").is_file()


async def test_a_store_that_is_closed_says_so_and_can_be_closed_again(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "cadenza.db"))
    await store.put(NOTE)
    await asyncio.gather(store.close(), store.close())
    await store.close()

    with pytest.raises(StoreError, match="closed"):
        await store.get(Namespace.NOTES, "a")
    assert not [thread for thread in threading.enumerate() if thread.name == "cadenza store"]


async def test_a_closed_store_is_one_file(tmp_path: Path) -> None:
    async with SqliteStore(str(tmp_path / "cadenza.db")) as store:
        await store.put(NOTE)

    assert {"cadenza.db", "cadenza.db.lock"} == {path.name for path in tmp_path.iterdir()}


async def test_what_is_forgotten_leaves_no_trace_in_the_file(tmp_path: Path) -> None:
    secret = "a-word-that-is-nowhere-else"  # noqa: S105  # it is no secret
    async with SqliteStore(str(tmp_path / "cadenza.db")) as store:
        await store.put(Record(Namespace.NOTES, "a", {"text": secret * 2000}, owner="1"), Record(Namespace.NOTES, "b"))
        assert any(secret.encode() in path.read_bytes() for path in tmp_path.iterdir())

        await store.forget(owner="1")

        assert not any(secret.encode() in path.read_bytes() for path in tmp_path.iterdir())


async def test_what_has_expired_is_swept_out_with_a_write_but_not_with_every_one(tmp_path: Path) -> None:
    def rows() -> int:
        with closing(sqlite3.connect(tmp_path / "cadenza.db")) as connection:
            return int(connection.execute("SELECT count(*) FROM records").fetchone()[0])

    clock = Clock()
    async with SqliteStore(str(tmp_path / "cadenza.db"), clock=clock, sweep_every=600.0) as store:
        await store.put(Record(Namespace.NOTES, "a", expires=1001.0))
        clock.now += 599.0
        await store.put(Record(Namespace.NOTES, "b"))
        assert 2 == rows()
        clock.now += 1.0
        await store.put(Record(Namespace.NOTES, "c"))
        assert 2 == rows()
        assert ["b", "c"] == [record.key for record in await store.find(Namespace.NOTES)]


async def test_what_expired_while_nobody_was_there_holds_up_no_write() -> None:
    clock = Clock()
    async with SqliteStore(":memory:", clock=clock, sweep_every=600.0) as store:
        await store.put(*(Record(Namespace.NOTES, str(number), expires=1001.0) for number in range(1200)))
        clock.now += 86_400.0
        await store.put(Record(Namespace.NOTES, "a"))
        await store.put(Record(Namespace.NOTES, "b"))

        assert 200 == await store.sweep()


async def test_a_copy_can_be_read_while_a_bot_has_the_file(tmp_path: Path) -> None:
    path = str(tmp_path / "cadenza.db")
    async with SqliteStore(path) as store, SqliteStore(path, copy=True) as copy:
        await store.put(NOTE)
        assert [] == await copy.find(Namespace.NOTES)
        async with SqliteStore(path, copy=True) as later:
            assert [NOTE] == await later.find(Namespace.NOTES)
            await later.put(Record(Namespace.NOTES, "z"))
        assert [NOTE] == await store.find(Namespace.NOTES)


async def test_a_second_bot_on_one_file_is_told_so(tmp_path: Path) -> None:
    path = str(tmp_path / "cadenza.db")
    async with SqliteStore(path) as store:
        await store.put(NOTE)
        with pytest.raises(StoreError, match="another bot uses the store"):
            async with SqliteStore(path):
                pytest.fail("two bots had one store")
        assert NOTE == await store.get(Namespace.NOTES, NOTE.key)


# --- trouble -------------------------------------------------------------------------------------


async def trouble(path: Path) -> str:
    """The error message of a store that cannot be used."""
    with pytest.raises(StoreError) as caught:
        async with SqliteStore(str(path)) as store:
            await store.find(Namespace.NOTES)
    return str(caught.value)


async def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "cadenza.db"
    path.write_text("dear diary, " * 200, encoding="utf-8")

    assert "is not a store" in await trouble(path)
    assert "dear diary, " * 200 == path.read_text(encoding="utf-8")


async def test_the_database_of_another_program_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "cadenza.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE diary (page)")
    before = path.read_bytes()

    assert "another program" in await trouble(path)
    assert before == path.read_bytes()


async def test_a_damaged_file_is_told_of(tmp_path: Path) -> None:
    path = tmp_path / "cadenza.db"
    async with SqliteStore(str(path)) as store:
        await store.put(*(Record(Namespace.NOTES, f"{n:05}", {"text": "x" * 500}) for n in range(200)))
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))

    assert "is damaged" in await trouble(path)


@pytest.mark.parametrize("place", ["nowhere/cadenza.db", "file/cadenza.db", "."], ids=["missing", "file", "folder"])
async def test_a_place_where_no_file_can_be_is_told_of(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()

    assert "cannot be opened; its folder must exist" in await trouble(tmp_path / place)


async def test_a_folder_that_cannot_be_written_is_told_of(tmp_path: Path, not_tested: Callable[[str], None]) -> None:
    tmp_path.chmod(0o500)
    # Who may do everything can still not do everything there.
    folder = Path("/sys") if os.access(tmp_path, os.W_OK) else tmp_path
    try:
        if not folder.is_dir():
            not_tested("a store in a folder that cannot be written, for this user can write everywhere")
            pytest.skip("this user can write everywhere")
        assert "the bot" in await trouble(folder / "cadenza.db")
    finally:
        tmp_path.chmod(0o700)


async def test_a_file_that_cannot_be_written_is_told_of_and_can_still_be_read(tmp_path: Path) -> None:
    path = tmp_path / "cadenza.db"
    async with SqliteStore(str(path)) as store:
        await store.put(NOTE)
        await store._worker.do(lambda connection: connection.execute("PRAGMA query_only = ON").fetchall())

        with pytest.raises(StoreError, match="cannot be written; allow the bot"):
            await store.put(Record(Namespace.NOTES, "b"))

        assert [NOTE] == await store.find(Namespace.NOTES)


async def test_a_full_disk_refuses_what_does_not_fit_and_nothing_else(tmp_path: Path) -> None:
    path = str(tmp_path / "cadenza.db")
    async with SqliteStore(path) as store:
        await store.put(NOTE)
        await store._worker.do(lambda connection: connection.execute("PRAGMA max_page_count = 20").fetchall())
        large = Record(Namespace.NOTES, "large", {"text": "x" * 200_000})

        results = await asyncio.gather(
            store.put(Record(Namespace.NOTES, "b")),
            store.put(large, Record(Namespace.NOTES, "with it")),
            store.put(Record(Namespace.NOTES, "c")),
            return_exceptions=True,
        )

        assert [None, StoreError, None] == [r if r is None else type(r) for r in results]
        assert "no room left" in str(results[1])
    async with SqliteStore(path) as store:
        assert ["b", "c", NOTE.key] == [record.key for record in await store.find(Namespace.NOTES)]


async def test_a_store_that_could_not_be_opened_can_be_when_the_trouble_is_over(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "later" / "cadenza.db"))
    with pytest.raises(StoreError):
        await store.put(NOTE)
    (tmp_path / "later").mkdir()

    await store.put(NOTE)

    assert [NOTE] == await store.find(Namespace.NOTES)
    await store.close()


# --- killed --------------------------------------------------------------------------------------

WRITER = """
import asyncio, sys
from cadenza.bot.store.store import Record, Namespace
from cadenza.bot.store.sqlite import SqliteStore

async def write(store, which):
    number = 0
    while True:
        number += 1
        key = f"{which}/{number}"
        await store.put(Record(Namespace.NOTES, key, {"n": number}), Record(Namespace.TURNS, key, {"text": "x" * 1000}))
        print(key, flush=True)

async def main():
    async with SqliteStore(sys.argv[1]) as store:
        await asyncio.gather(*(write(store, f"{sys.argv[2]}-{which}") for which in range(5)))

asyncio.run(main())
"""


@pytest.mark.timeout(60)
async def test_whatever_returned_survives_a_process_that_is_killed(tmp_path: Path) -> None:
    """Ten times, at a random moment, while five tasks write to one growing file."""
    path = tmp_path / "cadenza.db"
    dice = random.Random(8)
    returned: set[str] = set()
    for life in range(10):
        lines = killed_after(dice.randint(1, 150), str(path), str(life))
        assert lines
        returned |= lines
    async with SqliteStore(str(path)) as store:
        notes = {record.key: record.value for record in await store.find(Namespace.NOTES)}
        turns = {record.key for record in await store.find(Namespace.TURNS)}

    assert returned <= set(notes)
    assert set(notes) == turns  # both of a put, or none
    assert all(value == {"n": int(key.rpartition("/")[2])} for key, value in notes.items())
    with closing(sqlite3.connect(path)) as connection:
        assert [("ok",)] == connection.execute("PRAGMA integrity_check").fetchall()


def killed_after(count: int, *arguments: str) -> set[str]:
    """The output of a writer that was killed after so many lines."""
    command = [sys.executable, "-c", WRITER, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(count)]
        process.send_signal(signal.SIGKILL)
        rest, _ = process.communicate()
    whole, _, _ = rest.rpartition("\n")  # the last line may be cut
    return {line.strip() for line in (*lines, *whole.splitlines()) if line.strip()}
