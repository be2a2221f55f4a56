"""What the bot's decisions learn of a message, with the real discord.py over the simulated Discord."""

from __future__ import annotations

import asyncio

import discord
import pytest

from cadenza.bot.incoming import said_of
from cadenza.bot.services.message import ChatMessage
from tests.bot.evening import Evening, at_work
from tests.bot.hearsay import bot_says, heard, made, me, says_as

pytestmark = pytest.mark.timeout(60)

SNAPSHOT = {
    "type": 0, "content": "Look at that!", "embeds": [], "attachments": [], "timestamp": "2026-11-16T11:00:00+00:00",
    "edited_timestamp": None, "flags": 0,
}  # fmt: skip
STICKER = {"id": "800000000000000001", "name": "Wave", "format_type": 1}


async def test_everything_of_a_message_is_heard() -> None:
    evening = Evening()
    world, mia, general = evening.world, evening.mia, evening.general
    other = world.add_bot("Clock", token="clock-token")  # noqa: S106  # of a world in memory
    evening.guild.join(other)
    async with at_work(evening):
        bot = me(evening)
        role = evening.client.guilds[0].self_role
        assert role is not None

        plain = said_of(await heard(evening, mia.says(general, "Hello.")), bot)
        assert ChatMessage(plain.id, general, mia.id, "Mia", "Hello.", server=evening.guild.id) == plain

        assert said_of(await heard(evening, mia.says(general, f"<@{evening.bot.id}> hi")), bot).mentions_us
        assert said_of(made(evening, f"<@&{role.id}> hi", mention_roles=[str(role.id)]), bot).mentions_us
        assert not said_of(await heard(evening, mia.says(general, "@everyone hi")), bot).mentions_us
        assert not said_of(made(evening, f"`<@{bot.id}>`"), bot).mentions_us
        assert not said_of(
            made(evening, "<@&900000000000000000>", mention_roles=["900000000000000000"]), bot
        ).mentions_us

        own = bot_says(evening, "Good evening.")
        ours = said_of(await heard(evening, own), bot, persona="Cadenza")
        assert (True, False, "Cadenza") == (ours.is_own, ours.is_bot, ours.persona)
        reply = said_of(await heard(evening, mia.says(general, "You too.", reply_to=own)), bot)
        assert ("*", False) == (reply.answers, reply.mentions_us)
        spoken = says_as(evening, "Ren", "Hm.")
        ren = said_of(await heard(evening, spoken), bot, persona="Ren")
        assert (True, False, "Ren", "Ren") == (ren.is_own, ren.is_bot, ren.persona, ren.author_name)
        known = said_of(await heard(evening, mia.says(general, "Hm?", reply_to=spoken)), bot, answers="Ren")
        assert "Ren" == known.answers
        elsewhere = said_of(await heard(evening, mia.says(general, "Hm?", reply_to=plain.id)), bot)
        assert "" == elsewhere.answers
        assert said_of(await heard(evening, bot_says(evening, f"I am <@{evening.bot.id}>")), bot).is_own

        clock = world.create_message(other.id, general, {"content": "Nine."})["id"]
        assert (True, False) == _kinds(said_of(await heard(evening, clock), bot))
        foreign = made(evening, "News", webhook_id="700000000000000001")
        assert (True, False) == _kinds(said_of(foreign, bot))
        assert "700000000000000001" == said_of(foreign, bot).author

        assert said_of(made(evening, type=7), bot).is_system
        assert said_of(made(evening, type=6), bot).is_system
        assert not said_of(made(evening, "x", type=0), bot).is_system
        forwarded = said_of(made(evening, message_snapshots=[{"message": SNAPSHOT}]), bot)
        assert ("Look at that!", False) == (forwarded.text, forwarded.has_more)
        assert said_of(made(evening, sticker_items=[STICKER]), bot).has_more
        assert not said_of(made(evening), bot).has_more

        thread = world.add_thread(general, "aside")
        place = await evening.client.fetch_channel(int(thread))
        assert isinstance(place, discord.Thread)
        aside = said_of(await place.fetch_message(int(mia.says(thread, "Psst."))), bot)
        assert (thread, general, evening.guild.id) == (aside.channel, aside.parent, aside.server)


def _kinds(said: ChatMessage) -> tuple[bool, bool]:
    return said.is_bot, said.is_own


async def test_a_reply_that_is_not_at_hand_is_known_by_whom_it_calls() -> None:
    async with at_work(Evening()) as evening:
        bot = me(evening)
        called = {"id": str(bot.id), "username": "cadenza", "discriminator": "0", "avatar": None, "bot": True}
        reference = {"message_id": "600000000000000001", "channel_id": evening.general, "type": 0}
        message = made(evening, "And you?", type=19, mentions=[called], message_reference=reference)

        said = said_of(message, bot)

        assert ("*", False) == (said.answers, said.mentions_us)
        assert "" == said_of(made(evening, "And you?", type=19, message_reference=reference), bot).answers


async def test_a_forwarded_message_is_no_reply() -> None:
    async with at_work(Evening()) as evening:
        own = bot_says(evening, "Good evening.")
        reference = {"message_id": own, "channel_id": evening.general, "type": 1}
        message = made(evening, message_reference=reference, message_snapshots=[{"message": SNAPSHOT}])

        assert "" == said_of(message, me(evening)).answers


async def test_direct_messages_are_heard_and_without_intent_words_are_not() -> None:
    evening = Evening()
    direct = evening.world.open_direct(evening.bot, evening.mia)
    messages: asyncio.Queue[discord.Message] = asyncio.Queue()
    async with at_work(evening, intents=discord.Intents.default()):
        evening.client.add_listener(messages.put, "on_message")
        async with asyncio.timeout(30):
            evening.mia.says(direct, "Are you there?")
            private = said_of(await messages.get(), me(evening))
            evening.mia.says(evening.general, "Nobody shall know.")
            unread = said_of(await messages.get(), me(evening))

    assert ("Are you there?", "") == (private.text, private.server)
    assert ("", False) == (unread.text, unread.has_more)
