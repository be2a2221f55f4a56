"""Time that passes at once: an event loop for what would take minutes and is wanted now.

Nobody waits: when there is nothing to do before a timer, the clock is set forward to it. What a thread computes takes no
time at all, so that a film of the same stream is the same on every machine.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Selector(selectors.DefaultSelector):
    """A selector that asks for news without waiting for any, unless there is nothing else to do."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.working = 0
        """How many threads compute something: until they have, the clock stands still."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or self.working:
            return super().select(None if timeout is None or timeout > 0 else timeout)
        news = super().select(0)
        if not news and timeout > 0:
            self.now += timeout
        return news


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time begins at nought and passes only while somebody waits for it."""

    def __init__(self) -> None:
        self._clock = _Selector()
        super().__init__(self._clock)

    def time(self) -> float:
        """Seconds since the loop began."""
        return self._clock.now

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:  # type: ignore[override]  # the stub is narrower than what it does
        """Have a thread call *func*; meanwhile no time passes."""
        self._clock.working += 1
        future = super().run_in_executor(executor, func, *args)
        future.add_done_callback(self._worked)
        return future

    def _worked(self, _: object) -> None:
        self._clock.working -= 1


def run(work: Coroutine[Any, Any, T]) -> T:
    """Do *work* in virtual time, as ``asyncio.run`` does in real time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)
