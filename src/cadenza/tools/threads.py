"""A function in a thread of its own, which can be stopped.

A thread cannot be ended from outside. But Python can be told to raise an exception in it, and this one runs nothing but
one call, so that nothing else can be hit. It is raised as soon as the function runs Python again: one that waits in a
system call goes on waiting, and ends when it comes back from there; it does not go on to act.
"""

from __future__ import annotations

import asyncio
import ctypes
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from threading import RLock, Thread, get_ident

_BREATHS = 16
"""Rounds of a loop that does nothing: in every one Python looks whether there is something to raise."""


class Stop(BaseException):
    """Raised in a function whose result nobody waits for any more."""


async def in_thread(call: Callable[[], object], *, name: str = "cadenza tool") -> object:
    """What *call* gives back or raises.

    A cancellation stops it, and waits until it has ended. A second one tells it again, and leaves it behind.
    """
    work = _Work(call)
    Thread(target=work.run, name=name, daemon=True).start()
    cancelled: asyncio.CancelledError | None = None
    while not work.ended.done():
        try:
            await asyncio.wait([work.ended])
        except asyncio.CancelledError as error:
            work.stop()
            if cancelled is not None:
                raise
            cancelled = error
    if cancelled is not None:
        raise cancelled
    return work.result()


class _Work:
    """One call, and how it ended."""

    def __init__(self, call: Callable[[], object]) -> None:
        self._loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[None] = self._loop.create_future()
        self._context = copy_context()
        self._call = call
        self._lock = RLock()  # held while it is told to stop; who has it may take it again: see ``_finish``
        self._thread: int | None = None  # set while the call runs
        self._is_stopped = False
        self._value: object = None
        self._error: BaseException | None = None

    # --- for those who wait -----------------------------------------------------------------

    def stop(self) -> None:
        """Raise ``Stop`` in the call, if it runs; if it has not begun, it does not begin. For two times at most."""
        self._is_stopped = True
        if not self._lock.acquire(blocking=False):
            return  # it begins or ends at this very moment, and sees it by itself
        try:
            if self._thread is not None:
                _raise_in(self._thread, Stop)
        finally:
            self._lock.release()

    def result(self) -> object:
        """What the call gave back; what it raised is raised."""
        if self._error is not None:
            raise self._error
        return self._value

    # --- in the thread ----------------------------------------------------------------------

    def run(self) -> None:
        """Run the call. ``Stop`` may come between any two steps of what is tried here, twice at most, and never after it."""
        try:
            try:
                self._begin()
                self._finish()
            except Stop:
                self._finish()
        except Stop:
            self._finish()
        with suppress(RuntimeError):  # nobody waits: the loop is closed
            self._loop.call_soon_threadsafe(self._note_end)

    def _begin(self) -> None:
        with self._lock:
            self._thread = get_ident()
        if self._is_stopped:
            return
        try:
            self._value = self._context.run(self._call)
        except Stop:
            raise
        except Exception as error:  # noqa: BLE001  # it is handed on
            self._error = error
        except BaseException as error:  # noqa: BLE001  # in a thread it ends nothing but the call
            self._error = RuntimeError(type(error).__name__)

    def _finish(self) -> None:
        """See to it that nothing is raised in this thread behind this.

        ``Stop`` may still come while the lock is being taken or given back, or in the loop; then this is done again.
        """
        with self._lock:
            self._thread = None
        for _ in range(_BREATHS):
            pass

    def _note_end(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)


def _raise_in(thread: int, error: type[BaseException]) -> None:
    """Have *error* raised in *thread*. It cannot be taken back: Python would go on looking for it in every loop."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))
