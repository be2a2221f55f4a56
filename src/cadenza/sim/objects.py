"""The JSON of new users, members, roles, channels, guilds and messages."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import TypeVar, cast

from .permissions import Permission
from .wire import Json

_Value = TypeVar("_Value")


class ChannelKind(IntEnum):
    """Discord's channel types."""

    TEXT = 0
    DIRECT = 1
    VOICE = 2
    CATEGORY = 4
    ANNOUNCEMENT = 5
    ANNOUNCEMENT_THREAD = 10
    PUBLIC_THREAD = 11
    PRIVATE_THREAD = 12
    STAGE = 13
    FORUM = 15

    @property
    def is_thread(self) -> bool:
        """Whether it is a thread, with the permissions of its parent channel."""
        return self in (ChannelKind.ANNOUNCEMENT_THREAD, ChannelKind.PUBLIC_THREAD, ChannelKind.PRIVATE_THREAD)

    @property
    def has_webhooks(self) -> bool:
        """Whether it can have webhooks."""
        return not self.is_thread and self not in (ChannelKind.DIRECT, ChannelKind.CATEGORY)


class MessageKind(IntEnum):
    """The message types that are simulated."""

    DEFAULT = 0
    CHANNEL_PINNED_MESSAGE = 6
    THREAD_CREATED = 18
    REPLY = 19
    CHAT_INPUT_COMMAND = 20
    THREAD_STARTER_MESSAGE = 21

    @property
    def is_system(self) -> bool:
        """Whether Discord itself wrote it."""
        return self not in (MessageKind.DEFAULT, MessageKind.REPLY, MessageKind.CHAT_INPUT_COMMAND)


class MessageFlag(IntEnum):
    """Discord's message flags."""

    SUPPRESS_EMBEDS = 1 << 2
    HAS_THREAD = 1 << 5
    EPHEMERAL = 1 << 6
    LOADING = 1 << 7
    SUPPRESS_NOTIFICATIONS = 1 << 12
    IS_COMPONENTS_V2 = 1 << 15


def copied(value: _Value) -> _Value:
    """A deep copy of *value*: callers must not change what is stored."""
    if isinstance(value, dict):
        return cast(_Value, {name: copied(part) for name, part in value.items()})
    return cast(_Value, [copied(part) for part in value]) if isinstance(value, list) else value


def copies(values: Iterable[_Value]) -> list[_Value]:
    """Deep copies of *values*."""
    return [copied(value) for value in values]


def user(id_: str, name: str, *, is_bot: bool = False) -> Json:
    """A user; *name* is the display name, and the username is made from it."""
    return {
        "id": id_, "username": "_".join(name.lower().split()), "global_name": None if is_bot else name,
        "discriminator": "0", "avatar": None, "bot": is_bot, "system": False, "public_flags": 0, "flags": 0,
        "banner": None, "accent_color": None, "avatar_decoration_data": None,
    }  # fmt: skip


def webhook_user(id_: str, name: str, avatar: str | None) -> Json:
    """The author of a webhook message."""
    return {**user(id_, name, is_bot=True), "username": name, "discriminator": "0000", "avatar": avatar}


def member(of: Json, joined_at: str) -> Json:
    """A user in a guild."""
    return {
        "user": of, "nick": None, "avatar": None, "banner": None, "roles": [], "joined_at": joined_at,
        "premium_since": None, "deaf": False, "mute": False, "flags": 0, "pending": False,
        "communication_disabled_until": None,
    }  # fmt: skip


def role(id_: str, name: str, permissions: Permission, *, position: int, is_mentionable: bool = False) -> Json:
    """A role; @everyone has the id of its guild."""
    return {
        "id": id_, "name": name, "permissions": str(int(permissions)), "position": position, "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None}, "hoist": False,
        "icon": None, "unicode_emoji": None, "managed": False, "mentionable": is_mentionable, "flags": 0,
    }  # fmt: skip


def emoji(id_: str, name: str, *, is_animated: bool = False) -> Json:
    """An emoji of a guild."""
    return {
        "id": id_, "name": name, "animated": is_animated, "available": True, "managed": False,
        "require_colons": True, "roles": [],
    }  # fmt: skip


def channel(id_: str, kind: ChannelKind, name: str, *, guild: str, position: int, slowmode: int) -> Json:
    """A channel of a guild, not a thread."""
    shape: Json = {
        "id": id_, "type": int(kind), "guild_id": guild, "name": name, "position": position,
        "permission_overwrites": [], "nsfw": False, "topic": None, "parent_id": None, "last_message_id": None,
        "last_pin_timestamp": None, "rate_limit_per_user": slowmode, "flags": 0,
    }  # fmt: skip
    if kind in (ChannelKind.VOICE, ChannelKind.STAGE):
        shape |= {"bitrate": 64000, "user_limit": 0, "rtc_region": None}
    if kind is ChannelKind.FORUM:
        shape |= {"available_tags": [], "default_reaction_emoji": None, "default_sort_order": None}
        shape |= {"default_forum_layout": 0, "default_auto_archive_duration": 1440}
    return shape


def thread(id_: str, kind: ChannelKind, name: str, *, parent: Json, owner: str, at: str) -> Json:
    """A thread, or a post of a forum."""
    metadata: Json = {
        "archived": False, "auto_archive_duration": 1440, "archive_timestamp": at, "create_timestamp": at,
        "locked": False,
    }  # fmt: skip
    if kind is ChannelKind.PRIVATE_THREAD:
        metadata["invitable"] = True
    shape: Json = {
        "id": id_, "type": int(kind), "guild_id": parent["guild_id"], "parent_id": parent["id"], "name": name,
        "owner_id": owner, "last_message_id": None, "last_pin_timestamp": None, "rate_limit_per_user": 0,
        "message_count": 0, "member_count": 1, "total_message_sent": 0, "flags": 0, "thread_metadata": metadata,
    }  # fmt: skip
    if parent["type"] == ChannelKind.FORUM:
        shape["applied_tags"] = []
    return shape


def direct(id_: str, recipient: Json) -> Json:
    """Direct messages, as one of the two sees them."""
    return {
        "id": id_, "type": int(ChannelKind.DIRECT), "recipients": [recipient], "last_message_id": None,
        "last_pin_timestamp": None, "flags": 0,
    }  # fmt: skip


def guild(id_: str, name: str, owner: str) -> Json:
    """A guild without its parts."""
    return {
        "id": id_, "name": name, "owner_id": owner, "icon": None, "icon_hash": None, "splash": None,
        "discovery_splash": None, "banner": None, "description": None, "vanity_url_code": None,
        "afk_channel_id": None, "afk_timeout": 300, "verification_level": 0, "default_message_notifications": 0,
        "explicit_content_filter": 0, "mfa_level": 0, "nsfw_level": 0, "nsfw": False, "premium_tier": 0,
        "premium_subscription_count": 0, "premium_progress_bar_enabled": False, "system_channel_id": None,
        "system_channel_flags": 0, "rules_channel_id": None, "public_updates_channel_id": None,
        "safety_alerts_channel_id": None, "application_id": None, "widget_enabled": False, "widget_channel_id": None,
        "preferred_locale": "en-US", "features": [], "stickers": [], "max_members": 500000, "max_presences": None,
        "max_video_channel_users": 25, "max_stage_video_channel_users": 50, "incidents_data": None,
    }  # fmt: skip


def message(id_: str, channel_id: str, author: Json, content: str, at: str) -> Json:
    """A message with nothing but text."""
    return {
        "id": id_, "channel_id": channel_id, "author": author, "content": content, "timestamp": at,
        "edited_timestamp": None, "tts": False, "mention_everyone": False, "mentions": [], "mention_roles": [],
        "mention_channels": [], "attachments": [], "embeds": [], "pinned": False,
        "type": int(MessageKind.DEFAULT), "flags": 0, "components": [],
    }  # fmt: skip
