"""The thread that works for a store: in order, together where it can, and whoever goes away."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable

import pytest

from cadenza.bot.store.opening import OpenFile
from cadenza.bot.store.store import StoreError
from cadenza.bot.store.worker import Worker

PATIENCE = 30.0


def table() -> OpenFile:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE words (word TEXT UNIQUE) STRICT")
    return OpenFile(connection, "words.db")


@pytest.fixture
async def worker() -> AsyncIterator[Worker]:
    worker = Worker(table, name="a worker")
    yield worker
    await worker.close()


def says(word: str) -> Callable[[sqlite3.Connection], str]:
    def say(connection: sqlite3.Connection) -> str:
        connection.execute("INSERT INTO words VALUES (?)", [word])
        return word

    return say


def words(connection: sqlite3.Connection) -> list[str]:
    return [row[0] for row in connection.execute("SELECT word FROM words ORDER BY rowid")]


class Door:
    """Holds the thread up until it is opened."""

    def __init__(self) -> None:
        self._open = threading.Event()
        self.reached = threading.Event()

    def __call__(self, _: sqlite3.Connection) -> None:
        self.reached.set()
        assert self._open.wait(PATIENCE)

    def open(self) -> None:
        self._open.set()


async def held(worker: Worker) -> tuple[Door, asyncio.Task[None]]:
    """A worker that is at work until the door is opened."""
    door = Door()
    task = asyncio.create_task(worker.do(door))
    await asyncio.to_thread(door.reached.wait, PATIENCE)
    return door, task


async def test_what_is_asked_for_is_done_in_order(worker: Worker) -> None:
    said = await asyncio.gather(*(worker.do(says(str(n)), writes=True) for n in range(600)), worker.do(words))

    assert [*map(str, range(600)), list(map(str, range(600)))] == said


async def test_what_waits_is_done_in_one_transaction(worker: Worker) -> None:
    begun: list[str] = []
    await worker.do(lambda connection: connection.set_trace_callback(begun.append))
    door, task = await held(worker)
    waiting = [asyncio.create_task(worker.do(says(word), writes=True)) for word in "abc"]
    await asyncio.sleep(0)
    door.open()

    await asyncio.gather(task, *waiting)

    assert 1 == begun.count("BEGIN IMMEDIATE")
    assert 1 == begun.count("COMMIT")


async def test_one_that_fails_fails_alone(worker: Worker) -> None:
    door, task = await held(worker)
    waiting = [asyncio.create_task(worker.do(says(word), writes=True)) for word in "abac"]
    await asyncio.sleep(0)
    door.open()

    results = await asyncio.gather(task, *waiting, return_exceptions=True)

    assert [None, "a", "b", StoreError, "c"] == [type(r) if isinstance(r, StoreError) else r for r in results]
    assert ["a", "b", "c"] == await worker.do(words)


async def test_nothing_is_left_of_what_failed_half_way(worker: Worker) -> None:
    def half(connection: sqlite3.Connection) -> None:
        says("half")(connection)
        raise KeyError

    with pytest.raises(KeyError):
        await worker.do(half, writes=True)

    assert [] == await worker.do(words)


async def test_a_stop_of_an_iteration_is_an_error_like_any_other(worker: Worker) -> None:
    """It cannot be set as the exception of a future, and must not hold up who waits for it."""

    def stop(_: sqlite3.Connection) -> None:
        raise StopIteration

    async with asyncio.timeout(PATIENCE):
        with pytest.raises(RuntimeError, match="StopIteration"):
            await worker.do(stop)


async def test_who_goes_away_still_has_their_word_kept_and_holds_nobody_up(worker: Worker) -> None:
    door, held_up = await held(worker)
    leaving = asyncio.create_task(worker.do(says("a"), writes=True))
    await asyncio.sleep(0)
    for task in (held_up, leaving):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    door.open()

    assert ["a"] == await worker.do(words)


async def test_closing_waits_for_what_is_under_way() -> None:
    files: list[OpenFile] = []
    worker = Worker(lambda: files.append(table()) or files[0], name="a worker")
    door, _ = await held(worker)
    said = asyncio.create_task(worker.do(says("a"), writes=True))
    await asyncio.sleep(0)
    closing = asyncio.create_task(worker.close())
    await asyncio.sleep(0)
    with pytest.raises(StoreError, match="closed"):
        await worker.do(words)
    assert not closing.done()
    door.open()

    assert "a" == await said
    await closing
    with pytest.raises(sqlite3.ProgrammingError):
        files[0].connection.execute("SELECT 1")


async def test_closing_waits_though_it_is_cancelled() -> None:
    worker = Worker(table, name="a worker of its own")
    door, _ = await held(worker)
    closing = asyncio.create_task(worker.close())
    await asyncio.sleep(0)
    closing.cancel()
    await asyncio.sleep(0)
    assert not closing.done()
    door.open()

    with pytest.raises(asyncio.CancelledError):
        await closing
    await worker.close()
    assert "a worker of its own" not in {thread.name for thread in threading.enumerate()}


async def test_one_that_was_never_asked_has_nothing_to_close() -> None:
    worker = Worker(lambda: pytest.fail("it was opened"), name="a worker")

    await worker.close()
    await worker.close()


async def test_a_file_that_cannot_be_opened_is_an_error_for_each_and_is_tried_again() -> None:
    troubles = [StoreError("not yet"), OSError("nor yet")]

    def opening() -> OpenFile:
        if troubles:
            raise troubles.pop(0)
        return table()

    worker = Worker(opening, name="a worker")
    with pytest.raises(StoreError, match="not yet"):
        await worker.do(words)
    with pytest.raises(OSError, match="nor yet"):
        await worker.do(words)
    assert [] == await worker.do(words)
    await worker.close()


def test_a_loop_that_ended_meanwhile_does_not_end_the_thread() -> None:
    worker = Worker(table, name="a worker")
    door = Door()

    async def leave() -> None:
        task = asyncio.create_task(worker.do(door))
        await asyncio.to_thread(door.reached.wait, PATIENCE)
        task.cancel()

    async def come_back() -> list[str]:
        door.open()
        await worker.do(says("a"), writes=True)
        found = await worker.do(words)
        await worker.close()
        return found

    asyncio.run(leave())

    assert ["a"] == asyncio.run(come_back())
