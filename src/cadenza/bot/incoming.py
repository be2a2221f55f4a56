"""Converts messages of discord.py to the value that the bot's decisions take."""

from __future__ import annotations

import discord

from ..targets.discord_py.authorship import is_ours
from ..targets.discord_py.channel_info import parent_of
from ..targets.discord_py.system_messages import SPOKEN
from .services.message import ChatMessage


def said_of(
    message: discord.Message, me: discord.ClientUser, *, persona: str = "", is_own: bool = False, answers: str = ""
) -> ChatMessage:
    """Convert *message*; the *persona* that said it and the one that it *answers* are passed in.

    Without them the message itself tells whether it is ours, and whether it answers one of ours (``*``).
    """
    is_own = is_own or is_ours(message)
    return ChatMessage(
        id=str(message.id),
        channel=str(message.channel.id),
        author=str(message.webhook_id or message.author.id),
        author_name=message.author.display_name,
        text=message.content or "\n".join(snapshot.content for snapshot in message.message_snapshots).strip(),
        server=str(message.guild.id) if message.guild else "",
        parent=parent_of(message.channel),
        is_bot=not is_own and (message.author.bot or message.webhook_id is not None),
        is_own=is_own,
        persona=persona,
        mentions_us=_mentions(message, me),
        answers=answers or ("*" if _answers(message, me) else ""),
        has_more=has_more(message),
        is_system=message.type not in SPOKEN,
    )


def has_more(message: discord.Message) -> bool:
    """Whether *message* has more than text: files, embeds, stickers or a poll."""
    things = (message.attachments, message.embeds, message.stickers, message.poll)
    forwarded = ((snapshot.attachments, snapshot.embeds, snapshot.stickers) for snapshot in message.message_snapshots)
    return any(things) or any(any(thing) for thing in forwarded)


def _mentions(message: discord.Message, me: discord.ClientUser) -> bool:
    """Whether *message* mentions the bot or its managed role.

    The implicit mention of a reply does not count, nor does ``@everyone`` or a tag in code.
    """
    if me.id in message.raw_mentions and _is_called(message, me):
        return True
    role = message.guild.self_role if message.guild else None
    return role is not None and role.id in message.raw_role_mentions and role in message.role_mentions


def _answers(message: discord.Message, me: discord.ClientUser) -> bool:
    """Whether *message* is known to reply to one of ours."""
    reference = message.reference
    if reference is None or reference.type is discord.MessageReferenceType.forward:
        return False
    answered = reference.resolved or reference.cached_message
    if isinstance(answered, discord.Message):
        return is_ours(answered)
    # The answered message is unknown; only its ping tells the author.
    return _is_called(message, me) and me.id not in message.raw_mentions


def _is_called(message: discord.Message, me: discord.ClientUser) -> bool:
    return any(user.id == me.id for user in message.mentions)
