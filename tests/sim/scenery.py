"""A small simulated Discord in virtual time: one server, one channel, one bot, one person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cadenza.sim.faults import Faults
from cadenza.sim.memory_api import WorldApi
from cadenza.sim.rate_limits import RateLimits
from cadenza.sim.rest import Rest
from cadenza.sim.wire import File, Json, Response, RestRequest
from cadenza.sim.world import World
from tests.timing import now

TOKEN = "bot.secret"  # noqa: S105  # of a bot that there is not


class Scenery:
    """The world, its REST interface and the bot's view of it."""

    def __init__(self, *, limits: RateLimits | None = None, faults: Faults | None = None) -> None:
        self.world = World(clock=now)
        self.bot = self.world.add_bot(token=TOKEN)
        self.mia = self.world.add_person("Mia")
        self.guild = self.world.add_guild("Tea", owner=self.mia, members=[self.bot]).id
        self.channel = self.world.add_channel(self.guild, "kitchen")
        self.faults = faults or Faults()
        self.rest = Rest(self.world, limits=limits, faults=self.faults)
        self.api = WorldApi(self.rest, self.bot)

    async def call(
        self,
        what: str,
        body: Any = None,
        *,
        token: str = TOKEN,
        files: tuple[File, ...] = (),
        query: Mapping[str, str] | None = None,
    ) -> Response:
        method, path = what.split(" ", 1)
        return await self.rest.handle(RestRequest(method, path, query or {}, body, files, token))

    async def say(self, text: str, channel: str | None = None) -> Response:
        return await self.call(f"POST /channels/{channel or self.channel}/messages", {"content": text})

    def webhook(self, name: str = "Cadenza") -> Json:
        return self.world.create_webhook(self.bot.id, self.channel, {"name": name})

    @property
    def texts(self) -> list[str]:
        return [message["content"] for message in self.world.messages(self.channel)]

    @property
    def statuses(self) -> list[int | None]:
        return [call.status for call in self.rest.calls]
