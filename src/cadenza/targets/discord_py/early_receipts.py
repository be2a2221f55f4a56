"""Sends that are sure as soon as anybody says so: Discord's answer, or the gateway, which tells of our own messages too.

When the last token of a bucket is spent, discord.py gives the message back only after the bucket is full again: five
seconds after everybody could read it. So each send is a task of its own, which is never cancelled while somebody may
need what it holds, and whoever waits for the message takes it from whichever comes first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import discord

from ...concurrency.tasks import end_task, must_rise
from .translate_errors import as_api_error

_REMEMBERED = 1000
"""How many messages it is remembered of that they have their receipt."""
_GRACE = 0.5
"""Seconds for which, after the line broke, the gateway may still say that the message is there."""
_PATIENCE = 15.0
"""Seconds that sends may take at the end; longer is no rate limit of messages."""


class EarlyReceipts:
    """The sends of one client that are under way."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._taken: dict[int, None] = {}
        self._sends: set[asyncio.Task[Any]] = set()

    async def run(
        self, send: Coroutine[Any, Any, discord.Message], fits: Callable[[discord.Message], bool]
    ) -> discord.Message:
        """The message that *send* sends, as soon as it is there; *fits* knows it again. Raises ``ApiError``.

        If we are cancelled, the message is still sent.
        """

        def is_it(message: discord.Message) -> bool:
            if message.id in self._taken or not fits(message):
                return False
            self._taken[message.id] = None  # it is this send's, and no other's that looks the same
            return True

        heard = asyncio.create_task(self._client.wait_for("message", check=is_it), name="cadenza echo")
        sending = self._begun(send)
        try:
            await asyncio.wait((sending, heard), return_when=asyncio.FIRST_COMPLETED)
            if not heard.done():
                try:
                    return self._noted(sending.result())
                except BaseException as error:  # noqa: BLE001  # of a task: whatever it raised is its own
                    failure = as_api_error(error)
                if failure.is_ambiguous:
                    await asyncio.wait((heard,), timeout=_GRACE)
                if not heard.done():
                    raise failure from None
            return heard.result()
        finally:
            self._forget_oldest()
            await _end(heard)

    async def outlived(self, request: Coroutine[Any, Any, None]) -> None:
        """Wait for *request*, which goes on if we are cancelled."""
        task = asyncio.create_task(request, name="cadenza request")
        self._sends.add(task)
        task.add_done_callback(self._over)
        await asyncio.wait((task,))
        task.result()

    async def close(self) -> None:
        """Wait for the sends that are under way. None is cut off: it could hold a lock that others wait for."""
        if self._sends:
            await asyncio.wait(tuple(self._sends), timeout=_PATIENCE)
        for send in tuple(self._sends):
            await _end(send)

    def _begun(self, send: Coroutine[Any, Any, discord.Message]) -> asyncio.Task[discord.Message]:
        task = asyncio.create_task(send, name="cadenza send")
        self._sends.add(task)
        task.add_done_callback(self._over)
        return task

    def _over(self, task: asyncio.Task[Any]) -> None:
        self._sends.discard(task)
        if not task.cancelled():
            task.exception()  # whoever waited for it has been told already

    def _noted(self, message: discord.Message) -> discord.Message:
        self._taken[message.id] = None
        return message

    def _forget_oldest(self) -> None:
        while len(self._taken) > _REMEMBERED:
            del self._taken[next(iter(self._taken))]


async def _end(task: asyncio.Task[Any]) -> None:
    try:
        await end_task(task)
    except BaseException as error:
        if must_rise(error):
            raise
