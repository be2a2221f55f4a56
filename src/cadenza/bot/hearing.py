"""From a message of discord.py to what the bot's decisions need of it."""

from __future__ import annotations

import discord

from ..service.said import Said


def said_of(
    message: discord.Message, me: discord.ClientUser, *, persona: str = "", is_own: bool = False, answers: str = ""
) -> Said:
    """*message* as it was said; whose character said it, and whose message it answers, is handed in."""
    raise NotImplementedError
