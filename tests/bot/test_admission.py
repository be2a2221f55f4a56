"""Which messages of people are answered, and by whom."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from dataclasses import replace

import discord

from cadenza.bot.app import CadenzaBot
from cadenza.bot.characters.character import Character
from cadenza.bot.config.config import ConversationConfig, LimitsConfig
from cadenza.bot.config.current import Current
from cadenza.bot.reply_controls import Asker
from cadenza.bot.services.choices import Choice
from cadenza.bot.services.journal import JournalEntry
from cadenza.bot.services.quotas import Excess, Quotas
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.store import Namespace, Record
from cadenza.bot.wiring import BotServices, build
from cadenza.sim.wire import File
from cadenza.types import Prompt, Role, StopReason, Tag
from tests.bot.bot_room import CONFIG, BotRoom, OneModel, bot_room, parrot
from tests.bot.command_room import MirrorSeal


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


async def test_two_bots_that_call_each_other_come_to_an_end() -> None:
    config = replace(CONFIG, conversation=ConversationConfig(bots=True))
    tags: list[str] = []
    async with bot_room(lambda _: [f"{tags[0]}, Zed and Kira?"], config=config) as room:
        other = room.world.add_bot("Other", token="other")  # noqa: S106  # of a world in memory
        room.guild.join(other)
        tags.append(f"<@{other.id}>")
        models = OneModel(lambda _: [f"{room.mention}, Ren and Kira?"])
        zed = replace(config, personas=(Character("Zed", is_main=True),))
        second = replace(build(Current(zed), MemoryStore(), MirrorSeal()), models=models)
        bot = CadenzaBot(second, intents=room.bot.intents, guild_ready_timeout=0.05)
        async with room.server.running(bot, "other"):
            room.mia.says(room.general, f"{room.mention} Zed, hello")
            await room.until(lambda: len(models.prompts) >= 1 and len(room.model.prompts) >= 2)
            await asyncio.sleep(0.3)
            await room.quiet()
            calls = len(models.prompts), len(room.model.prompts)
            await asyncio.sleep(0.2)

            assert calls == (len(models.prompts), len(room.model.prompts))
            assert max(calls) <= 2 + 2 * config.conversation.cascade_limit
            await bot.wind_down()


async def test_who_has_had_enough_is_told_once() -> None:
    config = replace(CONFIG, limits=LimitsConfig(user_per_hour=1))
    async with bot_room(parrot, config=config) as room:
        await room.asks("one")
        await room.asks("two")
        await room.asks("three")

        assert 1 == len(room.model.prompts)
        assert 1 == room.world.transcript(room.general).count("reached your hourly limit")
        assert 'cadenza_refused_total{limit="user_per_hour"} 2.0' in room.services.metrics.rendered().decode()


async def test_whoever_has_had_enough_may_still_say_stop_and_gains_nothing_by_it() -> None:
    def slowly(prompt: Prompt) -> Iterable[str | float]:
        del prompt
        for number in range(40):
            yield f"Line {number}.\n"
            yield 0.05

    config = replace(CONFIG, limits=LimitsConfig(user_active=1, server_active=2))
    async with bot_room(slowly, config=config) as room:
        assert await room.services.limits.admit(room.tom.id, room.guild.id) is None
        room.mia.says(room.general, f"{room.mention} a story")
        await room.until(lambda: len(room.answers()) >= 2)
        room.mia.says(room.general, "stop")
        await room.heard()
        await room.quiet()

        assert len(room.answers()) < 20
        assert [None, Excess.SERVER_ACTIVE] == [
            await room.services.limits.admit(id_, room.guild.id) for id_ in ("1", "2")
        ]


async def test_a_message_that_the_gateway_tells_twice_is_answered_once() -> None:
    async with bot_room(parrot) as room:
        asked = await room.asks("hello")
        channel = room.bot.get_channel(int(room.general))
        assert isinstance(channel, discord.TextChannel)
        await room.bot.on_message(await channel.fetch_message(int(asked)))
        await room.quiet()

        assert 1 == len(room.model.prompts)


# --- in order --------------------------------------------------------------------------------------


class Slow(MemoryStore):
    """A store that takes its time with one of its shelves."""

    def __init__(self, namespace: Namespace) -> None:
        super().__init__()
        self._namespace = namespace

    async def get(self, namespace: Namespace, key: str, /) -> Record | None:
        """Look up a record."""
        await asyncio.sleep(0.15 if namespace is self._namespace else 0)
        return await super().get(namespace, key)

    async def put(self, *records: Record) -> None:
        """Keep records."""
        await asyncio.sleep(0.15 if any(record.namespace is self._namespace for record in records) else 0)
        await super().put(*records)


def last_lines(room: BotRoom) -> list[str]:
    """What the model was told last, a line each."""
    return [
        line for turn in room.model.prompts[-1].turns if turn.tag is not Tag.NOTE for line in turn.text.splitlines()
    ]


async def test_what_takes_longer_to_look_up_is_not_overtaken_by_what_was_said_after_it() -> None:
    async with bot_room(parrot, store=Slow(Namespace.SPRITE_MESSAGES)) as room:
        before = room.tom.says(room.general, "who is there?")
        await room.heard()
        room.mia.says(room.general, f"{room.mention} first", reply_to=before)
        for number in range(8):
            room.mia.says(room.general, f"{number}")
        await asyncio.sleep(0.3)
        await room.quiet()

        lines = last_lines(room)
        assert [f"Mia: {number}" for number in range(8)] == lines[-8:]
        assert not room.bot.admission._last


async def test_a_message_that_is_deleted_before_it_is_at_the_desk_is_not_answered() -> None:
    async with bot_room(parrot, store=Slow(Namespace.TURNS)) as room:
        asked = room.mia.says(room.general, f"{room.mention} hello")
        await room.heard()
        room.mia.deletes(room.general, asked)
        await asyncio.sleep(0.2)
        await room.quiet()

        assert [] == room.model.prompts
        assert 0 == room.services.limits.active


def slowly(prompt: Prompt) -> Iterable[str | float]:
    """A long answer."""
    del prompt
    for number in range(20):
        yield f"Line {number}.\n"
        yield 0.03


async def test_who_waits_and_says_more_is_answered_once_and_to_all_of_it() -> None:
    def answer(prompt: Prompt) -> Iterable[str | float]:
        return parrot(prompt) if "Tom" in prompt.turns[-1].text.splitlines()[-1] else slowly(prompt)

    async with bot_room(answer) as room:
        room.mia.says(room.general, f"{room.mention} a story")
        await room.until(room.answers)
        room.tom.says(room.general, f"{room.mention} and then")
        await room.heard()
        room.tom.says(room.general, "tea")
        await room.heard()
        room.bot.turns.running()[0].stop.take(StopReason.USER)
        await room.quiet()

        assert "Ren heard: tea" == room.answers()[-1]
        assert ["Tom: @Ren and then", "Tom: tea"] == last_lines(room)[-2:]
        # What was said to Mia while they waited is told as well, and before what is answered now.
        assert any(turn.role is Role.MODEL and "Line 0." in turn.text for turn in room.model.prompts[-1].turns)


async def test_a_picture_is_more_to_say_too() -> None:
    def answer(prompt: Prompt) -> Iterable[str | float]:
        return ["I see."] if prompt.turns[-1].media else slowly(prompt)

    async with bot_room(answer) as room:
        room.mia.says(room.general, f"{room.mention} look")
        await room.until(room.answers)
        room.mia.says(room.general, files=[File("cat.png", b"PNG", "image/png")])
        await room.heard()
        await room.quiet()

        assert "I see." == room.answers()[-1]


# --- whoever is counted is let go ---------------------------------------------------------------------


class Counting(Quotas):
    """Limits that remember who came and who went."""

    came: list[str]
    went: list[str]

    async def admit(self, person: str, server: str) -> Excess | None:
        """Let somebody in."""
        excess = await super().admit(person, server)
        if excess is None:
            self.came.append(person)
        return excess

    def leave(self, person: str, server: str) -> None:
        """Let somebody go; who was not let in by the store was not in."""
        self.went.append(person)
        super().leave(person, server)


def counted(services: BotServices) -> BotServices:
    """*services*, with limits that remember."""
    counting = Counting(services.store, lambda: services.config.now.limits)
    counting.came, counting.went = [], []
    return replace(services, limits=counting)


async def test_whoever_is_let_in_goes_once_whatever_becomes_of_their_message() -> None:
    def answer(prompt: Prompt) -> Iterable[str | float]:
        text = prompt.turns[-1].text
        if "fail" in text:
            problem = "no"
            raise RuntimeError(problem)
        return slowly(prompt) if "story" in text.splitlines()[-1] else ["Kira, what do you say?"]

    config = replace(
        CONFIG,
        settings=CONFIG.settings.with_values({"waiting": 2}),
        limits=LimitsConfig(user_active=4, server_active=50),
    )
    async with bot_room(answer, config=config, staffed=counted) as room:
        counting = room.services.limits
        assert isinstance(counting, Counting)
        await room.asks("hello")  # answered, and Kira is called, who was not let in
        await room.asks("fail")
        room.mia.says(room.general, "Kira and Miko, good morning")  # two at once
        await room.heard()
        await room.quiet()
        room.mia.says(room.general, f"{room.mention} a story")
        await room.until(lambda: any("Line 0." in text for text in room.answers()))
        for number in range(4):  # one is gathered with another, is too much, or is full
            room.tom.says(room.general, f"{room.mention if number % 2 else 'Kira'} {number}")
            await room.heard()
        gone = room.tom.says(room.general, "Miko, psst")
        await room.heard()
        room.tom.deletes(room.general, gone)
        for number in range(5):  # interruptions, until they have had enough
            room.mia.says(room.general, f"{number} more story")
        await room.heard()
        room.mia.says(room.general, "stop")  # which they may say nevertheless
        await room.heard()
        room.bot.control.stop(room.general, Asker(room.mia.id, may_manage=True))
        await room.quiet()
        await room.bot.control.regenerate(room.general, Asker(room.tom.id, may_manage=True))
        await room.heard()
        await room.quiet()
        again = room.mia.says(room.general, "Miko, what was left?")
        await room.heard()
        await room.quiet()
        assert sorted(counting.came) == sorted(counting.went)

        # What a process before this one left: nobody was let in for it.
        entry = JournalEntry(
            f"{again}x", again, room.general, room.mia.id, server=room.guild.id, persona="Miko", at=time.time()
        )
        came = len(counting.came)
        await room.bot.recovery.recover(entry)
        await room.quiet()
        assert came == len(counting.came)
        assert sorted(counting.came) == sorted(counting.went)
        assert 0 == counting.active
        assert not room.bot.background
        assert not room.bot.pending


async def test_who_has_had_enough_and_says_stop_goes_no_more_often_than_they_came() -> None:
    config = replace(CONFIG, limits=LimitsConfig(user_active=1))
    async with bot_room(slowly, config=config, staffed=counted) as room:
        room.mia.says(room.general, f"{room.mention} a story")
        await room.until(room.answers)
        room.mia.says(room.general, "stop")
        await room.heard()
        room.bot.control.stop(room.general, Asker(room.mia.id))
        await room.quiet()

        counting = room.services.limits
        assert isinstance(counting, Counting)
        assert [room.mia.id] == counting.came == counting.went


async def test_a_message_that_is_changed_again_and_again_is_counted_each_time() -> None:
    config = replace(CONFIG, limits=LimitsConfig(user_per_hour=3))
    async with bot_room(parrot, config=config) as room:
        asked = await room.asks("hello")
        for number in range(5):
            room.mia.edits(room.general, asked, f"{room.mention} {number}")
            await room.heard()
            await room.quiet()

        told = "-# You have reached your hourly limit; try again later."
        assert ["Ren heard: 1", told] == room.answers()
        assert 3 == len(room.model.prompts)
        assert 0 == room.services.limits.active


async def test_to_change_a_message_that_waits_is_no_answer_more() -> None:
    def answer(prompt: Prompt) -> Iterable[str | float]:
        return slowly(prompt) if "story" in prompt.turns[-1].text.splitlines()[-1] else parrot(prompt)

    config = replace(CONFIG, limits=LimitsConfig(user_per_hour=1))
    async with bot_room(answer, config=config) as room:
        room.mia.says(room.general, f"{room.mention} a story")
        await room.until(room.answers)
        asked = room.tom.says(room.general, f"{room.mention} one")
        await room.heard()
        room.tom.edits(room.general, asked, f"{room.mention} two")
        await room.heard()
        room.bot.control.stop(room.general, Asker(room.mia.id))
        await room.quiet()

        assert "Ren heard: two" == room.answers()[-1]


async def test_every_third_message_is_joined_in_and_in_a_chosen_channel_all_are_answered() -> None:
    async with bot_room(parrot) as room:
        await room.services.choices.change_channel(room.general, room.guild.id, lambda _: Choice(every=3))
        for words in ("1", "2", "3", "kitty 4", "5", "6", "7"):
            room.mia.says(room.general, words)
            await room.heard()
            await room.quiet()
        assert ["Ren heard: 3", "Kira heard: 4", "Ren heard: 7"] == room.answers()
        await room.services.choices.change_channel(room.general, room.guild.id, lambda _: Choice(always=True))
        for words in ("kitty 8", "9"):
            room.mia.says(room.general, words)
            await room.heard()
            await room.quiet()

        assert ["Kira heard: 8", "Ren heard: 9"] == room.answers()[-2:]
