"""Time that leaps over pauses, for tests in which everything happens in one process but over real sockets.

While anything can be read or done, the clock of the loop stands still: a machine that is slow or busy is not late. Only
when the system has had no news for a moment is it set forward towards the next timer. So a pause of seconds costs
milliseconds, and "a twentieth of a second later" means "when all that was under way has arrived", on every machine.

While another thread of this process has something to do, the clock goes no quicker than those on walls, so that nobody
gives up a thread that a busy machine keeps waiting. What other processes do is not seen.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import active_count, get_native_id
from time import monotonic, process_time, thread_time, time
from typing import Any

_MOMENT = 0.001
"""Real seconds without news after which nothing is taken to be under way."""
_LEAP = 0.1
"""Seconds that the clock is set forward at once, at most."""
_WORK = 0.00002
"""Seconds of a processor that other threads use when they have done something."""
_THREADS = Path("/proc/self/task")
"""Where Linux tells what each thread does."""


class _Threads:
    """Whether other threads of this process have anything to do."""

    def __init__(self) -> None:
        self._errands = 0
        self._spent = 0.0

    def sending(self, run: Callable[..., asyncio.Future[Any]]) -> Callable[..., asyncio.Future[Any]]:
        """*run*, the loop's ``run_in_executor``, so that what is under way is counted."""

        def run_in_executor(executor: Executor | None, function: Callable[..., Any], *given: Any) -> Any:
            future = run(executor, function, *given)
            self._errands += 1
            future.add_done_callback(self._returned)
            return future

        return run_in_executor

    def are_busy(self) -> bool:
        """Whether one works, or has done so since this was last asked, or would if it were let."""
        if active_count() == 1:
            return False
        before, self._spent = self._spent, process_time() - thread_time()
        return self._errands > 0 or self._spent - before > _WORK or any(map(_is_at_work, _THREADS.glob("*/stat")))

    def _returned(self, _: asyncio.Future[Any]) -> None:
        self._errands -= 1


def _is_at_work(thread: Path) -> bool:
    """Whether a thread runs, or waits for a core or a disk; our own runs, as it asks this."""
    if thread.parent.name == str(get_native_id()):
        return False
    with suppress(OSError):  # it has ended meanwhile
        return thread.read_text(encoding="utf-8").rpartition(")")[2].split()[0] in ("R", "D")
    return False


class _Clock:
    """The time of a loop. What asks for news passes through it, so it knows when there is nothing to do."""

    def __init__(self, selector: selectors.BaseSelector, now: float) -> None:
        self._ask = selector.select
        self._leapt = now
        self._resumed_at: float | None = None
        self.threads = _Threads()

    def now(self) -> float:
        passed = 0.0 if self._resumed_at is None else monotonic() - self._resumed_at
        return self._leapt + passed

    def resume(self) -> None:
        """From now on, time passes by itself again."""
        self._resumed_at = monotonic()

    def stand_still(self) -> None:
        self._leapt, self._resumed_at = self.now(), None

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0 or self._resumed_at is not None:
            return self._ask(timeout)
        news = self._ask(min(timeout, _MOMENT))
        if not news:
            self._leapt += min(timeout, _MOMENT if self.threads.are_busy() else _LEAP)
        return news


def time_of_day() -> float:
    """What ``time.time`` would say if the clocks on the wall had leapt with the loop's; for a world whose limits refill."""
    try:
        leapt = asyncio.get_running_loop().time() - monotonic()
    except RuntimeError:  # nothing runs yet
        leapt = 0.0
    return time() + leapt


def leap(seconds: float) -> None:
    """Set the clock of the running loop, which is ``leaping``, forward at once: for hours in which nothing happens."""
    clock = getattr(asyncio.get_running_loop().time, "__self__", None)
    assert isinstance(clock, _Clock)
    clock._leapt += seconds


@contextmanager
def leaping() -> Iterator[None]:
    """Let the clock of the running loop leap meanwhile; afterwards it goes on from there, as clocks do."""
    loop: Any = asyncio.get_running_loop()
    clock = getattr(loop.time, "__self__", None)
    if not isinstance(clock, _Clock):
        clock = _Clock(loop._selector, loop.time())
        loop._selector.select, loop.time = clock.select, clock.now
        loop.run_in_executor = clock.threads.sending(loop.run_in_executor)
    elif clock._resumed_at is None:
        yield  # somebody around us does it already
        return
    clock.stand_still()
    try:
        yield
    finally:
        clock.resume()
