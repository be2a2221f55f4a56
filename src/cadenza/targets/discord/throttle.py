"""How many requests a bot makes in a second, over all its channels: Discord takes fifty, and refuses the rest.

Whoever asks first goes first, so that a channel that says much delays no other for longer than one request of each.
"""

from __future__ import annotations

import asyncio
from collections import deque
from math import isfinite

from ...errors import SettingsError

_LIMIT = 45
"""Of Discord's fifty: the rest is left to what else the bot does, of which nothing is known here."""
_SECONDS = 1.05
"""A second, and a little more: requests take different times to get there, and may arrive closer together than they left."""


class Throttle:
    """Lets at most *limit* requests leave in any stretch of *seconds*. One for each bot; it holds no task.

    A request is told its time as soon as it asks, and waits for it. So there is no window whose edge two bursts could
    meet at: the request that leaves has always seen the one *limit* before it leave *seconds* ago.
    """

    def __init__(self, *, limit: int = _LIMIT, seconds: float = _SECONDS) -> None:
        if limit < 1 or not (isfinite(seconds) and seconds > 0):
            msg = f"a bot makes at least one request in a while, not {limit} in {seconds:g} seconds"
            raise SettingsError(msg)
        self._limit = limit
        self._seconds = seconds
        self._times: deque[float] = deque()  # when requests left of late, or will; the earliest is first

    @property
    def backlog(self) -> float:
        """Seconds that a request would wait now."""
        now = _now()
        return self._next(now) - now

    async def admit(self) -> None:
        """Wait until one more request may leave; then it counts as left."""
        now = _now()
        time = self._next(now)
        self._times.append(time)
        if time <= now:
            return
        try:
            await asyncio.sleep(time - now)
        except BaseException:
            self._times.remove(time)  # it never left: whoever comes next need not wait for it
            raise

    def admit_courtesy(self) -> bool:
        """Whether one more request may leave at once that nobody would miss: if so, it counts as left.

        It may as long as half of all are left for others.
        """
        now = _now()
        if self._next(now) > now or len(self._times) >= self._limit // 2:
            return False
        self._times.append(now)
        return True

    def _next(self, now: float) -> float:
        """When the next request may leave: not before those that asked earlier."""
        while self._times and self._times[0] + self._seconds <= now:
            self._times.popleft()
        if len(self._times) < self._limit:
            return max(now, self._times[-1]) if self._times else now
        return max(now, self._times[-1], self._times[-self._limit] + self._seconds)


def _now() -> float:
    return asyncio.get_running_loop().time()
