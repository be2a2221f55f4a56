"""``/stop``, ``/regenerate`` and ``/continue``; the last two also as context menus."""

from __future__ import annotations

from typing import assert_never

import discord
from discord import app_commands

from ..reply_controls import ControlRefused
from .context import AnyCommand, CommandContext, Interaction, answered, asker_of, tell, words


def commands(context: CommandContext) -> list[AnyCommand]:
    """The commands and context menus."""
    return [_stop(context), _regenerate(context), _go_on(context), _regenerate_menu(context), _go_on_menu(context)]


def _stop(context: CommandContext) -> AnyCommand:
    @app_commands.command(name="stop", description="Stop the reply here")
    @answered
    async def stop(interaction: Interaction) -> None:
        result = context.control.stop(str(interaction.channel_id), asker_of(interaction))
        if isinstance(result, ControlRefused):
            await refuse(interaction, result, nothing="There is nothing to stop.")
        elif not result:
            await tell(interaction, "There is nothing to stop.")
        elif result.cleared:
            await tell(interaction, "Stopped; {count} in the queue will not be answered.", count=result.cleared)
        else:
            await tell(interaction, "Stopped.")

    return stop


def _regenerate(context: CommandContext) -> AnyCommand:
    @app_commands.command(name="regenerate", description="Regenerate the last reply here")
    @answered
    async def regenerate(interaction: Interaction) -> None:
        await _regenerate_reply(context, interaction)

    return regenerate


def _regenerate_menu(context: CommandContext) -> AnyCommand:
    @app_commands.context_menu(name="Regenerate")
    @answered
    async def regenerate_this(interaction: Interaction, message: discord.Message) -> None:
        await _regenerate_reply(context, interaction, str(message.id))

    return regenerate_this


def _go_on(context: CommandContext) -> AnyCommand:
    @app_commands.command(name="continue", description="Continue the last reply here where it ended")
    @answered
    async def go_on(interaction: Interaction) -> None:
        await _say_more(context, interaction)

    return go_on


def _go_on_menu(context: CommandContext) -> AnyCommand:
    @app_commands.context_menu(name="Continue")
    @answered
    async def go_on_from_this(interaction: Interaction, message: discord.Message) -> None:
        await _say_more(context, interaction, str(message.id))

    return go_on_from_this


async def _regenerate_reply(context: CommandContext, interaction: Interaction, message: str = "") -> None:
    await interaction.response.defer(ephemeral=True, thinking=True)
    refusal = await context.control.regenerate(str(interaction.channel_id), asker_of(interaction), message=message)
    if refusal is None:
        await tell(interaction, "Regenerating.")
    else:
        await refuse(interaction, refusal, nothing="There is no reply of mine to regenerate.")


async def _say_more(context: CommandContext, interaction: Interaction, message: str = "") -> None:
    await interaction.response.defer(ephemeral=True, thinking=True)
    refusal = await context.control.go_on(str(interaction.channel_id), asker_of(interaction), message=message)
    if refusal is None:
        await tell(interaction, "Continuing.")
    else:
        await refuse(interaction, refusal, nothing="There is no reply of mine to continue.")


async def refuse(interaction: Interaction, refusal: ControlRefused, *, nothing: str) -> None:
    """Answer why it was refused; *nothing* is the sentence for a missing reply."""
    match refusal:
        case ControlRefused.NOTHING_THERE:
            await tell(interaction, nothing)
        case ControlRefused.NOT_THEIRS:
            told = (
                "That reply is for someone else; only they, or members with the permission “{permission}”, can do that."
            )
            await tell(interaction, told, permission=words(interaction, "Manage Messages"))
        case ControlRefused.BUSY:
            await tell(interaction, "A reply is running here; wait until it ends, or stop it first.")
        case ControlRefused.TOO_MUCH:
            await tell(interaction, "You have reached your limit for now; try again later.")
        case _:
            assert_never(refusal)
