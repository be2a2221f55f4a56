"""What people can do about a reply; ``test_app`` and ``test_answering`` do it."""

from __future__ import annotations

from cadenza.bot.reply_controls import Asker, ControlRefused
from tests.bot.bot_room import bot_room, parrot


def test_nobody_may_manage_messages_unless_it_is_said() -> None:
    assert not Asker("1").may_manage


async def test_where_there_is_no_reply_nothing_can_be_done() -> None:
    async with bot_room(parrot) as room:
        asker = Asker(room.mia.id)

        assert ControlRefused.NOTHING_THERE is room.bot.control.stop(room.general, asker)
        assert ControlRefused.NOTHING_THERE is await room.bot.control.regenerate(room.general, asker)
        assert ControlRefused.NOTHING_THERE is await room.bot.control.go_on(room.general, asker)
        assert not room.bot.control.running(room.general)
