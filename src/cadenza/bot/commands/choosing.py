"""What commands that choose something for a server or a channel have in common: where it holds, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import discord

from ...config.config import Config
from ...service.choices import Choice
from ..rooms import parent_of
from .frame import CommandContext, Interaction, may_manage_server, tell, words
from .given import only

Where: TypeAlias = Literal["server", "channel"]
"""Where something is to hold."""
DEGREES = (
    "0: one message at the end",
    "1: a message per line",
    "2: a message per line, with typing",
    "3: a message per sentence, with typing",
)
"""What each degree is, in words."""
MANAGERS = discord.Permissions(manage_guild=True)
"""Who sees such commands, unless a server shows them to others."""


async def change(
    context: CommandContext, interaction: Interaction, where: Where, change: Callable[[Choice], Choice]
) -> Choice:
    """Let the server, or the channel, in which a command is used choose otherwise."""
    server, choices = str(interaction.guild_id), context.staff.choices
    if where == "server":
        return await choices.change_server(server, change)
    return await choices.change_channel(str(interaction.channel_id), server, change)


async def choose(context: CommandContext, interaction: Interaction, where: Where, /, **chosen: Any) -> None:
    """Keep what was *chosen*, by the names of ``Choice``, and say so; who may not is told that."""
    await _keep(context, interaction, where, chosen, lambda choice, given: replace(choice, **given))


async def choose_settings(context: CommandContext, interaction: Interaction, where: Where, /, **chosen: object) -> None:
    """Keep settings of the pipeline likewise."""
    await _keep(context, interaction, where, chosen, with_settings)


async def _keep(
    context: CommandContext,
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
        await tell(interaction, "Nothing was changed; give at least one option.")
        return
    await change(context, interaction, where, lambda choice: put(choice, given))
    await say_chosen(interaction, where, given)


def with_settings(choice: Choice, given: Mapping[str, object]) -> Choice:
    """*choice* with the settings that were *given* besides its own."""
    return replace(choice, settings=MappingProxyType({**choice.settings, **given}))


async def say_chosen(interaction: Interaction, where: Where, given: Mapping[str, object]) -> None:
    """Say what holds from now on."""
    what = ", ".join(f"`{name}` = {shown(interaction, value)}" for name, value in given.items())
    if where == "server":
        await tell(interaction, "Set for this server: {what}.", what=what)
    else:
        await tell(interaction, "Set for this channel: {what}.", what=what)


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
