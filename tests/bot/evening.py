"""A small Discord on loopback, and a real client of discord.py in it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import discord
from discord.ext import commands

from cadenza.sim.faults import Faults
from cadenza.sim.rate_limits import RateLimits
from cadenza.sim.server import Server, serve
from cadenza.sim.sessions import GatewayRules
from cadenza.sim.wire import Json
from cadenza.sim.world import World
from cadenza.targets.discord_py.api import DiscordPyApi
from tests.leaps import leaping, time_of_day

_PATIENCE = 1_000_000.0


@dataclass
class Evening:
    """A world with a bot and two people in one channel of one guild, and who serves it."""

    world: World = field(default_factory=lambda: World(clock=time_of_day))
    faults: Faults = field(default_factory=Faults)

    def __post_init__(self) -> None:
        self.bot = self.world.add_bot("Cadenza", token="sim-token")  # noqa: S106  # of a world in memory
        self.mia = self.world.add_person("Mia")
        self.tom = self.world.add_person("Tom")
        self.guild = self.world.add_guild("Home", owner=self.mia, members=[self.mia, self.tom, self.bot])
        self.general = self.world.add_channel(self.guild, "general")
        self.server: Server
        self.client: commands.Bot
        self.api: DiscordPyApi

    def texts(self, channel: str = "") -> list[str]:
        """What stands in a channel."""
        return [message["content"] for message in self.world.messages(channel or self.general)]

    def last(self, channel: str = "") -> Json:
        """The newest message of a channel."""
        return self.world.messages(channel or self.general)[-1]

    def bodies(self, route: str) -> list[Any]:
        """What was sent with each call of *route*."""
        return [call.request.body for call in self.server.rest.calls if call.route.startswith(route)]

    def statuses(self, route: str) -> list[int | None]:
        """What each call of *route* was answered with."""
        return [call.status for call in self.server.rest.calls if call.route.startswith(route)]


@asynccontextmanager
async def at_work(
    evening: Evening, *, limits: RateLimits | None = None, intents: discord.Intents | None = None
) -> AsyncIterator[Evening]:
    """Have the bot of *evening* logged in; there are no rate limits but those that are said."""
    if intents is None:
        intents = discord.Intents.default()
        intents.message_content = intents.members = True
    # discord.py sends its heartbeats from a thread, which does not see that time leaps.
    rules = GatewayRules(patience=_PATIENCE)
    async with serve(evening.world, limits=limits or RateLimits.off(), faults=evening.faults, rules=rules) as server:
        with server.discord_py(), leaping():
            client = commands.Bot(
                "!", intents=intents, guild_ready_timeout=0.05, heartbeat_timeout=_PATIENCE, help_command=None
            )
            async with server.running(client):
                evening.server, evening.client, evening.api = server, client, DiscordPyApi(client)
                yield evening
                await evening.api.close()
