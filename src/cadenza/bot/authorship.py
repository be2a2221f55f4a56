"""Whose message it is: what we said under our own name, or through a webhook of ours."""

from __future__ import annotations

import discord

from ..targets.discord_py.channel_info import client_of


def is_ours(message: discord.Message) -> bool:
    """Whether the client that knows *message* said it, whatever name it stands under."""
    client = client_of(message)
    is_own = client.user is not None and message.author.id == client.user.id
    return is_own or (message.webhook_id is not None and message.application_id == client.application_id)
