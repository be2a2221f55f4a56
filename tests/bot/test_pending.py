"""Messages that are pending: added once, and let go once."""

from __future__ import annotations

from cadenza.bot.pending import Pending
from cadenza.bot.reply_request import Greeting
from cadenza.turns import Dropped, IncomingMessage
from tests.bot.bot_room import bot_room, parrot


def heard(key: str, *, persona: str = "Ren", channel: str = "1", is_command: bool = False) -> IncomingMessage:
    """A message of Mia's."""
    return IncomingMessage(key, channel, "mia", "hello", is_command=is_command, persona=persona)


async def test_what_is_pending_can_be_asked_for_until_it_is_over() -> None:
    async with bot_room(parrot) as room:
        pending: Pending = room.bot.pending
        for one in (heard("a"), heard("b", persona="Kira"), heard("c", channel="2")):
            pending.add(one)

        assert "b" == getattr(pending.newest("1"), "id", None)
        assert pending.newest("3") is None
        assert (True, False) == (pending.is_waiting("1", "KIRA"), pending.is_waiting("2", "Kira"))
        assert pending.has_like(heard("d"))
        assert not pending.has_like(heard("d", is_command=True))
        await pending.over("a", "b")
        assert ("a" in pending, "c" in pending, len(pending)) == (False, True, 1)


async def test_whoever_was_counted_is_let_go_when_a_message_is_dropped() -> None:
    async with bot_room(parrot) as room:
        assert await room.services.limits.admit("mia", room.guild.id) is None
        channel = room.bot.get_channel(int(room.general))
        greeting = Greeting(channel, "mia", "Mia", "Hi.", room.guild.id)  # type: ignore[arg-type]  # a text channel
        room.bot.pending.add(IncomingMessage("g", room.general, "mia", "Hi.", is_command=True, payload=greeting))
        room.bot.pending.dropped(heard("g"), Dropped.STOPPED)
        await room.bot.background.finish()

        assert 0 == room.services.limits.active
        assert 0 == len(room.bot.pending)
