"""Stop requests. Each belongs to one turn, so that a late one cannot end the next.

A turn opens a handle and waits on it; whoever wants the turn to end asks for that by the turn's id.

The rules of this place
1. A request reaches the handle of a turn that is running, or nobody: nothing is kept for later.
2. What counts is decided in one place, ``StopHandle.take``, by whoever runs the turn, wherever a request came from.
3. When a handle is closed, its reason is of the past: it can be read, and can end nothing any more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Protocol, Self

from ..types import StopReason


def is_cancelled(error: BaseException) -> bool:
    """Whether *error* says that this very task is cancelled; foreign code may raise the same for reasons of its own."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0


class HandleOwner(Protocol):
    """Who gave out a handle, and wants it back."""

    def forget(self, handle: StopHandle, /) -> None:
        """Stop listening for a turn that is over."""
        ...


class StopHandle:
    """The ear of one turn."""

    def __init__(self, owner: HandleOwner, turn: str) -> None:
        self._owner = owner
        self._requested: asyncio.Future[None] | None = None  # made when somebody waits: a handle may be made before
        self._is_closed = False
        self.turn = turn
        self.reason: StopReason | None = None
        self.by = ""
        """Who asked for it, where that is known."""
        self._follow_ups = True
        self._watched = 0
        self._alive_at: float | None = None

    @property
    def requested(self) -> asyncio.Future[None]:
        """Done once a stop is requested. Wait for it with others by ``asyncio.wait``; it is nobody's to cancel."""
        if self._requested is None:
            self._requested = asyncio.get_running_loop().create_future()
            if self.reason is not None:
                self._requested.set_result(None)
        return self._requested

    async def wait(self) -> StopReason:
        """Wait until a stop is requested; say why."""
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
        """The turn is over: nothing can stop it any more."""
        self._is_closed = True
        self._owner.forget(self)

    def take(self, reason: StopReason, by: str = "") -> bool:
        """Take a request. The first one counts, but somebody's stop outranks a follow-up."""
        if self._is_closed or self.reason not in (None, StopReason.FOLLOW_UP) or self.reason is reason:
            return False
        if reason is StopReason.FOLLOW_UP and not self._follow_ups:
            return False
        self.reason, self.by = reason, by
        if self._requested is not None and not self._requested.done():
            self._requested.set_result(None)
        return True

    @property
    def takes_follow_ups(self) -> bool:
        """Whether a further message may interrupt the turn."""
        return self._follow_ups

    def refuse_follow_ups(self) -> None:
        """Tools are at work: what they do is worth more than to begin anew."""
        self._follow_ups = False

    # --- whether the turn gets on ----------------------------------------------------------

    def touch(self) -> None:
        """The turn got on."""
        self._alive_at = asyncio.get_running_loop().time()

    @contextmanager
    def unwatched(self) -> Iterator[None]:
        """While, in the midst of that, something is waited for that has no limit of its own."""
        before, self._watched = self._watched, 0
        self.touch()
        try:
            yield
        finally:
            self._watched = before

    @property
    def alive_at(self) -> float:
        """When, on the loop's clock, the turn got on last."""
        return self._alive_at or 0.0

    @contextmanager
    def watched(self) -> Iterator[None]:
        """While something is waited for that has a time limit of its own, the turn is not stale."""
        self._watched += 1
        try:
            yield
        finally:
            self._watched -= 1
            self.touch()

    @property
    def idle_since(self) -> float | None:
        """Since when, on the loop's clock, nothing has happened.

        ``None`` before the first time, and while something with a limit of its own is waited for.
        """
        return None if self._watched else self._alive_at


class StopRegistry(Protocol):
    """Where running turns are known by their ids, so that whoever wants one to end can ask for that.

    ``Stops`` is the one for a bot in one process. One for several processes, over Valkey for instance, looks so:

    - It is a ``Stops`` for the turns of its own process, with one task that listens on a channel of the server; whoever
      makes the registry owns that task.
    - ``open`` and ``StopHandle.close`` do not wait for the network, so that no turn does: they note what there is to
      say, and the task sets or deletes a key with an expiry for the turn, which it renews while the turn is running.
      So the turns of a process that died are forgotten.
    - ``stop`` publishes the request with an address for the answer. The process that runs the turn gives it to the
      handle and answers what ``take`` said; if nobody answers in time, nobody runs that turn. The server keeps no
      request, so none can be too late.
    - ``turns`` lists the keys.
    """

    def open(self, turn: str, /) -> StopHandle:
        """Begin to listen for *turn*, which is not running; ``close`` the handle when it is over.

        From this process it can be stopped at once, from elsewhere as soon as it is among ``turns`` there.
        """
        ...

    async def stop(self, turn: str, reason: StopReason = StopReason.USER, *, by: str = "") -> bool:
        """Ask *turn* to end; say whether it is running and that is now its reason."""
        ...

    async def turns(self) -> tuple[str, ...]:
        """The ids of all turns that can be stopped from here."""
        ...


class Stops:
    """All turns of this process that can be stopped, by id. A ``StopRegistry``, and the same without waiting."""

    def __init__(self) -> None:
        self._handles: dict[str, StopHandle] = {}

    def open(self, turn: str) -> StopHandle:
        """Begin to listen for *turn*. Use as a context manager, or call ``close`` when the turn is over."""
        if turn in self._handles:
            msg = f"the turn {turn!r} is already running"
            raise ValueError(msg)
        self._handles[turn] = handle = StopHandle(self, turn)
        return handle

    def request(self, turn: str, reason: StopReason = StopReason.USER, *, by: str = "") -> bool:
        """Ask *turn* to end; say whether it is running and did not have a reason of the same weight before."""
        handle = self._handles.get(turn)
        return handle.take(reason, by) if handle else False

    def running(self) -> tuple[str, ...]:
        """The ids of the turns that can be stopped now."""
        return tuple(self._handles)

    async def stop(self, turn: str, reason: StopReason = StopReason.USER, *, by: str = "") -> bool:
        """Ask *turn* to end, as ``request`` does."""
        return self.request(turn, reason, by=by)

    async def turns(self) -> tuple[str, ...]:
        """The ids of the turns that can be stopped now, as ``running`` says them."""
        return self.running()

    def forget(self, handle: StopHandle, /) -> None:
        """Stop listening for a turn that is over."""
        if self._handles.get(handle.turn) is handle:
            del self._handles[handle.turn]
