"""Stop requests. Each belongs to one turn, so a late request cannot end the next turn.

A turn opens a handle and waits on it. A stop request names the turn by its id.

1. A request reaches a running turn or is refused. Nothing is kept for later.
2. ``StopHandle.take`` alone decides which request counts.
3. A closed handle keeps its reason for reading and takes no more requests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Protocol, Self

from ..types import StopReason


def is_cancelled(error: BaseException) -> bool:
    """Return whether *error* cancels the current task; foreign code may raise ``CancelledError`` by itself."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0


class HandleOwner(Protocol):
    """The registry that a handle belongs to."""

    def forget(self, handle: StopHandle, /) -> None:
        """Remove a turn that is over."""
        ...


class StopHandle:
    """One turn's stop request, and when the turn last made progress."""

    def __init__(self, owner: HandleOwner, turn: str) -> None:
        self._owner = owner
        self._requested: asyncio.Future[None] | None = (
            None  # made on first use, for a handle may be made before the loop runs
        )
        self._is_closed = False
        self.turn = turn
        self.reason: StopReason | None = None
        self.by = ""
        """Who requested the stop, if known."""
        self._follow_ups = True
        self._watched = 0
        self._alive_at: float | None = None

    @property
    def requested(self) -> asyncio.Future[None]:
        """A future that is done once a stop is requested. Wait with ``asyncio.wait``, which does not cancel it."""
        if self._requested is None:
            self._requested = asyncio.get_running_loop().create_future()
            if self.reason is not None:
                self._requested.set_result(None)
        return self._requested

    async def wait(self) -> StopReason:
        """Wait until a stop is requested; return the reason."""
        while self.reason is None:
            await asyncio.wait([self.requested])
        return self.reason

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the turn: it takes no more requests."""
        self._is_closed = True
        self._owner.forget(self)

    def take(self, reason: StopReason, by: str = "") -> bool:
        """Take a request and return whether it counts. The first one does, but a stop outranks a follow-up."""
        if self._is_closed or self.reason not in (None, StopReason.FOLLOW_UP) or self.reason is reason:
            return False
        if reason is StopReason.FOLLOW_UP and not self._follow_ups:
            return False
        self.reason, self.by = reason, by
        if self._requested is not None and not self._requested.done():
            self._requested.set_result(None)
        return True

    def refuse_follow_ups(self) -> None:
        """Refuse follow-ups from now on: tools run, and their work would be lost."""
        self._follow_ups = False

    # --- liveness ----------------------------------------------------------------------------

    def touch(self) -> None:
        """Note that the turn made progress."""
        self._alive_at = asyncio.get_running_loop().time()

    @contextmanager
    def unwatched(self) -> Iterator[None]:
        """Within ``watched``: wait for something without a timeout, so the turn can become stale again."""
        before, self._watched = self._watched, 0
        self.touch()
        try:
            yield
        finally:
            self._watched = before

    @property
    def alive_at(self) -> float:
        """When the turn last made progress, on the loop's clock."""
        return self._alive_at or 0.0

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Wait for something with its own timeout: meanwhile the turn is not stale."""
        self._watched += 1
        try:
            yield
        finally:
            self._watched -= 1
            self.touch()

    @property
    def idle_since(self) -> float | None:
        """Since when the turn has made no progress, on the loop's clock.

        ``None`` before the first ``touch`` and within ``watched``.
        """
        return None if self._watched else self._alive_at


class StopRegistry(Protocol):
    """Knows the running turns by their ids and passes stop requests to them. ``Stops`` is the one of this package."""

    def open(self, turn: str, /) -> StopHandle:
        """Register *turn*, which is not running; ``close`` the handle when the turn is over."""
        ...

    async def stop(self, turn: str, reason: StopReason = StopReason.USER, *, by: str = "") -> bool:
        """Ask *turn* to end; return whether it is running and accepted *reason*."""
        ...

    async def turns(self) -> tuple[str, ...]:
        """Return the ids of the running turns."""
        ...


class Stops:
    """The running turns of this process, by id: a ``StopRegistry`` whose methods also exist without ``await``."""

    def __init__(self) -> None:
        self._handles: dict[str, StopHandle] = {}

    def open(self, turn: str) -> StopHandle:
        """Register *turn*. Use the handle as a context manager, or ``close`` it when the turn is over."""
        if turn in self._handles:
            msg = f"the turn {turn!r} is already running"
            raise ValueError(msg)
        self._handles[turn] = handle = StopHandle(self, turn)
        return handle

    def request(self, turn: str, reason: StopReason = StopReason.USER, *, by: str = "") -> bool:
        """Ask *turn* to end; return whether it is running and accepted *reason*."""
        handle = self._handles.get(turn)
        return handle.take(reason, by) if handle else False

    def running(self) -> tuple[str, ...]:
        """Return the ids of the running turns."""
        return tuple(self._handles)

    async def stop(self, turn: str, reason: StopReason = StopReason.USER, *, by: str = "") -> bool:
        """Do the same as ``request``."""
        return self.request(turn, reason, by=by)

    async def turns(self) -> tuple[str, ...]:
        """Do the same as ``running``."""
        return self.running()

    def forget(self, handle: StopHandle, /) -> None:
        """Remove a turn that is over."""
        if self._handles.get(handle.turn) is handle:
            del self._handles[handle.turn]
