"""Running a program that has many turns at once: ``run(main())`` instead of ``asyncio.run(main())``.

Two things hold up a thousand turns that do not hold up ten. The event loop is written in Python, and uvloop, which is
not, takes its place where it is installed. And the garbage collector stops everything to look at every object there is:
what was loaded before the program began, and what a turn needs while it lasts. It finds next to nothing, for a turn
leaves no cycles behind that matter; so it does not look at the former at all, and at the latter less often.
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
"""How many more objects there must be, and how many looks at the young, until the next look at the older ones."""
_LAST_STANDARD_STREAM = 2


def run(main: Coroutine[Any, Any, T], *, debug: bool | None = None) -> T:
    """Run *main* as ``asyncio.run`` does, for many turns; when it is over, all is as it was before."""
    _keep_standard_streams()
    with collecting_seldom(), asyncio.Runner(debug=debug, loop_factory=_uvloop()) as runner:
        return runner.run(main)


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Within this, the garbage collector leaves alone what is there already, and looks at the rest less often.

    For a program that cannot let ``run`` make its event loop. It is of the whole process: nothing else should need
    another collector.
    """
    before, is_first = gc.get_threshold(), not gc.get_freeze_count()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if is_first:  # what others froze stays so
            gc.unfreeze()


def _keep_standard_streams() -> None:
    """Open to nowhere what a program was started without of its input, output and errors.

    Otherwise a socket could get one of their numbers, and uvloop ends the whole process when it closes such a one.
    """
    while (opened := os.open(os.devnull, os.O_RDWR)) <= _LAST_STANDARD_STREAM:
        pass  # the lowest number that is free is always the next
    os.close(opened)


def _uvloop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """What makes the loops of uvloop, where there is one: none is made for Windows, and it is an extra."""
    try:
        import uvloop  # noqa: PLC0415  # an option
    except ImportError:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory
