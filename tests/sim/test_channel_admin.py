"""Channels that bots make, what they allow in them, and who is in which thread."""

from __future__ import annotations

import pytest

from cadenza.sim.permissions import ALL
from tests.sim.tearoom import Tearoom, refused, wrong_field


@pytest.fixture
def room() -> Tearoom:
    room = Tearoom()
    room.world.give_role(room.guild, room.bot, room.world.add_role(room.guild, "Staff", permissions=ALL))
    return room


@pytest.mark.parametrize(
    ("form", "expected"),
    [({"name": "a", "type": 11}, "type"), ({}, "name"), ({"name": "a", "rate_limit_per_user": -1}, "rate_limit_per_user")],
)  # fmt: skip
def test_a_channel_that_cannot_be_is_refused(room: Tearoom, form: dict[str, object], expected: str) -> None:
    assert expected == wrong_field(lambda: room.world.create_channel(room.bot.id, room.guild.id, form))


def test_a_parent_is_a_category(room: Tearoom) -> None:
    form = {"name": "a", "parent_id": room.channel}
    assert (404, 10003) == refused(lambda: room.world.create_channel(room.bot.id, room.guild.id, form))
    assert "parent_id" == wrong_field(lambda: room.world.edit_channel(room.bot.id, room.channel, form))


def test_what_is_allowed_in_a_channel_is_put_and_taken_away(room: Tearoom) -> None:
    room.world.put_overwrite(room.bot.id, room.channel, room.guild.id, {"type": 0, "deny": "2048"})
    assert (403, 50013) == refused(lambda: room.ben.says(room.channel, "hi"))

    room.world.delete_overwrite(room.bot.id, room.channel, room.guild.id)
    assert refused(lambda: room.ben.says(room.channel, "hi")) is None
    assert (404, 10009) == refused(lambda: room.world.delete_overwrite(room.bot.id, room.channel, room.guild.id))


def test_who_comes_into_a_thread_and_goes_is_told(room: Tearoom) -> None:
    thread = room.world.add_thread(room.channel, "talk")
    room.heard()

    for _ in range(2):
        room.world.add_thread_member(room.bot.id, thread, room.ben.id)
    for _ in range(2):
        room.world.remove_thread_member(room.bot.id, thread, room.ben.id)

    assert ["THREAD_MEMBERS_UPDATE"] * 2 == room.heard()
    assert (404, 10007) == refused(lambda: room.world.get_thread_member(room.bot.id, thread, room.ben.id))
    assert (400, 50024) == refused(lambda: room.world.get_thread_members(room.bot.id, room.channel))


def test_threads_are_listed_where_they_belong(room: Tearoom) -> None:
    here, closed, private = (room.world.add_thread(room.channel, name, private=name == "c") for name in "abc")
    for thread in (closed, private):
        room.world.archive(thread)

    def names(found: dict[str, list[dict[str, object]]]) -> list[object]:
        return [thread["id"] for thread in found["threads"]]

    bot = room.bot.id
    assert [here] == names(room.world.active_threads(bot, room.guild.id))
    assert [closed] == names(room.world.archived_threads(bot, room.channel, is_private=False))
    assert [private] == names(room.world.archived_threads(bot, room.channel, is_private=True))
    assert [] == names(room.world.archived_threads(bot, room.channel, is_private=True, is_joined=True))
