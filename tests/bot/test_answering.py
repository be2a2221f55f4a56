"""One turn of the bot."""

from __future__ import annotations

from cadenza.sim.permissions import Permission
from tests.bot.bot_room import bot_room, parrot


async def test_without_a_model_people_are_told_what_to_do() -> None:
    async with bot_room(None) as room:
        await room.asks("hello")

        assert "No model is configured" in room.world.transcript(room.general)


async def test_where_the_bot_may_not_speak_no_model_is_asked() -> None:
    async with bot_room(parrot) as room:
        room.world.overwrite(room.general, room.guild.everyone, deny=Permission.SEND_MESSAGES)
        await room.heard()
        room.world.create_message(room.mia.id, room.general, {"content": f"{room.mention} hello"})
        await room.heard()
        await room.quiet()

        assert [] == room.model.prompts
