"""What there is in the simulated Discord, and who hears of a change. The laws stand in the modules that build on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from . import objects
from .api_errors import refuse
from .objects import ChannelKind, copied
from .snowflakes import Calendar, Snowflakes, as_timestamp
from .wire import GatewayEvent, Json

NOBODY = frozenset({"0"})
"""For events of which no bot hears, and only those who look at the world from outside: nobody has this id."""


@dataclass(slots=True)
class GuildState:
    """A guild and what is in it, but for channels."""

    json: Json
    roles: dict[str, Json] = field(default_factory=dict)
    members: dict[str, Json] = field(default_factory=dict)
    emojis: dict[str, Json] = field(default_factory=dict)
    bans: dict[str, Json] = field(default_factory=dict)
    """Who is kept out, and why."""


@dataclass(slots=True)
class ChannelState:
    """A channel and what was said in it."""

    json: Json
    messages: dict[str, Json] = field(default_factory=dict)
    """Oldest first."""
    people: dict[str, float] = field(default_factory=dict)
    """Who is in it, and since when: of a thread those who have joined it, of direct messages the two."""
    typing: dict[str, float] = field(default_factory=dict)
    """Until when each of those who write is shown as writing."""
    pins: dict[str, str] = field(default_factory=dict)
    """Which messages are pinned, and since when."""
    spoke: dict[str, float] = field(default_factory=dict)
    """When each last said something, for slow mode."""

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.json["id"])

    @property
    def kind(self) -> ChannelKind:
        """Its sort."""
        return ChannelKind(self.json["type"])

    @property
    def guild(self) -> str | None:
        """The guild it is in; direct messages are in none."""
        return self.json.get("guild_id")


@dataclass(slots=True)
class InteractionState:
    """Somebody has pressed something or used a command, and waits for the bot."""

    id: str
    token: str = field(repr=False)
    bot: str
    user: str
    channel: str
    kind: int
    made_at: float
    name: str = ""
    """Of the command."""
    pressed: str | None = None
    """The message whose button was pressed."""
    is_answered: bool = False
    modal: Json | None = None
    """The form that the bot shows in answer."""
    choices: list[Json] = field(default_factory=list)
    """What the bot suggests in answer."""
    original: str | None = None
    """The message that is the answer."""


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot's account."""

    id: str
    name: str
    token: str = field(repr=False)

    @property
    def application(self) -> str:
        """The id of its application, which is its own."""
        return self.id


class State:
    """Everything there is, by id."""

    def __init__(self, clock: Callable[[], float], starts: float | None) -> None:
        self._calendar = Calendar(clock, starts)
        self._snowflakes = Snowflakes(self.now)
        self._ears: list[Callable[[GatewayEvent], None]] = []
        self._users: dict[str, Json] = {}
        self._bots: dict[str, Bot] = {}
        self._guilds: dict[str, GuildState] = {}
        self._channels: dict[str, ChannelState] = {}
        self._webhooks: dict[str, Json] = {}
        self._files: dict[str, bytes] = {}
        self._portraits: dict[str, str | bytes] = {}
        self._reactions: dict[str, dict[str, list[str]]] = {}
        self._nonces: dict[tuple[str, str], tuple[float, Json]] = {}
        self._closed_to_direct: set[str] = set()
        self._interactions: dict[str, InteractionState] = {}
        self._locales: dict[str, str] = {}
        self._commands: dict[tuple[str, str | None], list[Json]] = {}
        self.cdn = "https://cdn.discordapp.com"
        """Where files can be fetched; a server that has them itself says so."""

    def now(self) -> float:
        """The time in this world, in seconds since 1970."""
        return self._calendar.now()

    def listen(self, hear: Callable[[GatewayEvent], None]) -> Callable[[], None]:
        """Have *hear* called with everything that happens; gives back how to stop that."""
        self._ears.append(hear)

        def stop() -> None:
            if hear in self._ears:
                self._ears.remove(hear)

        return stop

    def _tell(self, name: str, data: Json, guild: str | None, bots: frozenset[str]) -> None:
        for hear in tuple(self._ears):
            hear(GatewayEvent(name, copied(data), guild, bots or NOBODY))

    def _timestamp(self) -> str:
        return as_timestamp(self.now())

    def _guild(self, id_: str) -> GuildState:
        if id_ not in self._guilds:
            raise refuse(10004)
        return self._guilds[id_]

    def _channel(self, id_: str) -> ChannelState:
        if id_ not in self._channels:
            raise refuse(10003)
        return self._channels[id_]

    def _message(self, channel: ChannelState, id_: str) -> Json:
        if id_ not in channel.messages:
            raise refuse(10008)
        message: Json = channel.messages[id_]
        return message

    def _member(self, guild: str, user: str) -> Json:
        if user not in self._guild(guild).members:
            raise refuse(10007)
        member: Json = self._guild(guild).members[user]
        return member

    def _bots_in(self, guild: str) -> frozenset[str]:
        return frozenset(self._bots.keys() & self._guild(guild).members.keys())

    def _tell_guild(self, name: str, data: Json, guild: str) -> None:
        self._tell(name, {**data, "guild_id": guild}, guild, self._bots_in(guild))

    def add_bot(self, name: str = "Cadenza", *, token: str = "sim-token") -> Bot:  # noqa: S107  # of a world in memory
        """A new bot; it is in no guild yet."""
        if any(bot.token == token for bot in self._bots.values()):
            message = f"another bot has this token already; give {name} a token of its own"
            raise ValueError(message)
        bot = Bot(self._snowflakes.next(), name, token)
        self._bots[bot.id] = bot
        self._users[bot.id] = {**objects.user(bot.id, name, is_bot=True), "username": name}
        return bot

    def file(self, attachment: str) -> bytes:
        """What is in the file with this id."""
        return self._files[attachment]

    def portrait(self, avatar: str) -> str | bytes | None:
        """The picture behind the *avatar* of a user or a webhook: an address, or the picture itself."""
        return self._portraits.get(avatar)

    def _copies(self, values: Any) -> list[Json]:
        return [copied(value) for value in values]
