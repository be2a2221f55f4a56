"""A server of the simulated Discord with one bot and one channel, for tests of what delivers to it."""

from __future__ import annotations

from typing import Any

from cadenza.errors import DeliveryError
from cadenza.sim.faults import Faults
from cadenza.sim.memory_api import WorldApi
from cadenza.sim.permissions import INVITED, Permission
from cadenza.sim.rate_limits import RateLimits
from cadenza.sim.rest import Rest
from cadenza.sim.wire import Json
from cadenza.sim.world import World
from cadenza.targets.discord.shared import DiscordState
from cadenza.targets.discord.target import DiscordTarget
from cadenza.targets.discord.throttle import Throttle
from cadenza.targets.discord.webhooks import Webhooks
from cadenza.types import Attachment, Boundary, Identity, Post, Receipt
from tests.timing import now

BOT_SENDS = "POST /channels/*/messages"
WEBHOOK_SENDS = "POST /webhooks/*/*"
REN = Identity("Ren", "https://example.com/ren.png")


class Room:
    """The channel, who is in it, and how its bot reaches it. Times are those of the running loop."""

    def __init__(
        self, *, limits: RateLimits | None = None, granted: Permission = INVITED, throttle: Throttle | None = None
    ) -> None:
        self.world = World(clock=now, starts=1_700_000_000.0)
        self.faults = Faults()
        self.rest = Rest(self.world, limits=limits or RateLimits.off(), faults=self.faults)
        self.bot = self.world.add_bot()
        self.mia = self.world.add_person("Mia")
        self.guild = self.world.add_guild("Tea house", owner=self.mia)
        self.guild.join(self.bot, granted=granted)
        self.channel = self.world.add_channel(self.guild, "general")
        self.api = WorldApi(self.rest, self.bot)
        self.shared = DiscordState(Webhooks(self.api, throttle=throttle), clock=now)

    def target(self, channel: str | None = None, **options: Any) -> DiscordTarget:
        return DiscordTarget(self.api, channel or self.channel, shared=self.shared, **options)

    def messages(self, channel: str | None = None) -> list[Json]:
        return self.world.messages(channel or self.channel)

    def texts(self, channel: str | None = None) -> list[str]:
        """What stands in the channel, the oldest first."""
        return [message["content"] for message in self.messages(channel)]

    def said(self, channel: str | None = None) -> list[tuple[str, str]]:
        """The same, with the names under which it stands."""
        return [(message["author"]["username"], message["content"]) for message in self.messages(channel)]

    def calls(self, start: str) -> int:
        """How many calls there were whose method and path begin with *start*."""
        return sum(f"{call.request.method} {call.request.path}".startswith(start) for call in self.rest.calls)


def post(
    text: str, identity: Identity | None = None, *, reply: str | None = None, attachment: Attachment | None = None
) -> Post:
    return Post(text, Boundary.NEWLINE, identity=identity, reply=reply, attachment=attachment)


async def sent_or_error(target: DiscordTarget, *posts: Post) -> list[Receipt | DeliveryError]:
    """What became of each of *posts*; after an error that ends a reply nothing more is sent."""
    became: list[Receipt | DeliveryError] = []
    for one in posts:
        try:
            became.append(await target.send(one))
        except DeliveryError as error:
            became.append(error)
            if error.kind.ends_reply:
                break
    return became
