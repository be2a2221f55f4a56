"""Channels, threads, forum posts and direct messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import messages, objects
from .access import permissions_of, require, tell_channel, visible
from .api_errors import invalid, not_one_of, refuse, required
from .channel_forms import CHANNEL, THREAD, THREAD_METADATA, as_name, read_form
from .objects import ChannelKind, MessageFlag, MessageKind, copied
from .permissions import Permission
from .pings import FOR_MESSAGES, as_allowed, pinged_by
from .snowflakes import as_timestamp
from .state import ChannelState, State, id_of
from .validation import as_draft
from .wire import File, Json

_THREAD_KINDS = (ChannelKind.ANNOUNCEMENT_THREAD, ChannelKind.PUBLIC_THREAD, ChannelKind.PRIVATE_THREAD)


def add(
    state: State,
    guild: object,
    name: str,
    *,
    kind: ChannelKind = ChannelKind.TEXT,
    slowmode: int = 0,
    parent: str | None = None,
) -> str:
    """A new channel of *guild*; *parent* is a category."""
    home = id_of(guild)
    position = sum(channel.guild == home for channel in state.channels.values())
    id_ = state.new_id()
    shape = objects.channel(id_, kind, name, guild=home, position=position, slowmode=slowmode)
    channel = state.channels[id_] = ChannelState(shape | {"parent_id": parent})
    tell_channel(state, "CHANNEL_CREATE", channel.json, channel)
    return id_


def overwrite(
    state: State, channel: str, who: object, *, allow: Permission = Permission.NONE, deny: Permission = Permission.NONE
) -> None:
    """Set the permission overwrite of a role or a member in *channel*; @everyone has the id of the guild."""
    place, id_ = state.channel(channel), id_of(who)
    others = [entry for entry in place.json["permission_overwrites"] if entry["id"] != id_]
    kind = 0 if place.guild and id_ in state.guild(place.guild).roles else 1
    entry = {"id": id_, "type": kind, "allow": str(int(allow)), "deny": str(int(deny))}
    place.json["permission_overwrites"] = [*others, entry]
    tell_channel(state, "CHANNEL_UPDATE", place.json, place)


def get(state: State, who: str, channel: str) -> Json:
    """A channel that *who* can see."""
    return as_seen(state, visible(state, who, channel), who)


def as_seen(state: State, channel: ChannelState, who: str) -> Json:
    """The JSON of *channel* that *who* gets."""
    shape: Json = copied(channel.json)
    if channel.kind is ChannelKind.DIRECT:
        shape["recipients"] = [copied(state.users[user]) for user in channel.people if user != who]
    return shape


def edit(state: State, who: str, channel: str, payload: Json) -> Json:
    """Change a channel or a thread."""
    place = visible(state, who, channel)
    if place.guild is None:
        raise refuse(50003)
    if place.kind.is_thread:
        _edit_thread(state, who, place, payload)
    else:
        require(state, who, place, Permission.MANAGE_CHANNELS)
        changed = read_form(payload, CHANNEL)
        if (parent := changed.get("parent_id")) is not None and not is_category(state, parent, place.guild):
            raise invalid(at="parent_id", code="CHANNEL_PARENT_INVALID_TYPE", problem="Not a category channel")
        place.json |= with_tag_ids(state, changed)
        tell_channel(state, "CHANNEL_UPDATE", place.json, place)
    return as_seen(state, place, who)


def is_category(state: State, channel: str, guild: str) -> bool:
    """Whether *channel* is a category of *guild*."""
    found = state.channels.get(channel)
    return found is not None and found.kind is ChannelKind.CATEGORY and found.guild == guild


def with_tag_ids(state: State, changed: Json) -> Json:
    """Give new tags of a forum ids."""
    for tag in changed.get("available_tags", ()):
        tag["id"] = tag["id"] or state.new_id()
    return changed


def _edit_thread(state: State, who: str, thread: ChannelState, payload: Json) -> None:
    metadata = thread.json["thread_metadata"]
    is_manager = Permission.MANAGE_THREADS in permissions_of(state, who, thread)
    only_opens = payload.keys() == {"archived"} and not payload["archived"] and not metadata["locked"]
    if not (is_manager or only_opens or (thread.json["owner_id"] == who and "locked" not in payload)):
        raise refuse(50013)
    if metadata["archived"] and payload.get("archived") is not False:
        raise refuse(50083)
    changed = read_form(payload, THREAD)
    metadata |= read_form(payload, THREAD_METADATA)
    if "archived" in payload:
        metadata["archive_timestamp"] = state.timestamp()
    thread.json |= changed
    tell_channel(state, "THREAD_UPDATE", thread.json, thread)


def delete(state: State, who: str, channel: str) -> Json:
    """Delete a channel with its threads and webhooks; direct messages stay."""
    place = visible(state, who, channel)
    shape = as_seen(state, place, who)
    if place.guild is None:
        return shape
    needed = Permission.MANAGE_THREADS if place.kind.is_thread else Permission.MANAGE_CHANNELS
    require(state, who, place, needed)
    _drop(state, place)
    return shape


def remove(state: State, channel: str) -> None:
    """Delete a channel without checking permissions."""
    _drop(state, state.channel(channel))


def _drop(state: State, channel: ChannelState) -> None:
    if channel.kind.is_thread:
        fields = {name: channel.json[name] for name in ("id", "parent_id", "type")}
        tell_channel(state, "THREAD_DELETE", fields, channel)
    else:
        for inner in [one for one in state.channels.values() if one.json.get("parent_id") == channel.id]:
            if inner.kind.is_thread:
                del state.channels[inner.id]
            else:
                inner.json["parent_id"] = None  # channels of a category stay
        state.webhooks = {id_: one for id_, one in state.webhooks.items() if one["channel_id"] != channel.id}
        tell_channel(state, "CHANNEL_DELETE", channel.json, channel)
    del state.channels[channel.id]


def add_thread(state: State, channel: str, name: str, *, private: bool = False, owner: object = None) -> str:
    """A new thread in *channel*; its default owner is that of the guild."""
    parent = state.channel(channel)
    kind = ChannelKind.PRIVATE_THREAD if private else _thread_kind(parent)
    holder = state.guild(str(parent.guild)).json["owner_id"] if owner is None else id_of(owner)
    return open_thread(state, parent, kind, name, owner=holder).id


def add_post(state: State, forum: str, name: str, text: str, author: object) -> str:
    """A new post in *forum*, with its first message."""
    return str(create_thread(state, id_of(author), forum, {"name": name, "message": {"content": text}})["id"])


def create_thread(
    state: State, who: str, channel: str, payload: Json, *, message: str | None = None, files: Sequence[File] = ()
) -> Json:
    """A new thread, with or without a starting message, or a forum post with its first message."""
    parent = visible(state, who, channel)
    payload = {**payload, "name": as_name(payload.get("name"), "name")}
    if parent.kind is ChannelKind.FORUM:
        return _create_post(state, who, parent, payload, files)
    if parent.kind not in (ChannelKind.TEXT, ChannelKind.ANNOUNCEMENT):
        raise refuse(50024)
    if message is not None:
        return _create_from_message(state, who, parent, message, payload)
    kind = _as_thread_kind(payload.get("type"))
    is_private = kind is ChannelKind.PRIVATE_THREAD
    needed = Permission.CREATE_PRIVATE_THREADS if is_private else Permission.CREATE_PUBLIC_THREADS
    require(state, who, parent, needed)
    return as_seen(state, open_thread(state, parent, kind, payload["name"], owner=who, payload=payload), who)


def _create_from_message(state: State, who: str, parent: ChannelState, message: str, payload: Json) -> Json:
    require(state, who, parent, Permission.CREATE_PUBLIC_THREADS)
    found = parent.message(message)
    if found["flags"] & MessageFlag.HAS_THREAD:
        raise refuse(160004)
    found["flags"] |= MessageFlag.HAS_THREAD
    thread = open_thread(state, parent, _thread_kind(parent), payload["name"], owner=who, id_=message, payload=payload)
    messages.tell_of(state, "MESSAGE_UPDATE", parent, found)
    reference = {"type": 0, "message_id": message, "channel_id": parent.id, "guild_id": parent.guild}
    messages.add_system_line(state, thread, MessageKind.THREAD_STARTER_MESSAGE, found["author"], reference)
    return as_seen(state, thread, who)


def _create_post(state: State, who: str, forum: ChannelState, payload: Json, files: Sequence[File]) -> Json:
    require(state, who, forum, Permission.SEND_MESSAGES)
    if not isinstance(payload.get("message"), dict):
        raise required(at="message")
    draft = as_draft(payload["message"], files)
    allowed = as_allowed(payload["message"].get("allowed_mentions"), FOR_MESSAGES)
    theirs = permissions_of(state, who, forum)
    post = open_thread(state, forum, ChannelKind.PUBLIC_THREAD, payload["name"], owner=who, payload=payload)
    pinged = messages.effective_mentions(state, pinged_by(draft.text, allowed), post, theirs)
    first = messages.post(state, post, state.users[who], draft, pinged, fields={"id": post.id})
    return {**as_seen(state, post, who), "message": messages.shown(state, first, who)}


def open_thread(
    state: State,
    parent: ChannelState,
    kind: ChannelKind,
    name: str,
    *,
    owner: str,
    id_: str | None = None,
    payload: Json | None = None,
) -> ChannelState:
    """A new thread of *parent*; one that starts from a message has its id."""
    details = read_form(payload or {}, THREAD)
    kept = read_form(payload or {}, THREAD_METADATA)
    shape = objects.thread(id_ or state.new_id(), kind, name, parent=parent.json, owner=owner, at=state.timestamp())
    shape |= details | {"name": name}
    shape["thread_metadata"] |= kept
    thread = state.channels[shape["id"]] = ChannelState(shape, people={owner: state.now()})
    tell_channel(state, "THREAD_CREATE", {**thread.json, "newly_created": True}, thread)
    if parent.kind is not ChannelKind.FORUM and kind is not ChannelKind.PRIVATE_THREAD and id_ is None:
        reference = {"type": 0, "channel_id": thread.id, "guild_id": parent.guild}
        messages.add_system_line(state, parent, MessageKind.THREAD_CREATED, state.users[owner], reference, text=name)
    return thread


def archive(state: State, thread: str, *, locked: bool = False) -> None:
    """Archive a thread; a new message unarchives it, unless it is locked."""
    place = state.channel(thread)
    place.json["thread_metadata"] |= {"archived": True, "locked": locked, "archive_timestamp": state.timestamp()}
    tell_channel(state, "THREAD_UPDATE", place.json, place)


def join_thread(state: State, thread: str, who: object) -> None:
    """Add *who* to a thread; a bot learns of a private one now."""
    place, user = state.channel(thread), id_of(who)
    if user in place.people:
        return
    place.people[user] = state.now()
    place.json["member_count"] = len(place.people)
    if user in state.bots:
        data = {**place.json, "member": thread_member(place, user)}
        state.tell("THREAD_CREATE", data, place.guild, frozenset({user}))
    tell_thread_members(state, place, added_members=[thread_member(place, user)])


def thread_member(thread: ChannelState, user: str) -> Json:
    """A member of a thread."""
    return {"id": thread.id, "user_id": user, "join_timestamp": as_timestamp(thread.people[user]), "flags": 0}


def tell_thread_members(state: State, thread: ChannelState, **change: Any) -> None:
    """Dispatch who has come into a thread or gone."""
    data = {"id": thread.id, "member_count": thread.json["member_count"], **change}
    tell_channel(state, "THREAD_MEMBERS_UPDATE", data, thread)


def open_direct(state: State, bot: object, person: object) -> str:
    """The id of the direct messages of the two."""
    return str(create_dm(state, id_of(bot), id_of(person))["id"])


def create_dm(state: State, who: str, recipient: str) -> Json:
    """The direct messages of *who* with *recipient*; they are created once."""
    if recipient not in state.users or recipient == who:
        raise refuse(10013)
    for channel in state.channels.values():
        if channel.kind is ChannelKind.DIRECT and channel.people.keys() == {who, recipient}:
            return as_seen(state, channel, who)
    shape = objects.direct(state.new_id(), state.users[recipient])
    people = {who: state.now(), recipient: state.now()}
    channel = state.channels[shape["id"]] = ChannelState(shape, people=people)
    return as_seen(state, channel, who)


def close_direct(state: State, person: object, *, is_closed: bool = True) -> None:
    """Have *person* refuse direct messages of bots, or accept them again."""
    change = state.refuses_dms.add if is_closed else state.refuses_dms.discard
    change(id_of(person))


def _as_thread_kind(value: Any) -> ChannelKind:
    """The type of thread that a form asks for; private by default."""
    kind = ChannelKind.PRIVATE_THREAD if value is None else value
    if kind not in _THREAD_KINDS:
        raise not_one_of(at="type", choices="{10, 11, 12}")
    return ChannelKind(kind)


def _thread_kind(parent: ChannelState) -> ChannelKind:
    is_news = parent.kind is ChannelKind.ANNOUNCEMENT
    return ChannelKind.ANNOUNCEMENT_THREAD if is_news else ChannelKind.PUBLIC_THREAD
