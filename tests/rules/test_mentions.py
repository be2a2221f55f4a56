from __future__ import annotations

import pytest

from cadenza.rules.mentions import Mentions
from cadenza.rules.rule import RuleContext
from cadenza.types import Boundary, Kind, Roster, Segment

ROSTER = Roster(
    mentions={
        "alice": "<@1>",
        "Alice Liddell": "<@2>",
        "b.o.b": "<@3>",
        "Straße": "<@4>",
        "Νίκος": "<@5>",
        "花子": "<@6>",
    }
)


def resolved(text: str, roster: Roster = ROSTER, kind: Kind = Kind.PROSE) -> str:
    (segment,) = Mentions(RuleContext(roster=roster)).feed(Segment(text, Boundary.NEWLINE, kind))
    assert isinstance(segment, Segment)
    return segment.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("hi @alice!", "hi <@1>!", id="known"),
        pytest.param("hi @ALICE", "hi <@1>", id="in any case"),
        pytest.param("hi @alice liddell and @alice", "hi <@2> and <@1>", id="the longest first"),
        pytest.param("@b.o.b @bxoxb", "<@3> @bxoxb", id="taken literally"),
        pytest.param("@Straße", "<@4>", id="a sharp s"),
        pytest.param("@ΝΊΚΟΣ @Νίκος", "<@5> <@5>", id="a final sigma"),
        pytest.param("@花子 さん", "<@6> さん", id="no capitals"),
        pytest.param("@alicea @alic", "@alicea @alic", id="part of a word"),
        pytest.param("bob@alice.org", "bob@alice.org", id="an e-mail address"),
        pytest.param("@nobody @everyone @here", "@nobody @everyone @here", id="unknown"),
        pytest.param("`@alice` @alice", "`@alice` <@1>", id="not in code"),
        pytest.param("https://e.org/@alice", "https://e.org/@alice", id="not in an address"),
        pytest.param("<@1> @alice", "<@1> <@1>", id="a mention already"),
        pytest.param("(@alice, **@alice**)", "(<@1>, **<@1>**)", id="between marks"),
    ],
)
def test_handles_become_mentions(text: str, expected: str) -> None:
    assert expected == resolved(text)


def test_what_was_resolved_is_not_resolved_again() -> None:
    assert resolved("@a @b", Roster(mentions={"a": "@b", "b": "<@2>"})) == "@b <@2>"


def test_a_tag_is_put_in_literally() -> None:
    assert resolved("@a", Roster(mentions={"a": r"<\1\g<0>$&>"})) == r"<\1\g<0>$&>"


@pytest.mark.parametrize("roster", [Roster(), Roster(mentions={"": "<@1>"})], ids=["nobody", "an empty handle"])
def test_without_handles_nothing_is_changed(roster: Roster) -> None:
    assert resolved("hi @alice @", roster) == "hi @alice @"


@pytest.mark.parametrize("kind", [Kind.CODE, Kind.TABLE])
def test_only_prose_is_changed(kind: Kind) -> None:
    assert resolved("@alice", kind=kind) == "@alice"
