"""What the gateway says of our own doing: Discord tells everybody that a channel's webhooks changed, also who did it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_LATE = 5.0
"""Seconds for which the gateway may lag behind."""


@dataclass(slots=True, eq=False)
class _Echo:
    """What will be heard of one change of ours."""

    until: float = math.inf


class OwnWebhookEvents:
    """Tells the news of our own changes from the news of what others did. Each change is heard of once."""

    def __init__(self) -> None:
        self._expected: dict[str, list[_Echo]] = {}

    @contextmanager
    def expected(self, channel: str, /) -> Iterator[None]:
        """Change the webhooks of *channel* in here; if it fails, nothing is expected."""
        self._forget_old()  # nobody may be listening
        echo = _Echo()
        self._expected.setdefault(channel, []).append(echo)
        try:
            yield
        except BaseException:
            self._drop(channel, echo)
            raise
        echo.until = asyncio.get_running_loop().time() + _LATE

    def heard(self, channel: str, /) -> bool:
        """Whether the news of *channel* that came just now is of our own doing."""
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
