"""What was said in a channel, as the model is told it: speakers, replies, pictures, text files; nothing of our own protocol."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection

import discord

from ..types import Line


async def history(
    channel: discord.abc.Messageable,
    me: discord.ClientUser,
    *,
    until: discord.Message | None,
    limit: int,
    without: Collection[str],
    persona: str,
    speaker_of: Callable[[discord.Message], Awaitable[str]],
    images: bool,
    text_file_characters: int,
) -> tuple[Line, ...]:
    """The last *limit* messages up to *until*, the oldest first, as *persona* sees them (its own are ``is_own``).

    *without* are ids of messages that are left out. *speaker_of* gives the character's name of a message of ours.
    """
    raise NotImplementedError
