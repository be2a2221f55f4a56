"""The event loop for many turns at once: ``run(main())`` instead of ``asyncio.run(main())``.

Two things slow down a thousand turns. The event loop of asyncio is written in Python; uvloop replaces it where it is
installed. And the garbage collector stops the program to visit every object, although a turn leaves hardly any cycles.
So objects that exist at the start are frozen, and the others are visited less often.
"""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")

_SELDOM = (20_000, 20, 20)
"""Thresholds of the garbage collector, as ``gc.set_threshold`` takes them."""
_LAST_STANDARD_STREAM = 2


def run(main: Coroutine[Any, Any, T], *, debug: bool | None = None) -> T:
    """Run *main* like ``asyncio.run``, tuned for many turns; the tuning ends with it."""
    _keep_standard_streams()
    with collecting_seldom(), asyncio.Runner(debug=debug, loop_factory=_uvloop()) as runner:
        return runner.run(main)


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Freeze all existing objects and collect garbage less often, in the whole process.

    For a program that does not use ``run`` for its event loop.
    """
    before, is_first = gc.get_threshold(), not gc.get_freeze_count()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if is_first:  # objects that others froze stay frozen
            gc.unfreeze()


def _keep_standard_streams() -> None:
    """Open standard streams that are missing, to the null device.

    Otherwise a socket could get one of their numbers, and uvloop aborts the process when it closes such a one.
    """
    while (opened := os.open(os.devnull, os.O_RDWR)) <= _LAST_STANDARD_STREAM:
        pass  # the lowest free number is always used next
    os.close(opened)


def _uvloop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return the loop factory of uvloop if it is installed; it is an extra, and not for Windows."""
    try:
        import uvloop  # noqa: PLC0415  # an option
    except ImportError:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory
