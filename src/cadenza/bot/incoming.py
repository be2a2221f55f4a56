"""From a message of discord.py to what the bot's decisions need of it."""

from __future__ import annotations

import discord

from ..targets.discord_py.channel_info import parent_of
from .authorship import is_ours
from .services.message import ChatMessage

SPOKEN = frozenset(
    {
        discord.MessageType.default,
        discord.MessageType.reply,
        discord.MessageType.chat_input_command,
        discord.MessageType.context_menu_command,
    }
)
"""The types of messages that somebody said; all others are Discord's own."""


def said_of(
    message: discord.Message, me: discord.ClientUser, *, persona: str = "", is_own: bool = False, answers: str = ""
) -> ChatMessage:
    """*message* as it was said; whose character said it, and whose message it answers, is handed in.

    What of that is not handed in is found out as far as the message tells: that it is by our bot or a webhook of it,
    and that it answers one of ours (``*``).
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
    """Whether there is something to see in *message* besides its text."""
    things = (message.attachments, message.embeds, message.stickers, message.poll)
    forwarded = ((snapshot.attachments, snapshot.embeds, snapshot.stickers) for snapshot in message.message_snapshots)
    return any(things) or any(any(thing) for thing in forwarded)


def _mentions(message: discord.Message, me: discord.ClientUser) -> bool:
    """Whether *message* calls the bot by its name, or by the role that Discord made for it.

    A reply calls its author too, without a word; that is no mention here. ``@everyone`` calls nobody in particular, and
    a tag in code calls nobody at all.
    """
    if me.id in message.raw_mentions and _is_called(message, me):
        return True
    role = message.guild.self_role if message.guild else None
    return role is not None and role.id in message.raw_role_mentions and role in message.role_mentions


def _answers(message: discord.Message, me: discord.ClientUser) -> bool:
    """Whether *message* is a reply to one of ours, as far as it tells."""
    reference = message.reference
    if reference is None or reference.type is discord.MessageReferenceType.forward:
        return False
    answered = reference.resolved or reference.cached_message
    if isinstance(answered, discord.Message):
        return is_ours(answered)
    # Of what it answers nothing is known but whom that calls.
    return _is_called(message, me) and me.id not in message.raw_mentions


def _is_called(message: discord.Message, me: discord.ClientUser) -> bool:
    return any(user.id == me.id for user in message.mentions)
