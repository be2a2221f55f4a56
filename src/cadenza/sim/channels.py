"""Channels, threads, posts of forums, and direct messages."""

from __future__ import annotations

from collections.abc import Sequence

from . import objects
from .api_errors import invalid, not_one_of, refuse, required
from .channel_forms import CHANNEL, THREAD, THREAD_METADATA, as_name, read_form
from .objects import ChannelKind, MessageFlag, MessageKind, copied
from .permissions import Permission
from .pings import FOR_MESSAGES, as_allowed, called_by
from .reactions import Reactions
from .state import ChannelState
from .validation import as_draft
from .wire import File, Json

_THREAD_KINDS = (ChannelKind.ANNOUNCEMENT_THREAD, ChannelKind.PUBLIC_THREAD, ChannelKind.PRIVATE_THREAD)


class Channels(Reactions):
    """The places of this world."""

    def add_channel(
        self,
        guild: object,
        name: str,
        *,
        kind: ChannelKind = ChannelKind.TEXT,
        slowmode: int = 0,
        parent: str | None = None,
    ) -> str:
        """A new channel of *guild*; *parent* is a category."""
        home = id_of(guild)
        position = sum(channel.guild == home for channel in self._channels.values())
        id_ = self._snowflakes.next()
        shape = objects.channel(id_, kind, name, guild=home, position=position, slowmode=slowmode)
        channel = self._channels[id_] = ChannelState(shape | {"parent_id": parent})
        self._tell_channel("CHANNEL_CREATE", channel.json, channel)
        return id_

    def overwrite(
        self, channel: str, who: object, *, allow: Permission = Permission.NONE, deny: Permission = Permission.NONE
    ) -> None:
        """Give to, and take from, a role or a member in *channel*; everybody is the role with the id of the guild."""
        place, id_ = self._channel(channel), id_of(who)
        others = [entry for entry in place.json["permission_overwrites"] if entry["id"] != id_]
        kind = 0 if place.guild and id_ in self._guild(place.guild).roles else 1
        entry = {"id": id_, "type": kind, "allow": str(int(allow)), "deny": str(int(deny))}
        place.json["permission_overwrites"] = [*others, entry]
        self._tell_channel("CHANNEL_UPDATE", place.json, place)

    def get_channel(self, who: str, channel: str) -> Json:
        """A channel."""
        return self._channel_as_seen(self._visible(who, channel), who)

    def _channel_as_seen(self, channel: ChannelState, who: str) -> Json:
        shape: Json = copied(channel.json)
        if channel.kind is ChannelKind.DIRECT:
            shape["recipients"] = [copied(self._users[user]) for user in channel.people if user != who]
        return shape

    def edit_channel(self, who: str, channel: str, payload: Json) -> Json:
        """Change a channel or a thread."""
        place = self._visible(who, channel)
        if place.guild is None:
            raise refuse(50003)
        if place.kind.is_thread:
            self._edit_thread(who, place, payload)
        else:
            self._require(who, place, Permission.MANAGE_CHANNELS)
            changed = read_form(payload, CHANNEL)
            self._require_category(place, changed.get("parent_id"))
            place.json |= self._with_tag_ids(changed)
            self._tell_channel("CHANNEL_UPDATE", place.json, place)
        return self._channel_as_seen(place, who)

    def _require_category(self, channel: ChannelState, parent: str | None) -> None:
        """Refuse a *parent* that is no category of the same guild."""
        home = None if parent is None else self._channels.get(parent)
        if parent is not None and (
            home is None or home.kind is not ChannelKind.CATEGORY or home.guild != channel.guild
        ):
            raise invalid(at="parent_id", code="CHANNEL_PARENT_INVALID_TYPE", problem="Not a category channel")

    def _with_tag_ids(self, changed: Json) -> Json:
        """The form of a forum, whose new tags get ids."""
        for tag in changed.get("available_tags", ()):
            tag["id"] = tag["id"] or self._snowflakes.next()
        return changed

    def _edit_thread(self, who: str, thread: ChannelState, payload: Json) -> None:
        metadata = thread.json["thread_metadata"]
        is_manager = Permission.MANAGE_THREADS in self._permissions(who, thread)
        only_opens = payload.keys() == {"archived"} and not payload["archived"] and not metadata["locked"]
        if not (is_manager or only_opens or (thread.json["owner_id"] == who and "locked" not in payload)):
            raise refuse(50013)
        if metadata["archived"] and payload.get("archived") is not False:
            raise refuse(50083)
        changed = read_form(payload, THREAD)
        metadata |= read_form(payload, THREAD_METADATA)
        if "archived" in payload:
            metadata["archive_timestamp"] = self._timestamp()
        thread.json |= changed
        self._tell_channel("THREAD_UPDATE", thread.json, thread)

    def delete_channel(self, who: str, channel: str) -> Json:
        """Delete a channel, with the threads and webhooks in it; of direct messages nothing happens."""
        place = self._visible(who, channel)
        shape = self._channel_as_seen(place, who)
        if place.guild is None:
            return shape
        needed = Permission.MANAGE_THREADS if place.kind.is_thread else Permission.MANAGE_CHANNELS
        self._require(who, place, needed)
        self._drop_channel(place)
        return shape

    def remove_channel(self, channel: str) -> None:
        """Delete a channel, whoever may or may not."""
        self._drop_channel(self._channel(channel))

    def _drop_channel(self, channel: ChannelState) -> None:
        if channel.kind.is_thread:
            fields = {name: channel.json[name] for name in ("id", "parent_id", "type")}
            self._tell_channel("THREAD_DELETE", fields, channel)
        else:
            for inner in [one for one in self._channels.values() if one.json.get("parent_id") == channel.id]:
                if inner.kind.is_thread:
                    del self._channels[inner.id]
                else:
                    inner.json["parent_id"] = None  # what was in a category stays
            self._webhooks = {id_: one for id_, one in self._webhooks.items() if one["channel_id"] != channel.id}
            self._tell_channel("CHANNEL_DELETE", channel.json, channel)
        del self._channels[channel.id]

    def add_thread(self, channel: str, name: str, *, private: bool = False, owner: object = None) -> str:
        """A new thread in *channel*; without an owner it is that of the guild's."""
        parent = self._channel(channel)
        kind = ChannelKind.PRIVATE_THREAD if private else _thread_kind(parent)
        return self._open_thread(parent, kind, name, self._owner_or(parent, owner)).id

    def _owner_or(self, channel: ChannelState, owner: object) -> str:
        return id_of(owner) if owner is not None else str(self._guild(str(channel.guild)).json["owner_id"])

    def add_post(self, forum: str, name: str, text: str, author: object) -> str:
        """A new post in *forum*, with its first message."""
        return str(self.create_thread(id_of(author), forum, {"name": name, "message": {"content": text}})["id"])

    def create_thread(
        self, who: str, channel: str, payload: Json, message: str | None = None, files: Sequence[File] = ()
    ) -> Json:
        """A new thread: from a message, without one, or a post of a forum with its first message."""
        parent = self._visible(who, channel)
        name = as_name(payload.get("name"), "name")
        if parent.kind is ChannelKind.FORUM:
            return self._create_post(who, parent, name, payload, files)
        if parent.kind not in (ChannelKind.TEXT, ChannelKind.ANNOUNCEMENT):
            raise refuse(50024)
        if message is not None:
            return self._create_from_message(who, parent, name, message, payload)
        kind = _as_thread_kind(payload.get("type"))
        is_private = kind is ChannelKind.PRIVATE_THREAD
        needed = Permission.CREATE_PRIVATE_THREADS if is_private else Permission.CREATE_PUBLIC_THREADS
        self._require(who, parent, needed)
        return self._channel_as_seen(self._open_thread(parent, kind, name, who, payload=payload), who)

    def _create_from_message(self, who: str, parent: ChannelState, name: str, message: str, payload: Json) -> Json:
        self._require(who, parent, Permission.CREATE_PUBLIC_THREADS)
        found = self._message(parent, message)
        if found["flags"] & MessageFlag.HAS_THREAD:
            raise refuse(160004)
        found["flags"] |= MessageFlag.HAS_THREAD
        thread = self._open_thread(parent, _thread_kind(parent), name, who, id_=message, payload=payload)
        self._tell_of_message("MESSAGE_UPDATE", parent, found)
        reference = {"type": 0, "message_id": message, "channel_id": parent.id, "guild_id": parent.guild}
        self._add_line(thread, MessageKind.THREAD_STARTER_MESSAGE, found["author"], "", reference)
        return self._channel_as_seen(thread, who)

    def _create_post(self, who: str, forum: ChannelState, name: str, payload: Json, files: Sequence[File] = ()) -> Json:
        self._require(who, forum, Permission.SEND_MESSAGES)
        if not isinstance(payload.get("message"), dict):
            raise required(at="message")
        draft = as_draft(payload["message"], files)
        allowed = as_allowed(payload["message"].get("allowed_mentions"), FOR_MESSAGES)
        theirs = self._permissions(who, forum)
        post = self._open_thread(forum, ChannelKind.PUBLIC_THREAD, name, who, payload=payload)
        called = self._permitted(called_by(draft.content, allowed), post, theirs)
        first = self._post(post, self._users[who], draft, called, {"id": post.id})
        return {**self._channel_as_seen(post, who), "message": self._shown(first, who)}

    def _open_thread(
        self,
        parent: ChannelState,
        kind: ChannelKind,
        name: str,
        owner: str,
        *,
        id_: str | None = None,
        payload: Json | None = None,
    ) -> ChannelState:
        details = read_form(payload or {}, THREAD)
        kept = read_form(payload or {}, THREAD_METADATA)
        shape = objects.thread(
            id_ or self._snowflakes.next(), kind, name, parent=parent.json, owner=owner, at=self._timestamp()
        )
        shape |= details | {"name": name}
        shape["thread_metadata"] |= kept
        thread = self._channels[shape["id"]] = ChannelState(shape, people={owner: self.now()})
        self._tell_channel("THREAD_CREATE", {**thread.json, "newly_created": True}, thread)
        if parent.kind is not ChannelKind.FORUM and kind is not ChannelKind.PRIVATE_THREAD and id_ is None:
            reference = {"type": 0, "channel_id": thread.id, "guild_id": parent.guild}
            self._add_line(parent, MessageKind.THREAD_CREATED, self._users[owner], name, reference)
        return thread

    def _add_line(self, channel: ChannelState, kind: MessageKind, author: Json, content: str, reference: Json) -> None:
        """A message that Discord itself puts there, to say what has happened."""
        line = objects.message(self._snowflakes.next(), channel.id, author, content, self._timestamp())
        line |= {"type": int(kind), "message_reference": reference}
        self._file_under(channel, line)
        self._tell_of_message("MESSAGE_CREATE", channel, line)

    def archive(self, thread: str, *, locked: bool = False) -> None:
        """Close a thread; what is said in it opens it again, unless it is locked."""
        place = self._channel(thread)
        place.json["thread_metadata"] |= {
            "archived": True, "locked": locked, "archive_timestamp": self._timestamp(),
        }  # fmt: skip
        self._tell_channel("THREAD_UPDATE", place.json, place)

    def join_thread(self, thread: str, who: object) -> None:
        """Let *who* into a thread."""
        place = self._channel(thread)
        place.people.setdefault(id_of(who), self.now())
        place.json["member_count"] = len(place.people)

    def open_direct(self, bot: object, person: object) -> str:
        """The direct messages of the two."""
        return str(self.create_dm(id_of(bot), id_of(person))["id"])

    def create_dm(self, who: str, recipient: str) -> Json:
        """The direct messages with *recipient*, which are the same each time."""
        if recipient not in self._users or recipient == who:
            raise refuse(10013)
        for channel in self._channels.values():
            if channel.kind is ChannelKind.DIRECT and channel.people.keys() == {who, recipient}:
                return self._channel_as_seen(channel, who)
        shape = objects.direct(self._snowflakes.next(), self._users[recipient])
        people = {who: self.now(), recipient: self.now()}
        channel = self._channels[shape["id"]] = ChannelState(shape, people=people)
        return self._channel_as_seen(channel, who)

    def close_direct(self, person: object, *, is_closed: bool = True) -> None:
        """Have *person* take no direct messages of bots, or take them again."""
        change = self._closed_to_direct.add if is_closed else self._closed_to_direct.discard
        change(id_of(person))


def _as_thread_kind(value: object) -> ChannelKind:
    """The sort of thread that a form asks for; without a word it is a private one."""
    kind = ChannelKind.PRIVATE_THREAD if value is None else value
    for known in _THREAD_KINDS:
        if known == kind:
            return known
    raise not_one_of(at="type", choices="{10, 11, 12}")


def _thread_kind(parent: ChannelState) -> ChannelKind:
    is_news = parent.kind is ChannelKind.ANNOUNCEMENT
    return ChannelKind.ANNOUNCEMENT_THREAD if is_news else ChannelKind.PUBLIC_THREAD


def id_of(thing: object) -> str:
    """The id of a bot, a person or a guild; an id is its own."""
    return thing if isinstance(thing, str) else str(thing.id)  # type: ignore[attr-defined]  # whoever has one
