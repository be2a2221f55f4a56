from __future__ import annotations

import pytest

from cadenza.sim.permissions import ALL, EVERYONE, INVITED, Permission
from tests.sim.tearoom import Tearoom, refused

P = Permission


@pytest.fixture
def room() -> Tearoom:
    return Tearoom()


def test_what_each_may_do(room: Tearoom) -> None:
    world, channel = room.world, room.channel

    assert [ALL, EVERYONE, EVERYONE | INVITED, P.NONE] == [
        world.permissions_in(who.id, channel) for who in (room.ada, room.ben, room.bot, room.cleo)
    ]


def test_a_role_gives_and_its_overwrite_takes(room: Tearoom) -> None:
    role = room.world.add_role(room.guild, "brewers", permissions=P.MANAGE_THREADS)
    room.world.give_role(room.guild, room.ben, role)
    before = room.world.permissions_in(room.ben.id, room.channel)
    room.world.overwrite(room.channel, role, deny=P.MANAGE_THREADS)

    assert (EVERYONE | P.MANAGE_THREADS, EVERYONE) == (before, room.world.permissions_in(room.ben.id, room.channel))


def test_what_a_member_is_given_outranks_what_everybody_is_denied(room: Tearoom) -> None:
    room.world.overwrite(room.channel, room.guild.everyone, deny=P.VIEW_CHANNEL)
    room.world.overwrite(room.channel, room.bot, allow=P.VIEW_CHANNEL)

    assert refused(room.sends) is None
    assert (403, 50001) == refused(lambda: room.ben.says(room.channel, "a"))


def test_a_thread_has_the_overwrites_of_its_channel(room: Tearoom) -> None:
    thread = room.world.add_thread(room.channel, "aside")
    room.world.overwrite(room.channel, room.bot, deny=P.SEND_MESSAGES)
    in_thread = refused(lambda: room.world.create_message(room.bot.id, thread, {"content": "a"}))
    room.world.overwrite(room.channel, room.bot, deny=P.SEND_MESSAGES_IN_THREADS)

    assert in_thread is None
    assert (403, 50013) == refused(lambda: room.world.create_message(room.bot.id, thread, {"content": "a"}))


def test_a_private_thread_is_for_those_who_were_let_in(room: Tearoom) -> None:
    thread = room.world.add_thread(room.channel, "secret", private=True)
    before = refused(lambda: room.ben.says(thread, "a"))
    room.world.join_thread(thread, room.ben)

    assert ((403, 50001), None) == (before, refused(lambda: room.ben.says(thread, "a")))


def test_who_is_named_in_a_private_thread_is_let_in(room: Tearoom) -> None:
    thread = room.world.add_thread(room.channel, "secret", private=True)
    room.ada.says(thread, room.ben.mention)

    assert refused(lambda: room.ben.says(thread, "a")) is None


def test_a_bot_hears_of_nothing_in_a_channel_that_it_cannot_see(room: Tearoom) -> None:
    other = room.world.add_bot("Other", token="other")  # noqa: S106  # of a world in memory
    room.guild.join(other)
    room.world.overwrite(room.channel, room.bot, deny=P.VIEW_CHANNEL)
    room.events.clear()
    room.ada.says(room.channel, "a")
    room.world.overwrite(room.channel, other, deny=P.VIEW_CHANNEL)
    room.events[1:] = []
    room.ada.says(room.channel, "b")

    first, second = (event.bots for event in room.events)
    assert frozenset({other.id}) == first
    assert second
    assert second.isdisjoint({room.bot.id, other.id})


def test_in_direct_messages_only_the_two_hear(room: Tearoom) -> None:
    room.guild.join(room.world.add_bot("Other", token="other"))  # noqa: S106  # of a world in memory
    direct = room.world.open_direct(room.bot, room.ada)
    room.events.clear()
    room.ada.says(direct, "a")

    (event,) = room.events
    assert (None, frozenset({room.bot.id})) == (event.guild, event.bots)
    assert "guild_id" not in event.data
    assert (403, 50001) == refused(lambda: room.ben.says(direct, "a"))
