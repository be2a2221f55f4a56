"""Moderation: what bots may do with members and roles, and what not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cadenza.sim import guilds, moderation
from cadenza.sim.permissions import Permission as P  # noqa: N817  # it is in every line
from tests.sim.tearoom import Tearoom, refused, wrong_field


@pytest.fixture
def room() -> Tearoom:
    return Tearoom()


def allow(room: Tearoom, permissions: P) -> str:
    """Give the bot a role with these; the id of it."""
    role = room.world.add_role(room.guild, "Staff", permissions=permissions)
    room.world.give_role(room.guild, room.bot, role)
    return role


@pytest.mark.parametrize(
    ("needed", "action"),
    [
        pytest.param(P.KICK_MEMBERS, lambda r: moderation.kick(r.world.state, r.bot.id, r.guild.id, r.ben.id), id="kick"),
        pytest.param(P.BAN_MEMBERS, lambda r: moderation.ban(r.world.state, r.bot.id, r.guild.id, r.ben.id), id="ban"),
        pytest.param(P.BAN_MEMBERS, lambda r: moderation.ban(r.world.state, r.bot.id, r.guild.id, r.cleo.id), id="ban who is not there"),
        pytest.param(P.MANAGE_NICKNAMES, lambda r: moderation.edit_member(r.world.state, r.bot.id, r.guild.id, r.ben.id, {"nick": "B"}), id="rename"),
        pytest.param(
            P.MODERATE_MEMBERS,
            lambda r: moderation.edit_member(r.world.state, r.bot.id, r.guild.id, r.ben.id, {"communication_disabled_until": None}),
            id="time out",
        ),
        pytest.param(P.MANAGE_ROLES, lambda r: moderation.create_role(r.world.state, r.bot.id, r.guild.id, {"name": "New"}), id="make roles"),
    ],
)  # fmt: skip
def test_what_a_bot_may_do_its_permissions_say(room: Tearoom, needed: P, action: Callable[[Tearoom], object]) -> None:
    assert (403, 50013) == refused(lambda: action(room))
    allow(room, needed)
    assert refused(lambda: action(room)) is None


def test_nobody_touches_the_owner_or_who_stands_higher(room: Tearoom) -> None:
    allow(room, P.KICK_MEMBERS | P.MANAGE_ROLES)
    high = room.world.add_role(room.guild, "High")
    room.world.give_role(room.guild, room.ben, high)

    assert (403, 50013) == refused(lambda: moderation.kick(room.world.state, room.bot.id, room.guild.id, room.ada.id))
    assert (403, 50013) == refused(lambda: moderation.kick(room.world.state, room.bot.id, room.guild.id, room.ben.id))
    assert (403, 50013) == refused(
        lambda: moderation.add_member_role(room.world.state, room.bot.id, room.guild.id, room.bot.id, high)
    )


def test_nobody_gives_what_they_do_not_have(room: Tearoom) -> None:
    allow(room, P.MANAGE_ROLES)
    form = {"permissions": str(int(P.BAN_MEMBERS))}

    assert (403, 50013) == refused(lambda: moderation.create_role(room.world.state, room.bot.id, room.guild.id, form))


@pytest.mark.parametrize("until", ["tomorrow", "2099-01-01T00:00:00+00:00", "9999999"])
def test_a_time_out_ends_within_28_days(room: Tearoom, until: str) -> None:
    allow(room, P.MODERATE_MEMBERS)
    form = {"communication_disabled_until": until}

    field = wrong_field(lambda: moderation.edit_member(room.world.state, room.bot.id, room.guild.id, room.ben.id, form))
    assert "communication_disabled_until" == field


def test_who_is_banned_is_gone_and_listed_until_they_are_not(room: Tearoom) -> None:
    allow(room, P.BAN_MEMBERS)
    room.heard()

    moderation.ban(room.world.state, room.bot.id, room.guild.id, room.ben.id, "spam")
    assert ["GUILD_BAN_ADD", "GUILD_MEMBER_REMOVE"] == room.heard()
    assert ["spam"] == [ban["reason"] for ban in moderation.get_bans(room.world.state, room.bot.id, room.guild.id)]
    assert (404, 10007) == refused(lambda: guilds.get_member(room.world.state, room.bot.id, room.guild.id, room.ben.id))

    moderation.unban(room.world.state, room.bot.id, room.guild.id, room.ben.id)
    assert (404, 10026) == refused(
        lambda: moderation.get_ban(room.world.state, room.bot.id, room.guild.id, room.ben.id)
    )


def test_a_role_that_is_deleted_is_nobodys(room: Tearoom) -> None:
    low = room.world.add_role(room.guild, "Low")
    room.world.give_role(room.guild, room.ben, low)
    allow(room, P.MANAGE_ROLES)

    moderation.delete_role(room.world.state, room.bot.id, room.guild.id, low)

    assert [] == guilds.get_member(room.world.state, room.bot.id, room.guild.id, room.ben.id)["roles"]
    assert (404, 10011) == refused(lambda: moderation.delete_role(room.world.state, room.bot.id, room.guild.id, low))
