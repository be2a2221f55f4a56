"""Notices under the bot's own name."""

from __future__ import annotations

from dataclasses import replace

import discord
import pytest

from cadenza.bot.announcements import Announcements
from cadenza.bot.services.choices import Choice
from cadenza.bot.services.quotas import Excess
from tests.bot.bot_room import BotRoom, bot_room, parrot


async def _message(room: BotRoom) -> discord.Message:
    asked = room.mia.says(room.general, "hello")
    channel = room.bot.get_channel(int(room.general))
    assert isinstance(channel, discord.TextChannel)
    return await channel.fetch_message(int(asked))


@pytest.mark.parametrize("excess", list(Excess))
async def test_every_limit_has_its_sentence(excess: Excess) -> None:
    async with bot_room(parrot) as room:
        announcements = Announcements(room.services, room.bot, room.bot.client_state, room.bot.background)
        announcements.refuse(await _message(room), excess)
        await room.bot.background.finish()

        assert room.answers()[0].startswith("-# ")
        assert ["Cadenza"] == room.names()


async def test_a_notice_is_in_the_language_of_the_channel() -> None:
    async with bot_room(parrot) as room:
        await room.services.choices.change_channel(
            room.general, room.guild.id, lambda choice: replace(choice, language="ja")
        )
        announcements = Announcements(room.services, room.bot, room.bot.client_state, room.bot.background)
        await announcements.tell(await _message(room), "This works in servers only.")

        assert Choice(language="ja") == await room.services.choices.here(room.guild.id, room.general)
        assert ["This works in servers only."] != room.answers()
        assert not room.answers()[0].isascii()
