"""``/sprite``: the sprites of a persona, which the model selects with ``Name (sprite): ``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import discord
from discord import app_commands
from discord.app_commands import locale_str

from ...errors import InputError
from ...targets.discord_py.readable_text import shortened
from ..characters.character import Character, CharacterSprite
from ..characters.names import key_of
from .command_inputs import (
    avatar_given,
    joined,
    kept_or_cleared,
    only,
    persona_called,
    quoted,
    server_of,
    suggesting,
    suggesting_personas,
    wait_for_it,
)
from .context import AnyCommand, CommandContext, Interaction, Suggesting, answered, may_manage_server, show, tell, words

_SHOWN = 150
"""Characters of instructions shown in a list."""


def commands(context: CommandContext) -> list[AnyCommand]:
    """``/sprite`` for *context*."""
    group = app_commands.Group(
        name=locale_str("sprite"), description=locale_str("The sprites of a persona"), guild_only=True
    )
    for add in (_add_list, _add_add, _add_edit, _add_delete):
        add(group, context)
    return [group]


def _add_list(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name=locale_str("list"), description=locale_str("Show the sprites of a persona"))
    @app_commands.rename(persona=locale_str("persona"))
    @app_commands.describe(persona=locale_str("The persona"))
    @app_commands.autocomplete(persona=suggesting_personas(context))
    @answered
    async def list_(interaction: Interaction, persona: str) -> None:
        character = await persona_called(interaction, context, persona)
        if character is None:
            return
        if not character.sprites:
            await tell(interaction, "{name} has no sprites.", name=quoted(character.name))
            return
        lines = [_line(interaction, sprite) for sprite in character.sprites]
        await show(interaction, joined(lines, 2000, lambda left: words(interaction, "… and {count} more", count=left)))


def _line(interaction: Interaction, sprite: CharacterSprite) -> str:
    parts = [f"**{quoted(sprite.name)}**"]
    if sprite.is_identity:
        parts.append(words(interaction, "(own identity)"))
    if not sprite.avatar:
        parts.append(words(interaction, "(no picture)"))
    if sprite.instructions:
        text = " ".join(sprite.instructions.split())
        parts.append(quoted(shortened(text, _SHOWN)))
    return " ".join(parts)


def _add_add(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name=locale_str("add"), description=locale_str("Add a sprite to a persona"))
    @app_commands.rename(
        persona=locale_str("persona"), name=locale_str("name"), image=locale_str("image"), url=locale_str("url"),
        instructions=locale_str("instructions"), identity=locale_str("identity"),
    )  # fmt: skip
    @app_commands.describe(
        persona=locale_str("The persona of the sprite"),
        name=locale_str("Name of the sprite"),
        image=locale_str("The picture"),
        url=locale_str("The address of the picture"),
        instructions=locale_str("When the model should use it"),
        identity=locale_str("Whether the sprite is an identity of its own"),
    )
    @app_commands.autocomplete(persona=suggesting_personas(context))
    @answered
    async def add(
        interaction: Interaction,
        persona: str,
        name: str,
        *,
        image: discord.Attachment | None = None,
        url: str | None = None,
        instructions: str = "",
        identity: bool = False,
    ) -> None:
        if not await may_manage_server(interaction):
            return
        await wait_for_it(interaction)
        character = await persona_called(interaction, context, persona)
        if character is None or await _is_taken(interaction, character, name):
            return
        avatar = await avatar_given(image, url)
        if avatar is None:
            msg = "A sprite needs a picture; give one, or its address."
            raise InputError(msg)
        sprite = await context.services.cast.add_sprite(
            server_of(interaction), character.name, CharacterSprite(name, avatar, instructions, identity)
        )
        text = "{persona} now has the sprite {name}."
        await tell(interaction, text, persona=quoted(character.name), name=quoted(sprite.name))


def _add_edit(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name=locale_str("edit"), description=locale_str("Change a sprite"))
    @app_commands.rename(
        persona=locale_str("persona"), name=locale_str("name"), new_name=locale_str("new_name"),
        image=locale_str("image"), url=locale_str("url"), instructions=locale_str("instructions"),
        identity=locale_str("identity"),
    )  # fmt: skip
    @app_commands.describe(
        persona=locale_str("The persona of the sprite"),
        name=locale_str("The sprite"),
        new_name=locale_str("New name of the sprite"),
        image=locale_str("The picture"),
        url=locale_str("The address of the picture"),
        instructions=locale_str("When the model should use it; - removes this"),
        identity=locale_str("Whether the sprite is an identity of its own"),
    )
    @app_commands.autocomplete(persona=suggesting_personas(context), name=_suggesting_sprites(context))
    @answered
    async def edit(
        interaction: Interaction,
        persona: str,
        name: str,
        *,
        new_name: str | None = None,
        image: discord.Attachment | None = None,
        url: str | None = None,
        instructions: str | None = None,
        identity: bool | None = None,
    ) -> None:
        if not await may_manage_server(interaction):
            return
        await wait_for_it(interaction)
        character = await persona_called(interaction, context, persona)
        sprite = None if character is None else await _sprite(interaction, character, name)
        if character is None or sprite is None:
            return
        if new_name is not None and await _is_taken(interaction, character, new_name, by=sprite.name):
            return
        changed = only({"name": new_name, "avatar": await avatar_given(image, url), "is_identity": identity})
        if instructions is not None:
            changed["instructions"] = kept_or_cleared(instructions, sprite.instructions)
        if not changed:
            await tell(interaction, "Nothing was changed.")
            return
        server = server_of(interaction)
        after = await context.services.cast.change_sprite(
            server, character.name, sprite.name, lambda one: replace(one, **changed)
        )
        await tell(interaction, "The sprite {name} was changed.", name=quoted(after.name))


def _add_delete(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name=locale_str("delete"), description=locale_str("Delete a sprite"))
    @app_commands.rename(persona=locale_str("persona"), name=locale_str("name"))
    @app_commands.describe(persona=locale_str("The persona of the sprite"), name=locale_str("The sprite"))
    @app_commands.autocomplete(persona=suggesting_personas(context), name=_suggesting_sprites(context))
    @answered
    async def delete(interaction: Interaction, persona: str, name: str) -> None:
        if not await may_manage_server(interaction):
            return
        character = await persona_called(interaction, context, persona)
        sprite = None if character is None else await _sprite(interaction, character, name)
        if character is None or sprite is None:
            return
        await context.services.cast.remove_sprite(server_of(interaction), character.name, sprite.name)
        text = "The sprite {name} of {persona} was deleted."
        await tell(interaction, text, persona=quoted(character.name), name=quoted(sprite.name))


# --- who and which ---------------------------------------------------------------------------


async def _sprite(interaction: Interaction, character: Character, name: str) -> CharacterSprite | None:
    for sprite in character.sprites:
        if key_of(sprite.name) == key_of(name):
            return sprite
    text = "{persona} has no sprite called {name}; see /sprite list."
    await tell(interaction, text, persona=quoted(character.name), name=quoted(name[:64]))
    return None


async def _is_taken(interaction: Interaction, character: Character, name: str, *, by: str = "") -> bool:
    taken = {key_of(sprite.name) for sprite in character.sprites} - {key_of(by)}
    if key_of(name) not in taken:
        return False
    text = "{persona} already has a sprite called {name}; edit it, or choose another name."
    await tell(interaction, text, persona=quoted(character.name), name=quoted(name[:64]))
    return True


def _suggesting_sprites(context: CommandContext) -> Suggesting:
    """Suggest the sprites of the selected persona."""

    async def found(interaction: Interaction) -> Iterable[str]:
        character = await context.services.cast.find(server_of(interaction), str(interaction.namespace.persona or ""))
        return [] if character is None else [sprite.name for sprite in character.sprites]

    return suggesting(found)
