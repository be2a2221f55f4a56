"""The life of a client: login, work until an interrupt, graceful end."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

import discord

from ..concurrency.tasks import end_task
from ..explain.tracebacks import get_logger
from .background import guarded

logger = get_logger(__name__)

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Handles SIGINT and SIGTERM within a ``with``: the first ends gracefully, the second at once."""

    def __init__(self) -> None:
        self.first = asyncio.Event()
        self.second = asyncio.Event()

    def interrupt(self) -> None:
        """Ask for a graceful end; the second time, for an end at once."""
        (self.second if self.first.is_set() else self.first).set()

    def __enter__(self) -> Self:
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            # Without such signals, or outside the main thread, an interrupt cancels the program instead.
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, self.interrupt)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.remove_signal_handler(number)


async def work(
    client: discord.Client,
    token: str,
    *,
    interrupts: Interrupts,
    wind_down: Callable[[], Awaitable[object]],
    on_ready: Callable[[], object],
) -> bool:
    """Run *client* until it is interrupted; return whether it ended gracefully.

    *on_ready* is called when it is ready, *wind_down* before it ends, unless there is a second interrupt. Raises what
    the connection raises.
    """
    async with client:
        connection = asyncio.create_task(client.start(token), name="cadenza-discord")
        is_polite = True
        try:
            if await _comes_first(client.wait_until_ready(), connection, interrupts.first):
                on_ready()
                await _comes_first(interrupts.first.wait(), connection)
            if interrupts.first.is_set() and not connection.done() and client.is_ready():
                is_polite = await _said_goodbye(wind_down, interrupts.second)
        finally:
            await client.close()
            await end_task(connection)
        return is_polite


async def _comes_first(
    wanted: Awaitable[object], connection: asyncio.Task[None], interrupted: asyncio.Event | None = None
) -> bool:
    """Whether *wanted* is done before the connection ends or an interrupt comes."""
    first = asyncio.ensure_future(wanted)
    others: list[asyncio.Future[Any]] = []
    if interrupted is not None:
        others.append(asyncio.ensure_future(interrupted.wait()))
    try:
        everything: list[asyncio.Future[Any]] = [first, connection, *others]
        done, _ = await asyncio.wait(everything, return_when=asyncio.FIRST_COMPLETED)
        if first in done:
            first.result()  # raises its exception
        return first in done and connection not in done
    finally:
        for waiting in (first, *others):
            waiting.cancel()
        await asyncio.wait([first, *others])


async def _said_goodbye(wind_down: Callable[[], Awaitable[object]], hurry: asyncio.Event) -> bool:
    """Wind down, unless *hurry* is set before that is done."""
    logger.info("stopping: running replies may end; interrupt again to stop at once")
    goodbye = asyncio.ensure_future(guarded("graceful shutdown", wind_down()))
    hurried = asyncio.ensure_future(hurry.wait())
    try:
        done, _ = await asyncio.wait([goodbye, hurried], return_when=asyncio.FIRST_COMPLETED)
        return goodbye in done
    finally:
        for waiting in (goodbye, hurried):
            waiting.cancel()
        await asyncio.wait([goodbye, hurried])
