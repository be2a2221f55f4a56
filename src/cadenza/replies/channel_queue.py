"""One reply at a time in each channel: the replies of an event loop, in the order in which they were called.

A reply that is called inside another one of the same channel, as a tool may do, is part of that one and does not wait
behind it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ATTRIBUTE = "_cadenza_channel_queue"

_INSIDE: ContextVar[tuple[QueuedReply, ...]] = ContextVar("cadenza replies that are under way", default=())


class QueuedReply:
    """A reply's place in the queue of its channel."""

    def __init__(self, channel: Hashable, ahead: int) -> None:
        self.channel = channel
        self.ahead = ahead
        """How many replies were before it when it was called."""
        self.seconds = 0.0
        """How long it waited for them."""
        self._since = asyncio.get_running_loop().time()
        self._is_over = False
        self._is_first = asyncio.Event()
        self._listeners: list[Callable[[], object]] = []
        if not ahead:
            self._is_first.set()

    @property
    def is_first(self) -> bool:
        """Whether it is its turn to send."""
        return self._is_first.is_set()

    @property
    def is_over(self) -> bool:
        """Whether it has left the queue."""
        return self._is_over

    async def first(self) -> None:
        """Wait until it is its turn."""
        await self._is_first.wait()

    def when_first(self, listener: Callable[[], object]) -> None:
        """Call *listener* once it is its turn."""
        self._listeners.append(listener)

    def begin(self) -> None:
        """It is its turn."""
        if not self._is_first.is_set():
            self.seconds = asyncio.get_running_loop().time() - self._since
            self._is_first.set()
            for listener in self._listeners:
                listener()

    def end(self) -> None:
        """It has left the queue."""
        self._is_over = True


class ChannelQueue:
    """The replies of an event loop that are under way, by channel."""

    def __init__(self) -> None:
        self._channels: dict[Hashable, deque[QueuedReply]] = {}

    @classmethod
    def of_loop(cls) -> ChannelQueue:
        """The queue of the running loop, built on first use. It is an attribute of the loop, and ends with it."""
        loop = asyncio.get_running_loop()
        queue = getattr(loop, _ATTRIBUTE, None)
        if not isinstance(queue, cls):
            queue = cls()
            setattr(loop, _ATTRIBUTE, queue)
        return queue

    @contextmanager
    def joined(self, channel: Hashable) -> Iterator[QueuedReply]:
        """Join the queue of *channel* at its end, and leave it with the context."""
        outer = next((one for one in _INSIDE.get() if one.channel == channel and not one.is_over), None)
        if outer is not None:
            yield outer
            return
        waiting = self._channels.setdefault(channel, deque())
        queued = QueuedReply(channel, len(waiting))
        waiting.append(queued)
        token = _INSIDE.set((*_INSIDE.get(), queued))
        try:
            yield queued
        finally:
            _INSIDE.reset(token)
            queued.end()
            self._leave(queued, waiting)

    def _leave(self, queued: QueuedReply, waiting: deque[QueuedReply]) -> None:
        waiting.remove(queued)
        if waiting:
            waiting[0].begin()
        else:
            del self._channels[queued.channel]
