"""One reply at a time in each channel: the replies of an event loop, in the order in which they were called.

A reply that is called inside another one, as a tool may do, never waits. In the same channel both are one turn, which is
over when the last of them is; in another channel those that come later wait for it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ..concurrency.stops import StopHandle
from ..concurrency.tasks import end_task

_ATTRIBUTE = "_cadenza_channel_queue"

_INSIDE: ContextVar[tuple[QueuedReply, ...]] = ContextVar("cadenza replies that are under way", default=())


class QueuedReply:
    """A reply's place in the queue of its channel, which replies inside it share."""

    def __init__(self, channel: Hashable, ahead: int) -> None:
        self.channel = channel
        self.ahead = ahead
        """How many replies it has to wait for."""
        self.seconds = 0.0
        """How long it waited for them."""
        self.members = 0
        """How many replies share it at present."""
        self.idle: list[asyncio.Event] = []
        """Of each reply that shares it, set while everything that it has queued is sent; the outermost first."""
        self.is_told = False
        """Whether a reply has told in its facts how long it waited."""
        self.loop = asyncio.get_running_loop()
        self._since = self.loop.time()
        self._is_first = asyncio.Event()
        self._listeners: list[Callable[[], object]] = []
        if not ahead:
            self._is_first.set()

    @property
    def is_first(self) -> bool:
        """Whether it is its turn to send."""
        return self._is_first.is_set()

    async def first(self, stop: StopHandle | None = None) -> bool:
        """Wait until it is its turn, or until *stop* is requested; return whether it is its turn."""
        if self.is_first or (stop and stop.reason):
            return self.is_first
        waiting = asyncio.create_task(self._is_first.wait(), name="cadenza turn")
        try:
            awaited: set[asyncio.Future[Any]] = {waiting, stop.requested} if stop else {waiting}
            await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await end_task(waiting)
        return self.is_first

    def when_first(self, listener: Callable[[], object]) -> None:
        """Call *listener* once it is its turn."""
        self._listeners.append(listener)

    def begin(self) -> None:
        """It is its turn."""
        if not self._is_first.is_set():
            self.seconds = self.loop.time() - self._since
            self._is_first.set()
            for listener in self._listeners:
                listener()


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
        outer = [one for one in _INSIDE.get() if one.members and one.loop is asyncio.get_running_loop()]
        shared = next((one for one in outer if one.channel == channel), None)
        queued = shared or self._new(channel, waits=not outer)
        token = _INSIDE.set((*outer, queued))
        queued.members += 1
        try:
            yield queued
        finally:
            _INSIDE.reset(token)
            queued.members -= 1
            if not queued.members:
                self._leave(queued)

    def _new(self, channel: Hashable, *, waits: bool) -> QueuedReply:
        waiting = self._channels.setdefault(channel, deque())
        # Two replies that wait for each other's channel inside would wait for ever, so inside another none waits.
        queued = QueuedReply(channel, len(waiting) if waits else 0)
        waiting.append(queued)
        return queued

    def _leave(self, queued: QueuedReply) -> None:
        waiting = self._channels[queued.channel]
        waiting.remove(queued)
        if waiting:
            waiting[0].begin()
        else:
            del self._channels[queued.channel]
