"""What a bot hears of the gateway's events, and what it is shown of them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntFlag
from types import MappingProxyType
from typing import NamedTuple

from .wire import GatewayEvent, Json


class Intent(IntFlag):
    """What a bot says, when it connects, that it wants to hear of."""

    GUILDS = 1 << 0
    GUILD_MEMBERS = 1 << 1
    GUILD_MODERATION = 1 << 2
    GUILD_EXPRESSIONS = 1 << 3
    GUILD_INTEGRATIONS = 1 << 4
    GUILD_WEBHOOKS = 1 << 5
    GUILD_INVITES = 1 << 6
    GUILD_VOICE_STATES = 1 << 7
    GUILD_PRESENCES = 1 << 8
    GUILD_MESSAGES = 1 << 9
    GUILD_MESSAGE_REACTIONS = 1 << 10
    GUILD_MESSAGE_TYPING = 1 << 11
    DIRECT_MESSAGES = 1 << 12
    DIRECT_MESSAGE_REACTIONS = 1 << 13
    DIRECT_MESSAGE_TYPING = 1 << 14
    MESSAGE_CONTENT = 1 << 15
    GUILD_SCHEDULED_EVENTS = 1 << 16
    AUTO_MODERATION_CONFIGURATION = 1 << 20
    AUTO_MODERATION_EXECUTION = 1 << 21
    GUILD_MESSAGE_POLLS = 1 << 24
    DIRECT_MESSAGE_POLLS = 1 << 25


ALL = Intent(sum(Intent))
PRIVILEGED = Intent.GUILD_MEMBERS | Intent.GUILD_PRESENCES | Intent.MESSAGE_CONTENT
"""Those that have to be switched on for the application."""


class Needed(NamedTuple):
    """The intent that an event needs in a guild, and in direct messages."""

    guild: Intent
    direct: Intent = Intent(0)


_MESSAGES = Needed(Intent.GUILD_MESSAGES, Intent.DIRECT_MESSAGES)
_REACTIONS = Needed(Intent.GUILD_MESSAGE_REACTIONS, Intent.DIRECT_MESSAGE_REACTIONS)
_POLLS = Needed(Intent.GUILD_MESSAGE_POLLS, Intent.DIRECT_MESSAGE_POLLS)

_BY_BEGINNING: tuple[tuple[str, Needed], ...] = (
    # The first that fits counts. What is not here, such as INTERACTION_CREATE, everybody hears.
    ("GUILD_MEMBERS_CHUNK", Needed(Intent(0))),
    ("GUILD_MEMBER_", Needed(Intent.GUILD_MEMBERS)),
    ("GUILD_ROLE_", Needed(Intent.GUILDS)),
    ("GUILD_BAN_", Needed(Intent.GUILD_MODERATION)),
    ("GUILD_AUDIT_LOG_", Needed(Intent.GUILD_MODERATION)),
    ("GUILD_EMOJIS_", Needed(Intent.GUILD_EXPRESSIONS)),
    ("GUILD_STICKERS_", Needed(Intent.GUILD_EXPRESSIONS)),
    ("GUILD_SOUNDBOARD_", Needed(Intent.GUILD_EXPRESSIONS)),
    ("GUILD_INTEGRATIONS_", Needed(Intent.GUILD_INTEGRATIONS)),
    ("GUILD_SCHEDULED_EVENT_", Needed(Intent.GUILD_SCHEDULED_EVENTS)),
    ("GUILD_", Needed(Intent.GUILDS)),
    ("INTEGRATION_", Needed(Intent.GUILD_INTEGRATIONS)),
    ("WEBHOOKS_", Needed(Intent.GUILD_WEBHOOKS)),
    ("INVITE_", Needed(Intent.GUILD_INVITES)),
    ("VOICE_STATE_", Needed(Intent.GUILD_VOICE_STATES)),
    ("VOICE_CHANNEL_", Needed(Intent.GUILD_VOICE_STATES)),
    ("PRESENCE_", Needed(Intent.GUILD_PRESENCES)),
    ("AUTO_MODERATION_RULE_", Needed(Intent.AUTO_MODERATION_CONFIGURATION)),
    ("AUTO_MODERATION_ACTION_", Needed(Intent.AUTO_MODERATION_EXECUTION)),
    ("CHANNEL_PINS_", Needed(Intent.GUILDS, Intent.DIRECT_MESSAGES)),
    ("CHANNEL_", Needed(Intent.GUILDS)),
    ("THREAD_MEMBERS_", Needed(Intent.GUILDS | Intent.GUILD_MEMBERS)),
    ("THREAD_", Needed(Intent.GUILDS)),
    ("STAGE_INSTANCE_", Needed(Intent.GUILDS)),
    ("MESSAGE_REACTION_", _REACTIONS),
    ("MESSAGE_POLL_", _POLLS),
    ("MESSAGE_", _MESSAGES),
    ("TYPING_", Needed(Intent.GUILD_MESSAGE_TYPING, Intent.DIRECT_MESSAGE_TYPING)),
)
_ANY = Needed(Intent(0))

_BLANK: Mapping[str, object] = MappingProxyType({"content": "", "embeds": [], "attachments": [], "components": []})
"""What of a message is content, and what stands there instead for a bot that may not read it; a poll is left out."""


def hears(event: GatewayEvent, intents: Intent, bot: str) -> bool:
    """Whether a bot with *intents* is told of *event*, if it is there at all."""
    if event.name == "GUILD_MEMBER_UPDATE" and _id_of(event.data.get("user")) == bot:
        return True  # of itself a bot is always told
    needed = next((need for start, need in _BY_BEGINNING if event.name.startswith(start)), _ANY)
    wanted = needed.direct if event.guild is None else needed.guild
    return not wanted or bool(intents & wanted)


def as_seen(event: GatewayEvent, intents: Intent, bot: str) -> Json:
    """The data of *event* as a bot with *intents* is shown it."""
    if event.name == "GUILD_CREATE":
        return _guild_as_seen(event.data, intents, bot)
    if event.name not in ("MESSAGE_CREATE", "MESSAGE_UPDATE"):
        return event.data
    if Intent.MESSAGE_CONTENT in intents or event.guild is None:
        return event.data
    return _message_as_seen(event.data, bot)


def _guild_as_seen(guild: Json, intents: Intent, bot: str) -> Json:
    if Intent.GUILD_PRESENCES in intents:
        return guild
    themselves = [member for member in guild.get("members", ()) if _id_of(member.get("user")) == bot]
    return {**guild, "members": themselves, "presences": []}


def _message_as_seen(message: Json, bot: str) -> Json:
    shown = message
    if _id_of(message.get("author")) != bot and all(_id_of(user) != bot for user in message.get("mentions", ())):
        shown = {name: _BLANK.get(name, value) for name, value in message.items() if name != "poll"}
    return _with_reference(shown, bot)


def _with_reference(message: Json, bot: str) -> Json:
    """*message* with the one that it answers as this bot is shown it, which is decided by that one's own words."""
    answered = message.get("referenced_message")
    return {**message, "referenced_message": _message_as_seen(answered, bot)} if answered else message


def _id_of(user: Json | None) -> str | None:
    return user.get("id") if user else None
