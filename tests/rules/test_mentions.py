from __future__ import annotations

import pytest
from hypothesis import given, settings

from cadenza.rules.mentions import Mentions
from cadenza.rules.rule import RuleContext, Scan
from cadenza.types import Boundary, Ending, Kind, Roster, Segment
from tests.helpers import calls_of
from tests.laws.nasty import nasty

ID = "555555555555555555"
ROSTER = Roster(
    mentions={
        "alice": "<@1>",
        "Alice Liddell": "<@2>",
        "b.o.b": "<@3>",
        "Straße": "<@4>",
        "Νίκος": "<@5>",
        "花子": "<@6>",
        "sam": "",
        "mary jane": "<@8>",
        ID: f"<@{ID}>",
        "lilya": "<@13>",
    },
    personas={"Shy Tomori": "lilya", "lilya": "lilya"},
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
        pytest.param("@花子 さん @花子さん", "<@6> さん <@6>さん", id="no capitals and no spaces"),
        pytest.param("@alicea @alic", "@alicea @alic", id="part of a word"),
        pytest.param("bob@alice.org", "bob@alice.org", id="an e-mail address"),
        pytest.param("@nobody @everyone @here", "@nobody @everyone @here", id="unknown"),
        pytest.param("`@alice` @alice", "`@alice` <@1>", id="not in code"),
        pytest.param("https://e.org/@alice", "https://e.org/@alice", id="not in an address"),
        pytest.param("[@alice](https://e.org) @alice", "[@alice](https://e.org) <@1>", id="not in a link"),
        pytest.param("<@1> @alice", "<@1> <@1>", id="a mention already"),
        pytest.param("(@alice, **@alice**)", "(<@1>, **<@1>**)", id="between marks"),
        pytest.param("@alice\n@alice\n", "<@1>\n<@1>\n", id="on every line"),
        pytest.param("@sam", "@sam", id="more than one person"),
    ],
)
def test_handles_become_mentions(text: str, expected: str) -> None:
    assert expected == resolved(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("@{alice}", "<@1>", id="132"),
        pytest.param("@(alice)", "<@1>", id="135"),
        pytest.param("@[alice]", "<@1>", id="136"),
        pytest.param(f"@{{ghost|{ID}}}", f"<@{ID}>", id="138"),
        pytest.param(f"@alice|{ID}", f"<@{ID}>", id="139"),
        pytest.param(f"@{{{ID}}}", f"<@{ID}>", id="140"),
        pytest.param("@{Mary  Jane}", "<@8>", id="143"),
        pytest.param("@alice's hat", "<@1>'s hat", id="146"),
        pytest.param("@(Shy Tomori) hey", "@lilya hey", id="147"),
        pytest.param("@Shy Tomori hey", "@lilya hey", id="148"),
        pytest.param("@lilya", "@lilya", id="149"),
    ],
)
def test_golden_rows(text: str, expected: str) -> None:
    assert expected == resolved(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("@ghost hi", "@ghost hi", id="150 an unknown handle keeps its sign"),
        pytest.param("@{ghost|123456789012345678}", "@{ghost|123456789012345678}", id="151 an unknown id"),
        pytest.param(f"@{ID}", f"<@{ID}>", id="152 nothing but an id"),
        pytest.param("@(see below)", "@(see below)", id="154 an aside keeps its brackets"),
        pytest.param("https://medium.com/@alice", "https://medium.com/@alice", id="155 a known name in an address"),
        pytest.param("https://medium.com/@ghost", "https://medium.com/@ghost", id="156 an unknown one"),
        pytest.param("@b.o.b. hi", "<@3>. hi", id="157 dots in a name"),
        pytest.param("@hereafter", "@hereafter", id="158 not everybody"),
        pytest.param("`$&` @alice", "`$&` <@1>", id="159 no templates"),
        pytest.param("__INLINE_CODE_0__ `@alice`", "__INLINE_CODE_0__ `@alice`", id="160 no placeholders"),
        pytest.param("@mary jane", "<@8>", id="several words without brackets"),
        pytest.param("@Lilya @{lilya}", "@lilya @lilya", id="a person does not take a persona's word"),
    ],
)
def test_f9_unknown_text_stays_and_known_names_are_found(text: str, expected: str) -> None:
    assert expected == resolved(text)


def test_what_was_resolved_is_not_resolved_again() -> None:
    assert resolved("@a @b", Roster(mentions={"a": "@b", "b": "<@2>"})) == "@b <@2>"


def test_a_tag_is_put_in_literally() -> None:
    assert resolved("@a", Roster(mentions={"a": r"<\1\g<0>$&>"})) == r"<\1\g<0>$&>"


@pytest.mark.parametrize(
    ("roster", "expected"),
    [
        pytest.param(Roster(), True, id="nobody"),
        pytest.param(Roster(mentions={"": "<@1>"}), True, id="an empty handle"),
        pytest.param(Roster(mentions={"everyone": "<@1>", "sam": ""}), True, id="nobody who can be called"),
        pytest.param(Roster(mentions={"alice": "<@1>"}), False, id="a person"),
        pytest.param(Roster(personas={"Shy Tomori": "lilya"}), False, id="a persona"),
    ],
)
def test_the_rule_is_idle_if_nobody_can_be_called(roster: Roster, expected: bool) -> None:  # noqa: FBT001  # a table
    assert expected == Mentions(RuleContext(roster=roster)).is_idle
    assert resolved("hi @ @nobody @everyone @sam", roster) == "hi @ @nobody @everyone @sam"


@pytest.mark.parametrize("kind", [Kind.CODE, Kind.TABLE])
def test_only_prose_is_changed(kind: Kind) -> None:
    assert resolved("@alice", kind=kind) == "@alice"


@pytest.mark.parametrize("text", ["no sign", "a@b.org", "@nobody", "@lilya", "@sam"])
def test_a_segment_without_a_mention_is_neither_changed_nor_scanned(text: str) -> None:
    context = RuleContext(roster=ROSTER)
    segment = Segment(text, Boundary.FINAL)

    (after,) = Mentions(context).feed(segment)

    assert after is segment
    assert context.scan._last is None


def test_what_comes_out_need_not_be_scanned_again() -> None:
    context = RuleContext(roster=ROSTER, scan=Scan())

    (after,) = Mentions(context).feed(Segment("hi @alice `code`", Boundary.FINAL))

    assert isinstance(after, Segment)
    assert calls_of(lambda: context.scan.of(after.text)) < 5
    assert not context.scan.of(after.text).is_free(3, 4)


@pytest.mark.parametrize("why", list(Ending))
def test_nothing_is_held(why: Ending) -> None:
    assert list(Mentions(RuleContext(roster=ROSTER)).flush(why)) == []


@settings(max_examples=100)
@given(nasty())
def test_no_text_is_too_odd(text: str) -> None:
    assert resolved(text + "@nobody") == text + "@nobody"
