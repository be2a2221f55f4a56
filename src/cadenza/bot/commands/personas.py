"""``/persona``: list, show, create, edit and delete characters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import discord
from discord import app_commands, ui
from discord.app_commands import locale_str

from ...errors import InputError
from ...targets.discord_py.readable_text import shortened
from ..characters.character import Character
from ..characters.names import character_name, key_of
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
from .persona_cards import add_cards
from .persona_channel import add_stage
from .persona_form import PersonaForm, listed

_LONGEST_MODEL = 100
_CHANNELS_OWN = -1
_DEGREES = {
    _CHANNELS_OWN: "Same as the channel",
    0: "0: one message at the end",
    1: "1: a message per line",
    2: "2: a message per line, with typing",
    3: "3: a message per sentence, with typing",
}


def commands(context: CommandContext) -> list[AnyCommand]:
    """``/persona`` for *context*."""
    group = app_commands.Group(
        name=locale_str("persona"), description=locale_str("The characters of the bot"), guild_only=True
    )
    for add in (_add_asking, _add_making, _add_setting, _add_deleting, add_cards, add_stage):
        add(group, context)
    return [group]


# --- for everybody ------------------------------------------------------------------------


def _add_asking(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name=locale_str("list"), description=locale_str("List the characters"))
    @answered
    async def list_(interaction: Interaction) -> None:
        cast = await context.services.cast.of(server_of(interaction))
        lines = [_line(interaction, character) for character in cast]
        await show(interaction, joined(lines, 2000, lambda left: words(interaction, "… and {count} more", count=left)))

    @group.command(name=locale_str("show"), description=locale_str("Show a character"))
    @app_commands.rename(name=locale_str("name"))
    @app_commands.describe(name=locale_str("The character"))
    @app_commands.autocomplete(name=suggesting_personas(context))
    @answered
    async def show_(interaction: Interaction, name: str) -> None:
        character = await persona_called(interaction, context, name)
        if character is not None:
            await show(interaction, embed=_embed(interaction, character))


def _line(interaction: Interaction, character: Character) -> str:
    parts = [f"**{quoted(character.name)}**"]
    if character.is_main:
        parts.append(words(interaction, "(main)"))
    if character.triggers:
        parts.append("· " + quoted(", ".join(character.triggers[:5])))
    if character.sprites:
        parts.append("· " + _sprites(interaction, len(character.sprites)))
    return " ".join(parts)


def _sprites(interaction: Interaction, count: int) -> str:
    return words(interaction, "1 sprite") if count == 1 else words(interaction, "{count} sprites", count=count)


def _embed(interaction: Interaction, character: Character) -> discord.Embed:
    embed = discord.Embed(title=character.name, description=shortened(character.prompt.strip(), 2000) or None)
    sprites = ", ".join(sprite.name for sprite in character.sprites)
    degree = "" if character.own.degree is None else str(character.own.degree)
    for label, text in (
        ("Personality", character.personality),
        ("Scenario", character.scenario),
        ("Greeting", character.greeting),
        ("Trigger words", ", ".join(character.triggers)),
        ("Sprites", sprites),
        ("Degree", degree),
        ("Model", character.own.model),
    ):
        if text.strip():
            embed.add_field(name=words(interaction, label), value=shortened(text.strip(), 500), inline=False)
    if character.avatar.startswith("https://"):
        embed.set_thumbnail(url=character.avatar)
    if character.is_main:
        embed.set_footer(text=words(interaction, "The bot itself"))
    return embed


# --- making and editing ----------------------------------------------------------------------


def _add_making(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name=locale_str("create"), description=locale_str("Create a character"))
    @app_commands.rename(
        name=locale_str("name"), prompt=locale_str("prompt"), image=locale_str("image"), url=locale_str("url")
    )
    @app_commands.describe(
        name=locale_str("Name of the character"),
        prompt=locale_str("Description; /persona edit has room for more"),
        image=locale_str("The avatar"),
        url=locale_str("Address of the avatar"),
    )
    @answered
    async def create(
        interaction: Interaction,
        name: str,
        prompt: str = "",
        image: discord.Attachment | None = None,
        url: str | None = None,
    ) -> None:
        if not await may_manage_server(interaction):
            return
        await wait_for_it(interaction)
        if await _is_taken(interaction, context, character_name(name)):
            return
        avatar = await avatar_given(image, url)
        made = Character(name, prompt=prompt.strip(), avatar=avatar or "")
        made = await context.services.cast.save(server_of(interaction), made, by=str(interaction.user.id))
        await tell(interaction, "{name} was created; /persona edit has room for more.", name=quoted(made.name))

    @group.command(name=locale_str("edit"), description=locale_str("Edit a character’s prompt and texts"))
    @app_commands.rename(name=locale_str("name"))
    @app_commands.describe(name=locale_str("The character"))
    @app_commands.autocomplete(name=suggesting_personas(context))
    @answered
    async def edit(interaction: Interaction, name: str) -> None:
        if not await may_manage_server(interaction):
            return
        character = await persona_called(interaction, context, name)
        if character is not None:
            await interaction.response.send_modal(PersonaForm(context, interaction, character))


async def _is_taken(interaction: Interaction, context: CommandContext, name: str, *, by: str = "") -> bool:
    """Whether a character other than *by* has this *name*; if so, the user is told."""
    other = await context.services.cast.find(server_of(interaction), name)
    if other is None or key_of(other.name) == key_of(by):
        return False
    await tell(interaction, "There is already a character called {name}; choose another name.", name=quoted(other.name))
    return True


# --- setting -------------------------------------------------------------------------------


def _add_setting(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name=locale_str("set"), description=locale_str("Change a character’s name, avatar, degree or model"))
    @app_commands.rename(
        name=locale_str("name"), new_name=locale_str("new_name"), degree=locale_str("degree"),
        model=locale_str("model"), image=locale_str("image"), url=locale_str("url"), main=locale_str("main"),
    )  # fmt: skip
    @app_commands.describe(
        name=locale_str("The character"),
        new_name=locale_str("New name of the character"),
        degree=locale_str("How the character’s replies are delivered"),
        model=locale_str("Model of the character; - for the channel’s model"),
        image=locale_str("The avatar"),
        url=locale_str("Address of the avatar; - removes it"),
        main=locale_str("Whether the character is the bot itself"),
    )
    @app_commands.choices(
        degree=[app_commands.Choice(name=locale_str(text), value=degree) for degree, text in _DEGREES.items()]
    )
    @app_commands.autocomplete(name=suggesting_personas(context), model=_suggesting_models(context))
    @answered
    async def set_(
        interaction: Interaction,
        name: str,
        *,
        new_name: str | None = None,
        degree: int | None = None,
        model: str | None = None,
        image: discord.Attachment | None = None,
        url: str | None = None,
        main: bool | None = None,
    ) -> None:
        if not await may_manage_server(interaction):
            return
        await wait_for_it(interaction)
        character = await persona_called(interaction, context, name)
        if character is None:
            return
        if new_name is not None and await _is_taken(interaction, context, character_name(new_name), by=character.name):
            return
        if main is False and character.is_main:
            await tell(interaction, "One character must be the bot itself; set “main” on another one first.")
            return
        own = _degree(degree) | _model(context, model, character)
        changed = only({"name": new_name, "is_main": main}) | await _avatar(image, url)
        if not own and not changed:
            await tell(interaction, "Nothing was changed.")
            return
        after = await context.services.cast.change(
            server_of(interaction),
            character.name,
            lambda one: replace(one, own=replace(one.own, **own), **changed),
            by=str(interaction.user.id),
        )
        await tell(interaction, "{name} was changed.", name=quoted(after.name))

    @group.command(name=locale_str("triggers"), description=locale_str("Show or change a character’s trigger words"))
    @app_commands.rename(name=locale_str("name"), words_=locale_str("words"))
    @app_commands.describe(
        name=locale_str("The character"), words_=locale_str("The words, separated by commas; - removes them")
    )
    @app_commands.autocomplete(name=suggesting_personas(context))
    @answered
    async def triggers(interaction: Interaction, name: str, words_: str | None = None) -> None:
        if not await may_manage_server(interaction):
            return
        character = await persona_called(interaction, context, name)
        if character is None:
            return
        if words_ is not None:
            chosen = listed(kept_or_cleared(words_, ""))
            character = await context.services.cast.change(
                server_of(interaction), character.name, lambda one: replace(one, triggers=chosen)
            )
        await _tell_triggers(interaction, character)


async def _tell_triggers(interaction: Interaction, character: Character) -> None:
    name = quoted(character.name)
    if not character.triggers:
        await tell(interaction, "{name} has no trigger words besides the name.", name=name)
        return
    told = quoted(", ".join(character.triggers))
    await tell(interaction, "{name} listens to: {words}", name=name, words=told)


def _suggesting_models(context: CommandContext) -> Suggesting:
    async def found(_: Interaction) -> Iterable[str]:
        return _models(context)

    return suggesting(found)


def _models(context: CommandContext) -> list[str]:
    models = context.services.config.now.models
    return list(dict.fromkeys(name for name in (*models.named, models.default, *models.fallbacks) if name))


def _degree(given: int | None) -> dict[str, Any]:
    return {} if given is None else {"degree": None if given == _CHANNELS_OWN else given}


def _model(context: CommandContext, given: str | None, character: Character) -> dict[str, Any]:
    if given is None:
        return {}
    model = kept_or_cleared(given, character.own.model)
    if model and ":" not in model and model not in _models(context):
        msg = "No model has that name; pick a suggestion, or write vendor:model."
        raise InputError(msg)
    if len(model) > _LONGEST_MODEL:
        msg = "That is not the name of a model; pick a suggestion."
        raise InputError(msg)
    return {"model": model}


async def _avatar(image: discord.Attachment | None, url: str | None) -> dict[str, Any]:
    if url is not None and not kept_or_cleared(url, ""):
        return {"avatar": ""}
    avatar = await avatar_given(image, url)
    return {} if avatar is None else {"avatar": avatar}


# --- deleting ------------------------------------------------------------------------------


def _add_deleting(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name=locale_str("delete"), description=locale_str("Delete a character for good"))
    @app_commands.rename(name=locale_str("name"))
    @app_commands.describe(name=locale_str("The character"))
    @app_commands.autocomplete(name=suggesting_personas(context))
    @answered
    async def delete(interaction: Interaction, name: str) -> None:
        if not await may_manage_server(interaction):
            return
        character = await persona_called(interaction, context, name)
        if character is None:
            return
        if not await context.services.cast.keeps(server_of(interaction), character.name):
            text = "{name} is defined in the bot’s configuration and cannot be deleted here."
            await tell(interaction, text, name=quoted(character.name))
            return
        text = "Delete {name} for good, with all sprites? An export keeps a copy."
        asked = words(interaction, text, name=quoted(character.name))
        await show(interaction, asked, view=_Confirmation(context, interaction, character))


class _Confirmation(ui.View):
    """An ephemeral button that deletes a character."""

    def __init__(self, context: CommandContext, interaction: Interaction, character: Character) -> None:
        super().__init__(timeout=120.0)
        self._context = context
        self._character = character
        button: ui.Button[_Confirmation] = ui.Button(
            label=words(interaction, "Delete"), style=discord.ButtonStyle.danger, custom_id="persona-delete"
        )
        button.callback = self._pressed  # type: ignore[method-assign]  # discord.py's own way to do it
        self.add_item(button)

    async def _pressed(self, interaction: Interaction) -> None:
        await _delete(interaction, self._context, self._character.name, self)


@answered
async def _delete(interaction: Interaction, context: CommandContext, name: str, confirmation: ui.View) -> None:
    if not await may_manage_server(interaction):
        return
    confirmation.stop()
    if await context.services.cast.remove(server_of(interaction), name):
        text = "{name} was deleted."
    else:
        text = "{name} was already deleted."
    await interaction.response.edit_message(content=words(interaction, text, name=quoted(name)), view=None)
