"""Discord's permissions, and how they result from roles and overwrites."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntFlag


class Permission(IntFlag):
    """Discord's permission bits. Only those that matter here have names; the others are kept."""

    NONE = 0
    CREATE_INSTANT_INVITE = 1 << 0
    KICK_MEMBERS = 1 << 1
    BAN_MEMBERS = 1 << 2
    ADMINISTRATOR = 1 << 3
    MANAGE_CHANNELS = 1 << 4
    MANAGE_GUILD = 1 << 5
    ADD_REACTIONS = 1 << 6
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    SEND_TTS_MESSAGES = 1 << 12
    MANAGE_MESSAGES = 1 << 13
    EMBED_LINKS = 1 << 14
    ATTACH_FILES = 1 << 15
    READ_MESSAGE_HISTORY = 1 << 16
    MENTION_EVERYONE = 1 << 17
    USE_EXTERNAL_EMOJIS = 1 << 18
    CONNECT = 1 << 20
    SPEAK = 1 << 21
    MUTE_MEMBERS = 1 << 22
    DEAFEN_MEMBERS = 1 << 23
    CHANGE_NICKNAME = 1 << 26
    MANAGE_NICKNAMES = 1 << 27
    MANAGE_ROLES = 1 << 28
    MANAGE_WEBHOOKS = 1 << 29
    USE_APPLICATION_COMMANDS = 1 << 31
    MANAGE_THREADS = 1 << 34
    CREATE_PUBLIC_THREADS = 1 << 35
    CREATE_PRIVATE_THREADS = 1 << 36
    SEND_MESSAGES_IN_THREADS = 1 << 38
    MODERATE_MEMBERS = 1 << 40
    PIN_MESSAGES = 1 << 51


ALL = Permission((1 << 53) - 1)
"""The permissions of the owner of a guild."""

EVERYONE = (
    Permission.CREATE_INSTANT_INVITE
    | Permission.ADD_REACTIONS
    | Permission.VIEW_CHANNEL
    | Permission.SEND_MESSAGES
    | Permission.EMBED_LINKS
    | Permission.ATTACH_FILES
    | Permission.READ_MESSAGE_HISTORY
    | Permission.MENTION_EVERYONE
    | Permission.USE_EXTERNAL_EMOJIS
    | Permission.CONNECT
    | Permission.SPEAK
    | Permission.CHANGE_NICKNAME
    | Permission.USE_APPLICATION_COMMANDS
    | Permission.CREATE_PUBLIC_THREADS
    | Permission.CREATE_PRIVATE_THREADS
    | Permission.SEND_MESSAGES_IN_THREADS
)
"""The permissions of @everyone in a new guild; as at Discord, they include pinging everyone."""

INVITED = Permission.MANAGE_MESSAGES | Permission.MANAGE_WEBHOOKS
"""The extra permissions of an invited bot."""

DIRECT = EVERYONE
"""The permissions of both users in direct messages."""

_TIMED_OUT = Permission.VIEW_CHANNEL | Permission.READ_MESSAGE_HISTORY
_NEEDS_SENDING = (
    Permission.MENTION_EVERYONE | Permission.SEND_TTS_MESSAGES | Permission.ATTACH_FILES | Permission.EMBED_LINKS
)


@dataclass(frozen=True, slots=True)
class Overwrite:
    """A permission overwrite of a channel for a role or a member."""

    id: str
    """Of the role or the member; @everyone has the id of the guild."""
    allow: Permission = Permission.NONE
    deny: Permission = Permission.NONE


def of_roles(permissions: Iterable[Permission], *, is_owner: bool = False) -> Permission:
    """The guild permissions of a member whose roles, including @everyone, have these *permissions*."""
    together = Permission.NONE
    for some in permissions:
        together |= some
    return ALL if is_owner or Permission.ADMINISTRATOR in together else together


def in_channel(
    base: Permission, overwrites: Iterable[Overwrite], *, guild: str, roles: Iterable[str], member: str
) -> Permission:
    """The channel permissions of a member with the guild permissions *base*.

    The overwrite of @everyone applies first, then those of all roles together, then that of the member.
    """
    if Permission.ADMINISTRATOR in base:
        return ALL
    known = {overwrite.id: overwrite for overwrite in overwrites}
    of_everybody = known.get(guild, Overwrite(guild))
    of_member = known.get(member, Overwrite(member))
    allow = deny = Permission.NONE
    for role in roles:
        if role != guild and role in known:
            allow |= known[role].allow
            deny |= known[role].deny
    base = base & ~of_everybody.deny | of_everybody.allow
    base = base & ~deny | allow
    return base & ~of_member.deny | of_member.allow


def with_what_follows(permissions: Permission, *, is_thread: bool, is_timed_out: bool) -> Permission:
    """*permissions* without those that depend on a missing one, such as viewing the channel."""
    if Permission.ADMINISTRATOR in permissions:
        return permissions
    if is_timed_out:
        permissions &= _TIMED_OUT
    if Permission.VIEW_CHANNEL not in permissions:
        return Permission.NONE
    sending = Permission.SEND_MESSAGES_IN_THREADS if is_thread else Permission.SEND_MESSAGES
    return permissions if sending in permissions else permissions & ~_NEEDS_SENDING
