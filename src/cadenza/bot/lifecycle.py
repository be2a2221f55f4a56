"""One shift of a bot: from logging in to saying goodbye, and what interrupts it."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

import discord

from ..concurrency.tasks import end_task, must_rise

logger = logging.getLogger(__name__)

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Signals that ask a program to end, within a ``with``: the first one politely, the second one at once."""

    def __init__(self) -> None:
        self.first = asyncio.Event()
        self.second = asyncio.Event()

    def interrupt(self) -> None:
        """Somebody wants it to end, or cannot wait for that."""
        (self.second if self.first.is_set() else self.first).set()

    def __enter__(self) -> Self:
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            # Where there are no such signals, or this is not the main thread, an interrupt cancels the program instead.
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
    """Have *client* at work until it is interrupted; say whether it could say goodbye.

    When it is ready, *on_ready* is called; before it goes, it may *wind_down*, unless nobody can wait for that. What
    keeps it from its work is raised.
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
    """Whether *wanted* happens before the connection ends, or somebody interrupts."""
    first = asyncio.ensure_future(wanted)
    others: list[asyncio.Future[Any]] = []
    if interrupted is not None:
        others.append(asyncio.ensure_future(interrupted.wait()))
    try:
        everything: list[asyncio.Future[Any]] = [first, connection, *others]
        done, _ = await asyncio.wait(everything, return_when=asyncio.FIRST_COMPLETED)
        if first in done:
            first.result()  # what went wrong with it is raised
        return first in done and connection not in done
    finally:
        for waiting in (first, *others):
            waiting.cancel()
        await asyncio.wait([first, *others])


async def _said_goodbye(wind_down: Callable[[], Awaitable[object]], hurry: asyncio.Event) -> bool:
    """Let it wind down, unless somebody is in a *hurry*."""
    logger.info("stopping: replies under way may end; interrupt again to stop at once")
    goodbye = asyncio.ensure_future(_wound_down(wind_down))
    hurried = asyncio.ensure_future(hurry.wait())
    try:
        done, _ = await asyncio.wait([goodbye, hurried], return_when=asyncio.FIRST_COMPLETED)
        return goodbye in done
    finally:
        for waiting in (goodbye, hurried):
            waiting.cancel()
        await asyncio.wait([goodbye, hurried])


async def _wound_down(wind_down: Callable[[], Awaitable[object]]) -> None:
    try:
        await wind_down()
    except BaseException as error:
        if must_rise(error):
            raise
        logger.warning("not everything could be ended as it should (%s)", type(error).__name__)
