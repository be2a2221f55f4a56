"""Housekeeping: channels that bots make, what they allow in them, and who is in which thread."""

from __future__ import annotations

from typing import Any

from .api_errors import not_one_of, refuse
from .channel_forms import CHANNEL, as_id, as_name, as_overwrite, read_form
from .objects import ChannelKind, copied
from .permissions import Permission
from .pins import Pins
from .snowflakes import as_timestamp
from .state import ChannelState
from .wire import Json


class Housekeeping(Pins):
    """What bots arrange in this world."""

    def create_channel(self, who: str, guild: str, payload: Json) -> Json:
        """A new channel of a guild."""
        self._require_in_guild(who, guild, Permission.MANAGE_CHANNELS)
        name, kind = as_name(payload.get("name"), "name"), _as_kind(payload.get("type"))
        details = read_form({field: part for field, part in payload.items() if part is not None}, CHANNEL)
        parent = details.pop("parent_id", None)
        if parent is not None:
            category = self._channels.get(parent)
            if category is None or category.kind is not ChannelKind.CATEGORY or category.guild != guild:
                raise refuse(10003)
        id_ = self.add_channel(guild, name, kind=kind, parent=parent)
        channel = self._channel(id_)
        if details.keys() - {"name"}:
            channel.json |= self._with_tag_ids(details)
            self._tell_channel("CHANNEL_UPDATE", channel.json, channel)
        shape: Json = copied(channel.json)
        return shape

    def put_overwrite(self, who: str, channel: str, target: str, payload: Json) -> None:
        """Give to, and take from, a role or a member in a channel."""
        place = self._overwritten(who, channel)
        entry = {"id": str(as_id(target, "id")), **as_overwrite(payload, "overwrite")}
        others = [one for one in place.json["permission_overwrites"] if one["id"] != target]
        place.json["permission_overwrites"] = [*others, entry]
        self._tell_channel("CHANNEL_UPDATE", place.json, place)

    def delete_overwrite(self, who: str, channel: str, target: str) -> None:
        """Let hold for a role or a member in a channel what holds in the guild."""
        place = self._overwritten(who, channel)
        others = [one for one in place.json["permission_overwrites"] if one["id"] != target]
        if len(others) == len(place.json["permission_overwrites"]):
            raise refuse(10009)
        place.json["permission_overwrites"] = others
        self._tell_channel("CHANNEL_UPDATE", place.json, place)

    def _overwritten(self, who: str, channel: str) -> ChannelState:
        place = self._visible(who, channel)
        if place.guild is None:
            raise refuse(50003)
        if place.kind.is_thread:
            raise refuse(50024)
        self._require(who, place, Permission.MANAGE_ROLES)
        return place

    # --- who is in a thread ----------------------------------------------------------------

    def add_thread_member(self, who: str, thread: str, user: str) -> None:
        """Let somebody into a thread, or come in."""
        place = self._thread(who, thread)
        self._require_awake(place)
        self._member(str(place.guild), user)
        if user != who:
            self._require(who, place, Permission.SEND_MESSAGES_IN_THREADS)
        if user not in place.people:
            self.join_thread(thread, user)
            self._tell_thread_members(place, added_members=[self._thread_member(place, user)])

    def remove_thread_member(self, who: str, thread: str, user: str) -> None:
        """Show somebody out of a thread, or go."""
        place = self._thread(who, thread)
        self._require_awake(place)
        is_mine = place.kind is ChannelKind.PRIVATE_THREAD and place.json["owner_id"] == who
        if user != who and not is_mine:
            self._require(who, place, Permission.MANAGE_THREADS)
        if place.people.pop(user, None) is not None:
            place.json["member_count"] = len(place.people)
            self._tell_thread_members(place, removed_member_ids=[user])

    def get_thread_members(self, who: str, thread: str) -> list[Json]:
        """Who is in a thread."""
        place = self._thread(who, thread)
        return [self._thread_member(place, user) for user in place.people]

    def get_thread_member(self, who: str, thread: str, user: str) -> Json:
        """Somebody in a thread."""
        place = self._thread(who, thread)
        if user not in place.people:
            raise refuse(10007)
        return self._thread_member(place, user)

    def _thread(self, who: str, thread: str) -> ChannelState:
        place = self._visible(who, thread)
        if not place.kind.is_thread:
            raise refuse(50024)
        return place

    @staticmethod
    def _thread_member(thread: ChannelState, user: str) -> Json:
        return {"id": thread.id, "user_id": user, "join_timestamp": as_timestamp(thread.people[user]), "flags": 0}

    def _tell_thread_members(self, thread: ChannelState, **change: Any) -> None:
        data = {"id": thread.id, "member_count": thread.json["member_count"], **change}
        self._tell_channel("THREAD_MEMBERS_UPDATE", data, thread)

    def active_threads(self, who: str, guild: str) -> Json:
        """The threads of a guild that are open, as far as *who* can see them."""
        self._visible_guild(who, guild)
        return self._listed(who, [one for one in self._channels.values() if one.guild == guild], is_archived=False)

    def archived_threads(self, who: str, channel: str, *, is_private: bool, is_joined: bool = False) -> Json:
        """The threads of a channel that are closed, what was closed last first."""
        place = self._visible(who, channel)
        self._require(who, place, Permission.READ_MESSAGE_HISTORY)
        if is_private and not is_joined:
            self._require(who, place, Permission.MANAGE_THREADS)
        inner = [one for one in self._channels.values() if one.json.get("parent_id") == place.id]
        wanted = [one for one in inner if (one.kind is ChannelKind.PRIVATE_THREAD) == is_private]
        return self._listed(who, [one for one in wanted if not is_joined or who in one.people], is_archived=True)

    def _listed(self, who: str, channels: list[ChannelState], *, is_archived: bool) -> Json:
        threads = [
            one
            for one in channels
            if one.kind.is_thread
            and one.json["thread_metadata"]["archived"] is is_archived
            and Permission.VIEW_CHANNEL in self._permissions(who, one)
        ]
        threads.sort(key=lambda one: str(one.json["thread_metadata"]["archive_timestamp"]), reverse=True)
        mine = [self._thread_member(one, who) for one in threads if who in one.people]
        return {"threads": self._copies(one.json for one in threads), "members": mine, "has_more": False}


def _as_kind(value: object) -> ChannelKind:
    """The sort of channel that a form asks for; without a word it is for text."""
    kinds = [kind for kind in ChannelKind if not kind.is_thread and kind is not ChannelKind.DIRECT]
    for kind in kinds:
        if kind == (ChannelKind.TEXT if value is None else value):
            return kind
    raise not_one_of(at="type", choices=str({int(kind) for kind in kinds}))
