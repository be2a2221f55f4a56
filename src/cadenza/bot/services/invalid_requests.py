"""Counts the requests that Discord refuses: 10,000 of them within ten minutes get the IP address banned."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from ...explain.tracebacks import get_logger

logger = get_logger(__name__)

WINDOW = 600.0
"""Seconds over which Discord counts."""
BAN = 10_000
"""Refused requests within the window that lead to a ban."""
ALARM = 5_000
"""Refused requests that log a warning."""
_REFUSED = (401, 403, 429)
_BIN = 5.0
"""Seconds per counter, so that memory stays bounded."""


class InvalidRequests:
    """The number of refused requests in the last ten minutes; logs one warning when there are too many."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._bins: deque[tuple[float, int]] = deque()
        self._total = 0
        self._is_alarmed = False

    def answered(self, status: int, *, is_shared: bool = False) -> None:
        """Count a response with *status*; a 429 for a shared resource (*is_shared*) does not count."""
        if status not in _REFUSED or is_shared:
            return
        begins = self._clock() // _BIN * _BIN
        before = self._bins.pop()[1] if self._bins and self._bins[-1][0] == begins else 0
        self._bins.append((begins, before + 1))
        self._total += 1
        self._update()

    def recent(self) -> int:
        """The count for the last ten minutes."""
        self._update()
        return self._total

    def _update(self) -> None:
        least = self._clock() - WINDOW
        while self._bins and self._bins[0][0] <= least:
            self._total -= self._bins.popleft()[1]
        if self._total < ALARM // 2:
            self._is_alarmed = False
        elif self._total >= ALARM and not self._is_alarmed:
            self._is_alarmed = True
            logger.warning(
                "Discord has refused %d requests in ten minutes and bans this IP address at %d; "
                "look for a missing permission, or a channel with too many messages",
                self._total,
                BAN,
            )
