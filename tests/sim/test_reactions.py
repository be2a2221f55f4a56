from __future__ import annotations

import pytest

from cadenza.sim import reactions
from cadenza.sim.permissions import Permission
from tests.sim.tearoom import Tearoom, refused


@pytest.fixture
def room() -> Tearoom:
    return Tearoom()


def test_reactions_are_counted_and_say_whether_they_are_ones_own(room: Tearoom) -> None:
    said = room.ada.says(room.channel, "a")
    room.ada.reacts(room.channel, said, "👍")
    room.ben.reacts(room.channel, said, "👍")
    room.ben.reacts(room.channel, said, "👍")

    shown = [room.world.get_message(who.id, room.channel, said)["reactions"][0] for who in (room.ada, room.bot)]

    assert [(2, True), (2, False)] == [(one["count"], one["me"]) for one in shown]
    assert ["MESSAGE_CREATE", "MESSAGE_REACTION_ADD", "MESSAGE_REACTION_ADD"] == room.heard()


def test_they_can_be_taken_away_again(room: Tearoom) -> None:
    said = room.ada.says(room.channel, "a")
    room.ben.reacts(room.channel, said, "👍")
    room.heard()

    assert (403, 50013) == refused(
        lambda: reactions.remove(room.world.state, room.ben.id, room.channel, said, "👍", user=room.ada.id)
    )
    room.ben.unreacts(room.channel, said, "👍")
    room.ben.unreacts(room.channel, said, "👍")

    assert "reactions" not in room.world.messages(room.channel)[0]
    assert ["MESSAGE_REACTION_REMOVE"] == room.heard()


def test_an_event_says_who_put_what_under_whose_message(room: Tearoom) -> None:
    soup = room.world.add_emoji(room.guild, "soup")
    said = room.ada.says(room.channel, "a")
    room.ben.reacts(room.channel, said, f"soup:{soup}")

    event = room.events[-1].data

    assert (room.ben.id, room.ada.id, said) == (event["user_id"], event["message_author_id"], event["message_id"])
    assert {"id": soup, "name": "soup"} == event["emoji"]
    assert room.ben.id == event["member"]["user"]["id"]


@pytest.mark.parametrize(
    ("emoji", "expected"),
    [
        pytest.param("👍", None, id="a character"),
        pytest.param("soup:SOUP", None, id="one of the guild"),
        pytest.param("<a:soup:SOUP>", None, id="as it is written in a text"),
        pytest.param("soup:1", (400, 10014), id="one that is nowhere"),
        pytest.param("soup", (400, 10014), id="a word"),
        pytest.param("", (400, 10014), id="nothing"),
    ],
)
def test_what_is_an_emoji(room: Tearoom, emoji: str, expected: tuple[int, int] | None) -> None:
    emoji = emoji.replace("SOUP", room.world.add_emoji(room.guild, "soup"))
    said = room.ada.says(room.channel, "a")

    assert expected == refused(lambda: reactions.add(room.world.state, room.bot.id, room.channel, said, emoji))


def test_only_the_first_of_a_kind_takes_a_permission(room: Tearoom) -> None:
    said = room.ada.says(room.channel, "a")
    room.ada.reacts(room.channel, said, "👍")
    room.world.overwrite(room.channel, room.ben, deny=Permission.ADD_REACTIONS)

    assert refused(lambda: room.ben.reacts(room.channel, said, "👍")) is None
    assert (403, 50013) == refused(lambda: room.ben.reacts(room.channel, said, "👎"))


def test_there_are_at_most_twenty(room: Tearoom) -> None:
    said = room.ada.says(room.channel, "a")
    for number in range(20):
        room.ada.reacts(room.channel, said, chr(0x1F600 + number))

    assert (400, 30010) == refused(lambda: room.ada.reacts(room.channel, said, "👍"))
    assert refused(lambda: room.ben.reacts(room.channel, said, "😀")) is None


def test_what_was_refused_leaves_nothing(room: Tearoom) -> None:
    said = room.ada.says(room.channel, "a")
    room.world.overwrite(room.channel, room.ben, deny=Permission.ADD_REACTIONS)
    refused(lambda: room.ben.reacts(room.channel, said, "👎"))

    assert "reactions" not in room.world.messages(room.channel)[0]
    assert (404, 10008) == refused(lambda: room.ben.reacts(room.channel, "1", "👍"))


def test_in_direct_messages_there_are_reactions_without_members(room: Tearoom) -> None:
    direct = room.world.open_direct(room.bot, room.ada)
    said = room.ada.says(direct, "a")
    reactions.add(room.world.state, room.bot.id, direct, said, "👍")

    assert "member" not in room.events[-1].data


def test_of_two_who_reacted_one_stays(room: Tearoom) -> None:
    said = room.ada.says(room.channel, "a")
    room.ada.reacts(room.channel, said, "👍")
    room.ben.reacts(room.channel, said, "👍")
    reactions.remove(room.world.state, room.bot.id, room.channel, said, "👍", user=room.ada.id)

    assert 1 == room.world.messages(room.channel)[0]["reactions"][0]["count"]
