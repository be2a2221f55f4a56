"""What the author of a test is told who waits in vain."""

from __future__ import annotations

from cadenza.sim.intents import ALL, Intent
from cadenza.sim.rest import RestCall
from cadenza.sim.sessions import Session, Shard
from cadenza.sim.waiting import what_there_is
from cadenza.sim.wire import RestRequest
from tests.sim.tearoom import Tearoom


def _session(room: Tearoom, intents: Intent = ALL) -> Session:
    return Session("1", room.bot, intents, Shard())


def _call(status: int | None, code: int = 0) -> RestCall:
    request = RestRequest("POST", "/channels/1/messages")
    return RestCall(0.0, "POST /channels/{channel}/messages", status, code, request=request)


def test_nothing_at_all() -> None:
    room = Tearoom()

    assert "(no message yet)\n(no bot is connected)" == what_there_is(room.world, [], [])


def test_the_last_of_the_last_channels() -> None:
    room = Tearoom()
    channels = [room.world.add_channel(room.guild, f"c{number}") for number in range(3)]
    direct = room.world.open_direct(room.bot, room.ada)
    for channel in [room.channel, *channels, direct]:
        room.ada.says(channel, f"in {channel[-2:]}")
    for number in range(13):
        room.ada.says(channels[1], f"{number} " + "a" * 200)

    lines = what_there_is(room.world, [_session(room)], []).splitlines()

    assert ["#c2:", "direct messages of Cadenza and ada:", "#c1:"] == [line for line in lines if line[0] != " "]
    assert "    …" == lines[5]
    assert lines[6].startswith("    Ada: 1 aaa")
    assert lines[-1].startswith("    Ada: 12 aaa")
    assert {160} == {len(line) for line in lines[6:]}


def test_what_the_bots_do_not_see() -> None:
    room = Tearoom()
    home = room.world.add_guild("Ada's", owner=room.ada)
    room.ada.says(room.world.add_channel(home, "den"), "Hello?")

    told = what_there_is(room.world, [_session(room, ALL & ~Intent.MESSAGE_CONTENT)], [])

    assert (
        "#den:\n"
        "    Ada: Hello?\n"
        "(no connected bot can see #den; is it a member of the guild?)\n"
        "(Cadenza lacks the intent MESSAGE_CONTENT, so it receives other people's texts empty, unless they mention it)"
    ) == told


def test_a_bot_that_has_gone_is_not_connected() -> None:
    room = Tearoom()
    gone = _session(room)
    gone.detach(1.0)

    assert what_there_is(room.world, [gone], []).endswith("(no bot is connected)")


def test_the_last_refused_calls() -> None:
    room = Tearoom()
    calls = [_call(403, 50013), _call(200), _call(400, 50035), _call(204), _call(None), _call(429)]

    told = what_there_is(room.world, [_session(room)], calls)

    assert [
        "(POST /channels/{channel}/messages was answered with 400, code 50035)",
        "(the answer to POST /channels/{channel}/messages was lost)",
        "(POST /channels/{channel}/messages was answered with 429)",
    ] == told.splitlines()[1:]
