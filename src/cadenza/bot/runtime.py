"""Where a bot works: its staff at their places, whoever watches over it, and everything let go in the end."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import aiohttp
import discord

from ..concurrency.tasks import end_task, must_rise
from .config.config import Config, LogConfig
from .config.current import Current
from .http_metrics import Metering
from .services import health, logs
from .store.store import Shelf, Store
from .wiring import BotServices

if TYPE_CHECKING:
    from .app import CadenzaBot

logger = logging.getLogger(__name__)

_SWEPT_EVERY = 1800.0
"""Seconds between two looks for what has expired."""

ClientOf: TypeAlias = "Callable[[BotServices, discord.Intents, aiohttp.TraceConfig], Hands]"
"""Who makes a client for a staff."""


@dataclass(frozen=True, slots=True)
class Hands:
    """The client that does the work, and what it can do besides what every client of discord.py can."""

    client: discord.Client
    wind_down: Callable[[], Awaitable[object]]
    """Answer nobody any more, and let replies under way end."""
    is_busy: Callable[[str], bool]
    """Whether something is being said, or waits to be, in the channel with this id."""


def cadenza_bot(
    staff: BotServices,
    intents: discord.Intents,
    trace: aiohttp.TraceConfig,
    *,
    kind: type[CadenzaBot] | None = None,
    **options: Any,
) -> Hands:
    """The bot itself, or one of your own *kind*; *options* are for discord.py."""
    from .app import CadenzaBot  # noqa: PLC0415  # it brings everything along

    bot = (kind or CadenzaBot)(staff, intents=intents, http_trace=trace, **options)
    staff.metrics.watch(
        active=lambda: len(bot.turns.running()),
        waiting=lambda: max(0, staff.limits.active - len(bot.turns.running())),
        left_behind=lambda: bot.turns.left_behind,
    )
    return Hands(bot, bot.wind_down, bot.running)


def simulated_bot(
    staff: BotServices, intents: discord.Intents, trace: aiohttp.TraceConfig, *, kind: type[CadenzaBot] | None = None
) -> Hands:
    """The same in a simulated Discord, which tells of all servers at once: nobody need wait for others."""
    return cadenza_bot(staff, intents, trace, kind=kind, guild_ready_timeout=0.05)


@asynccontextmanager
async def workplace(
    staff: BotServices, intents: discord.Intents, client_of: ClientOf
) -> AsyncIterator[tuple[Hands, Metering]]:
    """Have a client for *staff*, counted and watched over; in the end all that was opened is let go."""
    async with AsyncExitStack() as stack:
        stack.push_async_callback(_safely, staff.models.close)
        stack.push_async_callback(_safely, staff.toolbox.close)
        metering = Metering(staff.metrics)
        hands = client_of(staff, intents, metering.trace)
        staff.metrics.watch(servers=lambda: len(hands.client.guilds))
        checks = {"gateway": lambda: _gateway(hands.client), "store": lambda: _store(staff.store)}
        sweeping = asyncio.create_task(keep_swept(staff.store), name="cadenza sweep")
        stack.push_async_callback(end_task, sweeping)
        await stack.enter_async_context(health.serving(staff.config.now.metrics, checks, staff.metrics.rendered))
        yield hands, metering


async def keep_swept(store: Store) -> None:
    """See to it, until it is cancelled, that what has expired is gone also from a store to which nobody writes."""
    while True:
        await asyncio.sleep(_SWEPT_EVERY)
        await _safely(store.sweep, "what has expired could not be removed")


def follow_log(current: Current, secrets: Callable[[Config], Mapping[str, str]], *, level: str = "") -> None:
    """Write the log as the configuration says, now and whenever it changes; a *level* that was given wins."""

    def set_up(config: Config) -> None:
        chosen: LogConfig = replace(config.log, level=level) if level else config.log
        logs.set_up(chosen, secrets=secrets(config).values())

    set_up(current.now)
    current.listen(lambda _, config: set_up(config))


def follow_keys(
    current: Current, secrets: Callable[[Config], Mapping[str, str]], *, real: Mapping[str, str] | None = None
) -> None:
    """Put what stands in ``.env`` into the environment, where those who ask models look for their keys.

    That is done now, and whenever the configuration or ``.env`` changes. What the *real* environment says, that from
    before, wins; and the bot's own token and the key of its store are nobody else's to see.
    """
    before = dict(os.environ) if real is None else real
    published: set[str] = set()

    def put(config: Config) -> None:
        own = {config.discord.token_env, config.store.key_env}
        kept = {name: value for name, value in secrets(config).items() if name not in own}
        found = {name: value for name, value in kept.items() if not before.get(name, "").strip()}
        for name in published - found.keys():
            os.environ.pop(name, None)
        os.environ.update(found)
        published.clear()
        published.update(found)

    put(current.now)
    current.listen(lambda _, config: put(config))


async def _gateway(client: discord.Client) -> str:
    if not client.is_ready():
        return "the bot is not ready yet"
    # discord.py keeps the last one while it looks for another; before the first there is none, whatever its type says.
    socket: object = client.ws
    return "" if getattr(socket, "open", False) else "there is no connection to Discord"


async def _store(store: Store) -> str:
    await store.get(Shelf.SERVERS, "0")
    return ""


async def _safely(work: Callable[[], Awaitable[object]], complaint: str = "something could not be closed") -> None:
    """Do something, such as letting go; if it cannot be done, that holds up nobody else."""
    try:
        await work()
    except BaseException as error:
        if must_rise(error):
            raise
        logger.warning("%s (%s)", complaint, type(error).__name__)
