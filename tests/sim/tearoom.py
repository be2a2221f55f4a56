"""A small guild with a bot in it, and a clock that goes on only when told."""

from __future__ import annotations

from collections.abc import Callable

from cadenza.sim.wire import GatewayEvent, Json, Refusal
from cadenza.sim.world import World

STARTS = 1_800_000_000.0


class Tearoom:
    """Ada owns the guild, Ben and the bot are in it, Cleo is not."""

    def __init__(self) -> None:
        self.time = 0.0
        self.world = World(clock=lambda: self.time, starts=STARTS)
        self.events: list[GatewayEvent] = []
        self.bot = self.world.add_bot()
        self.ada = self.world.add_person("Ada")
        self.ben = self.world.add_person("Ben")
        self.cleo = self.world.add_person("Cleo")
        self.guild = self.world.add_guild("Tea", owner=self.ada, members=[self.ben, self.bot])
        self.channel = self.world.add_channel(self.guild, "general")
        self.world.listen(self.events.append)

    def heard(self) -> list[str]:
        """The names of what happened since this was last asked."""
        names = [event.name for event in self.events]
        self.events.clear()
        return names

    def sends(self, content: str = "hi", **fields: object) -> Json:
        """Send a message as the bot."""
        return self.world.create_message(self.bot.id, self.channel, {"content": content, **fields})

    def webhook(self, name: str = "Mouth", channel: str | None = None) -> tuple[str, str]:
        """The id and token of a new webhook of the bot."""
        made = self.world.create_webhook(self.bot.id, channel or self.channel, {"name": name})
        return made["id"], made["token"]

    def contents(self, channel: str | None = None) -> list[str]:
        """What was said, oldest first."""
        return [message["content"] for message in self.world.messages(channel or self.channel)]


def refused(action: Callable[[], object]) -> tuple[int, int] | None:
    """The status and code with which *action* is refused; ``None`` if it is not."""
    try:
        action()
    except Refusal as refusal:
        return refusal.status, refusal.code
    return None


def wrong_field(action: Callable[[], object]) -> str | None:
    """Where the form of *action* is wrong, such as ``embeds.0.title``; ``None`` if it is not refused for that."""
    try:
        action()
    except Refusal as refusal:
        path, fields = [], refusal.fields
        while fields and "_errors" not in fields:
            ((name, fields),) = fields.items()
            path.append(name)
        return ".".join(path) if refusal.code == 50035 else None
    return None
