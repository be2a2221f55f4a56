"""What of our own in a channel was not said to anybody: notices, answers to commands, what stands for a reply.

It is told by its shape and not by its words, which may be in any language.
"""

from __future__ import annotations

import re

import discord

_JUMP = re.compile(r"https?://[^/]+/channels/(?:@me|\d+)/\d+/\d+")
_SMALL = re.compile(r"-# [^\n]*")


def is_protocol(message: discord.Message) -> bool:
    """Whether *message*, which is ours, is no part of the conversation."""
    if message.flags.ephemeral or message.interaction_metadata is not None:
        return True
    if message.attachments or message.stickers or message.message_snapshots or message.poll:
        return False
    if not message.content.strip():
        return True  # boxes only: a notice, an error, a thought log, what a persona answers
    return message.flags.suppress_notifications and _SMALL.fullmatch(message.content.strip()) is not None


def is_reply_notice(message: discord.Message) -> bool:
    """Whether *message* does nothing but show what the next one answers: an empty box with a link to a message."""
    if message.content or message.attachments or len(message.embeds) != 1:
        return False
    embed = message.embeds[0]
    is_empty = not (embed.description or embed.title or embed.fields or embed.image.url or embed.footer.text)
    url = embed.url or embed.author.url or ""
    return is_empty and bool(embed.author.name) and embed.author.url == url and _JUMP.fullmatch(url) is not None
