from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.rules.no_emoji import NoEmoji
from cadenza.rules.rule import RuleContext
from cadenza.settings import RuleSettings
from cadenza.stages.s6_rules import rule_row
from cadenza.types import Boundary, Kind, Roster, Segment
from tests.helpers import calls_of

ROSTER = Roster(emoji={"Wave": "<:Wave:1>", "100": "<:100:2>", "vec": "<:vec:3>"})


def left(text: str, *, kind: Kind = Kind.PROSE) -> str:
    rule = NoEmoji(RuleContext(roster=ROSTER, settings=RuleSettings(use_emoji=False)))
    (segment,) = rule.feed(Segment(text, Boundary.NEWLINE, kind))
    assert isinstance(segment, Segment)
    return segment.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("flags 🇯🇵 ok", "flags ok", id="a flag"),
        pytest.param("done 🎉🎉!\nyes 👍🏽\n", "done!\nyes\n", id="drawn"),
        pytest.param("TM™ ©2024 ☑ 1️⃣", "TM™ ©2024 ☑", id="symbols stay, a keycap goes"),
        pytest.param("<:wave:111111111111111111> x <a:b:1><:c:>", "x", id="tags"),
        pytest.param("hi <e:x:111111111111111111> <e:wave:1> a", "hi a", id="tags that are not quite right"),
        pytest.param("keep :+1: here :-1:", "keep here", id="thumbs"),
        pytest.param(":nope: :sad-face: a :b::c:", "a", id="shortcodes"),
        pytest.param("thanks:wave: hi:WAVE:there", "thanks hi there", id="glued to words, but known"),
        pytest.param("great🎉thanks 1🎉2", "great thanks 1 2", id="two words stay two"),
        pytest.param("日本語🎉です 한국🎉말", "日本語です 한국말", id="what needs no space has none"),
        pytest.param("hi:wave:there:vec:yo :wave::vec::x", "hi there yo :x", id="several in a word"),
        pytest.param('hi (🎉), "🎉" [🎉 :a:] || 🎉 ||', "hi,", id="with what held nothing else"),
        pytest.param("hi\n- 🎉\n1. :a:\n> 🎉 a", "hi\n\n\n> a", id="with the mark of a block"),
        pytest.param("<::wave:1> x <:a::1>", "x", id="tags with doubled colons"),
        pytest.param("**🎉** *so 🎉* _🎉 so_ ||🎉||", "*so* _so_", id="emphasised"),
        pytest.param("a 🎉 :b: <:c:1> d", "a d", id="a row of all kinds"),
        pytest.param("🎉\n\n- 🎉 a\n  - 🎉b\n", "\n\n- a\n  - b\n", id="lines and lists stay"),
        pytest.param("@🎉everyone <@🎉1> [a]🎉(b)", "@ everyone <@ 1> [a] (b)", id="nobody is called"),
    ],
)
def test_emoji_go(text: str, expected: str) -> None:
    assert expected == left(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("none", id="none"),
        pytest.param("12:30:00, ratio 3:4:5, :100: :30:", id="times and ratios"),
        pytest.param("std::vec::new ::vec:: a:b:c foo:bar:", id="paths and words"),
        pytest.param("urn:wave:x:y a[1:vec:2] 00:1b:vec:cc", id="names between other colons"),
        pytest.param("™ © ☑ ↔ ℹ ❤ ☺ 12#*", id="symbols"),
        pytest.param("می‌خواهم क्‍ष", id="letters that are joined"),
        pytest.param("`🎉 :a:` [🎉](http://e.org) http://e.org/:a:/🎉", id="code, links, addresses"),
        pytest.param("<t:1700000000:R> <@1> </cmd:12> <main.py:x:1> <:3>", id="other tags"),
        pytest.param(r"\:smile: note: :a", id="colons"),
    ],
)
def test_the_rest_stays(text: str) -> None:
    assert text == left(text)


def test_code_is_not_changed() -> None:
    assert left("a 🎉", kind=Kind.CODE) == "a 🎉"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("| a 🎉 | :a: |\n|---|:-:|\n|🎉b|`🎉`|\n", "| a | |\n|---|:-:|\n|b|`🎉`|\n", id="cells"),
        pytest.param("🎉 | <:c:1> b\n--|--\na | 🎉\n", "| | b\n--|--\na | |\n", id="no bars at the ends"),
        pytest.param("| a |\n|---|\n| 12:30:00 |\n", "| a |\n|---|\n| 12:30:00 |\n", id="none"),
    ],
)
def test_a_table_keeps_its_bars_and_lines(text: str, expected: str) -> None:
    assert expected == left(text, kind=Kind.TABLE)


@pytest.mark.parametrize(("setting", "kind"), [("source", Kind.TABLE), ("text", Kind.CODE)])
def test_a_table_is_shown_without_them(setting: str, kind: Kind) -> None:
    row = rule_row(RuleContext(settings=RuleSettings(use_emoji=False, tables=setting)))

    (segment,) = row.feed(Segment("| a 🎉 | b |\n|---|---|\n| 🎉 | :tada: c |\n", Boundary.NEWLINE, Kind.TABLE))

    assert isinstance(segment, Segment)
    assert kind is segment.kind
    assert not {"🎉", ":"} & set(segment.text)
    assert segment.text.index("a") < segment.text.index("b") < segment.text.index("c")


@pytest.mark.parametrize("unit", ["| 🎉 ", "🎉 ", "| 🎉 |\n", "🎉a", "|🎉 `a`"])
@pytest.mark.parametrize("kind", [Kind.PROSE, Kind.TABLE])
def test_what_it_costs_grows_with_the_text(unit: str, kind: Kind) -> None:
    def cost(length: int) -> int:
        return calls_of(lambda: left(unit * (length // len(unit)), kind=kind))

    cost(100)
    assert cost(4000) < 3 * cost(2000) + 100


@pytest.mark.parametrize("use_emoji", [True, False])
def test_it_is_idle_where_emoji_are_welcome(use_emoji: bool) -> None:  # noqa: FBT001
    assert use_emoji is NoEmoji(RuleContext(settings=RuleSettings(use_emoji=use_emoji))).is_idle


PIECES = st.sampled_from([*":<>a1*` \n.\u200d\ufe0f\ud800", ":x:", "<:x:1>", "🎉", "👨‍👩‍👧", "1️⃣", "🇯🇵", "🏽", "`🎉`"])


@given(st.lists(PIECES, max_size=20).map("".join))
def test_nothing_but_emoji_and_space_goes(text: str) -> None:
    after = left(text)

    assert text.count("\n") == after.count("\n")
    assert text.count("`") == after.count("`")
    rest = iter("".join(text.split()))
    assert all(character in rest for character in "".join(after.split()))
