"""A session of the bot: everything from the configuration to the client, the same for ``run``, ``--sim`` and ``play``."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import aiohttp
import discord

from ..concurrency.tasks import end_task
from ..targets.discord.cooldown import Cooldown
from ..targets.discord_py.client_state import ClientState
from .background import guarded
from .config.config import Config, LogConfig
from .config.current import Current
from .http_metrics import Metering
from .intents import ALL_FLAGS, intents_for
from .services import health, logs
from .store.store import Namespace, Store
from .wiring import BotServices

if TYPE_CHECKING:
    from .app import CadenzaBot

_SWEPT_EVERY = 1800.0
"""Seconds between two sweeps of the store."""

Secrets: TypeAlias = Callable[[Config], Mapping[str, str]]
"""Reads the secrets of a configuration."""

ClientFactory: TypeAlias = "Callable[[BotServices, discord.Intents, aiohttp.TraceConfig], RunningClient]"
"""Builds the client of a session."""


@dataclass(frozen=True, slots=True)
class RunningClient:
    """A client of discord.py, and what else a session needs of it."""

    client: discord.Client
    wind_down: Callable[[], Awaitable[object]]
    """Take no more messages, and let running replies end."""
    is_busy: Callable[[str], bool]
    """Whether a reply is running in the channel with this id."""


@dataclass(frozen=True, slots=True)
class BotSession:
    """A bot that is built and can be started once, with ``shift.work``."""

    current: Current
    services: BotServices
    bot: RunningClient


def cadenza_bot(
    services: BotServices,
    intents: discord.Intents,
    trace: aiohttp.TraceConfig,
    *,
    kind: type[CadenzaBot] | None = None,
    **options: Any,
) -> RunningClient:
    """The bot, or a *kind* of your own; *options* go to discord.py."""
    from .app import CadenzaBot  # noqa: PLC0415  # it brings everything along

    bot = (kind or CadenzaBot)(services, intents=intents, http_trace=trace, **options)
    services.metrics.watch(
        active=lambda: len(bot.turns.running()),
        waiting=lambda: max(0, services.limits.active - len(bot.turns.running())),
        left_behind=lambda: bot.turns.left_behind,
    )
    return RunningClient(bot, bot.wind_down, bot.control.running)


def simulated_bot(
    services: BotServices, intents: discord.Intents, trace: aiohttp.TraceConfig, *, kind: type[CadenzaBot] | None = None
) -> RunningClient:
    """The bot in a simulated Discord, which sends all guilds at once, so it is ready at once."""
    return cadenza_bot(services, intents, trace, kind=kind, guild_ready_timeout=0.05)


async def _all_allowed() -> int:
    """The flags of an application in a simulated Discord, which allows all privileged intents."""
    return ALL_FLAGS


@asynccontextmanager
async def session(
    config: Config,
    store: Store,
    *,
    secrets: Secrets,
    environment: Mapping[str, str],
    level: str,
    services_of: Callable[[Current, Store], BotServices],
    client_of: ClientFactory,
    flags: Callable[[], Awaitable[int]] = _all_allowed,
) -> AsyncIterator[BotSession]:
    """Build a bot: log, keys, *store*, staff, client, metrics, health checks and sweeps; close all of it at the end.

    *secrets* reads ``.env``; *environment* is the real environment, from before secrets were put into it. *level* is that
    of the log, if it was given. *flags* are those of the application in Discord's portal.
    """
    current = Current(config)
    follow_log(current, secrets, level=level)
    intents = intents_for(config, await flags())
    follow_keys(current, secrets, real=environment)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(store)
        services = services_of(current, store)
        stack.push_async_callback(_closed, "models", services.models.close)
        stack.push_async_callback(_closed, "tools", services.toolbox.close)
        metering = Metering(services.metrics)
        bot = client_of(services, intents, metering.trace)
        metering.application = lambda: str(bot.client.application_id or "")
        cooldown = ClientState.of(bot.client).shared.cooldown
        services.metrics.watch(servers=lambda: len(bot.client.guilds), cooldown=lambda: cooldown.left)
        checks = {
            "gateway": lambda: _gateway(bot.client),
            "discord": lambda: _discord(cooldown),
            "store": lambda: _store(services.store),
        }
        sweeping = asyncio.create_task(keep_swept(services.store), name="cadenza sweep")
        stack.push_async_callback(end_task, sweeping)
        await stack.enter_async_context(health.serving(services.config.now.metrics, checks, services.metrics.rendered))
        yield BotSession(current, services, bot)


async def keep_swept(store: Store) -> None:
    """Sweep *store* now and then until cancelled, so that records expire even if nothing is written."""
    while True:
        await asyncio.sleep(_SWEPT_EVERY)
        await guarded("sweeping the store", store.sweep())


def follow_log(current: Current, secrets: Secrets, *, level: str = "") -> None:
    """Set up the log as the configuration says, now and whenever it changes; a given *level* wins."""

    def set_up(config: Config) -> None:
        chosen: LogConfig = replace(config.log, level=level) if level else config.log
        logs.set_up(chosen, secrets=secrets(config).values())

    set_up(current.now)
    current.listen(lambda _, config: set_up(config))


def follow_keys(current: Current, secrets: Secrets, *, real: Mapping[str, str] | None = None) -> None:
    """Put the keys of ``.env`` into the environment, where providers look for them; again when ``.env`` changes.

    Variables of the *real* environment win. The bot's token and the key of its store are not published.
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


async def _closed(what: str, close: Callable[[], Awaitable[object]]) -> None:
    await guarded(f"closing the {what}", close())


async def _gateway(client: discord.Client) -> str:
    if not client.is_ready():
        return "the bot is not ready yet"
    # discord.py keeps the old socket while it reconnects; before the first there is none, despite its type.
    socket: object = client.ws
    return "" if getattr(socket, "open", False) else "there is no connection to Discord"


async def _discord(cooldown: Cooldown) -> str:
    return (
        f"Discord shuts the bot out ({cooldown.reason}) for {cooldown.left:.0f} more seconds" if cooldown.left else ""
    )


async def _store(store: Store) -> str:
    await store.get(Namespace.SERVERS, "0")
    return ""
