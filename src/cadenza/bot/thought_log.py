"""What a turn was thinking, told to a channel that a server has chosen for it."""

from __future__ import annotations

from dataclasses import dataclass

import discord

from ..service.choices import Choice
from ..types import Identity, Reply
from .home import Home


@dataclass(frozen=True, slots=True)
class Thought:
    """A turn, as far as it is told."""

    reply: Reply
    channel: discord.abc.Snowflake
    """Where it was said."""
    turn: str
    persona: str
    identity: Identity | None
    """Under which name and face, if not the bot's."""
    seconds: float
    """From the message to the end."""
    waited: float
    """How much of that it had to wait for its turn."""


async def log_thoughts(thought: Thought, choice: Choice, home: Home, client: discord.Client) -> None:
    """Tell the thought log of *thought*, if the server has one and the place is not private. Never raises."""
    raise NotImplementedError
