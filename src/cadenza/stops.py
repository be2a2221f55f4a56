"""Stop requests. Each belongs to one turn, so that a late one cannot end the next.

A turn opens a handle and waits on it; whoever wants the turn to end asks for that by the turn's id.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

from .types import StopReason


def is_cancelled(error: BaseException) -> bool:
    """Whether *error* says that this very task is cancelled; foreign code may raise the same for reasons of its own."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0


class StopHandle:
    """The ear of one turn."""

    def __init__(self, stops: Stops, turn: str) -> None:
        self._stops = stops
        self._requested = asyncio.Event()
        self.turn = turn
        self.reason: StopReason | None = None

    async def wait(self) -> StopReason:
        """Wait until a stop is requested; say why."""
        while self.reason is None:
            await self._requested.wait()
        return self.reason

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """The turn is over: nothing can stop it any more."""
        self._stops.forget(self)

    def take(self, reason: StopReason) -> bool:
        """Take a request. The first one counts, but somebody's stop outranks a follow-up."""
        if self.reason not in (None, StopReason.FOLLOW_UP) or self.reason is reason:
            return False
        self.reason = reason
        self._requested.set()
        return True


class Stops:
    """All turns that can be stopped, by id."""

    def __init__(self) -> None:
        self._handles: dict[str, StopHandle] = {}

    def open(self, turn: str) -> StopHandle:
        """Begin to listen for *turn*. Use as a context manager, or call ``close`` when the turn is over."""
        if turn in self._handles:
            msg = f"the turn {turn!r} is already running"
            raise ValueError(msg)
        self._handles[turn] = handle = StopHandle(self, turn)
        return handle

    def request(self, turn: str, reason: StopReason = StopReason.USER) -> bool:
        """Ask *turn* to end; say whether it is running and did not have a reason of the same weight before."""
        handle = self._handles.get(turn)
        return handle.take(reason) if handle else False

    def running(self) -> tuple[str, ...]:
        """The ids of the turns that can be stopped now."""
        return tuple(self._handles)

    def forget(self, handle: StopHandle) -> None:
        """Stop listening for a turn that is over."""
        if self._handles.get(handle.turn) is handle:
            del self._handles[handle.turn]
