"""Which messages of people are answered, and by whom."""

from __future__ import annotations

from dataclasses import replace

import discord

from cadenza.config.config import LimitsConfig
from tests.bot.bot_room import CONFIG, bot_room, parrot


async def test_whoever_mentions_the_bot_is_answered_by_its_main_character() -> None:
    async with bot_room(parrot) as room:
        await room.asks("hello")

        assert ["Ren heard: hello"] == room.answers()
        assert ["Cadenza"] == room.names()


async def test_whoever_says_nothing_to_it_is_not() -> None:
    async with bot_room(parrot) as room:
        room.mia.says(room.general, "Tom, hello")
        await room.heard()
        await room.quiet()

        assert [] == room.answers()
        assert [] == room.model.prompts


async def test_a_direct_message_is_answered_without_a_word_more() -> None:
    async with bot_room(parrot) as room:
        direct = room.world.open_direct(room.me, room.mia)
        room.mia.says(direct, "psst")
        await room.until(lambda: room.answers(direct))

        assert ["Ren heard: psst"] == room.answers(direct)


async def test_a_character_with_a_name_of_its_own_is_called_by_its_word_and_speaks_under_its_name() -> None:
    async with bot_room(parrot) as room:
        room.mia.says(room.general, "here, kitty!")
        await room.until(room.answers)
        await room.quiet()

        assert ["Kira"] == room.names()


async def test_a_reply_to_a_character_is_answered_by_that_character() -> None:
    async with bot_room(parrot) as room:
        room.mia.says(room.general, "kitty?")
        await room.until(room.answers)
        await room.quiet()
        room.tom.says(room.general, "and now?", reply_to=room.ours()[-1]["id"])
        await room.until(lambda: len(room.answers()) > 1)
        await room.quiet()

        assert ["Kira", "Kira"] == room.names()


async def test_two_characters_who_are_called_by_one_message_both_answer() -> None:
    async with bot_room(parrot) as room:
        room.mia.says(room.general, "Kira and Miko, good morning")
        await room.until(lambda: len(room.answers()) == 2)
        await room.quiet()

        assert ["Kira", "Miko"] == room.names()


async def test_without_the_message_content_intent_mentions_and_direct_messages_work() -> None:
    async with bot_room(parrot, intents=discord.Intents.default()) as room:
        await room.asks("hello")
        room.mia.says(room.general, "kitty?")
        direct = room.world.open_direct(room.me, room.mia)
        room.mia.says(direct, "psst")
        await room.until(lambda: room.answers(direct))
        await room.quiet()

        assert ["Ren heard: hello"] == room.answers()
        assert ["Ren heard: psst"] == room.answers(direct)


async def test_another_bot_is_not_answered() -> None:
    async with bot_room(parrot) as room:
        other = room.world.add_bot("Other", token="other")  # noqa: S106  # of a world in memory
        room.guild.join(other)
        room.world.create_message(other.id, room.general, {"content": f"{room.mention} hello"})
        await room.heard()
        await room.quiet()

        assert [] == room.model.prompts


async def test_who_has_had_enough_is_told_once() -> None:
    config = replace(CONFIG, limits=LimitsConfig(user_per_hour=1))
    async with bot_room(parrot, config=config) as room:
        await room.asks("one")
        await room.asks("two")
        await room.asks("three")

        assert 1 == len(room.model.prompts)
        assert 1 == room.world.transcript(room.general).count("as one may in an hour")


async def test_a_message_that_the_gateway_tells_twice_is_answered_once() -> None:
    async with bot_room(parrot) as room:
        asked = await room.asks("hello")
        channel = room.bot.get_channel(int(room.general))
        assert isinstance(channel, discord.TextChannel)
        await room.bot.on_message(await channel.fetch_message(int(asked)))
        await room.quiet()

        assert 1 == len(room.model.prompts)
