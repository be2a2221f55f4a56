"""The data of the simulated Discord and its listeners. The modules by topic hold the functions that change it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .api_errors import refuse
from .intents import PRIVILEGED, Intent
from .objects import ChannelKind, copied
from .snowflakes import Calendar, Snowflakes, as_timestamp
from .wire import GatewayEvent, Json

NO_BOTS = frozenset({"0"})
"""For events that no bot receives, only listeners from outside: no account has this id."""


@dataclass(slots=True)
class GuildState:
    """A guild and what is in it, except channels."""

    json: Json
    roles: dict[str, Json] = field(default_factory=dict)
    members: dict[str, Json] = field(default_factory=dict)
    emojis: dict[str, Json] = field(default_factory=dict)
    bans: dict[str, Json] = field(default_factory=dict)
    """Banned users with the reason."""


@dataclass(slots=True)
class ChannelState:
    """A channel and its messages."""

    json: Json
    messages: dict[str, Json] = field(default_factory=dict)
    """Oldest first."""
    people: dict[str, float] = field(default_factory=dict)
    """The members of a thread and when they joined; in direct messages, the two users."""
    typing: dict[str, float] = field(default_factory=dict)
    """Until when each user is shown as typing."""
    pins: dict[str, str] = field(default_factory=dict)
    """The pinned messages and when they were pinned."""
    spoke: dict[str, float] = field(default_factory=dict)
    """When each user last sent a message, for slow mode."""

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.json["id"])

    @property
    def kind(self) -> ChannelKind:
        """Its type."""
        return ChannelKind(self.json["type"])

    @property
    def guild(self) -> str | None:
        """The id of its guild; ``None`` for direct messages."""
        return self.json.get("guild_id")

    def message(self, id_: str) -> Json:
        """The message with this id."""
        if id_ not in self.messages:
            raise refuse(10008)
        return self.messages[id_]


@dataclass(slots=True)
class InteractionState:
    """A command, button, menu or form that a person used, and the bot's answer."""

    id: str
    token: str = field(repr=False)
    bot: str
    user: str
    channel: str
    kind: int
    made_at: float
    name: str = ""
    """The command's name."""
    pressed: str | None = None
    """The message whose button was pressed."""
    is_answered: bool = False
    modal: Json | None = None
    """The form that the bot shows in answer."""
    choices: list[Json] = field(default_factory=list)
    """The bot's suggestions for an option."""
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
        """The id of its application, which equals its own."""
        return self.id

    @property
    def mention(self) -> str:
        """The text that pings it."""
        return f"<@{self.id}>"


@dataclass(slots=True)
class State:
    """Everything in a simulated Discord, by id."""

    calendar: Calendar
    snowflakes: Snowflakes = field(init=False)
    listeners: list[Callable[[GatewayEvent], None]] = field(default_factory=list)
    users: dict[str, Json] = field(default_factory=dict)
    bots: dict[str, Bot] = field(default_factory=dict)
    guilds: dict[str, GuildState] = field(default_factory=dict)
    channels: dict[str, ChannelState] = field(default_factory=dict)
    webhooks: dict[str, Json] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    avatars: dict[str, str | bytes] = field(default_factory=dict)
    """Pictures by hash: an address, or the picture itself."""
    reactions: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    """By message and emoji, the users who reacted."""
    nonces: dict[tuple[str, str], tuple[float, Json]] = field(default_factory=dict)
    """By user and nonce, when a message was sent and the message; oldest first."""
    refuses_dms: set[str] = field(default_factory=set)
    interactions: dict[str, InteractionState] = field(default_factory=dict)
    """By token."""
    locales: dict[str, str] = field(default_factory=dict)
    commands: dict[tuple[str, str | None], list[Json]] = field(default_factory=dict)
    """By bot and guild; ``None`` for global commands."""
    cdn: str = "https://cdn.discordapp.com"
    """Where files can be fetched; a server sets its own address."""
    privileged: Intent = PRIVILEGED
    """The privileged intents that are enabled for every application; a gateway sets them by its rules."""

    def __post_init__(self) -> None:
        self.snowflakes = Snowflakes(self.now)

    def now(self) -> float:
        """The time in this world, in seconds since 1970."""
        return self.calendar.now()

    def timestamp(self) -> str:
        """The time in this world, as Discord writes it."""
        return as_timestamp(self.now())

    def new_id(self) -> str:
        """A new snowflake."""
        return self.snowflakes.next()

    def guild(self, id_: str) -> GuildState:
        """The guild with this id."""
        if id_ not in self.guilds:
            raise refuse(10004)
        return self.guilds[id_]

    def channel(self, id_: str) -> ChannelState:
        """The channel, thread or direct messages with this id."""
        if id_ not in self.channels:
            raise refuse(10003)
        return self.channels[id_]

    def member(self, guild: str, user: str) -> Json:
        """*user* as a member of *guild*."""
        if user not in self.guild(guild).members:
            raise refuse(10007)
        return self.guild(guild).members[user]

    def bots_in(self, guild: str) -> frozenset[str]:
        """The ids of the bots in *guild*."""
        return frozenset(self.bots.keys() & self.guild(guild).members.keys())

    def listen(self, hear: Callable[[GatewayEvent], None]) -> Callable[[], None]:
        """Call *hear* with every event; returns a function that stops it."""
        self.listeners.append(hear)

        def stop() -> None:
            if hear in self.listeners:
                self.listeners.remove(hear)

        return stop

    def tell(self, name: str, data: Json, guild: str | None, bots: frozenset[str]) -> None:
        """Dispatch an event to *bots*."""
        for hear in tuple(self.listeners):
            hear(GatewayEvent(name, copied(data), guild, bots or NO_BOTS))

    def tell_guild(self, name: str, data: Json, guild: str) -> None:
        """Dispatch an event to all bots in *guild*."""
        self.tell(name, {**data, "guild_id": guild}, guild, self.bots_in(guild))


def id_of(thing: object) -> str:
    """The id of a bot, a person or a guild; a string is returned as it is."""
    return thing if isinstance(thing, str) else str(thing.id)  # type: ignore[attr-defined]  # all of them have one
