"""Early receipts: a send is confirmed by Discord's answer or by the gateway event, whichever comes first.

When the last token of a bucket is spent, discord.py returns the message only after the bucket has refilled, five seconds
after it is visible. So each send is a task of its own, which is not cancelled, and the caller takes the message from
whichever confirms it first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

import discord

from ...concurrency.tasks import end_task, must_rise
from .translate_errors import as_api_error

_REMEMBERED = 1000
"""Message ids remembered as confirmed."""
_GRACE = 0.5
"""Seconds that the gateway event may take after the connection broke."""
_PATIENCE = 15.0
"""Seconds that sends may take at the end; rate limits of messages are shorter."""


class Confirmed(NamedTuple):
    """A message that was sent."""

    message: discord.Message
    is_answered: bool = True
    """Whether discord.py had the answer to its request; else only the gateway told of the message."""


class EarlyReceipts:
    """The sends in flight of one client."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._taken: dict[int, None] = {}
        self._sends: set[asyncio.Task[Any]] = set()

    async def run(
        self,
        send: Coroutine[Any, Any, discord.Message],
        fits: Callable[[discord.Message], bool],
        *,
        has_view: bool = False,
    ) -> Confirmed:
        """Run *send* and return its message once it is confirmed; *fits* recognises it. Raises ``ApiError``.

        A cancellation does not stop the send. One that *has_view* is waited for: discord.py calls the callbacks of a view
        only after its own answer.
        """

        def is_it(message: discord.Message) -> bool:
            if message.id in self._taken or not fits(message):
                return False
            self._taken[message.id] = None  # taken by this send, not by an equal one
            return True

        heard = asyncio.create_task(self._client.wait_for("message", check=is_it), name="cadenza echo")
        sending = self._begun(send)
        try:
            await asyncio.wait((sending,) if has_view else (sending, heard), return_when=asyncio.FIRST_COMPLETED)
            if sending.done() or not heard.done():
                try:
                    return Confirmed(self._noted(sending.result()))
                except BaseException as error:  # noqa: BLE001  # the task's own exception
                    failure, cause = as_api_error(error), error
                if failure.is_ambiguous:
                    await asyncio.wait((heard,), timeout=_GRACE)
                if not heard.done():
                    raise failure from cause
            return Confirmed(heard.result(), is_answered=False)
        finally:
            self._forget_oldest()
            await _end(heard)

    async def outlived(self, request: Coroutine[Any, Any, None]) -> None:
        """Await *request*; a cancellation does not stop it."""
        task = asyncio.create_task(request, name="cadenza request")
        self._sends.add(task)
        task.add_done_callback(self._over)
        await asyncio.wait((task,))
        task.result()

    async def close(self) -> None:
        """Wait for the sends in flight. They are not cut off early: one may hold a lock of discord.py."""
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
            task.exception()  # already raised to the caller

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
