"""Run a function in its own thread, and stop it on cancellation.

A thread cannot be killed, but Python can raise an exception in it. The thread runs only this one call, so nothing else
is hit. The exception is raised as soon as the function runs Python code again: one that blocks in a system call ends
when that returns, and does nothing more.
"""

from __future__ import annotations

import asyncio
import ctypes
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from threading import RLock, Thread, get_ident

_BREATHS = 16
"""Iterations of an empty loop: in each one Python checks for an exception to raise."""


class Stop(BaseException):
    """Raised in a function that was cancelled."""


async def in_thread(call: Callable[[], object], *, name: str = "cadenza tool") -> object:
    """Run *call*; return what it returns, raise what it raises.

    Cancelling stops it and waits until it has ended. Cancelling twice stops it again and abandons it.
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
        self._lock = RLock()  # held while ``Stop`` is raised; reentrant because ``_finish`` may run twice
        self._thread: int | None = None  # set while the call runs
        self._is_stopped = False
        self._value: object = None
        self._error: BaseException | None = None

    # --- for the waiting task -----------------------------------------------------------------

    def stop(self) -> None:
        """Raise ``Stop`` in the call; one that has not begun does not begin. At most twice."""
        self._is_stopped = True
        if not self._lock.acquire(blocking=False):
            return  # the thread is starting or ending, and checks ``_is_stopped`` itself
        try:
            if self._thread is not None:
                _raise_in(self._thread, Stop)
        finally:
            self._lock.release()

    def result(self) -> object:
        """Return what the call returned, or raise what it raised."""
        if self._error is not None:
            raise self._error
        return self._value

    # --- in the thread ----------------------------------------------------------------------

    def run(self) -> None:
        """Run the call. ``Stop`` may be raised between any two steps inside ``try``, at most twice, and never after it."""
        try:
            try:
                self._begin()
                self._finish()
            except Stop:
                self._finish()
        except Stop:
            self._finish()
        with suppress(RuntimeError):  # the loop is closed
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
        except Exception as error:  # noqa: BLE001  # ``result`` raises it
            self._error = error
        except BaseException as error:  # noqa: BLE001  # in a thread it ends nothing but the call
            self._error = RuntimeError(type(error).__name__)

    def _finish(self) -> None:
        """Make sure that nothing is raised in this thread afterwards.

        ``Stop`` may still be raised at the lock or in the loop; then the caller runs this again.
        """
        with self._lock:
            self._thread = None
        for _ in range(_BREATHS):
            pass

    def _note_end(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)


def _raise_in(thread: int, error: type[BaseException]) -> None:
    """Raise *error* in *thread*. This cannot be undone."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))
