"""A server with a channel and a thread, our bot in it, and what was asked of Discord meanwhile. In virtual time."""

from __future__ import annotations

from base64 import b64encode

from cadenza.sim.faults import Faults
from cadenza.sim.memory_api import WorldApi
from cadenza.sim.rate_limits import RateLimits
from cadenza.sim.rest import Rest
from cadenza.sim.wire import GatewayEvent, Json
from cadenza.sim.world import World
from cadenza.targets.discord.api import Outgoing, Place, Sent, Webhook
from cadenza.targets.discord.avatars import SpokenBy
from cadenza.targets.discord.webhooks import Webhooks, WebhookStore
from cadenza.types import Identity
from tests.timing import now

EPOCH = 1_800_000_000.0
LIST = "GET /channels/{channel}/webhooks"
MAKE = "POST /channels/{channel}/webhooks"
FETCH = "GET /webhooks/{webhook}/{token}"
EDIT = "PATCH /webhooks/{webhook}/{token}"
SAY = "POST /webhooks/{webhook}/{token}"


def picture(name: str) -> str:
    """A picture as a data URI: a PNG as far as its first bytes say."""
    return "data:image/png;base64," + b64encode(b"\x89PNG\r\n\x1a\n" + name.encode()).decode()


class PersonaStage:
    """The real webhooks over the simulated Discord, which has no limits unless it is given some."""

    def __init__(self, *, limits: RateLimits | None = None, store: WebhookStore | None = None) -> None:
        self.world = World(clock=lambda: EPOCH + now())
        self.bot = self.world.add_bot()
        self.ada = self.world.add_person("Ada")
        self.guild = self.world.add_guild("Home", owner=self.ada, members=[self.bot])
        self.channel = self.world.add_channel(self.guild, "general")
        self.thread = self.world.add_thread(self.channel, "aside")
        self.faults = Faults()
        self.rest = Rest(self.world, limits=limits or RateLimits.off(), faults=self.faults)
        self.api = WorldApi(self.rest, self.bot)
        self.webhooks = Webhooks(self.api, store)
        self.stop_hearing = self.world.listen(self._hear)

    def restart(self, store: WebhookStore | None = None) -> None:
        """Begin as a process that remembers nothing."""
        self.webhooks = Webhooks(self.api, store)

    def place(self, channel: str = "") -> Place:
        """What the API knows of a channel."""
        found = self.api.known(channel or self.channel)
        assert found is not None
        return found

    async def say(
        self,
        name: str,
        avatar: str | None = None,
        *,
        text: str = "hi",
        speaker: SpokenBy | None = None,
        channel: str = "",
    ) -> Sent:
        """Say something as somebody."""
        place = self.place(channel)
        webhook = await self.webhooks.get(place)
        identity, message = Identity(name, avatar), Outgoing(text)
        return await self.webhooks.send(place, webhook, identity, message, speaker=speaker or SpokenBy(name))

    def asked(self, *routes: str) -> list[str]:
        """What was asked of Discord and done, in order; of *routes* only, if there are any."""
        return [
            call.route
            for call in self.rest.calls
            if (not routes or call.route in routes) and call.status is not None and call.status < 300
        ]

    def tried(self, *routes: str) -> int:
        """How often something was asked of Discord, whatever came of it."""
        return sum(not routes or call.route in routes for call in self.rest.calls)

    def spoken(self) -> list[Json]:
        """What was sent through webhooks: the bodies."""
        return [call.request.body for call in self.rest.calls if call.route == SAY and call.status == 200]

    def stored(self) -> list[str | None]:
        """Which pictures were stored in webhooks, one after the other."""
        return [call.request.body["avatar"] for call in self.rest.calls if call.route == EDIT and call.status == 200]

    def worn(self, *channels: str) -> dict[str, set[str | None]]:
        """Which faces people saw with each name."""
        faces: dict[str, set[str | None]] = {}
        for channel in channels or (self.channel,):
            for message in self.world.messages(channel):
                if "webhook_id" in message:
                    faces.setdefault(message["author"]["username"], set()).add(message["author"]["avatar"])
        return faces

    def made_by_others(self, name: str) -> Json:
        """A webhook that a person made."""
        return self.world.create_webhook(self.ada.id, self.channel, {"name": name})

    def held(self) -> list[Json]:
        """The webhooks of the channel."""
        return self.world.channel_webhooks(self.ada.id, self.channel)

    def remove(self, webhook: Webhook) -> None:
        """Somebody deletes a webhook."""
        self.world.delete_webhook(self.ada.id, webhook.id)

    def _hear(self, event: GatewayEvent) -> None:
        match event.name:
            case "WEBHOOKS_UPDATE":
                self.webhooks.changed(event.data["channel_id"])
            case "CHANNEL_DELETE":
                self.webhooks.gone(event.data["id"])
            case _:
                pass
