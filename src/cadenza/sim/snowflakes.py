"""Snowflakes: Discord's ids, which contain their creation time and grow."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

EPOCH = 1_420_070_400.0
"""The first second of 2015, where Discord's time begins."""
_DEFAULT_START = 1_767_225_600.0  # the first second of 2026, for clocks that begin at 0


class Calendar:
    """The time in seconds since 1970, from any clock.

    A clock that reads less than 2015, such as that of an event loop, is moved to *starts* when it is first read.
    """

    def __init__(self, clock: Callable[[], float], starts: float | None = None) -> None:
        self._clock = clock
        self._starts = starts
        self._offset: float | None = None

    def now(self) -> float:
        """The time."""
        reading = self._clock()
        if self._offset is None:
            starts = self._starts if self._starts is not None else max(reading, _DEFAULT_START)
            is_moved = self._starts is not None or reading < EPOCH
            self._offset = starts - reading if is_moved else 0.0
        return reading + self._offset


class Snowflakes:
    """Makes ids, each greater than the last, even if the clock stands still or goes back."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._last = 0

    def next(self) -> str:
        """A new id."""
        self._last = max(int((self._now() - EPOCH) * 1000) << 22, self._last + 1)
        return str(self._last)


def made_at(snowflake: str) -> float:
    """The creation time of an id, in seconds since 1970."""
    return (int(snowflake) >> 22) / 1000 + EPOCH


def as_timestamp(seconds: float) -> str:
    """A time as Discord writes it."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")


def from_timestamp(text: str) -> float:
    """The time of a timestamp of Discord."""
    return datetime.fromisoformat(text).timestamp()
