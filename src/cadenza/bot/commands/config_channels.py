"""The part of ``/config`` that is about when and where the bot speaks, and what it is told."""

from __future__ import annotations

from dataclasses import replace

import discord
from discord import app_commands

from ..services.choices import Choice
from ..services.languages import languages
from ..thought_log import may_tell
from .context import Desk, Interaction, answered, may_manage_server, tell
from .scoped_choice import Where, change, choose

LANGUAGES = {"en": "English", "ja": "日本語"}
"""What a language calls itself."""


def add(group: app_commands.Group, desk: Desk) -> None:
    """Put these commands into *group*."""
    _add_triggers(group, desk)
    _add_thought_log(group, desk)
    _add_private(group, desk)
    _add_silent(group, desk)
    _add_history(group, desk)
    _add_language(group, desk)
    _add_cascade(group, desk)


def _add_triggers(group: app_commands.Group, desk: Desk) -> None:
    @group.command(name="triggers", description="What the bot answers")
    @app_commands.describe(
        mentions="Whether it answers who mentions it",
        replies="Whether it answers who replies to it",
        words="Whether it answers who says a character's name or one of its words",
        always="Whether it answers everything",
        every="It answers every so many messages unasked; 0 is never",
        bots="Whether it answers other bots, when they call it",
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
            desk,
            interaction,
            where,
            mentions=mentions,
            replies=replies,
            trigger_words=words,
            always=always,
            every=every,
            bots=bots,
        )


def _add_thought_log(group: app_commands.Group, desk: Desk) -> None:
    @group.command(name="thought-log", description="Where thoughts, tools and timing of each reply are shown")
    @app_commands.describe(channel="The channel that is told; without one, nobody is")
    @answered
    async def thought_log(interaction: Interaction, channel: discord.TextChannel | None = None) -> None:
        if not await may_manage_server(interaction):
            return
        if channel is None:
            await change(desk, interaction, "server", lambda choice: _with_log(choice, ""))
            await tell(interaction, "Thoughts are not shown anywhere from now on.")
        elif not may_tell(channel):
            await tell(
                interaction,
                "I may not show them in {channel}; give me “View Channel”, “Send Messages”, “Embed Links” and “Attach Files” "
                "there.",
                channel=channel.mention,
            )
        else:
            await change(desk, interaction, "server", lambda choice: _with_log(choice, str(channel.id)))
            await tell(
                interaction,
                "Thoughts are shown in {channel} from now on, but for those of private channels.",
                channel=channel.mention,
            )


def _add_private(group: app_commands.Group, desk: Desk) -> None:
    @group.command(name="private", description="Whether nothing that is thought here is shown elsewhere")
    @app_commands.describe(private="Whether it is", where="For the whole server, or this channel")
    @answered
    async def private(interaction: Interaction, *, private: bool, where: Where = "channel") -> None:
        await choose(desk, interaction, where, is_private=private)


def _add_silent(group: app_commands.Group, desk: Desk) -> None:
    @group.command(name="silent", description="Whether the bot never speaks here")
    @app_commands.describe(silent="Whether it is", where="For the whole server, or this channel")
    @answered
    async def silent(interaction: Interaction, *, silent: bool, where: Where = "channel") -> None:
        await choose(desk, interaction, where, is_silent=silent)


def _add_history(group: app_commands.Group, desk: Desk) -> None:
    @group.command(name="history", description="How much of the conversation a model is told")
    @app_commands.describe(
        messages="Messages that are read back",
        images="Whether pictures are among it",
        where="For the whole server, or this channel",
    )
    @answered
    async def history(
        interaction: Interaction,
        *,
        messages: app_commands.Range[int, 1, 200] | None = None,
        images: bool | None = None,
        where: Where = "server",
    ) -> None:
        await choose(desk, interaction, where, history=messages, images=images)


def _add_language(group: app_commands.Group, desk: Desk) -> None:
    @group.command(name="language", description="What language the bot's own notices are in")
    @app_commands.describe(language="The language", where="For the whole server, or this channel")
    @app_commands.choices(
        language=[app_commands.Choice(name=LANGUAGES.get(one, one), value=one) for one in languages()]
    )
    @answered
    async def language(interaction: Interaction, language: str, where: Where = "server") -> None:
        await choose(desk, interaction, where, language=language)


def _add_cascade(group: app_commands.Group, desk: Desk) -> None:
    @group.command(name="cascade", description="How much characters talk with each other")
    @app_commands.describe(
        links="Answers to each other that may follow what a person said; 0 is none",
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
        await choose(desk, interaction, where, cascade_limit=links, match_limit=characters)


def _with_log(choice: Choice, channel: str) -> Choice:
    return replace(choice, thought_log=channel)
