"""The thread that opens, reads, writes and closes a store's file, one job at a time, in order.

Jobs that queue up while another runs share one transaction, so that many small writes cost one disk sync. A job runs to
its end even if its caller is cancelled.
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
from .sqlite_errors import store_error
from .store import StoreError

T = TypeVar("T")

_MOST = 256
"""How many jobs share one transaction."""


@dataclass(frozen=True, slots=True)
class _Done(Generic[T]):
    value: T


@dataclass(frozen=True, slots=True)
class _Failed:
    error: BaseException


@dataclass(frozen=True, slots=True)
class _Job(Generic[T]):
    """A piece of work and the future of its caller."""

    work: Callable[[sqlite3.Connection], T]
    writes: bool
    scrubs: bool
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    future: asyncio.Future[_Done[T] | _Failed] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    def tell(self, outcome: _Done[T] | _Failed) -> None:
        """Set the outcome, from the thread."""
        _settle(self.loop, self.future, outcome)


class Worker:
    """One thread for one file. *open_file* opens it for the first job, and again after a failure."""

    def __init__(self, open_file: Callable[[], OpenFile], *, name: str) -> None:
        self._open_file = open_file
        self._name = name
        self._queue: SimpleQueue[_Job[object] | None] = SimpleQueue()  # ``None`` is the end
        self._file: OpenFile | None = None  # used by the thread only
        self._thread: Thread | None = None
        self._is_closed = False
        self._has_ended = False
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []  # for the end

    async def do(self, work: Callable[[sqlite3.Connection], T], *, writes: bool = False, scrubs: bool = False) -> T:
        """Run *work* after all earlier jobs and return its result; raises what it raises, or a ``StoreError``.

        With *writes*, the changes are on disk when this returns; if *work* raises, they are rolled back. *work* may run
        twice, the first time rolled back. With *scrubs*, what it deleted leaves no traces in the file.
        """
        if self._is_closed:
            msg = "the store is closed; nothing more can be read or saved"
            raise StoreError(msg)
        if self._thread is None:
            # A daemon, so that a program that does not close its store can end: commits are safe.
            self._thread = Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        job = _Job(work, writes=writes, scrubs=scrubs)
        self._queue.put(job)  # type: ignore[arg-type]  # the thread only passes the result on
        match await job.future:
            case _Done(value):
                return value
            case _Failed(error):
                raise error

    async def close(self) -> None:
        """Finish all jobs and close the file; waits for that even when cancelled."""
        if not self._is_closed:
            self._is_closed = True
            self._queue.put(None)
        if self._thread is not None:
            await outlast(asyncio.create_task(self._ended()))
            self._thread.join()  # it is about to end

    async def _ended(self) -> None:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        self._waiting.append((loop, future))
        if not self._has_ended:  # the thread sets this before it looks at ``_waiting``
            await future

    # --- on the thread ----------------------------------------------------------------------

    def _run(self) -> None:
        is_over = False
        while not is_over:
            batch = [self._queue.get()]
            while len(batch) < _MOST and not self._queue.empty():
                batch.append(self._queue.get())  # does not block: this is the only reader
            is_over = None in batch  # nothing comes after it
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
        except BaseException as error:  # noqa: BLE001  # passed on to the callers
            for job in jobs:
                job.tell(_Failed(_fresh(error)))
            return
        for job, outcome in zip(jobs, _together(self._file, jobs), strict=True):
            job.tell(outcome)


def _together(file: OpenFile, jobs: Sequence[_Job[object]]) -> Sequence[_Done[object] | _Failed]:
    """Run *jobs* in one transaction; if one fails, each in its own, so that only that one fails."""
    if len(jobs) > 1:
        with suppress(BaseException):
            return _transacted(file.connection, jobs)
    return [_alone(file, job) for job in jobs]


def _alone(file: OpenFile, job: _Job[object]) -> _Done[object] | _Failed:
    try:
        return _transacted(file.connection, [job])[0]
    except (sqlite3.Error, MemoryError) as error:
        return _Failed(store_error(error, file.path))
    except BaseException as error:  # noqa: BLE001  # passed on to the caller
        return _Failed(error)


def _transacted(connection: sqlite3.Connection, jobs: Sequence[_Job[object]]) -> list[_Done[object]]:
    if any(job.writes for job in jobs):
        connection.execute("BEGIN IMMEDIATE")
    try:
        outcomes = [_Done(job.work(connection)) for job in jobs]
        if connection.in_transaction:
            connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # after some failures SQLite has rolled back already
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
        raise
    if any(job.scrubs for job in jobs):
        with suppress(sqlite3.Error):  # the records are deleted; their traces go with the next checkpoint
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return outcomes


def _fresh(error: BaseException) -> BaseException:
    """A copy of *error* for one of several callers, as raising it changes its traceback."""
    fresh = StoreError(error.sentence) if isinstance(error, StoreError) else error
    fresh.__cause__ = error.__cause__
    return fresh


def _settle(loop: asyncio.AbstractEventLoop, future: asyncio.Future[T], value: T) -> None:
    def settle() -> None:
        if not future.done():  # the caller may have been cancelled
            future.set_result(value)

    with suppress(RuntimeError):  # the caller's loop is closed
        loop.call_soon_threadsafe(settle)
