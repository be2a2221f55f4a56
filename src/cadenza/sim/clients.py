"""Running a client against the server during a test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from typing import Protocol, TypeVar

from ..concurrency.tasks import end_task

_PATIENCE, _HASTE = 2.0, 0.05
"""Seconds that discord.py waits for the next guild before it is ready, and what is enough on one machine."""


class Client(Protocol):
    """A client of discord.py, or of a fork of it."""

    async def start(self, token: str, /) -> None:
        """Log in and stay connected until it is closed."""
        ...

    async def wait_until_ready(self) -> None:
        """Wait until it knows its guilds."""
        ...

    async def close(self) -> None:
        """Disconnect."""
        ...


AnyClient = TypeVar("AnyClient", bound=Client)


@asynccontextmanager
async def running(client: AnyClient, token: str, *, within: float = 10.0) -> AsyncIterator[AnyClient]:
    """Log *client* in and wait until it is ready; close it at the end. Errors of its login are raised."""
    _hurry(client)
    context: object = client  # discord.py prepares itself in a context; other clients have none
    async with context if isinstance(context, AbstractAsyncContextManager) else nullcontext():
        task = asyncio.create_task(client.start(token))
        try:
            await _ready(client, task, within)
            yield client
        finally:
            await client.close()
            await end_task(task)


def _hurry(client: Client) -> None:
    """Shorten how long a client of discord.py or disnake waits for further guilds, unless its author has said how long."""
    state = getattr(client, "_connection", None)
    if getattr(state, "guild_ready_timeout", None) == _PATIENCE:
        setattr(state, "guild_ready_timeout", _HASTE)  # noqa: B010  # hikari has none


async def _ready(client: Client, task: asyncio.Task[None], within: float) -> None:
    ready = asyncio.create_task(client.wait_until_ready())
    try:
        done, _ = await asyncio.wait([task, ready], timeout=within, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await end_task(ready)
    if task in done:
        if type(error := task.exception()).__name__ == "LoginFailure" and error:
            error.add_note("No bot of this world has that token; add_bot(...).token is one.")
        task.result()
        message = "the client was closed before it was ready"
        raise ConnectionError(message)
    if not done:
        message = f"the client was not ready within {within:g} seconds; is it connecting to this server?"
        raise TimeoutError(message)


def is_of_discord_py(client: object) -> bool:
    """Whether *client* is one of discord.py's; a fork with the same package name has other addresses."""
    if not any(base.__module__.partition(".")[0] == "discord" for base in type(client).__mro__):
        return False
    from discord.http import Route  # noqa: PLC0415  # such a client needs it

    return hasattr(Route, "BASE")


@contextmanager
def discord_py(url: str, gateway_url: str, cdn_url: str) -> Iterator[None]:
    """Let the real discord.py connect to these addresses; Discord's are restored at the end."""
    # discord.py is optional.
    from discord.asset import Asset  # noqa: PLC0415
    from discord.gateway import DiscordWebSocket  # noqa: PLC0415
    from discord.http import Route  # noqa: PLC0415
    from yarl import URL  # noqa: PLC0415

    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY, Asset.BASE
    Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY, Asset.BASE = url, URL(gateway_url), cdn_url
    try:
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY, Asset.BASE = before
