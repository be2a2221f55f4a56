"""What commands that choose something for a server or a channel have in common: where it holds, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import discord

from ...service.choices import Choice
from .frame import Desk, Interaction, may_manage_server, tell, words

Where: TypeAlias = Literal["server", "channel"]
"""Where something is to hold."""
MANAGERS = discord.Permissions(manage_guild=True)
"""Who sees such commands, unless a server shows them to others."""


def parent_of(place: object) -> str:
    """The id of the channel of the thread in which a command is used; empty elsewhere."""
    return str(place.parent_id) if isinstance(place, discord.Thread) else ""


async def change(desk: Desk, interaction: Interaction, where: Where, change: Callable[[Choice], Choice]) -> Choice:
    """Let the server, or the channel, in which a command is used choose otherwise."""
    server, choices = str(interaction.guild_id), desk.staff.choices
    if where == "server":
        return await choices.change_server(server, change)
    return await choices.change_channel(str(interaction.channel_id), server, change)


async def choose(desk: Desk, interaction: Interaction, where: Where, /, **chosen: Any) -> None:
    """Keep what was *chosen*, by the names of ``Choice``, and say so; who may not is told that."""
    if not await may_manage_server(interaction):
        return
    given = {name: value for name, value in chosen.items() if value is not None}
    if not given:
        await tell(interaction, "Nothing was chosen; give at least one of the options.")
        return
    await change(desk, interaction, where, lambda choice: replace(choice, **given))
    await say_chosen(interaction, where, given)


async def choose_settings(desk: Desk, interaction: Interaction, where: Where, /, **chosen: object) -> None:
    """Keep settings of the pipeline likewise."""
    if not await may_manage_server(interaction):
        return
    given = {name: value for name, value in chosen.items() if value is not None}
    if not given:
        await tell(interaction, "Nothing was chosen; give at least one of the options.")
        return
    await change(desk, interaction, where, lambda choice: with_settings(choice, given))
    await say_chosen(interaction, where, given)


def with_settings(choice: Choice, given: Mapping[str, object]) -> Choice:
    """*choice* with the settings that were *given* besides its own."""
    return replace(choice, settings=MappingProxyType({**choice.settings, **given}))


async def say_chosen(interaction: Interaction, where: Where, given: Mapping[str, object]) -> None:
    """Say what holds from now on."""
    what = ", ".join(f"`{name}` = {shown(interaction, value)}" for name, value in given.items())
    if where == "server":
        await tell(interaction, "From now on in this server: {what}.", what=what)
    else:
        await tell(interaction, "From now on in this channel: {what}.", what=what)


def shown(interaction: Interaction, value: object) -> str:
    """*value* as people read it; what somebody typed cannot become Markdown or call anybody."""
    match value:
        case None | "" | ():
            return words(interaction, "none")
        case True:
            return words(interaction, "on")
        case False:
            return words(interaction, "off")
        case list() | tuple():
            return ", ".join(shown(interaction, one) for one in value) or words(interaction, "none")
        case str():
            return f"`{value.replace('`', 'ˋ')}`"
        case _:
            return f"{value:g}" if isinstance(value, float) else str(value)
