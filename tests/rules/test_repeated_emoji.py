from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.rules.repeated_emoji import RepeatedEmoji, recent_emoji
from cadenza.rules.rule import RuleContext
from cadenza.settings import RuleSettings
from cadenza.types import Boundary, Kind, Line, Roster, Segment

ROSTER = Roster(recent_emoji=("x", "Kitty", "p~q", "100", "30", "+1"))


def left(text: str, *, kind: Kind = Kind.PROSE) -> str:
    rule = RepeatedEmoji(RuleContext(roster=ROSTER))
    (segment,) = rule.feed(Segment(text, Boundary.NEWLINE, kind))
    assert isinstance(segment, Segment)
    return segment.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("hi :kitty: there", "hi there", id="between words"),
        pytest.param("hi :KITTY: there", "hi there", id="in any case"),
        pytest.param("hi :x:!", "hi!", id="before a mark"),
        pytest.param(":p~q: ok :+1:", "ok", id="odd names"),
        pytest.param("<:kitty:1> hm, <a:KITTY:2>x <:100:5>", "hm, x", id="tags"),
        pytest.param("<:kitty:> a <:x> b <e:x:1> c <:x:1 d", "a b c d", id="tags that are not quite right"),
        pytest.param("(:x:) a", "a", id="in a bracket"),
        pytest.param("- :x:\n- a", "\n- a", id="in a list"),
        pytest.param("ねえ:x:ねえ", "ねえねえ", id="between other letters"),
        pytest.param(":x::y: :y::x:", ":y: :y:", id="glued to another"),
        pytest.param("a :x: :kitty: b", "a b", id="several"),
        pytest.param("**:x:** a", "a", id="emphasised"),
        pytest.param(":kitty:", "", id="nothing else"),
        pytest.param("**:kitty:**", "", id="nothing else, emphasised"),
        pytest.param("  :kitty: :x:\n", "\n", id="nothing else on the line"),
        pytest.param("a\n:x:\nb", "a\n\nb", id="nothing else on a line"),
        pytest.param("line1\nline2\n\nline3 :x:", "line1\nline2\n\nline3", id="paragraphs stay"),
        pytest.param("    a  b\n\t:x: c\n", "    a  b\n\tc\n", id="indentation stays"),
    ],
)
def test_what_was_used_before_goes(text: str, expected: str) -> None:
    assert expected == left(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("none here", id="none"),
        pytest.param("note: nothing", id="a colon"),
        pytest.param("hi :y: :kit: :kittycat:", id="others"),
        pytest.param("it is 12:30:45", id="a clock time"),
        pytest.param(":100: 3:100:4", id="a number"),
        pytest.param("a:x:b a:x: :x:b", id="in a word"),
        pytest.param("std::x::new ::x::", id="in a path"),
        pytest.param("hi :x", id="not closed"),
        pytest.param("`:x:` [:x:](b) http://e.org/:x: <t:1:R>", id="code, links, addresses"),
        pytest.param(":kitty:,", id="before a comma"),
        pytest.param(":kitty: !", id="before a mark"),
        pytest.param(":kitty: …\n", id="before an ellipsis"),
        pytest.param("?! :kitty:\n。\n", id="between marks"),
        pytest.param("**:kitty:**!", id="emphasised, before a mark"),
        *[pytest.param(f"{mark} :x: :kitty:\n", id=f"behind {mark}") for mark in ["-", "*", "+", ">", "##", "1."]],
        *[pytest.param(f"{pair[0]}:x:{pair[1]}", id=f"in {pair}") for pair in ["()", "[]", "「」", '""', "''", "||"]],
        pytest.param("- :x:\n- (:kitty:)\n", id="in every item of a list"),
        pytest.param("|| :x: ||", id="hidden"),
    ],
)
def test_the_rest_stays(text: str) -> None:
    assert text == left(text)


@pytest.mark.parametrize("kind", [Kind.CODE, Kind.TABLE])
def test_only_prose_is_changed(kind: Kind) -> None:
    assert left("a :x:", kind=kind) == "a :x:"


@pytest.mark.parametrize(
    ("recent", "lookback", "idle"),
    [
        pytest.param((), 5, True, id="none used"),
        pytest.param(("x",), 0, True, id="none counts"),
        pytest.param(("x",), 1, False, id="used"),
    ],
)
def test_it_is_idle_if_nothing_was_used(recent: tuple[str, ...], lookback: int, idle: bool) -> None:  # noqa: FBT001
    context = RuleContext(roster=Roster(recent_emoji=recent), settings=RuleSettings(emoji_lookback=lookback))

    assert idle is RepeatedEmoji(context).is_idle


@pytest.mark.parametrize(
    ("history", "lookback", "expected"),
    [
        pytest.param(["hey <:Kitty:1>", "ok"], 5, ("kitty",), id="a tag"),
        pytest.param([":x: <a:p~q:9> :X: :+1:"], 5, ("x", "p~q", "+1"), id="each once, in order"),
        pytest.param([":x:", "1", "2", "3", "4"], 5, ("x",), id="five lines ago"),
        pytest.param([":x:", "1", "2", "3", "4", "5"], 5, (), id="six lines ago"),
        pytest.param([":x:", "1"], 0, (), id="none wanted"),
        pytest.param(["at 10:30:00, 3:4:5, std::vec::new", "a:b:c"], 5, (), id="no emoji"),
        pytest.param(["`:x:` http://e.org/:y:/ [:z:](b) :a:"], 5, ("a",), id="not in code"),
        pytest.param([], 5, (), id="nothing said"),
    ],
)
def test_history_tells_what_was_used(history: list[str], lookback: int, expected: tuple[str, ...]) -> None:
    lines = [line for text in history for line in (Line("Mia", ":u:"), Line("Ren", text, is_own=True))]

    assert expected == recent_emoji(lines, lookback)


PIECES = st.sampled_from([*":<>a*` \n.\ud800", ":x:", "<:x:1>", "**:x:**", "http://e.org/", "`:x:`", "  "])


@given(st.lists(PIECES, max_size=20).map("".join))
def test_nothing_but_emoji_and_space_goes(text: str) -> None:
    after = left(text)

    assert text.count("\n") == after.count("\n")
    assert text.count("`") == after.count("`")
    rest = iter("".join(text.split()))
    assert all(character in rest for character in "".join(after.split()))
