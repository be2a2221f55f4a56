"""An event loop in virtual time, for work that would take minutes in real time.

The loop never sleeps: when nothing is due before a timer, the clock jumps to it. Work in a thread takes no virtual time,
so the same stream gives the same film on every machine. Only a thread that computes for very long is no longer waited
for; then the clock goes on without it.
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
"""Returns whether the work is cancelled, such as ``threading.Event.is_set``."""


class Abandoned(Exception):  # noqa: N818  # it is a cancellation
    """The work was cancelled through *given_up*."""


PATIENCE = 10.0
"""Real seconds after which the clock goes on although a thread still computes."""
_SELDOM = 64
"""The selector is polled once in this many turns: polling takes as long as a turn."""
_LOOK = 0.05
"""Real seconds between two checks of *given_up*."""


class _Selector(selectors.DefaultSelector):
    """A selector that polls without waiting, unless there is nothing else to do."""

    def __init__(self, patience: float) -> None:
        super().__init__()
        self.now = 0.0
        self.look: Callable[[], bool] = lambda: False
        """Called in every turn; true if there is something to do at once."""
        self._patience = patience
        self._working = 0
        self._waited = 0.0
        self._turns = 0

    def begin(self) -> None:
        """A thread starts computing: the clock stands still until it ends."""
        self._working += 1
        self._waited = 0.0

    def end(self) -> None:
        """The thread has ended."""
        self._working -= 1

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if self.look():
            return []
        if timeout is None or (timeout > 0 and self._working and self._waited < self._patience):
            return self._news(timeout)
        self.now += max(timeout, 0.0)
        # Calls from threads wake the loop without a poll; it only reads what is left in the pipe.
        self._turns += 1
        return [] if self._turns % _SELDOM else super().select(0)

    def _news(self, timeout: float | None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait in real time for a thread or a signal; without a timer, for ever."""
        while True:
            begun = monotonic()
            news = super().select(_LOOK)
            self._waited += monotonic() - begun
            is_over = timeout is not None and self._waited >= self._patience
            if news or is_over or self.look():
                return news


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time begins at 0 and jumps from timer to timer."""

    def __init__(self, *, patience: float = PATIENCE) -> None:
        self._clock = _Selector(patience)
        super().__init__(self._clock)

    def time(self) -> float:
        """Seconds since the loop began."""
        return self._clock.now

    @contextmanager
    def computing(self) -> Iterator[None]:
        """Stop the clock while a thread computes."""
        self._clock.begin()
        try:
            yield
        finally:
            self._clock.end()

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:  # type: ignore[override]  # the stub is narrower than what it does
        """Call *func* in a thread, with the clock stopped."""
        future = super().run_in_executor(executor, func, *args)
        self._clock.begin()
        future.add_done_callback(lambda _: self._clock.end())
        return future

    async def shutdown_default_executor(self, *limits: Any) -> None:
        """Wait for the threads in real time: later Pythons have a timeout for it, which would pass at once."""
        with self.computing():
            await super().shutdown_default_executor(*limits)

    @contextmanager
    def given_up_by(self, given_up: GivenUp) -> Iterator[None]:
        """Cancel the current task as soon as *given_up* returns true."""
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
    """Run *work* in virtual time, as ``asyncio.run`` does in real time.

    Once *given_up* returns true, the work is cancelled and ``Abandoned`` is raised. It is called in every turn of the
    loop, in the same thread.
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
