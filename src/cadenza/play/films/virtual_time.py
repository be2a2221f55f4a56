"""Time that passes at once: an event loop for what would take minutes and is wanted now.

Nobody waits: when there is nothing to do before a timer, the clock is set forward to it. What a thread computes takes no
time at all, so that a film of the same stream is the same on every machine; only one that computes for very long is not
waited for any more, and then the clock goes on without it.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, TypeVar

T = TypeVar("T")

GivenUp = Callable[[], bool]
"""Whether what is being done is not wanted any more: ``threading.Event.is_set`` is one."""


class Abandoned(Exception):  # noqa: N818  # it is what somebody wanted
    """Somebody has given up what was being done."""


PATIENCE = 10.0
"""Real seconds after which time goes on although a thread still computes."""
_SELDOM = 64
"""Each so many turns of the loop, the system is asked for news: that takes as long as a turn does."""
_LOOK = 0.05
"""Real seconds between two looks at whether somebody has given up."""


class _Selector(selectors.DefaultSelector):
    """A selector that asks for news without waiting for any, unless there is nothing else to do."""

    def __init__(self, patience: float) -> None:
        super().__init__()
        self.now = 0.0
        self.look: Callable[[], bool] = lambda: False
        """Asked again and again; if it is true, there is something to do at once."""
        self._patience = patience
        self._working = 0
        self._waited = 0.0
        self._turns = 0

    def begin(self) -> None:
        """A thread computes something: until it has, the clock stands still."""
        self._working += 1
        self._waited = 0.0

    def end(self) -> None:
        """It has."""
        self._working -= 1

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if self.look():
            return []
        if timeout is None or (timeout > 0 and self._working and self._waited < self._patience):
            return self._news(timeout)
        self.now += max(timeout, 0.0)
        # Whoever calls from a thread is heard without a look at the system: that is only for what is left to read.
        self._turns += 1
        return [] if self._turns % _SELDOM else super().select(0)

    def _news(self, timeout: float | None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait in real time for what a thread or a signal has to tell: for ever, if there is no timer."""
        while True:
            begun = monotonic()
            news = super().select(_LOOK)
            self._waited += monotonic() - begun
            is_over = timeout is not None and self._waited >= self._patience
            if news or is_over or self.look():
                return news


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time begins at nought and passes only while somebody waits for it."""

    def __init__(self, *, patience: float = PATIENCE) -> None:
        self._clock = _Selector(patience)
        super().__init__(self._clock)

    def time(self) -> float:
        """Seconds since the loop began."""
        return self._clock.now

    @contextmanager
    def computing(self) -> Iterator[None]:
        """While a thread computes something that is waited for: meanwhile no time passes."""
        self._clock.begin()
        try:
            yield
        finally:
            self._clock.end()

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:  # type: ignore[override]  # the stub is narrower than what it does
        """Have a thread call *func*; meanwhile no time passes."""
        future = super().run_in_executor(executor, func, *args)
        self._clock.begin()
        future.add_done_callback(lambda _: self._clock.end())
        return future

    async def shutdown_default_executor(self, *limits: Any) -> None:
        """Wait for the threads, in real time: later Pythons have a limit for it, which would be over at once."""
        with self.computing():
            await super().shutdown_default_executor(*limits)

    @contextmanager
    def given_up_by(self, given_up: GivenUp) -> Iterator[None]:
        """Meanwhile, cancel the task that is running now as soon as *given_up* says so."""
        task = asyncio.current_task(self)
        is_told = False

        def look() -> bool:
            nonlocal is_told
            if is_told or task is None or not given_up():
                return False
            is_told = True
            task.cancel()
            return True

        before, self._clock.look = self._clock.look, look
        try:
            yield
        finally:
            self._clock.look = before


def run(work: Coroutine[Any, Any, T], *, given_up: GivenUp | None = None, patience: float = PATIENCE) -> T:
    """Do *work* in virtual time, as ``asyncio.run`` does in real time.

    Once *given_up* is true, the work is cancelled, and ``Abandoned`` is raised. It is asked between any two things that
    happen, in the thread that does the work.
    """
    if _is_running():
        work.close()
        msg = "an event loop is running in this thread; run this in another one, by asyncio.to_thread"
        raise RuntimeError(msg)
    loop = VirtualLoop(patience=patience)
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(work if given_up is None else _watched(loop, work, given_up))


def _is_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _watched(loop: VirtualLoop, work: Coroutine[Any, Any, T], given_up: GivenUp) -> T:
    try:
        with loop.given_up_by(given_up):
            return await work
    except asyncio.CancelledError:
        if not given_up():
            raise
        msg = "what was being done is not wanted any more"
        raise Abandoned(msg) from None
