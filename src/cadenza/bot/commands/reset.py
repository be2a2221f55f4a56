"""``/reset``: starts a new conversation."""

from __future__ import annotations

from discord import app_commands

from ..services.resets import Resets
from .context import AnyCommand, CommandContext, Interaction, answered, asker_of, tell, words


def commands(context: CommandContext) -> list[AnyCommand]:
    """The command ``/reset``."""

    @app_commands.command(
        name="reset", description="Start a new conversation here; earlier messages are no longer read"
    )
    @answered
    async def reset(interaction: Interaction) -> None:
        asker = asker_of(interaction)
        if not asker.may_manage:
            permission = words(interaction, "Manage Messages")
            await tell(interaction, "You need the permission “{permission}” for this.", permission=permission)
            return
        channel, server = str(interaction.channel_id), str(interaction.guild_id or "")
        await Resets(context.services.store).begin(channel, str(interaction.id), server=server, person=asker.id)
        await context.services.memory.short_term.leave(channel, server=server, person=asker.id)
        text = "A new conversation starts here; earlier messages are no longer read. Notes stay: see /memory."
        await tell(interaction, text)

    return [reset]
