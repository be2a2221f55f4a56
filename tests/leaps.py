"""Time that leaps over pauses, for tests in which everything happens in one process but over real sockets.

While anything can be read or done, the clock of the loop stands still: a machine that is slow or busy is not late. Only
when the system has had no news for a moment is it set forward towards the next timer. So a pause of seconds costs
milliseconds, and "a twentieth of a second later" means "when all that was under way has arrived", on every machine.

What threads and other processes do is not seen, so the clock leaps only so far at a time: a thread has milliseconds to
answer for each second that somebody would wait for it.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, time
from typing import Any

_MOMENT = 0.001
"""Real seconds without news after which nothing is taken to be under way."""
_LEAP = 0.1
"""Seconds that the clock is set forward at once, at most."""


class _Clock:
    """The time of a loop. What asks for news passes through it, so it knows when there is nothing to do."""

    def __init__(self, selector: selectors.BaseSelector, now: float) -> None:
        self._ask = selector.select
        self._leapt = now
        self._resumed_at: float | None = None

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
            self._leapt += min(timeout, _LEAP)
        return news


def time_of_day() -> float:
    """What ``time.time`` would say if the clocks on the wall had leapt with the loop's; for a world whose limits refill."""
    try:
        leapt = asyncio.get_running_loop().time() - monotonic()
    except RuntimeError:  # nothing runs yet
        leapt = 0.0
    return time() + leapt


@contextmanager
def leaping() -> Iterator[None]:
    """Let the clock of the running loop leap meanwhile; afterwards it goes on from there, as clocks do."""
    loop: Any = asyncio.get_running_loop()
    clock = getattr(loop.time, "__self__", None)
    if not isinstance(clock, _Clock):
        clock = _Clock(loop._selector, loop.time())
        loop._selector.select, loop.time = clock.select, clock.now
    elif clock._resumed_at is None:
        yield  # somebody around us does it already
        return
    clock.stand_still()
    try:
        yield
    finally:
        clock.resume()
