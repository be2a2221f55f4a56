"""Options of commands: autocompletion of names, and files."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

import discord
from discord import app_commands

from ...errors import InputError
from ..characters.avatars import address_of, uri_of
from ..characters.character import Character
from ..characters.checked_json import LARGEST
from .context import CommandContext, Interaction, Suggesting, matching, suggested, tell


def server_of(interaction: Interaction) -> str:
    """The guild id of *interaction*; empty in direct messages."""
    return "" if interaction.guild_id is None else str(interaction.guild_id)


def suggesting(found: Callable[[Interaction], Awaitable[Iterable[str]]]) -> Suggesting:
    """Suggest the names *found* that match the input. Never raises."""

    @suggested
    async def suggest(interaction: Interaction, written: str) -> list[app_commands.Choice[str]]:
        return matching(await found(interaction), written)

    return suggest


def suggesting_personas(context: CommandContext) -> Suggesting:
    """Suggest the characters of the server."""

    async def found(interaction: Interaction) -> Iterable[str]:
        return [character.name for character in await context.services.cast.of(server_of(interaction))]

    return suggesting(found)


async def persona_called(interaction: Interaction, context: CommandContext, name: str) -> Character | None:
    """The character called *name*; if there is none, the user is told."""
    character = await context.services.cast.find(server_of(interaction), name)
    if character is None:
        await tell(interaction, "There is no character called {name}; see /persona list.", name=quoted(name[:80]))
    return character


async def read_file(attachment: discord.Attachment) -> bytes:
    """The content of a file, unless it is too large."""
    if attachment.size > LARGEST:
        msg = "The file is larger than 8 MB; take a smaller one."
        raise InputError(msg)
    return await attachment.read()


async def avatar_given(image: discord.Attachment | None, url: str | None) -> str | None:
    """The avatar from a file or an address; ``None`` without one."""
    if image is not None and url:
        msg = "Give either a picture or an address, not both."
        raise InputError(msg)
    if image is not None:
        return await asyncio.to_thread(uri_of, await read_file(image))  # scaling it down may take time
    return address_of(url) if url else None


def kept_or_cleared(given: str | None, before: str) -> str:
    """The new value: ``None`` keeps *before*, and a dash clears it."""
    if given is None:
        return before
    return "" if given.strip() in ("-", "–") else given.strip()


async def wait_for_it(interaction: Interaction) -> None:
    """Defer the answer, since it may take a moment."""
    await interaction.response.defer(ephemeral=True, thinking=True)


def joined(lines: Iterable[str], most: int, more: Callable[[int], str]) -> str:
    """*lines* within *most* characters; *more* words how many are left out."""
    told, left = "", list(lines)
    while left and len(told) + len(left[0]) + 1 <= most - 60:
        told += left.pop(0) + "\n"
    return told.rstrip("\n") + (f"\n{more(len(left))}" if left else "")


def quoted(text: str) -> str:
    """*text* with Markdown escaped."""
    return discord.utils.escape_markdown(text)


def only(options: Mapping[str, Any]) -> dict[str, Any]:
    """The *options* that are not ``None``."""
    return {name: value for name, value in options.items() if value is not None}
