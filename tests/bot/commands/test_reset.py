"""``/reset``: who may begin anew, and what is forgotten."""

from __future__ import annotations

from cadenza.bot.commands.reset import commands
from cadenza.bot.memory.location import Location
from cadenza.bot.services.resets import Resets
from cadenza.bot.store.store import Namespace
from tests.bot.bot_room import bot_room, parrot
from tests.bot.command_room import command_room

DONE = "A new conversation starts here; earlier messages are no longer read. Notes stay: see /memory."
REFUSED = "You need the permission “Manage Messages” for this."


async def test_only_who_may_manage_messages_begins_anew_and_in_private_everybody() -> None:
    async with command_room(commands) as room:
        beginnings = Resets(room.services.store)

        assert REFUSED == await room.use(room.tom, "reset")
        assert "" == await beginnings.of(room.general)
        assert DONE == await room.use(room.mia, "reset")
        assert room.is_ephemeral
        assert room.last == await beginnings.of(room.general)
        direct = room.world.open_direct(room.bot, room.tom)
        assert DONE == await room.use(room.tom, "reset", channel=direct)
        assert room.last == await beginnings.of(direct)


async def test_what_was_summed_up_of_the_channel_is_forgotten_and_of_others_not() -> None:
    async with command_room(commands) as room:
        for channel in (room.general, "1"):
            where = Location(room.tom.id, channel, server=room.guild.id, persona="ren")
            await room.services.memory.short_term.sum_up(where, "They spoke of tea.", people=[])
        await room.use(room.mia, "reset")

        left = await room.services.store.find(Namespace.SHORT_TERM)
        assert {"1"} == {record.value["channel"] for record in left}


async def test_the_model_is_told_nothing_of_what_was_said_before() -> None:
    async with bot_room(parrot) as room:
        await room.asks("the lamp is broken")
        room.mia.commands(room.general, "reset")
        await room.heard()
        await room.asks("hello")

        assert "lamp" in room.model.prompts[0].turns[-1].text
        assert not [turn for turn in room.model.prompts[-1].turns if "lamp" in turn.text]

        room.mia.reacts(room.general, next(one for one in room.ours() if "broken" in one["content"])["id"], "🔁")
        await room.until(lambda: len(room.model.prompts) == 3)
        assert "lamp" in room.model.prompts[-1].turns[-1].text
