from __future__ import annotations

import pytest

from cadenza.bot.commands.stop import commands
from cadenza.bot.reply_controls import Asker, ControlRefused
from cadenza.turns import StopResult
from tests.bot.command_room import command_room

NOT_THEIRS = "That is said to somebody else; only they, or who has the permission “Manage Messages”, can do that."
BUSY = "Something is being said here; wait until it has ended, or stop it first."
TOO_MUCH = "That is as much as you may have for now; try it again later."


RESULTS: tuple[tuple[StopResult | ControlRefused, str], ...] = (
    (StopResult(was_running=True, cleared=0), "Stopped."),
    (StopResult(was_running=True, cleared=2), "Stopped; 2 that waited will not be answered."),
    (StopResult(was_running=False, cleared=1), "Stopped; 1 that waited will not be answered."),
    (StopResult(was_running=False, cleared=0), "There is nothing to stop."),
    (ControlRefused.NOTHING_THERE, "There is nothing to stop."),
    (ControlRefused.NOT_THEIRS, NOT_THEIRS),
    (ControlRefused.BUSY, BUSY),
    (ControlRefused.TOO_MUCH, TOO_MUCH),
)


async def test_who_stops_is_told_what_came_of_it_and_nobody_else() -> None:
    async with command_room(commands) as room:
        for result, told in RESULTS:
            room.remote.stopping = result
            assert told == await room.use(room.tom, "stop")
            assert room.is_ephemeral
        assert [("stop", room.general, Asker(room.tom.id), "")] * len(RESULTS) == room.remote.asked


async def test_who_may_manage_messages_is_known_as_such_and_so_is_everybody_in_private() -> None:
    async with command_room(commands) as room:
        await room.use(room.mia, "stop")
        direct = room.world.open_direct(room.bot, room.tom)
        await room.use(room.tom, "stop", channel=direct)

        assert [Asker(room.mia.id, may_manage=True), Asker(room.tom.id, may_manage=True)] == [
            asker for _, _, asker, _ in room.remote.asked
        ]


@pytest.mark.parametrize(
    ("command", "menu", "wish", "done", "nothing"),
    [
        (
            "regenerate",
            "Regenerate",
            "regenerate",
            "It is being said anew.",
            "There is no reply of mine that could be said anew.",
        ),
        ("continue", "Continue", "go_on", "It goes on.", "There is no reply of mine that could go on."),
    ],
    ids=["regenerate", "continue"],
)
async def test_a_reply_is_had_again_or_goes_on(command: str, menu: str, wish: str, done: str, nothing: str) -> None:
    async with command_room(commands) as room:
        message = room.mia.says(room.general, "Hello.")

        assert done == await room.use(room.tom, command)
        assert room.is_ephemeral
        assert done == await room.use(room.tom, menu, target=message)
        assert room.is_ephemeral
        tom = Asker(room.tom.id)
        assert [(wish, room.general, tom, ""), (wish, room.general, tom, message)] == room.remote.asked

        for refusal, told in (
            (ControlRefused.NOTHING_THERE, nothing),
            (ControlRefused.NOT_THEIRS, NOT_THEIRS),
            (ControlRefused.BUSY, BUSY),
            (ControlRefused.TOO_MUCH, TOO_MUCH),
        ):
            room.remote.refusal = refusal
            assert told == await room.use(room.tom, command)
            assert told == await room.use(room.tom, menu, target=message)
