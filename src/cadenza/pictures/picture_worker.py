"""Where pictures are painted: in threads of their own, and not for ever.

A painter is foreign code that may take long, hang or fail. So it works in threads that nobody else waits for, not even
the process when it ends, and there are only so many of them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Lock, Thread
from time import monotonic

PATIENCE = 10.0
"""Seconds after which a picture is not waited for any more."""
_MOST_THREADS = 2


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    paint: Callable[[], object]
    picture: Future[object] = field(default_factory=Future)


class PictureWorker:
    """Has pictures painted. May be used from several event loops; its threads end when there is nothing to do."""

    def __init__(self, *, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._lock = Lock()
        self._waiting: deque[_Job] = deque()
        self._begun: dict[_Job, float] = {}
        self._threads = 0

    async def painted(self, paint: Callable[[], object]) -> bytes | None:
        """What *paint* gives back, if that is a picture; whatever goes wrong with it, there is none."""
        if self._is_stuck():
            return None
        job = _Job(paint)
        self._add(job)
        try:
            async with asyncio.timeout(self._patience):
                data = await asyncio.wrap_future(job.picture)
        except TimeoutError:
            return None
        finally:
            self._forget(job)
        return data if data and isinstance(data, bytes) else None

    def close(self) -> None:
        """Begin no picture that has not been begun. What is being painted ends by itself; nobody waits for it."""
        with self._lock:
            jobs, self._waiting = self._waiting, deque()
        for job in jobs:
            job.picture.set_result(None)

    def _is_stuck(self) -> bool:
        """Whether every thread has been at work for so long that nobody should wait for one to be free."""
        with self._lock:
            long_ago = monotonic() - self._patience
            return sum(begun <= long_ago for begun in self._begun.values()) >= _MOST_THREADS

    def _add(self, job: _Job) -> None:
        with self._lock:
            self._waiting.append(job)
            if self._threads == _MOST_THREADS:
                return
            self._threads += 1
        Thread(target=self._work, name="cadenza painter", daemon=True).start()

    def _forget(self, job: _Job) -> None:
        with self._lock:
            if job in self._waiting:
                self._waiting.remove(job)

    # --- in a thread ------------------------------------------------------------------------

    def _work(self) -> None:
        while job := self._next():
            picture = _tried(job.paint)
            with self._lock:
                del self._begun[job]
            job.picture.set_result(picture)

    def _next(self) -> _Job | None:
        with self._lock:
            while self._waiting:
                job = self._waiting.popleft()
                if job.picture.set_running_or_notify_cancel():
                    self._begun[job] = monotonic()
                    return job
            self._threads -= 1
            return None


def _tried(paint: Callable[[], object]) -> object:
    try:
        return paint()
    except BaseException:  # noqa: BLE001  # it is foreign code, and in a thread nothing that it raises ends more than that
        return None
