from __future__ import annotations

import pytest

from cadenza.sim.wire import GatewayEvent
from tests.sim.tearoom import Tearoom


@pytest.fixture
def room() -> Tearoom:
    return Tearoom()


def test_who_listens_hears_everything_until_they_stop(room: Tearoom) -> None:
    heard: list[GatewayEvent] = []
    stop = room.world.listen(heard.append)
    room.ada.says(room.channel, "a")
    stop()
    stop()
    room.ada.says(room.channel, "b")

    assert ["a"] == [event.data["content"] for event in heard]


def test_each_listener_has_an_event_of_its_own(room: Tearoom) -> None:
    second: list[GatewayEvent] = []
    room.world.listen(second.append)
    room.ada.says(room.channel, "a")
    room.events[0].data["content"] = "changed"

    assert "a" == second[0].data["content"]


def test_one_may_stop_listening_while_hearing(room: Tearoom) -> None:
    heard: list[str] = []

    def once(event: GatewayEvent) -> None:
        heard.append(event.name)
        stop()

    stop = room.world.listen(once)
    room.ada.says(room.channel, "a")
    room.ada.says(room.channel, "b")

    assert ["MESSAGE_CREATE"] == heard
    assert 2 == len(room.events)


def test_an_event_always_names_who_hears_it(room: Tearoom) -> None:
    room.guild.leave(room.bot)
    room.events.clear()
    room.ada.says(room.channel, "a")

    assert room.events[0].bots
    assert room.bot.id not in room.events[0].bots


def test_two_bots_have_two_tokens(room: Tearoom) -> None:
    with pytest.raises(ValueError, match="give Other a token of its own"):
        room.world.add_bot("Other")


def test_the_time_goes_with_the_clock(room: Tearoom) -> None:
    before = room.world.now()
    room.time += 2.5

    assert 2.5 == room.world.now() - before


def test_a_picture_that_nobody_has_stored_is_none(room: Tearoom) -> None:
    assert room.world.portrait("a") is None
