"""``/persona import`` and ``/persona export``: characters as files."""

from __future__ import annotations

import asyncio
import io
from dataclasses import replace

import discord
from discord import app_commands
from discord.app_commands import locale_str

from ..characters.names import character_name
from ..characters.reading import Format, read_card, write_card
from .command_inputs import persona_called, quoted, read_file, server_of, suggesting_personas, wait_for_it
from .context import CommandContext, Interaction, answered, may_manage_server, show, tell

_FORMATS = {
    Format.PNG: "Picture with a character card (PNG)",
    Format.JSON: "Character card, version 3 (JSON)",
    Format.JSON_V2: "Character card, version 2 (JSON)",
    Format.NATIVE: "Everything (Cadenza’s own JSON)",
}


def add_cards(group: app_commands.Group, context: CommandContext) -> None:
    """Add import and export to *group*."""

    @group.command(name=locale_str("import"), description=locale_str("Import a character from a file"))
    @app_commands.rename(file=locale_str("file"), name=locale_str("name"), replace_=locale_str("replace"))
    @app_commands.describe(
        file=locale_str("A character card (PNG or JSON), or an export of Cadenza’s"),
        name=locale_str("Name of the character in this server"),
        replace_=locale_str("Whether to replace a character that has this name"),
    )
    @answered
    async def import_(
        interaction: Interaction, file: discord.Attachment, *, name: str | None = None, replace_: bool = False
    ) -> None:
        if not await may_manage_server(interaction):
            return
        await wait_for_it(interaction)
        data = await read_file(file)
        character = await asyncio.to_thread(read_card, data, file.filename)
        character = replace(character, id="", is_main=False, former=(), name=character_name(name or character.name))
        server = server_of(interaction)
        before = await context.services.cast.find(server, character.name)
        if before is not None and not replace_:
            text = "There is already a character called {name}; give another name, or set “replace”."
            await tell(interaction, text, name=quoted(before.name))
            return
        if before is not None and await context.services.cast.keeps(server, before.name):
            character = replace(character, id=before.id, is_main=before.is_main, former=before.former)
        character = await context.services.cast.save(server, character, by=str(interaction.user.id))
        await tell(interaction, "{name} was imported.", name=quoted(character.name))

    @group.command(name=locale_str("export"), description=locale_str("Export a character as a file"))
    @app_commands.rename(name=locale_str("name"), format_=locale_str("format"))
    @app_commands.describe(name=locale_str("The character"), format_=locale_str("The file format"))
    @app_commands.choices(
        format_=[app_commands.Choice(name=locale_str(text), value=each.value) for each, text in _FORMATS.items()]
    )
    @app_commands.autocomplete(name=suggesting_personas(context))
    @answered
    async def export(interaction: Interaction, name: str, format_: str = Format.PNG.value) -> None:
        if not await may_manage_server(interaction):
            return
        await wait_for_it(interaction)
        character = await persona_called(interaction, context, name)
        if character is None:
            return
        file_name, data = await asyncio.to_thread(write_card, character, Format(format_))
        if len(data) > interaction.filesize_limit:
            await tell(interaction, "The file is too large for this server; export another format.")
            return
        await show(interaction, file=discord.File(io.BytesIO(data), file_name))
