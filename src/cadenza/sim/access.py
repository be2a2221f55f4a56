"""Permissions in guilds and channels, and which bots receive an event."""

from __future__ import annotations

from . import permissions
from .api_errors import refuse
from .objects import ChannelKind
from .permissions import Overwrite, Permission
from .snowflakes import from_timestamp
from .state import ChannelState, GuildState, State
from .wire import Json


def permissions_of(state: State, who: str, channel: ChannelState) -> Permission:
    """The permissions of *who* in *channel*."""
    if channel.guild is None:
        return permissions.DIRECT if who in channel.people else Permission.NONE
    guild = state.guild(channel.guild)
    if who not in guild.members:
        return Permission.NONE
    home = state.channel(channel.json["parent_id"]) if channel.kind.is_thread else channel
    found = permissions.in_channel(
        guild_permissions_of(state, who, channel.guild),
        [_as_overwrite(overwrite) for overwrite in home.json["permission_overwrites"]],
        guild=channel.guild,
        roles=guild.members[who]["roles"],
        member=who,
    )
    until = guild.members[who]["communication_disabled_until"]
    is_timed_out = until is not None and from_timestamp(until) > state.now()
    found = permissions.with_what_follows(found, is_thread=channel.kind.is_thread, is_timed_out=is_timed_out)
    is_hidden = channel.kind is ChannelKind.PRIVATE_THREAD and who not in channel.people
    return Permission.NONE if is_hidden and Permission.MANAGE_THREADS not in found else found


def guild_permissions_of(state: State, who: str, guild_id: str) -> Permission:
    """The permissions of *who* in a guild, without the overwrites of channels."""
    guild = state.guild(guild_id)
    roles = [guild_id, *guild.members[who]["roles"]]
    theirs = [Permission(int(guild.roles[role]["permissions"])) for role in roles]
    return permissions.of_roles(theirs, is_owner=guild.json["owner_id"] == who)


def sees(state: State, who: str, channel: ChannelState) -> bool:
    """Whether *who* can see *channel*."""
    return Permission.VIEW_CHANNEL in permissions_of(state, who, channel)


def visible(state: State, who: str, channel_id: str) -> ChannelState:
    """The channel, if *who* can see it."""
    channel = state.channel(channel_id)
    if not sees(state, who, channel):
        refusal = refuse(50001)
        name = state.users.get(who, {}).get("username", who)
        refusal.add_note(f"{name} cannot see the channel; is {name} a member of its guild?")
        raise refusal
    return channel


def require(state: State, who: str, channel: ChannelState, needed: Permission) -> None:
    """Refuse if *who* lacks any *needed* permission in *channel*."""
    if needed not in permissions_of(state, who, channel):
        raise refuse(50003 if channel.guild is None else 50013)


def require_in_guild(state: State, who: str, guild: str, needed: Permission) -> GuildState:
    """The guild, if *who* is in it and has all *needed* permissions."""
    found = visible_guild(state, who, guild)
    if needed not in guild_permissions_of(state, who, guild):
        raise refuse(50013)
    return found


def visible_guild(state: State, who: str, guild: str) -> GuildState:
    """The guild, if *who* is in it."""
    found = state.guild(guild)
    if who not in found.members:
        raise refuse(50001)
    return found


def tell_channel(state: State, name: str, data: Json, channel: ChannelState, *, is_private: bool = False) -> None:
    """Dispatch an event to the bots that can see *channel*; a private one only to listeners from outside."""
    there = state.bots.keys() & (
        state.guild(channel.guild).members.keys() if channel.guild is not None else channel.people.keys()
    )
    seeing = frozenset(bot for bot in there if sees(state, bot, channel))
    place = {} if channel.guild is None else {"guild_id": channel.guild}
    state.tell(name, {**data, **place}, channel.guild, frozenset() if is_private else seeing)


def _as_overwrite(value: Json) -> Overwrite:
    return Overwrite(value["id"], Permission(int(value["allow"])), Permission(int(value["deny"])))
