"""Whom a message may call: only whom the scene knows, and never everybody."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.settings import DeliverySettings
from cadenza.targets.discord.mentions import PingBudget, Pings
from cadenza.types import Participant, Roster

ROSTER = Roster(
    mentions={"mia": "<@1>", "1": "<@1>", "jo": "<@!2>", "mods": "<@&3>", "shared": "", "everyone": "@everyone"},
    participants=(Participant("Kai", aliases=("Kai-chan", "<@4>")),),
)

CASES = {
    "a known person": ("Hi <@1>", ("1",), ()),
    "in the older writing": ("Hi <@!1> and <@2>", ("1", "2"), ()),
    "a participant": ("Hi <@4>", ("4",), ()),
    "twice": ("<@1> <@1>", ("1",), ()),
    "a stranger": ("Hi <@99>", (), ()),
    "everybody": ("@everyone @here <@1>", ("1",), ()),
    "a role": ("<@&3>", (), ()),
    "a person's tag with a role's id": ("<@3>", (), ()),
    "in code": ("`<@1>` and <@2>", ("2",), ()),
    "in a code block": ("```\n<@1>\n```\n<@2>", ("2",), ()),
    "in bold": ("**<@1>**", ("1",), ()),
    "in a quote": ("> <@1>", ("1",), ()),
    "no tag": ("@mia", (), ()),
    "nothing": ("", (), ()),
}


@pytest.mark.parametrize(("text", "users", "roles"), CASES.values(), ids=CASES.keys())
def test_only_whom_the_scene_knows_is_called(text: str, users: tuple[str, ...], roles: tuple[str, ...]) -> None:
    assert Pings(users, roles) == PingBudget(ROSTER).pinged_by(text)


def test_a_role_is_called_if_that_is_allowed_and_the_scene_knows_it() -> None:
    mentions = PingBudget(ROSTER, DeliverySettings(mention_roles=True))
    assert Pings(("1",), ("3",)) == mentions.pinged_by("<@&3> <@&9> <@1>")


def test_without_a_roster_nobody_is_called() -> None:
    assert Pings() == PingBudget().pinged_by("<@1> <@&3> @everyone")


def test_a_turn_calls_so_many_different_people_and_no_more() -> None:
    roster = Roster(mentions={str(number): f"<@{number}>" for number in range(1, 30)})
    mentions = PingBudget(roster, DeliverySettings(mention_people=2))
    assert ("1",) == mentions.pinged_by("<@1>").users
    assert ("1", "2") == mentions.pinged_by("<@1> <@2> <@3>").users
    assert ("2",) == mentions.pinged_by("<@4> <@2>").users


def test_ten_people_are_the_usual_limit() -> None:
    roster = Roster(mentions={str(number): f"<@{number}>" for number in range(1, 30)})
    text = " ".join(roster.mentions.values())
    assert 10 == len(PingBudget(roster).pinged_by(text).users)


def test_no_message_lists_more_people_than_discord_takes() -> None:
    roster = Roster(mentions={str(number): f"<@{number}>" for number in range(1, 200)})
    text = " ".join(roster.mentions.values())
    assert 100 == len(PingBudget(roster, DeliverySettings(mention_people=150)).pinged_by(text).users)


def test_who_was_called_still_counts_when_other_settings_hold() -> None:
    mentions = PingBudget(ROSTER, DeliverySettings(mention_people=2, mention_roles=True))
    assert Pings(("1",), ("3",)) == mentions.pinged_by("<@1> <@&3>")
    mentions.allow(DeliverySettings(mention_people=1))
    assert Pings(("1",)) == mentions.pinged_by("<@2> <@1> <@&3>")
    mentions.allow(DeliverySettings(mention_people=0))
    assert Pings(("1",)) == mentions.pinged_by("<@2> <@1>")


PIECES = st.sampled_from(
    ["<@1>", "<@2>", "<@&3>", "<@99>", "@everyone", "@here", "`", "```", "\n", " ", "word", "<@", ">"]
)


@given(st.lists(PIECES, max_size=12).map("".join), st.integers(0, 3))
def test_whatever_is_written_only_known_people_are_called_and_not_too_many(text: str, people: int) -> None:
    pinged = PingBudget(ROSTER, DeliverySettings(mention_people=people)).pinged_by(text)
    assert set(pinged.users) <= {"1", "2", "4"}
    assert len(pinged.users) <= people
    assert () == pinged.roles


def test_who_was_looked_up_is_called_too() -> None:
    mentions = PingBudget(ROSTER, DeliverySettings(mention_roles=True), {"<@7>", "<@!8>", "<@&9>"}.__contains__)
    assert Pings(("1", "7", "8"), ("9",)) == mentions.pinged_by("<@1> <@7> <@8> <@9> <@&7> <@&9> <@99>")
