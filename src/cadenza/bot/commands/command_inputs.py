"""What people give to commands: names that they begin to write, and files."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

import discord
from discord import app_commands

from ...errors import InputError
from ..characters.avatars import address_of, face_of
from ..characters.character import Character
from ..characters.checked_json import LARGEST
from .context import Desk, Interaction, Suggesting, matching, suggested, tell


def server_of(interaction: Interaction) -> str:
    """The server of *interaction*; empty in direct messages."""
    return "" if interaction.guild_id is None else str(interaction.guild_id)


def suggesting(found: Callable[[Interaction], Awaitable[Iterable[str]]]) -> Suggesting:
    """Suggest those of the names *found* that hold what was written, those that begin with it first. Never raises."""

    @suggested
    async def suggest(interaction: Interaction, written: str) -> list[app_commands.Choice[str]]:
        return matching(await found(interaction), written)

    return suggest


def suggesting_personas(desk: Desk) -> Suggesting:
    """Suggest who there is in the server."""

    async def found(interaction: Interaction) -> Iterable[str]:
        return [character.name for character in await desk.staff.cast.of(server_of(interaction))]

    return suggesting(found)


async def persona_called(interaction: Interaction, desk: Desk, name: str) -> Character | None:
    """Who is called *name*; if nobody is, who asks is told."""
    character = await desk.staff.cast.find(server_of(interaction), name)
    if character is None:
        await tell(interaction, "There is nobody called {name}; look at /persona list.", name=quoted(name[:80]))
    return character


async def read_file(attachment: discord.Attachment) -> bytes:
    """What is in a file, unless it is too large to be looked at."""
    if attachment.size > LARGEST:
        msg = "The file is larger than 8 MB; take a smaller one."
        raise InputError(msg)
    return await attachment.read()


async def face_given(image: discord.Attachment | None, url: str | None) -> str | None:
    """The face that somebody gives, as a file or by its address; ``None`` if they give none."""
    if image is not None and url:
        msg = "Give either a picture or an address, not both."
        raise InputError(msg)
    if image is not None:
        return await asyncio.to_thread(
            face_of, await read_file(image)
        )  # it may have to be made smaller, which takes time
    return address_of(url) if url else None


def kept_or_cleared(given: str | None, before: str) -> str:
    """What somebody wrote instead of what was there *before*: nothing keeps it, and a dash clears it."""
    if given is None:
        return before
    return "" if given.strip() in ("-", "–") else given.strip()


async def wait_for_it(interaction: Interaction) -> None:
    """Tell who asks that it may take a moment."""
    await interaction.response.defer(ephemeral=True, thinking=True)


def joined(lines: Iterable[str], most: int, more: Callable[[int], str]) -> str:
    """*lines* as far as they have room in *most* characters; *more* says how many are left out."""
    told, left = "", list(lines)
    while left and len(told) + len(left[0]) + 1 <= most - 60:
        told += left.pop(0) + "\n"
    return told.rstrip("\n") + (f"\n{more(len(left))}" if left else "")


def quoted(text: str) -> str:
    """*text* so that Discord shows it as it is written."""
    return discord.utils.escape_markdown(text)


def only(options: Mapping[str, Any]) -> dict[str, Any]:
    """Those *options* that were given."""
    return {name: value for name, value in options.items() if value is not None}
