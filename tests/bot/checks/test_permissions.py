"""Permissions, worked out as the simulated Discord and discord.py do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings, strategies as st

from cadenza.bot.checks.permissions import EVERYTHING, rights_in
from cadenza.sim import permissions
from cadenza.sim.permissions import Overwrite, Permission

VIEW, SEND, READ, ADMIN = 1 << 10, 1 << 11, 1 << 16, 1 << 3
BITS = st.integers(0, (1 << 20) - 1).map(lambda bits: bits & ~ADMIN)


def _member(**more: object) -> dict[str, object]:
    return {"user": {"id": "me"}, "roles": ["r1", "r2"], **more}


def _roles(*bits: int) -> list[dict[str, object]]:
    return [{"id": id_, "permissions": str(held)} for id_, held in zip(("home", "r1", "r2"), bits, strict=False)]


@given(
    st.tuples(BITS, BITS, BITS),
    st.dictionaries(st.sampled_from(["home", "r1", "r2", "me", "x"]), st.tuples(BITS, BITS)),
)
@settings(max_examples=100)
def test_it_is_what_the_simulated_discord_says(bits: tuple[int, int, int], written: dict[str, tuple[int, int]]) -> None:
    channel = {
        "permission_overwrites": [{"id": id_, "allow": str(a), "deny": str(d)} for id_, (a, d) in written.items()]
    }

    held = rights_in(channel, server="home", member=_member(), roles=_roles(*bits))

    theirs = permissions.in_channel(
        permissions.of_roles(map(Permission, bits)),
        [Overwrite(id_, Permission(a), Permission(d)) for id_, (a, d) in written.items()],
        guild="home",
        roles=["r1", "r2"],
        member="me",
    )
    assert held == (int(theirs) if Permission.VIEW_CHANNEL in theirs else 0)


@pytest.mark.parametrize(
    ("roles", "is_owner"), [((VIEW, ADMIN), False), ((0, 0), True)], ids=["administrator", "owner"]
)
def test_who_may_everything_may_it_everywhere(roles: tuple[int, ...], is_owner: bool) -> None:  # noqa: FBT001  # a column
    channel = {"permission_overwrites": [{"id": "home", "allow": "0", "deny": str(VIEW | SEND)}]}

    assert EVERYTHING == rights_in(channel, server="home", member=_member(), roles=_roles(*roles), is_owner=is_owner)


@pytest.mark.parametrize(("hours", "held"), [(1, VIEW | READ), (-1, VIEW | READ | SEND)], ids=["still", "over"])
def test_who_is_timed_out_only_sees_and_reads(hours: int, held: int) -> None:
    member = _member(communication_disabled_until=(datetime.now(UTC) + timedelta(hours=hours)).isoformat())

    assert held == rights_in({}, server="home", member=member, roles=_roles(VIEW | SEND | READ))
