from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from cadenza.sim.wire import File, Refusal
from tests.sim.tearoom import Tearoom


@pytest.fixture
def room() -> Tearoom:
    return Tearoom()


def test_people_talk_and_change_their_mind(room: Tearoom) -> None:
    asked = room.ada.says(room.channel, "tea?")
    room.ben.types(room.channel)
    answer = room.ben.says(room.channel, "yes", reply_to=asked, files=[File("cup.png", b"a")])
    room.ben.reacts(room.channel, asked, "🫖")
    room.ada.edits(room.channel, asked, "coffee?")
    room.ben.deletes(room.channel, answer)
    room.ben.unreacts(room.channel, asked, "🫖")

    assert ["coffee?"] == room.contents()
    assert [
        "MESSAGE_CREATE", "TYPING_START", "MESSAGE_CREATE", "MESSAGE_REACTION_ADD", "MESSAGE_UPDATE",
        "MESSAGE_DELETE", "MESSAGE_REACTION_REMOVE",
    ] == room.heard()  # fmt: skip


def test_people_and_bots_can_be_called(room: Tearoom) -> None:
    message = room.sends(f"Hello {room.ada.mention}")
    asked = room.ada.says(room.channel, f"Hello {room.bot.mention}")

    assert frozenset({room.ada.id}) == room.world.pinged(room.channel, message["id"])
    assert frozenset({room.bot.id}) == room.world.pinged(room.channel, asked)


def test_who_cannot_see_a_channel_is_named(room: Tearoom) -> None:
    with pytest.raises(Refusal) as caught:
        room.cleo.says(room.channel, "hi")

    assert ["cleo cannot see the channel; is cleo a member of its guild?"] == caught.value.__notes__


def test_handles_show_who_they_are_and_stay_so(room: Tearoom) -> None:
    assert f"Person(id='{room.ada.id}', name='Ada')" == repr(room.ada)
    assert f"Guild(id='{room.guild.id}', name='Tea')" == repr(room.guild)
    with pytest.raises(FrozenInstanceError):
        room.ada.name = "Eve"  # type: ignore[misc]


def test_everybody_is_a_role_with_the_id_of_the_guild(room: Tearoom) -> None:
    assert room.guild.everyone == room.world.get_roles(room.bot.id, room.guild.id)[0]["id"]
