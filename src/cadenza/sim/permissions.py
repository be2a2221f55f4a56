"""What somebody may do: Discord's permissions, and how roles and overwrites add up to them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntFlag


class Permission(IntFlag):
    """One bit a right, as on Discord's wire; only those are named that matter here, the others are kept as they are."""

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
"""What the owner of a guild may do."""

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
"""What everybody may do in a new guild; as at Discord, calling everybody is among it."""

INVITED = Permission.MANAGE_MESSAGES | Permission.MANAGE_WEBHOOKS
"""What a bot is given besides when it is invited."""

DIRECT = EVERYONE
"""What the two may do in direct messages."""

_TIMED_OUT = Permission.VIEW_CHANNEL | Permission.READ_MESSAGE_HISTORY
_NEEDS_SENDING = (
    Permission.MENTION_EVERYONE | Permission.SEND_TTS_MESSAGES | Permission.ATTACH_FILES | Permission.EMBED_LINKS
)


@dataclass(frozen=True, slots=True)
class Overwrite:
    """What a channel gives to, and takes from, a role or a member."""

    id: str
    """Of the role or the member; the role of everybody has the id of the guild."""
    allow: Permission = Permission.NONE
    deny: Permission = Permission.NONE


def of_roles(permissions: Iterable[Permission], *, is_owner: bool = False) -> Permission:
    """What somebody may do in a guild who has roles with these *permissions*, that of everybody among them."""
    together = Permission.NONE
    for some in permissions:
        together |= some
    return ALL if is_owner or Permission.ADMINISTRATOR in together else together


def in_channel(
    base: Permission, overwrites: Iterable[Overwrite], *, guild: str, roles: Iterable[str], member: str
) -> Permission:
    """What somebody may do in a channel who may do *base* in the guild.

    The overwrite of everybody comes first, then those of the roles taken together, then that of the member.
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
    """*permissions* without those that are worth nothing alone: who sees nothing does nothing, and so on."""
    if Permission.ADMINISTRATOR in permissions:
        return permissions
    if is_timed_out:
        permissions &= _TIMED_OUT
    if Permission.VIEW_CHANNEL not in permissions:
        return Permission.NONE
    sending = Permission.SEND_MESSAGES_IN_THREADS if is_thread else Permission.SEND_MESSAGES
    return permissions if sending in permissions else permissions & ~_NEEDS_SENDING
