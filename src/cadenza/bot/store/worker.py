"""The thread on which a store's file is opened, read, written and closed: one after the other, in the order asked.

What waits while something is being done is done together, in one transaction, so that many small writes cost one trip
to the disk. Whoever asked may go away meanwhile: what they asked for is done all the same.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Thread
from typing import Generic, TypeVar

from ...concurrency.tasks import outlast
from .opening import OpenFile
from .sqlite_errors import told
from .store import StoreError

T = TypeVar("T")

_MOST = 256
"""How many things are done in one transaction."""


@dataclass(frozen=True, slots=True)
class _Done(Generic[T]):
    value: T


@dataclass(frozen=True, slots=True)
class _Failed:
    error: BaseException


@dataclass(frozen=True, slots=True)
class _Job(Generic[T]):
    """Something to do, and who waits for it."""

    work: Callable[[sqlite3.Connection], T]
    writes: bool
    scrubs: bool
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    future: asyncio.Future[_Done[T] | _Failed] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    def tell(self, outcome: _Done[T] | _Failed) -> None:
        """Say how it ended, from the thread."""
        _settle(self.loop, self.future, outcome)


class Worker:
    """One thread for one file, which *open_file* opens when there is first something to do, and again if that failed."""

    def __init__(self, open_file: Callable[[], OpenFile], *, name: str) -> None:
        self._open_file = open_file
        self._name = name
        self._queue: SimpleQueue[_Job[object] | None] = SimpleQueue()  # ``None`` is the end
        self._file: OpenFile | None = None  # the thread's own
        self._thread: Thread | None = None
        self._is_closed = False
        self._has_ended = False
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []  # for the end

    async def do(self, work: Callable[[sqlite3.Connection], T], *, writes: bool = False, scrubs: bool = False) -> T:
        """What *work* comes to, done after all that was asked for before; raises what it raises, or a ``StoreError``.

        If it *writes*, what it wrote is on the disk when this returns; if it raises, nothing of it is. It may be done
        twice, the first time in vain. If it *scrubs*, nothing of what it removed is left in the file.
        """
        if self._is_closed:
            msg = "the store is closed; nothing more can be read or kept"
            raise StoreError(msg)
        if self._thread is None:
            # A daemon, so that a program that forgets to close its store can end: what was committed is safe.
            self._thread = Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        job = _Job(work, writes=writes, scrubs=scrubs)
        self._queue.put(job)  # type: ignore[arg-type]  # whatever it comes to is only handed on
        match await job.future:
            case _Done(value):
                return value
            case _Failed(error):
                raise error

    async def close(self) -> None:
        """Do what was asked for, then let the file go; wait for that, however often we are cancelled."""
        if not self._is_closed:
            self._is_closed = True
            self._queue.put(None)
        if self._thread is not None:
            await outlast(asyncio.create_task(self._ended()))
            self._thread.join()  # it has said its last word

    async def _ended(self) -> None:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        self._waiting.append((loop, future))
        if not self._has_ended:  # it looks at who waits after it has set this
            await future

    # --- on the thread ----------------------------------------------------------------------

    def _run(self) -> None:
        is_over = False
        while not is_over:
            batch = [self._queue.get()]
            while len(batch) < _MOST and not self._queue.empty():
                batch.append(self._queue.get())  # nobody else takes anything out
            is_over = None in batch  # nothing is asked for after it
            self._do([job for job in batch if job is not None])
        if self._file is not None:
            self._file.close()
        self._has_ended = True
        for loop, future in list(self._waiting):
            _settle(loop, future, None)

    def _do(self, jobs: Sequence[_Job[object]]) -> None:
        try:
            if self._file is None:
                self._file = self._open_file()
        except BaseException as error:  # noqa: BLE001  # whatever it is, whoever waits is told
            for job in jobs:
                job.tell(_Failed(_fresh(error)))
            return
        for job, outcome in zip(jobs, _together(self._file, jobs), strict=True):
            job.tell(outcome)


def _together(file: OpenFile, jobs: Sequence[_Job[object]]) -> Sequence[_Done[object] | _Failed]:
    """Do *jobs* in one transaction; if one of them fails, each in its own, so that it fails alone."""
    if len(jobs) > 1:
        with suppress(BaseException):
            return _transacted(file.connection, jobs)
    return [_alone(file, job) for job in jobs]


def _alone(file: OpenFile, job: _Job[object]) -> _Done[object] | _Failed:
    try:
        return _transacted(file.connection, [job])[0]
    except (sqlite3.Error, MemoryError) as error:
        return _Failed(told(error, file.path))
    except BaseException as error:  # noqa: BLE001  # it is handed on to who gave us the work
        return _Failed(error)


def _transacted(connection: sqlite3.Connection, jobs: Sequence[_Job[object]]) -> list[_Done[object]]:
    if any(job.writes for job in jobs):
        connection.execute("BEGIN IMMEDIATE")
    try:
        outcomes = [_Done(job.work(connection)) for job in jobs]
        if connection.in_transaction:
            connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # some failures have rolled back already
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
        raise
    if any(job.scrubs for job in jobs):
        with suppress(sqlite3.Error):  # what was removed is removed; its traces go with the next checkpoint
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return outcomes


def _fresh(error: BaseException) -> BaseException:
    """*error* for one of several who are told of it: who raises it adds to its trace."""
    return StoreError(str(error)) if isinstance(error, StoreError) else error


def _settle(loop: asyncio.AbstractEventLoop, future: asyncio.Future[T], value: T) -> None:
    def settle() -> None:
        if not future.done():  # who waited may have gone away
            future.set_result(value)

    with suppress(RuntimeError):  # their loop is closed
        loop.call_soon_threadsafe(settle)
