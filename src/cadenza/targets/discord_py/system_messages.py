"""Recognises our own messages that are no part of a conversation: notices, answers to commands, reply notices.

The shape tells, not the words, which may be in any language.
"""

from __future__ import annotations

import re

import discord

SPOKEN = frozenset(
    {
        discord.MessageType.default,
        discord.MessageType.reply,
        discord.MessageType.chat_input_command,
        discord.MessageType.context_menu_command,
    }
)
"""The types of messages with content; all others are system messages."""
_JUMP = re.compile(r"https?://[^/]+/channels/(?:@me|\d+)/\d+/(?P<message>\d+)")
_SMALL = re.compile(r"-# [^\n]*")


def is_protocol(message: discord.Message) -> bool:
    """Whether *message*, one of ours, is no part of the conversation."""
    return message.interaction_metadata is not None or is_notice(message)


def is_notice(message: discord.Message) -> bool:
    """Whether *message*, one of ours, says nothing of an answer: only one person sees it, or it is a notice."""
    if message.flags.ephemeral:
        return True
    if message.attachments or message.stickers or message.message_snapshots or message.poll:
        return False
    if not message.content.strip():
        return True  # embeds only: a notice, an error, a thought log, a reply notice
    return message.flags.suppress_notifications and _SMALL.fullmatch(message.content.strip()) is not None


def is_reply_notice(message: discord.Message) -> bool:
    """Whether *message* only shows what the next one answers: an empty embed with a link to a message."""
    return bool(answered_by_notice(message))


def answered_by_notice(message: discord.Message) -> str:
    """The id of the message that the one after *message* answers; empty if *message* is no reply notice."""
    if message.content or message.attachments or len(message.embeds) != 1:
        return ""
    embed = message.embeds[0]
    if embed.description or embed.title or embed.fields or embed.image.url or embed.footer.text:
        return ""
    url = embed.url or embed.author.url or ""
    link = _JUMP.fullmatch(url) if embed.author.name and embed.author.url == url else None
    return link["message"] if link else ""
