"""Guilds: members, roles and emoji, and what bots receive about them."""

from __future__ import annotations

from typing import Any

from . import objects, permissions
from .access import guild_permissions_of, sees, visible_guild
from .api_errors import refuse, unauthorised
from .intents import Intent
from .objects import copied, copies
from .permissions import Permission
from .snowflakes import as_timestamp
from .state import Bot, GuildState, State, id_of
from .validation import as_ids
from .wire import Json

_HAS_COMMANDS = 1 << 23
_SWITCHES = ((Intent.GUILD_PRESENCES, 1 << 13), (Intent.GUILD_MEMBERS, 1 << 15), (Intent.MESSAGE_CONTENT, 1 << 19))
"""The application flags for enabled privileged intents, as bots in few guilds have them."""


def add_bot(state: State, name: str = "Cadenza", *, token: str = "sim-token") -> Bot:  # noqa: S107  # of a world in memory
    """A new bot; it is in no guild yet."""
    if any(bot.token == token for bot in state.bots.values()):
        message = f"another bot has this token already; give {name} a token of its own"
        raise ValueError(message)
    bot = Bot(state.new_id(), name, token)
    state.bots[bot.id] = bot
    state.users[bot.id] = {**objects.user(bot.id, name, is_bot=True), "username": name}
    return bot


def create(state: State, name: str, owner: str) -> str:
    """A new guild with its owner as the only member."""
    id_ = state.new_id()
    everyone = objects.role(id_, "@everyone", permissions.EVERYONE, position=0)
    state.guilds[id_] = GuildState(objects.guild(id_, name, owner), {id_: everyone})
    join(state, id_, owner)
    return id_


def join(state: State, guild: object, who: object, *, granted: Permission = permissions.INVITED) -> None:
    """Add *who* to *guild*; a bot gets a role of its own with the *granted* permissions."""
    home, user = id_of(guild), id_of(who)
    guild_state = state.guild(home)
    if user in guild_state.members:
        return
    if user not in state.users:
        raise refuse(10013)
    member = objects.member(state.users[user], state.timestamp())
    if user in state.bots:
        role = add_role(state, home, state.bots[user].name, permissions=granted)
        guild_state.roles[role] |= {"managed": True, "tags": {"bot_id": user}}
        member["roles"].append(role)
    guild_state.members[user] = member
    if user in state.bots:
        new = created(state, home, state.bots[user])
        del new["unavailable"]  # clients take its absence for a guild that the bot has just joined
        state.tell("GUILD_CREATE", new, home, frozenset({user}))
    others = state.bots_in(home) - {user}
    state.tell("GUILD_MEMBER_ADD", {**member, "guild_id": home}, home, others)


def leave(state: State, guild: object, who: object) -> None:
    """Remove *who* from *guild*."""
    home, user = id_of(guild), id_of(who)
    member = state.member(home, user)
    del state.guild(home).members[user]
    state.tell_guild("GUILD_MEMBER_REMOVE", {"user": member["user"]}, home)
    if user in state.bots:
        state.tell("GUILD_DELETE", {"id": home}, home, frozenset({user}))


def add_role(
    state: State, guild: object, name: str, *, permissions: Permission = Permission.NONE, mentionable: bool = False
) -> str:
    """A new role."""
    home, id_ = id_of(guild), state.new_id()
    guild_state = state.guild(home)
    role = objects.role(id_, name, permissions, position=len(guild_state.roles), is_mentionable=mentionable)
    guild_state.roles[id_] = role
    state.tell_guild("GUILD_ROLE_CREATE", {"role": role}, home)
    return id_


def permit(state: State, guild: object, role: str, permissions: Permission) -> None:
    """Set the permissions of a role; @everyone has the id of the guild."""
    found = state.guild(id_of(guild)).roles[role]
    found["permissions"] = str(int(permissions))
    state.tell_guild("GUILD_ROLE_UPDATE", {"role": found}, id_of(guild))


def give_role(state: State, guild: object, member: object, role: str) -> None:
    """Give *role* to a member."""
    roles = state.member(id_of(guild), id_of(member))["roles"]
    change_member(state, guild, member, roles=roles if role in roles else [*roles, role])


def time_out(state: State, guild: object, member: object, seconds: float) -> None:
    """Time a member out: they can read, but not write."""
    change_member(state, guild, member, communication_disabled_until=as_timestamp(state.now() + seconds))


def rename(state: State, guild: object, member: object, nick: str | None) -> None:
    """Set the nickname of a member."""
    change_member(state, guild, member, nick=nick)


def change_member(state: State, guild: object, member: object, **changed: Any) -> None:
    """Change fields of a member, and dispatch the event."""
    theirs = state.member(id_of(guild), id_of(member))
    theirs |= changed
    state.tell_guild("GUILD_MEMBER_UPDATE", theirs, id_of(guild))


def add_emoji(state: State, guild: object, name: str, *, animated: bool = False) -> str:
    """A new emoji."""
    home, id_ = id_of(guild), state.new_id()
    emojis = state.guild(home).emojis
    emojis[id_] = objects.emoji(id_, name, is_animated=animated)
    state.tell_guild("GUILD_EMOJIS_UPDATE", {"emojis": list(emojis.values())}, home)
    return id_


def authenticate(state: State, token: str) -> Bot:
    """The bot with this token."""
    for bot in state.bots.values():
        if token and bot.token == token:
            return bot
    raise unauthorised()


def ready(state: State, bot: Bot) -> Json:
    """The READY event of a bot, without the fields of its connection."""
    return {
        "v": 10, "user": current_user(state, bot.id), "user_settings": {}, "relationships": [], "presences": [],
        "guilds": [{"id": guild, "unavailable": True} for guild in of_bot(state, bot)], "private_channels": [],
        "geo_ordered_rtc_regions": [], "application": {"id": bot.application, "flags": _flags(state)},
    }  # fmt: skip


def application(state: State, bot: Bot) -> Json:
    """The application of a bot."""
    return {
        "id": bot.application, "name": bot.name, "description": "", "icon": None, "summary": "",
        "bot_public": True, "bot_require_code_grant": False, "verify_key": "0" * 64, "team": None,
        "owner": current_user(state, bot.id), "flags": _flags(state), "bot": current_user(state, bot.id), "tags": [],
        "approximate_guild_count": len(of_bot(state, bot)), "redirect_uris": [], "rpc_origins": [],
        "terms_of_service_url": None, "privacy_policy_url": None, "install_params": None, "cover_image": None,
    }  # fmt: skip


def _flags(state: State) -> int:
    return _HAS_COMMANDS | sum(flag for intent, flag in _SWITCHES if intent in state.privileged)


def own_guilds(state: State, bot: Bot) -> list[Json]:
    """The guilds of a bot with its permissions, as the list call returns them."""
    return [
        {
            "id": id_, "name": state.guild(id_).json["name"], "icon": None, "banner": None, "features": [],
            "owner": state.guild(id_).json["owner_id"] == bot.id,
            "permissions": str(int(guild_permissions_of(state, bot.id, id_))),
        }
        for id_ in of_bot(state, bot)
    ]  # fmt: skip


def of_bot(state: State, bot: Bot) -> list[str]:
    """The ids of the guilds that a bot is in."""
    return [id_ for id_, guild in state.guilds.items() if bot.id in guild.members]


def created(state: State, guild_id: str, bot: Bot) -> Json:
    """The GUILD_CREATE event of a bot: everything that it can see."""
    guild = state.guild(guild_id)
    seen = [one for one in state.channels.values() if one.guild == guild_id and sees(state, bot.id, one)]
    threads = [one for one in seen if one.kind.is_thread and not one.json["thread_metadata"]["archived"]]
    return {
        **get(state, bot.id, guild_id), "joined_at": guild.members[bot.id]["joined_at"], "large": False,
        "unavailable": False, "member_count": len(guild.members), "members": copies(guild.members.values()),
        "channels": copies(one.json for one in seen if not one.kind.is_thread),
        "threads": copies(one.json for one in threads),
        "voice_states": [], "presences": [], "stage_instances": [], "guild_scheduled_events": [],
        "soundboard_sounds": [],
    }  # fmt: skip


def get(state: State, who: str, guild: str) -> Json:
    """A guild, with its roles and emoji."""
    found = visible_guild(state, who, guild)
    return copied({**found.json, "roles": list(found.roles.values()), "emojis": list(found.emojis.values())})


def get_channels(state: State, who: str, guild: str) -> list[Json]:
    """The channels of a guild, without threads."""
    visible_guild(state, who, guild)
    return copies(one.json for one in state.channels.values() if one.guild == guild and not one.kind.is_thread)


def get_members(state: State, who: str, guild: str, *, limit: int = 1000, after: str = "0") -> list[Json]:
    """The members of a guild, in the order of their ids."""
    members = visible_guild(state, who, guild).members
    as_ids([after], at="after")
    later = sorted((id_ for id_ in members if int(id_) > int(after)), key=int)
    return copies(members[id_] for id_ in later[:limit])


def get_member(state: State, who: str, guild: str, user: str) -> Json:
    """A member of a guild."""
    visible_guild(state, who, guild)
    return copied(state.member(guild, user))


def get_roles(state: State, who: str, guild: str) -> list[Json]:
    """The roles of a guild."""
    return copies(visible_guild(state, who, guild).roles.values())


def get_emojis(state: State, who: str, guild: str) -> list[Json]:
    """The emoji of a guild."""
    return copies(visible_guild(state, who, guild).emojis.values())


def get_user(state: State, who: str, user: str) -> Json:
    """A user."""
    if who not in state.users or user not in state.users:
        raise refuse(10013)
    return copied(state.users[user])


def current_user(state: State, who: str) -> Json:
    """The caller, with the fields that others do not get."""
    private = {"mfa_enabled": False, "verified": True, "email": None, "locale": "en-US"}
    return get_user(state, who, who) | private
