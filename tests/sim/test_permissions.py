from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.sim.permissions import ALL, Overwrite, Permission, in_channel, of_roles, with_what_follows

GUILD, MEMBER, ROLES = "1", "9", ["2", "3", "4"]
BITS = (Permission.VIEW_CHANNEL, Permission.SEND_MESSAGES, Permission.ATTACH_FILES, Permission.ADMINISTRATOR)
SOME = st.sets(st.sampled_from(BITS)).map(lambda bits: Permission(sum(bits)))
OVERWRITES = st.lists(
    st.builds(Overwrite, st.sampled_from([GUILD, MEMBER, *ROLES, "5"]), SOME, SOME), unique_by=lambda one: one.id
)

V, S, F = BITS[:3]


def restated(base: Permission, overwrites: list[Overwrite], roles: list[str]) -> set[Permission]:
    """Bit by bit: the last word that is said about it counts, and of roles that of one who allows."""
    if Permission.ADMINISTRATOR in base:
        return set(BITS)
    found = set()
    for bit in BITS:
        has = bit in base
        layers = [
            [one for one in overwrites if one.id == GUILD],
            [one for one in overwrites if one.id in roles],
            [one for one in overwrites if one.id == MEMBER],
        ]
        for layer in layers:
            if any(bit in one.allow for one in layer):
                has = True
            elif any(bit in one.deny for one in layer):
                has = False
        if has:
            found.add(bit)
    return found


@given(SOME, OVERWRITES, st.lists(st.sampled_from(ROLES), unique=True))
def test_overwrites_add_up_as_discord_says(base: Permission, overwrites: list[Overwrite], roles: list[str]) -> None:
    actual = in_channel(base, overwrites, guild=GUILD, roles=roles, member=MEMBER)

    assert restated(base, overwrites, roles) == {bit for bit in BITS if bit in actual}


@given(SOME, OVERWRITES, st.lists(st.sampled_from(ROLES), unique=True), st.randoms())
def test_the_order_of_overwrites_and_roles_does_not_matter(
    base: Permission, overwrites: list[Overwrite], roles: list[str], dice: object
) -> None:
    before = in_channel(base, overwrites, guild=GUILD, roles=roles, member=MEMBER)
    dice.shuffle(overwrites)  # type: ignore[attr-defined]
    dice.shuffle(roles)  # type: ignore[attr-defined]

    assert before == in_channel(base, overwrites, guild=GUILD, roles=roles, member=MEMBER)


@pytest.mark.parametrize(
    ("theirs", "is_owner", "expected"),
    [
        pytest.param([V, S], False, V | S, id="roles add up"),
        pytest.param([], False, Permission.NONE, id="no role is nothing"),
        pytest.param([V, Permission.ADMINISTRATOR], False, ALL, id="administrators may everything"),
        pytest.param([], True, ALL, id="so may the owner"),
    ],
)
def test_what_roles_give(theirs: list[Permission], is_owner: bool, expected: Permission) -> None:  # noqa: FBT001  # a column
    assert expected == of_roles(theirs, is_owner=is_owner)


IN_THREADS = Permission.SEND_MESSAGES_IN_THREADS
READ = Permission.READ_MESSAGE_HISTORY


@pytest.mark.parametrize(
    ("theirs", "is_thread", "is_timed_out", "expected"),
    [
        pytest.param(S | F, False, False, Permission.NONE, id="who sees nothing does nothing"),
        pytest.param(V | S | F, False, False, V | S | F, id="who sends may send files"),
        pytest.param(V | F, False, False, V, id="who sends nothing sends no files"),
        pytest.param(V | S | F, True, False, V | S, id="in threads another permission counts"),
        pytest.param(V | F | IN_THREADS, True, False, V | F | IN_THREADS, id="and it is enough there"),
        pytest.param(V | S | F | READ, False, True, V | READ, id="who is timed out looks on"),
        pytest.param(ALL, False, True, ALL, id="administrators cannot be timed out"),
    ],
)
def test_what_follows(
    theirs: Permission,
    is_thread: bool,  # noqa: FBT001  # a column
    is_timed_out: bool,  # noqa: FBT001  # a column
    expected: Permission,
) -> None:
    assert expected == with_what_follows(theirs, is_thread=is_thread, is_timed_out=is_timed_out)
