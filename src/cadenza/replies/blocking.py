"""Read a blocking iterator, such as a synchronous client's stream, in a thread, so that the event loop goes on.

One thread reads one stream, a few items ahead of the loop. A thread cannot be interrupted: one that waits for its next item
when the loop has stopped reading is left alone, and closes the stream when that item comes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import AbstractContextManager, ExitStack, suppress
from contextvars import copy_context
from threading import Condition, Thread

from ..explain.tracebacks import get_logger

logger = get_logger(__name__)

Blocking = Iterable[object] | AbstractContextManager[Iterable[object]]

_AHEAD = 64
"""Items that are read ahead; then the thread waits."""
_GRACE = 1.0
"""Seconds that a stream which waits for nothing has to close."""


async def read_in_thread(source: Blocking) -> AsyncGenerator[object, None]:
    """Yield the items of *source*, which is entered, read and closed in a thread of its own."""
    reader = _Reader(source)
    Thread(target=copy_context().run, args=(reader.run,), name="cadenza stream", daemon=True).start()
    try:
        while items := await reader.taken():
            for item in items:
                yield item
        if reader.error is not None:
            raise reader.error
    finally:
        await reader.close()


class _Reader:
    """Hands items from the thread to the loop."""

    def __init__(self, source: Blocking) -> None:
        self.error: BaseException | None = None
        """What the stream raised."""
        self._source = source
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._lock = Condition()  # held whenever one of the following is read or changed
        self._items: list[object] = []
        self._is_awaited = False  # whether the loop waits for ``_news``
        self._is_inside = False  # whether the thread may be waiting for the stream
        self._is_closed = False  # whether the loop has stopped reading
        self._has_ended = False

    # --- in the loop --------------------------------------------------------------------

    async def taken(self) -> list[object]:
        """Wait for the next items and return them; at the end there are none."""
        while True:
            with self._lock:
                items, self._items = self._items, []
                self._lock.notify()
                if items or self._has_ended:
                    return items
                self._await_news()
            await self._news.wait()

    async def close(self) -> None:
        """Read no more. A stream that is closing is waited for, one that has nothing to say is not."""
        with self._lock:
            self._is_closed = True
            self._lock.notify()
            if self._has_ended or self._is_inside:
                return
            self._await_news()
        with suppress(TimeoutError):
            async with asyncio.timeout(_GRACE):
                await self._news.wait()

    def _await_news(self) -> None:
        self._is_awaited = True
        self._news.clear()

    # --- in the thread ------------------------------------------------------------------

    def run(self) -> None:
        """Read the stream to its end, or until the loop stops reading."""
        try:
            self._read()
        except BaseException as error:  # raised again in the loop
            self.error = error
            if self._is_closed:
                logger.debug("a stream failed after the loop had stopped reading", exc_info=error)
        with self._lock:
            self._has_ended = True
            self._tell()

    def _read(self) -> None:
        with ExitStack() as stack:
            self._is_inside = True
            opened = self._source
            if not isinstance(opened, Iterable):
                opened = stack.enter_context(opened)
            stack.callback(_close, opened)
            items = iter(opened)
            if items is not opened:
                stack.callback(_close, items)
            try:
                for item in items:
                    if not self._hand_over(item):
                        break
            finally:
                self._is_inside = False

    def _hand_over(self, item: object) -> bool:
        """Give *item* to the loop; return whether it goes on reading."""
        with self._lock:
            self._items.append(item)
            self._tell()
            self._is_inside = False
            while len(self._items) >= _AHEAD and not self._is_closed:
                self._lock.wait()
            self._is_inside = not self._is_closed
            return not self._is_closed

    def _tell(self) -> None:
        if self._is_awaited:
            self._is_awaited = False
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._news.set)


def _close(source: object) -> None:
    """Close *source*, if it can be closed; a failure must not hide another error."""
    close = getattr(source, "close", None)
    try:
        if callable(close):
            close()
    except Exception as error:  # foreign code
        logger.debug("closing a stream failed", exc_info=error)
