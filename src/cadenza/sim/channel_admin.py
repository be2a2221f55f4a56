"""Channels that bots create, their permission overwrites, and the members of threads."""

from __future__ import annotations

from typing import Any

from . import channels, messages
from .access import require, require_in_guild, sees, tell_channel, visible, visible_guild
from .api_errors import not_one_of, refuse
from .channel_forms import CHANNEL, as_id, as_name, as_overwrite, read_form
from .objects import ChannelKind, copied, copies
from .permissions import Permission
from .state import ChannelState, State
from .wire import Json


def create_channel(state: State, who: str, guild: str, payload: Json) -> Json:
    """A new channel of a guild."""
    require_in_guild(state, who, guild, Permission.MANAGE_CHANNELS)
    name, kind = as_name(payload.get("name"), "name"), _as_kind(payload.get("type"))
    details = read_form({field: part for field, part in payload.items() if part is not None}, CHANNEL)
    parent = details.pop("parent_id", None)
    if parent is not None and not channels.is_category(state, parent, guild):
        raise refuse(10003)
    channel = state.channel(channels.add(state, guild, name, kind=kind, parent=parent))
    if details.keys() - {"name"}:
        channel.json |= channels.with_tag_ids(state, details)
        tell_channel(state, "CHANNEL_UPDATE", channel.json, channel)
    return copied(channel.json)


def put_overwrite(state: State, who: str, channel: str, target: str, payload: Json) -> None:
    """Set the permission overwrite of a role or a member."""
    place = _overwritten(state, who, channel)
    entry = {"id": str(as_id(target, "id")), **as_overwrite(payload, "overwrite")}
    others = [one for one in place.json["permission_overwrites"] if one["id"] != target]
    place.json["permission_overwrites"] = [*others, entry]
    tell_channel(state, "CHANNEL_UPDATE", place.json, place)


def delete_overwrite(state: State, who: str, channel: str, target: str) -> None:
    """Delete the permission overwrite of a role or a member."""
    place = _overwritten(state, who, channel)
    others = [one for one in place.json["permission_overwrites"] if one["id"] != target]
    if len(others) == len(place.json["permission_overwrites"]):
        raise refuse(10009)
    place.json["permission_overwrites"] = others
    tell_channel(state, "CHANNEL_UPDATE", place.json, place)


def _overwritten(state: State, who: str, channel: str) -> ChannelState:
    place = visible(state, who, channel)
    if place.guild is None:
        raise refuse(50003)
    if place.kind.is_thread:
        raise refuse(50024)
    require(state, who, place, Permission.MANAGE_ROLES)
    return place


def add_thread_member(state: State, who: str, thread: str, user: str) -> None:
    """Add a user to a thread, or join it."""
    place = _thread(state, who, thread)
    messages.require_unarchived(place)
    state.member(str(place.guild), user)
    if user != who:
        require(state, who, place, Permission.SEND_MESSAGES_IN_THREADS)
    channels.join_thread(state, thread, user)


def remove_thread_member(state: State, who: str, thread: str, user: str) -> None:
    """Remove a user from a thread, or leave it."""
    place = _thread(state, who, thread)
    messages.require_unarchived(place)
    is_mine = place.kind is ChannelKind.PRIVATE_THREAD and place.json["owner_id"] == who
    if user != who and not is_mine:
        require(state, who, place, Permission.MANAGE_THREADS)
    if place.people.pop(user, None) is not None:
        place.json["member_count"] = len(place.people)
        channels.tell_thread_members(state, place, removed_member_ids=[user])


def get_thread_members(state: State, who: str, thread: str) -> list[Json]:
    """The members of a thread."""
    place = _thread(state, who, thread)
    return [channels.thread_member(place, user) for user in place.people]


def get_thread_member(state: State, who: str, thread: str, user: str) -> Json:
    """A member of a thread."""
    place = _thread(state, who, thread)
    if user not in place.people:
        raise refuse(10007)
    return channels.thread_member(place, user)


def _thread(state: State, who: str, thread: str) -> ChannelState:
    place = visible(state, who, thread)
    if not place.kind.is_thread:
        raise refuse(50024)
    return place


def active_threads(state: State, who: str, guild: str) -> Json:
    """The active threads of a guild that *who* can see."""
    visible_guild(state, who, guild)
    return _listed(state, who, [one for one in state.channels.values() if one.guild == guild], is_archived=False)


def archived_threads(state: State, who: str, channel: str, *, is_private: bool, is_joined: bool = False) -> Json:
    """The archived threads of a channel, the last archived first."""
    place = visible(state, who, channel)
    require(state, who, place, Permission.READ_MESSAGE_HISTORY)
    if is_private and not is_joined:
        require(state, who, place, Permission.MANAGE_THREADS)
    inner = [one for one in state.channels.values() if one.json.get("parent_id") == place.id]
    wanted = [one for one in inner if (one.kind is ChannelKind.PRIVATE_THREAD) == is_private]
    return _listed(state, who, [one for one in wanted if not is_joined or who in one.people], is_archived=True)


def _listed(state: State, who: str, places: list[ChannelState], *, is_archived: bool) -> Json:
    seen = [one for one in places if one.kind.is_thread and sees(state, who, one)]
    threads = [one for one in seen if one.json["thread_metadata"]["archived"] is is_archived]
    threads.sort(key=lambda one: str(one.json["thread_metadata"]["archive_timestamp"]), reverse=True)
    mine = [channels.thread_member(one, who) for one in threads if who in one.people]
    return {"threads": copies(one.json for one in threads), "members": mine, "has_more": False}


def _as_kind(value: Any) -> ChannelKind:
    """The type of channel that a form asks for; text by default."""
    kinds = [kind for kind in ChannelKind if not kind.is_thread and kind is not ChannelKind.DIRECT]
    asked = ChannelKind.TEXT if value is None else value
    if asked not in kinds:
        raise not_one_of(at="type", choices=str({int(kind) for kind in kinds}))
    return ChannelKind(asked)
