"""Whether a message is ours: sent by the bot or by one of its webhooks."""

from __future__ import annotations

import discord

from .channel_info import client_of


def is_ours(message: discord.Message) -> bool:
    """Whether the client of *message* sent it, under whatever name."""
    client = client_of(message)
    is_own = client.user is not None and message.author.id == client.user.id
    return is_own or (message.webhook_id is not None and message.application_id == client.application_id)


def user_of(client: discord.Client) -> discord.ClientUser:
    """The account of *client*, which must be logged in."""
    if client.user is None:
        msg = "the client is not logged in"
        raise RuntimeError(msg)
    return client.user
