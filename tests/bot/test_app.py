"""The whole bot, talked to by people in a simulated Discord."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace

import discord
import pytest

from cadenza.bot.control import Asker, Refused
from cadenza.config.config import ConversationConfig, LimitsConfig
from cadenza.sim.permissions import Permission
from cadenza.store.api import Shelf
from cadenza.turns import Stopping
from cadenza.types import Prompt
from tests.bot.bot_room import CONFIG, BotRoom, bot_room


def parrot(prompt: Prompt) -> list[str]:
    """Says who it is and what it was told last."""
    return [f"{prompt.speaker} heard: {prompt.turns[-1].text.split()[-1]}"]


def slowly(prompt: Prompt) -> Iterable[str | float]:
    """A long answer, a line every twentieth of a second."""
    del prompt
    for number in range(40):
        yield f"Line {number}.\n"
        yield 0.05


# --- who is answered -----------------------------------------------------------------------------


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


# --- several characters ---------------------------------------------------------------------------


async def test_characters_answer_each_other_only_so_often() -> None:
    def chatty(prompt: Prompt) -> list[str]:
        other = "Miko" if prompt.speaker == "Kira" else "Kira"
        return [f"{other}, what do you say?"]

    async with bot_room(chatty) as room:
        room.mia.says(room.general, "Kira, ask Miko")
        await room.until(room.answers)
        await room.quiet()

        limit = CONFIG.conversation.cascade_limit
        assert ["Kira", "Miko"] == room.names()[:2]
        assert 2 + limit == len(room.names())


async def test_with_no_cascades_nobody_answers_a_character() -> None:
    config = replace(CONFIG, conversation=ConversationConfig(cascade_limit=0))
    async with bot_room(lambda _: ["Miko, what do you say?"], config=config) as room:
        room.mia.says(room.general, "kitty?")
        await room.until(room.answers)
        await room.quiet()

        assert ["Kira"] == room.names()


async def test_one_webhook_serves_all_characters_also_after_a_restart() -> None:
    async with bot_room(parrot) as room:
        room.mia.says(room.general, "Kira and Miko, good morning")
        await room.until(lambda: len(room.answers()) == 2)
        await room.quiet()
    async with bot_room(parrot, before=room) as again:
        again.mia.says(again.general, "kitty?")
        await again.until(lambda: len(again.answers()) == 3)
        await again.quiet()

        assert 1 == len(again.world.channel_webhooks(again.me.id, again.general))
        assert not [call for call in again.server.rest.calls if call.route.startswith("POST /channels/{}/webhooks")]


# --- stops and follow-ups -----------------------------------------------------------------------


async def _speaking(room: BotRoom, *, messages: int = 2) -> str:
    asked = room.mia.says(room.general, f"{room.mention} tell me a long story")
    await room.until(lambda: len(room.answers()) >= messages)
    return asked


async def test_whoever_is_answered_can_stop_it_in_words() -> None:
    config = replace(CONFIG, settings=CONFIG.settings.with_values({"answer_stops": False}))
    async with bot_room(slowly, config=config) as room:
        await _speaking(room)
        room.mia.says(room.general, "stop")
        await room.heard()
        await room.quiet()

        assert len(room.answers()) < 20


@pytest.mark.parametrize(("who", "stops"), [("mia", True), ("tom", False)])
async def test_a_reaction_stops_it_if_it_is_theirs_to_stop(who: str, *, stops: bool) -> None:
    async with bot_room(slowly) as room:
        await _speaking(room)
        getattr(room, who).reacts(room.general, room.ours()[0]["id"], "⏹️")
        await room.heard()
        if stops:
            await room.quiet(within=1.0)
        assert stops is not room.bot.running(room.general)


async def test_who_may_manage_messages_stops_what_was_said_to_others() -> None:
    async with bot_room(slowly) as room:
        room.tom.says(room.general, f"{room.mention} tell me a long story")
        await room.until(lambda: len(room.answers()) >= 2)

        assert Refused.NOT_THEIRS is room.bot.stop(room.general, Asker("1"))
        assert isinstance(room.bot.stop(room.general, Asker(room.mia.id, may_manage=True)), Stopping)
        await room.quiet(within=1.0)
        assert Refused.NOTHING_THERE is room.bot.stop(room.general, Asker(room.mia.id, may_manage=True))


async def test_who_says_more_interrupts_the_reply_and_need_not_call_the_bot_again() -> None:
    def answer(prompt: Prompt) -> Iterable[str | float]:
        return ["Short then."] if "shorter" in prompt.turns[-1].text else slowly(prompt)

    async with bot_room(answer) as room:
        await _speaking(room)
        room.mia.says(room.general, "shorter please")
        await room.until(lambda: "Short then." in room.answers())
        await room.quiet()

        assert len(room.answers()) < 20


async def test_what_is_said_to_somebody_else_does_not_interrupt() -> None:
    async with bot_room(slowly) as room:
        await _speaking(room)
        room.mia.says(room.general, f"{room.tom.mention} are you there?")
        await room.heard()

        assert room.bot.running(room.general)
        room.bot.stop(room.general, Asker("", may_manage=True))


async def test_to_take_back_the_message_ends_its_answer() -> None:
    async with bot_room(slowly) as room:
        asked = await _speaking(room)
        room.mia.deletes(room.general, asked)
        await room.heard()
        await room.quiet(within=1.0)

        assert len(room.answers()) < 20


async def test_to_change_the_message_at_once_has_it_answered_anew() -> None:
    def answer(prompt: Prompt) -> Iterable[str | float]:
        return ["Noon."] if "time" in prompt.turns[-1].text else slowly(prompt)

    async with bot_room(answer) as room:
        asked = await _speaking(room, messages=1)
        room.mia.edits(room.general, asked, f"{room.mention} what time is it?")
        await room.until(lambda: room.answers() == ["Noon."])
        await room.quiet()

        assert ["Noon."] == room.answers()


# --- once more, and more --------------------------------------------------------------------------


async def test_a_reply_can_be_had_again_and_the_old_one_goes() -> None:
    told = iter(["First.\nA second line.", "Second."])
    async with bot_room(lambda _: [next(told)]) as room:
        await room.asks("hello")
        assert 2 == len(room.answers())
        room.mia.reacts(room.general, room.ours()[0]["id"], "🔁")
        await room.until(lambda: room.answers() == ["Second."])
        await room.quiet()

        assert "First." not in room.model.prompts[1].turns[-1].text


async def test_a_reply_of_before_a_restart_can_be_had_again() -> None:
    async with bot_room(lambda _: ["First."]) as room:
        await room.asks("hello")
    async with bot_room(lambda _: ["Second."], before=room) as again:
        assert await again.bot.regenerate(again.general, Asker(again.mia.id), message=again.ours()[-1]["id"]) is None
        await again.until(lambda: again.answers() == ["Second."])
        await again.quiet()


async def test_nobody_has_somebody_elses_reply_again() -> None:
    async with bot_room(parrot) as room:
        await room.asks("hello")

        assert Refused.NOT_THEIRS is await room.bot.regenerate(room.general, Asker(room.tom.id))
        assert Refused.NOTHING_THERE is await room.bot.regenerate("1", Asker(room.tom.id))


async def test_a_reply_can_be_made_to_go_on() -> None:
    told = iter(["It began.", "And it went on."])
    async with bot_room(lambda _: [next(told)]) as room:
        await room.asks("tell me a story")
        room.mia.reacts(room.general, room.ours()[0]["id"], "▶️")
        await room.until(lambda: len(room.answers()) == 2)
        await room.quiet()

        assert ["It began.", "And it went on."] == room.answers()
        assert "It began." in str(room.model.prompts[1].turns)


# --- what is wrong ----------------------------------------------------------------------------------


async def test_without_a_model_people_are_told_what_to_do() -> None:
    async with bot_room(None) as room:
        await room.asks("hello")

        assert "No model is configured" in room.world.transcript(room.general)


async def test_who_has_had_enough_is_told_once() -> None:
    config = replace(CONFIG, limits=LimitsConfig(user_per_hour=1))
    async with bot_room(parrot, config=config) as room:
        await room.asks("one")
        await room.asks("two")
        await room.asks("three")

        assert 1 == len(room.model.prompts)
        assert 1 == room.world.transcript(room.general).count("as one may in an hour")


async def test_where_the_bot_may_not_speak_no_model_is_asked() -> None:
    async with bot_room(parrot) as room:
        room.world.overwrite(room.general, room.guild.everyone, deny=Permission.SEND_MESSAGES)
        await room.heard()
        room.world.create_message(room.mia.id, room.general, {"content": f"{room.mention} hello"})
        await room.heard()
        await room.quiet()

        assert [] == room.model.prompts


async def test_a_message_that_the_gateway_tells_twice_is_answered_once() -> None:
    async with bot_room(parrot) as room:
        asked = await room.asks("hello")
        channel = room.bot.get_channel(int(room.general))
        assert isinstance(channel, discord.TextChannel)
        await room.bot.on_message(await channel.fetch_message(int(asked)))
        await room.quiet()

        assert 1 == len(room.model.prompts)


# --- after the end ------------------------------------------------------------------------------------


async def test_a_message_that_waited_when_the_bot_died_is_answered_by_the_next() -> None:
    async with bot_room(slowly) as room:
        await _speaking(room)
        room.tom.says(room.general, f"{room.mention} and me?")
        await room.until(lambda: len(room.bot._admission._open) == 2)
        left = await room.staff.store.find(Shelf.TURNS)
        assert 2 == len(left)
        room.bot.turns._channels.clear()  # it dies: nobody strikes anything out
        await room.bot.close()
        for task in room.bot.turns._tasks:
            task.cancel()
        await asyncio.gather(*room.bot.turns._tasks, return_exceptions=True)
    async with bot_room(parrot, before=room) as again:
        await again.until(lambda: any("me?" in text for text in again.answers()))
        await again.quiet()

        assert 1 == sum("me?" in text for text in again.answers())


async def test_an_end_in_time_lets_replies_end_and_leaves_nothing() -> None:
    async with bot_room(lambda _: ["One.\n", 0.1, "Two."]) as room:
        room.mia.says(room.general, f"{room.mention} hello")
        await room.until(room.answers)
        closing = await room.bot.wind_down()

        assert 0 == closing.stopped
        assert ["One.", "Two."] == room.answers()
        assert [] == await room.staff.store.find(Shelf.TURNS)
