"""What commands that choose something for a server or a channel have in common: where it holds, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import discord

from ...targets.discord_py.channel_info import parent_of
from ..config.config import Config
from ..services.choices import Choice
from .command_inputs import only
from .context import Desk, Interaction, may_manage_server, tell, words

Where: TypeAlias = Literal["server", "channel"]
"""Where something is to hold."""
DEGREES = (
    "0: one message at the end",
    "1: a message a line",
    "2: a message a line, with typing",
    "3: a message a sentence, with typing",
)
"""What each degree is, in words."""
MANAGERS = discord.Permissions(manage_guild=True)
"""Who sees such commands, unless a server shows them to others."""


async def change(desk: Desk, interaction: Interaction, where: Where, change: Callable[[Choice], Choice]) -> Choice:
    """Let the server, or the channel, in which a command is used choose otherwise."""
    server, choices = str(interaction.guild_id), desk.staff.choices
    if where == "server":
        return await choices.change_server(server, change)
    return await choices.change_channel(str(interaction.channel_id), server, change)


async def choose(desk: Desk, interaction: Interaction, where: Where, /, **chosen: Any) -> None:
    """Keep what was *chosen*, by the names of ``Choice``, and say so; who may not is told that."""
    await _keep(desk, interaction, where, chosen, lambda choice, given: replace(choice, **given))


async def choose_settings(desk: Desk, interaction: Interaction, where: Where, /, **chosen: object) -> None:
    """Keep settings of the pipeline likewise."""
    await _keep(desk, interaction, where, chosen, with_settings)


async def _keep(
    desk: Desk,
    interaction: Interaction,
    where: Where,
    chosen: Mapping[str, Any],
    put: Callable[[Choice, Mapping[str, Any]], Choice],
) -> None:
    """Keep what *put* makes of a choice and what was given of the options that could be *chosen*."""
    if not await may_manage_server(interaction):
        return
    given = only(chosen)
    if not given:
        await tell(interaction, "Nothing was chosen; give at least one of the options.")
        return
    await change(desk, interaction, where, lambda choice: put(choice, given))
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


def is_listed(interaction: Interaction, config: Config) -> bool:
    """Whether the configuration has everything answered here, or in the channel of this thread."""
    here = {str(interaction.channel_id), parent_of(interaction.channel)}
    return not here.isdisjoint(config.conversation.channels)


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
