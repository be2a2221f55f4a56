"""Shared by commands that set something for a server or a channel: where it holds, and the answer."""

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
from .context import CommandContext, Interaction, may_manage_server, tell, words

Where: TypeAlias = Literal["server", "channel"]
"""Where a choice holds."""
SHAPES: Mapping[str, str] = MappingProxyType(
    {"reply": "one message", "blocks": "paragraphs", "lines": "lines", "sentences": "sentences"}
)
"""The shapes of a reply in words."""
MANAGERS = discord.Permissions(manage_guild=True)
"""The permission that shows such commands by default."""


async def change(
    context: CommandContext, interaction: Interaction, where: Where, change: Callable[[Choice], Choice]
) -> Choice:
    """Change the choice of the server or channel of *interaction*."""
    server, choices = str(interaction.guild_id), context.services.choices
    if where == "server":
        return await choices.change_server(server, change)
    return await choices.change_channel(str(interaction.channel_id), server, change)


async def choose(context: CommandContext, interaction: Interaction, where: Where, /, **chosen: Any) -> None:
    """Store the *chosen* fields of ``Choice`` and answer; users without the permission are refused."""
    await _keep(context, interaction, where, chosen, lambda choice, given: replace(choice, **given))


async def choose_settings(context: CommandContext, interaction: Interaction, where: Where, /, **chosen: object) -> None:
    """Store settings of the pipeline in the same way."""
    await _keep(context, interaction, where, chosen, with_settings)


async def _keep(
    context: CommandContext,
    interaction: Interaction,
    where: Where,
    chosen: Mapping[str, Any],
    put: Callable[[Choice, Mapping[str, Any]], Choice],
) -> None:
    """Store what *put* makes of the choice and the given options of *chosen*."""
    if not await may_manage_server(interaction):
        return
    given = only(chosen)
    if not given:
        await tell(interaction, "Nothing was changed; give at least one option.")
        return
    await change(context, interaction, where, lambda choice: put(choice, given))
    await say_chosen(interaction, where, given)


def with_settings(choice: Choice, given: Mapping[str, object]) -> Choice:
    """*choice* with the *given* settings added."""
    return Choice(settings=MappingProxyType(dict(given))).over(choice)


async def say_chosen(interaction: Interaction, where: Where, given: Mapping[str, object]) -> None:
    """Answer with what was set."""
    what = ", ".join(f"`{name}` = {shown(interaction, value)}" for name, value in given.items())
    if where == "server":
        await tell(interaction, "Set for this server: {what}.", what=what)
    else:
        await tell(interaction, "Set for this channel: {what}.", what=what)


def is_listed(interaction: Interaction, config: Config) -> bool:
    """Whether the configuration lists this channel, or the parent of this thread, as one where all is answered."""
    here = {str(interaction.channel_id), parent_of(interaction.channel)}
    return not here.isdisjoint(config.conversation.channels)


def shown(interaction: Interaction, value: object) -> str:
    """*value* for people; typed text is escaped, without Markdown and pings."""
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
