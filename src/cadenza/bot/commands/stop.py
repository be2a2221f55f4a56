"""``/stop``, ``/regenerate`` and ``/continue``, and the last two as menus on a message."""

from __future__ import annotations

from typing import assert_never

import discord
from discord import app_commands

from ..reply_controls import ControlRefused
from .context import AnyCommand, Desk, Interaction, answered, asker_of, tell, words


def commands(desk: Desk) -> list[AnyCommand]:
    """What people can do about a reply."""
    return [_stop(desk), _regenerate(desk), _go_on(desk), _regenerate_menu(desk), _go_on_menu(desk)]


def _stop(desk: Desk) -> AnyCommand:
    @app_commands.command(name="stop", description="Stop what is being said here")
    @answered
    async def stop(interaction: Interaction) -> None:
        result = desk.control.stop(str(interaction.channel_id), asker_of(interaction))
        if isinstance(result, ControlRefused):
            await refuse(interaction, result, nothing="There is nothing to stop.")
        elif not result:
            await tell(interaction, "There is nothing to stop.")
        elif result.cleared:
            await tell(interaction, "Stopped; {count} that waited will not be answered.", count=result.cleared)
        else:
            await tell(interaction, "Stopped.")

    return stop


def _regenerate(desk: Desk) -> AnyCommand:
    @app_commands.command(name="regenerate", description="Have the last reply here said anew")
    @answered
    async def regenerate(interaction: Interaction) -> None:
        await _say_anew(desk, interaction)

    return regenerate


def _regenerate_menu(desk: Desk) -> AnyCommand:
    @app_commands.context_menu(name="Regenerate")
    @answered
    async def regenerate_this(interaction: Interaction, message: discord.Message) -> None:
        await _say_anew(desk, interaction, str(message.id))

    return regenerate_this


def _go_on(desk: Desk) -> AnyCommand:
    @app_commands.command(name="continue", description="Let the last reply here go on where it ended")
    @answered
    async def go_on(interaction: Interaction) -> None:
        await _say_more(desk, interaction)

    return go_on


def _go_on_menu(desk: Desk) -> AnyCommand:
    @app_commands.context_menu(name="Continue")
    @answered
    async def go_on_from_this(interaction: Interaction, message: discord.Message) -> None:
        await _say_more(desk, interaction, str(message.id))

    return go_on_from_this


async def _say_anew(desk: Desk, interaction: Interaction, message: str = "") -> None:
    await interaction.response.defer(ephemeral=True, thinking=True)
    refusal = await desk.control.regenerate(str(interaction.channel_id), asker_of(interaction), message=message)
    if refusal is None:
        await tell(interaction, "It is being said anew.")
    else:
        await refuse(interaction, refusal, nothing="There is no reply of mine that could be said anew.")


async def _say_more(desk: Desk, interaction: Interaction, message: str = "") -> None:
    await interaction.response.defer(ephemeral=True, thinking=True)
    refusal = await desk.control.go_on(str(interaction.channel_id), asker_of(interaction), message=message)
    if refusal is None:
        await tell(interaction, "It goes on.")
    else:
        await refuse(interaction, refusal, nothing="There is no reply of mine that could go on.")


async def refuse(interaction: Interaction, refusal: ControlRefused, *, nothing: str) -> None:
    """Say why not; *nothing* is what is said where there is no reply that it could be about."""
    match refusal:
        case ControlRefused.NOTHING_THERE:
            await tell(interaction, nothing)
        case ControlRefused.NOT_THEIRS:
            told = "That is said to somebody else; only they, or who has the permission “{permission}”, can do that."
            await tell(interaction, told, permission=words(interaction, "Manage Messages"))
        case ControlRefused.BUSY:
            await tell(interaction, "Something is being said here; wait until it has ended, or stop it first.")
        case ControlRefused.TOO_MUCH:
            await tell(interaction, "That is as much as you may have for now; try it again later.")
        case _:
            assert_never(refusal)
