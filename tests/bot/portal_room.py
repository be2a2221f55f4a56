"""A Discord on loopback that a bot asks about itself before it connects."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from cadenza.sim import Faults, Server, World, serve
from cadenza.sim.intents import PRIVILEGED, Intent
from cadenza.sim.rate_limits import RateLimits
from cadenza.sim.sessions import GatewayRules

TOKEN = base64.b64encode(b"123456789012345678").decode() + ".GaBcDe." + "x1Y_" * 9


@dataclass
class Room:
    """A bot with a token of the right form, in one server with one channel."""

    world: World = field(default_factory=World)
    faults: Faults = field(default_factory=Faults)

    def __post_init__(self) -> None:
        self.bot = self.world.add_bot("Ren", token=TOKEN)
        self.mia = self.world.add_person("Mia")
        self.guild = self.world.add_guild("Home", owner=self.mia, members=[self.mia, self.bot])
        self.general = self.world.add_channel(self.guild, "general")


@asynccontextmanager
async def served(room: Room, *, privileged: Intent = PRIVILEGED) -> AsyncIterator[Server]:
    """Have *room* on loopback."""
    rules = GatewayRules(privileged=privileged)
    async with serve(room.world, limits=RateLimits.off(), faults=room.faults, rules=rules) as server:
        yield server
