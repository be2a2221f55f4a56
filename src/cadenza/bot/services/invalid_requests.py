"""Calls that Discord refuses, counted: after ten thousand of them in ten minutes it listens to nobody at that address."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable

logger = logging.getLogger(__name__)

WINDOW = 600.0
"""Seconds in which Discord counts."""
BAN = 10_000
"""How many of them it takes."""
ALARM = 5_000
"""How many are too many for a bot in good order."""
_REFUSED = (401, 403, 429)
_BIN = 5.0
"""Seconds that are counted together, so that a storm takes no memory."""


class InvalidRequests:
    """How many calls were refused in the last ten minutes; the log is warned once when there are too many."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._bins: deque[tuple[float, int]] = deque()
        self._total = 0
        self._is_alarmed = False

    def answered(self, status: int, *, is_shared: bool = False) -> None:
        """Discord has answered a call with *status*; a 429 that others brought about (*is_shared*) does not count."""
        if status not in _REFUSED or is_shared:
            return
        begins = self._clock() // _BIN * _BIN
        before = self._bins.pop()[1] if self._bins and self._bins[-1][0] == begins else 0
        self._bins.append((begins, before + 1))
        self._total += 1
        self._look()

    def recent(self) -> int:
        """How many there were in the last ten minutes."""
        self._look()
        return self._total

    def _look(self) -> None:
        least = self._clock() - WINDOW
        while self._bins and self._bins[0][0] <= least:
            self._total -= self._bins.popleft()[1]
        if self._total < ALARM // 2:
            self._is_alarmed = False
        elif self._total >= ALARM and not self._is_alarmed:
            self._is_alarmed = True
            logger.warning(
                "Discord has refused %d calls in ten minutes and listens to nobody at this address after %d; "
                "look for a permission that is missing, or a channel in which too much is said",
                self._total,
                BAN,
            )
