"""``/config``: triggers, thought log, privacy, silence, history, language and cascades."""

from __future__ import annotations

from dataclasses import replace

import discord
from discord import app_commands

from ...languages import languages
from ..services.choices import Choice
from ..thought_log import may_tell
from .context import CommandContext, Interaction, answered, may_manage_server, tell
from .scoped_choice import Where, change, choose

LANGUAGES = {"en": "English", "ja": "日本語"}
"""The own names of languages."""


def add(group: app_commands.Group, context: CommandContext) -> None:
    """Add these commands to *group*."""
    _add_triggers(group, context)
    _add_thought_log(group, context)
    _add_private(group, context)
    _add_silent(group, context)
    _add_history(group, context)
    _add_language(group, context)
    _add_cascade(group, context)


def _add_triggers(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name="triggers", description="What the bot answers")
    @app_commands.describe(
        mentions="Whether it answers mentions",
        replies="Whether it answers replies to it",
        words="Whether it answers names and trigger words of characters",
        always="Whether it answers everything",
        every="Answer every so many messages unasked; 0 for never",
        bots="Whether it answers other bots that ping it",
        where="For the whole server, or this channel",
    )
    @answered
    async def triggers(
        interaction: Interaction,
        *,
        mentions: bool | None = None,
        replies: bool | None = None,
        words: bool | None = None,
        always: bool | None = None,
        every: app_commands.Range[int, 0, 1000] | None = None,
        bots: bool | None = None,
        where: Where = "channel",
    ) -> None:
        await choose(
            context,
            interaction,
            where,
            mentions=mentions,
            replies=replies,
            trigger_words=words,
            always=always,
            every=every,
            bots=bots,
        )


def _add_thought_log(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name="thought-log", description="Where thoughts, tools and timing of each reply are posted")
    @app_commands.describe(channel="The channel; empty turns it off")
    @answered
    async def thought_log(interaction: Interaction, channel: discord.TextChannel | None = None) -> None:
        if not await may_manage_server(interaction):
            return
        if channel is None:
            await change(context, interaction, "server", lambda choice: _with_log(choice, ""))
            await tell(interaction, "Thoughts are no longer posted anywhere.")
        elif not may_tell(channel):
            await tell(
                interaction,
                "I cannot post thoughts in {channel}; give me “View Channel”, “Send Messages”, “Embed Links” and "
                "“Attach Files” there.",
                channel=channel.mention,
            )
        else:
            await change(context, interaction, "server", lambda choice: _with_log(choice, str(channel.id)))
            await tell(
                interaction,
                "Thoughts are now posted in {channel}, except those of private channels.",
                channel=channel.mention,
            )


def _add_private(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name="private", description="Whether thoughts in here stay out of the thought log")
    @app_commands.describe(private="On or off", where="For the whole server, or this channel")
    @answered
    async def private(interaction: Interaction, *, private: bool, where: Where = "channel") -> None:
        await choose(context, interaction, where, is_private=private)


def _add_silent(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name="silent", description="Whether the bot stays silent here")
    @app_commands.describe(silent="On or off", where="For the whole server, or this channel")
    @answered
    async def silent(interaction: Interaction, *, silent: bool, where: Where = "channel") -> None:
        await choose(context, interaction, where, is_silent=silent)


def _add_history(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name="history", description="How much of the conversation the model is given")
    @app_commands.describe(
        messages="Messages at most", images="Whether images are included", where="For the whole server, or this channel"
    )
    @answered
    async def history(
        interaction: Interaction,
        *,
        messages: app_commands.Range[int, 1, 200] | None = None,
        images: bool | None = None,
        where: Where = "server",
    ) -> None:
        await choose(context, interaction, where, history=messages, images=images)


def _add_language(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name="language", description="The language of the bot's own notices")
    @app_commands.describe(language="The language", where="For the whole server, or this channel")
    @app_commands.choices(
        language=[app_commands.Choice(name=LANGUAGES.get(one, one), value=one) for one in languages()]
    )
    @answered
    async def language(interaction: Interaction, language: str, where: Where = "server") -> None:
        await choose(context, interaction, where, language=language)


def _add_cascade(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name="cascade", description="How often characters answer each other")
    @app_commands.describe(
        links="Answers of characters to each other after a person's message; 0 for none",
        characters="How many characters answer one message at most",
        where="For the whole server, or this channel",
    )
    @answered
    async def cascade(
        interaction: Interaction,
        *,
        links: app_commands.Range[int, 0, 10] | None = None,
        characters: app_commands.Range[int, 1, 10] | None = None,
        where: Where = "server",
    ) -> None:
        await choose(context, interaction, where, cascade_limit=links, match_limit=characters)


def _with_log(choice: Choice, channel: str) -> Choice:
    return replace(choice, thought_log=channel)
