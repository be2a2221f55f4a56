"""``/explain`` and its context menu: why a message was split, delayed or cut."""

from __future__ import annotations

import io
import re

import discord
from discord import app_commands
from discord.app_commands import locale_str

from ...explain.words import printed
from ...targets.discord_py.authorship import is_ours
from ..services.explanations import Explanation
from .context import AnyCommand, CommandContext, Interaction, answered, language_of, show, tell, words

_MESSAGE = re.compile(r"(?:https?://(?:\w+\.)?discord(?:app)?\.com/channels/(@me|\d{1,20})/(\d{1,20})/)?(\d{1,20})/?")
"""The link to a message, or its id."""
_LOOKED_AT = 50
"""Messages of a channel that are searched for the last one of ours."""
_LONGEST = 1900
_FENCE = "```"
_BROKEN_FENCE = "`\u200b``"
"""Looks the same, but does not close a code block, which the story of a table may quote."""


def commands(context: CommandContext) -> list[AnyCommand]:
    """The command and the context menu."""

    @app_commands.describe(message=locale_str("Link or id of one of my messages; the last one here if empty"))
    @answered
    async def explain(interaction: Interaction, message: str | None = None) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        if message is None:
            await _explain_last(interaction, context)
            return
        await _explain_named(interaction, context, message)

    @answered
    async def explain_this(interaction: Interaction, message: discord.Message) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        await _explain(interaction, context, message)

    return [
        app_commands.Command(
            name=locale_str("explain"),
            description=locale_str("Why one of my messages was split, delayed or cut"),
            callback=explain,
        ),
        app_commands.ContextMenu(name=locale_str("Explain"), callback=explain_this),
    ]


async def _explain_last(interaction: Interaction, context: CommandContext) -> None:
    channel = interaction.channel
    if isinstance(channel, discord.abc.Messageable):
        try:
            async for message in channel.history(limit=_LOOKED_AT):
                known = await context.services.explanations.about(str(message.id)) if is_ours(message) else None
                if known is not None and known.lines:
                    await _tell_story(interaction, known)
                    return
        except (discord.NotFound, discord.Forbidden):
            pass  # unreadable: nothing to explain
    await tell(interaction, "I have no message in this channel to explain.")


async def _explain_named(interaction: Interaction, context: CommandContext, name: str) -> None:
    match = _MESSAGE.fullmatch(name.strip())
    if match is None:
        await tell(interaction, "That is neither a link to a message nor its id.")
        return
    message = await _found(interaction, context.client, match)
    if message is None:
        await tell(interaction, "There is no such message here, or you cannot read it.")
        return
    await _explain(interaction, context, message)


async def _explain(interaction: Interaction, context: CommandContext, message: discord.Message) -> None:
    if not is_ours(message):
        await tell(interaction, "That is not one of my messages.")
        return
    known = await context.services.explanations.about(str(message.id))
    if known is None or not known.lines:
        await tell(interaction, "I have no record of that message: it is too old, or nothing was kept.")
        return
    await _tell_story(interaction, known)


async def _found(interaction: Interaction, client: discord.Client, named: re.Match[str]) -> discord.Message | None:
    """The *named* message in this channel or another of this guild, if the user can read it."""
    server, channel, message = named.groups()
    here = str(interaction.guild_id or "@me")
    if server not in (None, here):
        return None
    place: object = interaction.channel
    if channel is not None and int(channel) != interaction.channel_id:
        place = client.get_channel(int(channel)) if interaction.guild_id is not None else None
        if not _may_read(interaction, place):
            return None
    if not isinstance(place, discord.abc.Messageable):
        return None
    try:
        return await place.fetch_message(int(message))
    except (discord.NotFound, discord.Forbidden):
        return None


def _may_read(interaction: Interaction, place: object) -> bool:
    """Whether the user can read *place*, another channel of the guild; private threads never count."""
    if not isinstance(place, discord.abc.GuildChannel | discord.Thread) or place.guild.id != interaction.guild_id:
        return False
    if not isinstance(interaction.user, discord.Member):
        return False
    if isinstance(place, discord.Thread) and (place.is_private() or place.parent is None):
        return False
    theirs = place.permissions_for(interaction.user)
    return theirs.view_channel and theirs.read_message_history


async def _tell_story(interaction: Interaction, known: Explanation) -> None:
    language = language_of(interaction)
    story = "\n".join(printed(line, language) for line in known.lines)
    shown = f"{_FENCE}text\n{story.replace(_FENCE, _BROKEN_FENCE)}\n{_FENCE}"
    if len(shown) <= _LONGEST:
        await show(interaction, shown)
        return
    file = discord.File(io.BytesIO(story.encode("utf-8", "replace")), "explanation.txt")
    await show(interaction, words(interaction, "The explanation is long; it is in the file."), file=file)
