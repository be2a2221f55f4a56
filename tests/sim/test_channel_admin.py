"""Channels that bots make, what they allow in them, and who is in which thread."""

from __future__ import annotations

import pytest

from cadenza.sim import channel_admin
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
    assert expected == wrong_field(
        lambda: channel_admin.create_channel(room.world.state, room.bot.id, room.guild.id, form)
    )


def test_a_parent_is_a_category(room: Tearoom) -> None:
    form = {"name": "a", "parent_id": room.channel}
    assert (404, 10003) == refused(
        lambda: channel_admin.create_channel(room.world.state, room.bot.id, room.guild.id, form)
    )
    assert "parent_id" == wrong_field(lambda: room.world.edit_channel(room.bot.id, room.channel, form))


def test_what_is_allowed_in_a_channel_is_put_and_taken_away(room: Tearoom) -> None:
    channel_admin.put_overwrite(room.world.state, room.bot.id, room.channel, room.guild.id, {"type": 0, "deny": "2048"})
    assert (403, 50013) == refused(lambda: room.ben.says(room.channel, "hi"))

    channel_admin.delete_overwrite(room.world.state, room.bot.id, room.channel, room.guild.id)
    assert refused(lambda: room.ben.says(room.channel, "hi")) is None
    assert (404, 10009) == refused(
        lambda: channel_admin.delete_overwrite(room.world.state, room.bot.id, room.channel, room.guild.id)
    )


def test_who_comes_into_a_thread_and_goes_is_told(room: Tearoom) -> None:
    thread = room.world.add_thread(room.channel, "talk")
    room.heard()

    for _ in range(2):
        channel_admin.add_thread_member(room.world.state, room.bot.id, thread, room.ben.id)
    for _ in range(2):
        channel_admin.remove_thread_member(room.world.state, room.bot.id, thread, room.ben.id)

    assert ["THREAD_MEMBERS_UPDATE"] * 2 == room.heard()
    assert (404, 10007) == refused(
        lambda: channel_admin.get_thread_member(room.world.state, room.bot.id, thread, room.ben.id)
    )
    assert (400, 50024) == refused(
        lambda: channel_admin.get_thread_members(room.world.state, room.bot.id, room.channel)
    )


def test_a_bot_that_is_let_into_a_private_thread_learns_of_it(room: Tearoom) -> None:
    room.guild.join(other := room.world.add_bot("Other", token="other"))  # noqa: S106  # of a world in memory
    thread = room.world.add_thread(room.channel, "aside", private=True)
    room.events.clear()

    for _ in range(2):
        room.world.join_thread(thread, other)

    created, updated = room.events
    assert ("THREAD_CREATE", frozenset({other.id}), "aside") == (created.name, created.bots, created.data["name"])
    assert [other.id] == [one["user_id"] for one in updated.data["added_members"]]


def test_threads_are_listed_where_they_belong(room: Tearoom) -> None:
    here, closed, private = (room.world.add_thread(room.channel, name, private=name == "c") for name in "abc")
    for thread in (closed, private):
        room.world.archive(thread)

    def names(found: dict[str, list[dict[str, object]]]) -> list[object]:
        return [thread["id"] for thread in found["threads"]]

    bot = room.bot.id
    assert [here] == names(channel_admin.active_threads(room.world.state, bot, room.guild.id))
    assert [closed] == names(channel_admin.archived_threads(room.world.state, bot, room.channel, is_private=False))
    assert [private] == names(channel_admin.archived_threads(room.world.state, bot, room.channel, is_private=True))
    assert [] == names(
        channel_admin.archived_threads(room.world.state, bot, room.channel, is_private=True, is_joined=True)
    )
