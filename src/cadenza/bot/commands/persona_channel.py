"""``/persona greet`` and ``/persona here``: greetings, and the characters of a channel."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import discord
from discord import app_commands
from discord.app_commands import locale_str

from ...errors import InputError, Sentence
from ..characters.cast import named
from ..characters.character import Character
from ..services.choices import Choice
from .command_inputs import kept_or_cleared, persona_called, quoted, server_of, suggesting_personas, wait_for_it
from .context import (
    CommandContext,
    Interaction,
    Suggesting,
    answered,
    asker_of,
    matching,
    may_manage_server,
    tell,
    words,
)
from .persona_form import listed
from .scoped_choice import change
from .stop import refuse

_MOST_HERE = 25
_LONGEST = 100
"""Discord's limit for a suggestion."""


def add_stage(group: app_commands.Group, context: CommandContext) -> None:
    """Add these commands to *group*."""
    _add_greet(group, context)
    _add_here(group, context)


# --- greetings --------------------------------------------------------------------------------


def _add_greet(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name=locale_str("greet"), description=locale_str("Let a character say its greeting here"))
    @app_commands.rename(name=locale_str("name"), number=locale_str("number"))
    @app_commands.describe(
        name=locale_str("The character"), number=locale_str("Number of the greeting; the first one if empty")
    )
    @app_commands.autocomplete(name=suggesting_personas(context))
    @answered
    async def greet(interaction: Interaction, name: str, number: app_commands.Range[int, 1, 1000] = 1) -> None:
        await wait_for_it(interaction)
        character = await persona_called(interaction, context, name)
        text = None if character is None else await _greeting(interaction, character, number)
        if character is None or text is None:
            return
        channel = interaction.channel
        if not _may_write(interaction) or not isinstance(channel, discord.abc.Messageable):
            await tell(interaction, "You may not write here, so no character greets you here.")
            return
        refusal = await context.control.greet(channel, asker_of(interaction), persona=character.name, text=text)
        if refusal is None:
            await tell(interaction, "{name} will say a greeting.", name=quoted(character.name))
        else:
            await refuse(
                interaction,
                refusal,
                nothing="This character does not speak in this channel; see /persona here and /config show.",
            )


async def _greeting(interaction: Interaction, character: Character, number: int) -> str | None:
    """The greeting *number* of *character*; if there is none, the user is told."""
    greetings = [text for text in (character.greeting, *character.other_greetings) if text.strip()]
    name = quoted(character.name)
    if not greetings:
        await tell(interaction, "{name} has no greeting; write one with /persona edit.", name=name)
        return None
    if number > len(greetings) == 1:
        await tell(interaction, "{name} has only one greeting.", name=name)
        return None
    if number > len(greetings):
        await tell(interaction, "{name} has only {count} greetings.", name=name, count=len(greetings))
        return None
    return greetings[number - 1]


def _may_write(interaction: Interaction) -> bool:
    allowed = interaction.permissions
    is_thread = isinstance(interaction.channel, discord.Thread)
    return allowed.send_messages_in_threads if is_thread else allowed.send_messages


# --- who speaks here ----------------------------------------------------------------------------


def _add_here(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name=locale_str("here"), description=locale_str("Show or choose the characters of this channel"))
    @app_commands.rename(names=locale_str("names"), first=locale_str("first"))
    @app_commands.describe(
        names=locale_str("Characters that may speak here, separated by commas; - for all"),
        first=locale_str("The character that answers by default; - for the main one"),
    )
    @app_commands.autocomplete(names=_suggesting_several(context), first=suggesting_personas(context))
    @answered
    async def here(interaction: Interaction, names: str | None = None, first: str | None = None) -> None:
        if not await may_manage_server(interaction):
            return
        await wait_for_it(interaction)
        cast = await context.services.cast.of(server_of(interaction))
        given: dict[str, Any] = {}
        if names is not None:
            given["personas"] = _several(cast, kept_or_cleared(names, "")) or None
        if first is not None:
            chosen = kept_or_cleared(first, "")
            given["persona"] = _one(cast, chosen).name if chosen else None
        if given:
            await change(context, interaction, "channel", lambda choice: _checked(replace(choice, **given), cast))
        await _tell_who(interaction, context, cast)


def _checked(choice: Choice, cast: tuple[Character, ...]) -> Choice:
    """*choice*, if its default character may speak there."""
    first = named(cast, choice.persona or "")
    if choice.personas and first and first not in [named(cast, name) for name in choice.personas]:
        msg = "The default character must be one that may speak here."
        raise InputError(msg)
    return choice


def _several(cast: tuple[Character, ...], text: str) -> tuple[str, ...]:
    """The characters named in *text*; a name may contain a comma."""
    whole = named(cast, text) if text else None
    found = [whole] if whole else [_one(cast, name) for name in listed(text)]
    if len(found) > _MOST_HERE:
        msg = Sentence("At most {most} can be chosen for a channel.", most=_MOST_HERE)
        raise InputError(msg)
    return tuple(dict.fromkeys(one.name for one in found))


def _one(cast: tuple[Character, ...], name: str) -> Character:
    found = named(cast, name)
    if found is None:
        msg = Sentence("There is no character called {name}; see /persona list.", name=quoted(name[:80]))
        raise InputError(msg)
    return found


async def _tell_who(interaction: Interaction, context: CommandContext, cast: tuple[Character, ...]) -> None:
    place = interaction.channel
    parent = str(place.parent_id) if isinstance(place, discord.Thread) else ""
    choice = await context.services.choices.here(server_of(interaction), str(interaction.channel_id), parent)
    allowed = [named(cast, name) for name in choice.personas or ()]
    present = [one for one in cast if one in allowed]
    first = quoted((named(present or cast, choice.persona or "") or (present or cast)[0]).name)
    who = ", ".join(quoted(one.name) for one in present) or words(interaction, "everybody")
    await tell(interaction, "Characters here: {who}. By default {first} answers.", who=who, first=first)


def _suggesting_several(context: CommandContext) -> Suggesting:
    """Suggest the next name of a list."""
    one = suggesting_personas(context)

    async def suggest(interaction: Interaction, written: str) -> list[app_commands.Choice[str]]:
        before, comma, last = written.rpartition(",")
        found = [choice.value for choice in await one(interaction, last)]
        taken = {name.casefold() for name in listed(before)}
        return matching(_continued(before + comma, (name for name in found if name.casefold() not in taken)), "")

    return suggest


def _continued(before: str, names: Iterable[str]) -> Iterable[str]:
    """*names*, each appended to *before*, within the limit of a suggestion."""
    return (text for name in names if len(text := f"{before} {name}".strip()) <= _LONGEST)
