"""The whole bot, talked to by people in a simulated Discord."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import discord
import pytest

from cadenza.bot.config.config import DiscordConfig, LimitsConfig
from cadenza.bot.reply_controls import Asker, ControlRefused
from cadenza.bot.services.journal import Journal, JournalEntry
from cadenza.bot.services.own_messages import OwnMessages
from cadenza.bot.services.quotas import Excess
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.store import Namespace, Record, StoreError
from cadenza.turns import StopResult
from cadenza.types import Prompt
from tests.bot.bot_room import CONFIG, BotRoom, bot_room, parrot

_FULL = "there is no room left on the disk"


def slowly(prompt: Prompt) -> Iterable[str | float]:
    """A long answer, a line every twentieth of a second."""
    del prompt
    for number in range(40):
        yield f"Line {number}.\n"
        yield 0.05


# --- stops and follow-ups ----------------------------------------------------------------------------


async def _speaking(room: BotRoom, *, messages: int = 2) -> str:
    asked = room.mia.says(room.general, f"{room.mention} tell me a long story")
    await room.until(lambda: len(room.answers()) >= messages)
    return asked


async def test_whoever_is_answered_can_stop_it_in_words() -> None:
    async with bot_room(slowly) as room:
        await _speaking(room)
        said = len(room.answers())
        room.mia.says(room.general, "stop")
        await room.heard()
        await room.quiet()

        assert len(room.answers()) <= said + 2, "those that were under way"
        assert all(one.startswith("Line ") for one in room.answers()), "silence is the answer"


@pytest.mark.parametrize(("who", "stops"), [("mia", True), ("tom", False)])
async def test_a_reaction_stops_it_if_it_is_theirs_to_stop(who: str, *, stops: bool) -> None:
    async with bot_room(slowly) as room:
        await _speaking(room)
        getattr(room, who).reacts(room.general, room.ours()[0]["id"], "⏹️")
        await room.heard()
        if stops:
            await room.quiet(within=1.0)
        assert stops is not room.bot.control.running(room.general)


async def test_who_may_manage_messages_stops_what_was_said_to_others() -> None:
    async with bot_room(slowly) as room:
        room.tom.says(room.general, f"{room.mention} tell me a long story")
        await room.until(lambda: len(room.answers()) >= 2)

        assert ControlRefused.NOT_THEIRS is room.bot.control.stop(room.general, Asker("1"))
        assert isinstance(room.bot.control.stop(room.general, Asker(room.mia.id, may_manage=True)), StopResult)
        await room.quiet(within=1.0)
        assert ControlRefused.NOTHING_THERE is room.bot.control.stop(room.general, Asker(room.mia.id, may_manage=True))


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

        assert room.bot.control.running(room.general)
        room.bot.control.stop(room.general, Asker("", may_manage=True))


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


# --- once more, and more -----------------------------------------------------------------------------


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
        assert (
            await again.bot.control.regenerate(again.general, Asker(again.mia.id), message=again.ours()[-1]["id"])
            is None
        )
        await again.until(lambda: again.answers() == ["Second."])
        await again.quiet()


async def test_nobody_has_somebody_elses_reply_again() -> None:
    async with bot_room(parrot) as room:
        await room.asks("hello")

        assert ControlRefused.NOT_THEIRS is await room.bot.control.regenerate(room.general, Asker(room.tom.id))
        assert ControlRefused.NOTHING_THERE is await room.bot.control.regenerate("1", Asker(room.tom.id))


async def test_a_reply_can_be_made_to_go_on() -> None:
    told = iter(["It began.", "And it went on."])
    async with bot_room(lambda _: [next(told)]) as room:
        await room.asks("tell me a story")
        room.mia.reacts(room.general, room.ours()[0]["id"], "▶️")
        await room.until(lambda: len(room.answers()) == 2)
        await room.quiet()

        assert ["It began.", "And it went on."] == room.answers()
        assert "It began." in str(room.model.prompts[1].turns)


# --- after the end -----------------------------------------------------------------------------------


async def test_a_message_that_waited_when_the_bot_died_is_answered_by_the_next() -> None:
    async with bot_room(slowly) as room:
        await _speaking(room)
        room.tom.says(room.general, f"{room.mention} and me?")
        await room.until(lambda: len(room.bot.pending) == 2)
        left = await room.services.store.find(Namespace.TURNS)
        assert 2 == len(left)
        await room.bot.close()  # as it is if Discord sends it away: there is no time for a goodbye
        assert not {task.get_name() for task in asyncio.all_tasks()} & {
            "cadenza turn",
            "cadenza chore",
            "cadenza sender",
        }
        assert left == await room.services.store.find(Namespace.TURNS)
    async with bot_room(parrot, before=room) as again:
        await again.until(lambda: any("me?" in text for text in again.answers()))
        await again.quiet()

        assert 1 == sum("me?" in text for text in again.answers())


@pytest.mark.parametrize("after_restart", ["finish", "mark", "leave"])
async def test_what_a_process_said_before_it_died_is_known_as_ours(after_restart: str) -> None:
    talk = replace(CONFIG.conversation, after_restart=after_restart)
    async with bot_room(slowly) as room:
        asked = room.mia.says(room.general, "kitty, tell me a long story")
        await room.until(lambda: len(room.answers()) >= 2)
        await room.bot.close()
        spoken = [one["id"] for one in room.ours()]
        assert [] == await room.services.store.find(Namespace.SPRITE_MESSAGES)
    async with bot_room(lambda _: ["And so on."], config=replace(CONFIG, conversation=talk), before=room) as again:
        await again.bot.wait_until_ready()
        await again.heard()
        await again.quiet()
        first, *others = [await OwnMessages(again.services.store).about(id_) for id_ in spoken]

        assert first is not None
        assert ("Kira", asked, room.mia.id, True) == (first.persona, first.answers, first.author, first.is_webhook)
        assert {first.turn} == {one.turn for one in others if one is not None}
        assert await again.bot.control.regenerate(again.general, Asker(again.mia.id), message=spoken[0]) is None
        await again.quiet()
        assert not {*spoken} & {one["id"] for one in again.ours()}


async def test_what_a_process_said_wholly_before_it_died_is_known_as_ours() -> None:
    async with bot_room(lambda _: ["Just this."]) as room:
        asked = await room.asks("hello")
        [row] = await room.services.store.find(Namespace.SPRITE_MESSAGES)
        await room.services.store.delete(Namespace.SPRITE_MESSAGES, row.key)  # as if it had died before it wrote that
        journal = Journal(room.services.store)
        await journal.heard(JournalEntry(asked, asked, room.general, room.mia.id, server=room.guild.id, persona="Ren"))
        await journal.began(asked)
        await journal.ends(asked, behind="")
    async with bot_room(parrot, before=room) as again:
        await again.bot.wait_until_ready()
        await again.heard()
        await again.quiet()

        assert ["Just this."] == again.answers()
        assert [row.key] == [own.key for own in await again.services.store.find(Namespace.SPRITE_MESSAGES)]


@pytest.mark.parametrize("trouble", ["cut", "torn", "asked to", "begun anew"])
async def test_a_gateway_that_is_lost_in_the_middle_of_a_reply_makes_nothing_be_said_twice(trouble: str) -> None:
    def counting(prompt: Prompt) -> Iterable[str | float]:
        who = "Tom" if "me too" in prompt.turns[-1].text else "Mia"
        for number in range(4):
            yield from (f"{who} {number}.\n", 0.05)

    async with bot_room(counting) as room:
        await room.bot.wait_until_ready()
        gateway, heard = room.server.gateway, list[discord.Message]()

        async def note(message: discord.Message) -> None:
            heard.append(message)

        room.bot.add_listener(note, "on_message")
        await _speaking(room, messages=1)
        line = room.bot.ws
        match trouble:
            case "cut":
                gateway.cut(4000)
            case "torn":
                gateway.cut(None)
            case "asked to":
                gateway.reconnect()
            case _:
                gateway.invalidate(resumable=False)
        if trouble != "begun anew":  # what is said meanwhile is told afterwards, else never
            room.tom.says(room.general, f"{room.mention} me too")
            await room.until(lambda: any("me too" in message.content for message in heard))
        await room.until(lambda: "Mia 3." in "\n".join(room.answers()))
        async with asyncio.timeout(10):
            while room.bot.ws is line:  # if it ended now, discord.py would leave a thread behind
                await room.heard()
        for message in list(heard):  # Discord tells some things twice
            room.bot.dispatch("message", message)
        await room.heard()
        await room.quiet()
        askers = ["Mia"] if trouble == "begun anew" else ["Mia", "Tom"]

        said = [line for text in room.answers() for line in text.splitlines()]
        assert [f"{who} {number}." for who in askers for number in range(4)] == said


class FullStore(MemoryStore):
    """A store whose disk is full."""

    async def put(self, *_: Record) -> None:
        raise StoreError(_FULL)

    async def change(self, *_: Any) -> Record | None:
        raise StoreError(_FULL)

    async def delete(self, *_: Any) -> int:
        raise StoreError(_FULL)


async def test_a_full_disk_keeps_nobody_from_being_answered_and_nothing_is_taken_up_twice() -> None:
    store = FullStore()
    async with bot_room(parrot, store=store) as room:
        asked = room.mia.says(room.general, "hello")
        # What a process before could still write down.
        entry = JournalEntry(asked, asked, room.general, room.mia.id, server=str(room.guild.id), at=time.time())
        await Journal(left := MemoryStore()).heard(entry)
        store._records |= left._records
        await room.bot.recovery.run()
        await room.asks("there")
        await room.asks("kitty, there?")

        assert ["Ren heard: there", "Ren heard: there?", "Kira heard: there?"] == [
            t for t in room.answers() if "heard" in t
        ]


async def test_an_end_in_time_lets_replies_end_and_leaves_nothing() -> None:
    async with bot_room(lambda _: ["One.\n", 0.1, "Two."]) as room:
        room.mia.says(room.general, f"{room.mention} hello")
        await room.until(room.answers)
        closing = await room.bot.wind_down()

        assert 0 == closing.stopped
        assert ["One.", "Two."] == room.answers()
        assert [] == await room.services.store.find(Namespace.TURNS)


async def test_what_is_answered_after_a_death_is_not_taken_off_what_others_have() -> None:
    config = replace(CONFIG, limits=LimitsConfig(server_active=1))

    def briefly(prompt: Prompt) -> Iterable[str | float]:
        del prompt
        for number in range(10):
            yield from (f"Line {number}.\n", 0.03)

    async with bot_room(parrot, config=config) as room:
        await room.asks("good evening")
    asked = room.mia.says(room.general, f"{room.mention} hello")
    entry = JournalEntry(asked, asked, room.general, room.mia.id, server=room.guild.id, persona="Ren")
    await Journal(room.services.store).heard(entry)
    async with bot_room(briefly, config=config, before=room) as later:
        await later.until(later.bot.turns.running)
        assert await later.services.limits.admit(room.tom.id, room.guild.id) is None
        await later.quiet()

        assert later.answers()
        assert Excess.SERVER_ACTIVE is await later.services.limits.admit(room.mia.id, room.guild.id)


async def test_what_stands_under_its_name_follows_the_configuration() -> None:
    async with bot_room(parrot) as room:
        await room.bot.wait_until_ready()
        me = room.bot.guilds[0].me
        room.bot.services.config.change(replace(CONFIG, discord=DiscordConfig(status="tea time")))
        await room.heard()

        assert ("tea time", "tea time") == (me.activity.name, room.bot.activity.name)


# --- a new configuration ----------------------------------------------------------------------------------


async def test_a_new_status_is_shown_without_a_restart() -> None:
    async with bot_room(parrot, config=replace(CONFIG, discord=DiscordConfig(status="awake"))) as room:
        before = room.bot.activity
        room.services.config.change(replace(CONFIG, discord=DiscordConfig(status="asleep")))
        await room.quiet()
        shown = room.bot.guilds[0].me.activity
        room.services.config.change(CONFIG)
        await room.quiet()

        assert before is not None
        assert shown is not None
        assert ("awake", "asleep") == (before.name, shown.name)
        assert room.bot.activity is None
        assert room.bot.guilds[0].me.activity is None
