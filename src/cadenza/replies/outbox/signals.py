"""What the two sides of the outbox tell each other: the reply, which queues posts, and the task that sends them."""

from __future__ import annotations

import asyncio

from ...concurrency.stops import StopHandle
from .pacing import Pacing
from .queue import PostQueue


class Signals:
    """What the sender and the reply wait for."""

    def __init__(self, queue: PostQueue, pacing: Pacing, stop: StopHandle | None) -> None:
        self._queue = queue
        self._pacing = pacing
        self._stop = stop
        self.changed = asyncio.Event()
        """Set when the queue has changed; the sender clears it before it looks."""
        self.has_room = asyncio.Event()
        """Set while the queue has room for more."""
        self.has_room.set()
        self.at_rest = asyncio.Event()
        """Set while nothing is being sent or deleted."""
        self.at_rest.set()
        self.idle = asyncio.Event()
        """Set while everything that came is sent or dropped."""
        self.idle.set()
        self.heeds_stop = True
        """Whether a stop, once there is one, is still to be acted upon."""

    @property
    def is_stopping(self) -> bool:
        """Whether a stop was requested and is not acted upon yet; nothing is sent meanwhile."""
        return self._stop is not None and self._stop.reason is not None and self.heeds_stop

    def wake(self) -> None:
        """The queue has changed: wake the sender, and say whether there is room."""
        self.changed.set()
        if self._queue.waiting:
            self.idle.clear()
        if self._queue.is_sealed or self._pacing.changed(self._queue.waiting):
            self.has_room.set()
        else:
            self.has_room.clear()

    def rest(self) -> None:
        """The sender is done with a message, which shows that the reply is alive."""
        self.at_rest.set()
        if self._stop is not None:
            self._stop.touch()
