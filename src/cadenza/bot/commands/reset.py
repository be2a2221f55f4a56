"""``/reset``: the conversation begins anew."""

from __future__ import annotations

from discord import app_commands

from ..services.resets import Resets
from .context import AnyCommand, Desk, Interaction, answered, asker_of, tell, words


def commands(desk: Desk) -> list[AnyCommand]:
    """The one command that there is."""

    @app_commands.command(name="reset", description="Begin anew here: what was said so far is not told any more")
    @answered
    async def reset(interaction: Interaction) -> None:
        asker = asker_of(interaction)
        if not asker.may_manage:
            permission = words(interaction, "Manage Messages")
            await tell(interaction, "You need the permission “{permission}” for this.", permission=permission)
            return
        channel, server = str(interaction.channel_id), str(interaction.guild_id or "")
        await Resets(desk.staff.store).begin(channel, str(interaction.id), server=server, person=asker.id)
        await desk.staff.memory.short_term.leave(channel, server=server, person=asker.id)
        await tell(
            interaction,
            "This conversation begins anew; nothing that was said here before is read any more. "
            "Notes stay: see /memory.",
        )

    return [reset]
