"""``WEBHOOKS_UPDATE`` events of our own changes: Discord sends them to every client, also to the one that made the change."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_LATE = 5.0
"""Seconds by which the gateway may lag."""


@dataclass(slots=True, eq=False)
class _Echo:
    """The event to expect for one change of ours."""

    until: float = math.inf


class OwnWebhookEvents:
    """Tells events of our own changes from those of others. Each change causes one event."""

    def __init__(self) -> None:
        self._expected: dict[str, list[_Echo]] = {}

    @contextmanager
    def expected(self, channel: str, /) -> Iterator[None]:
        """Context for a change of the webhooks of *channel*; if it raises, no event is expected."""
        self._forget_old()  # events may never come
        echo = _Echo()
        self._expected.setdefault(channel, []).append(echo)
        try:
            yield
        except BaseException:
            self._drop(channel, echo)
            raise
        echo.until = asyncio.get_running_loop().time() + _LATE

    def heard(self, channel: str, /) -> bool:
        """Whether the event of *channel* that just came is of our own change."""
        now = asyncio.get_running_loop().time()
        expected = [echo for echo in self._expected.pop(channel, ()) if echo.until >= now]
        if len(expected) > 1:
            self._expected[channel] = expected[1:]
        return bool(expected)

    def _forget_old(self) -> None:
        now = asyncio.get_running_loop().time()
        kept = {name: [echo for echo in echoes if echo.until >= now] for name, echoes in self._expected.items()}
        self._expected = {name: echoes for name, echoes in kept.items() if echoes}

    def _drop(self, channel: str, echo: _Echo) -> None:
        left = [other for other in self._expected.pop(channel, ()) if other is not echo]
        if left:
            self._expected[channel] = left
