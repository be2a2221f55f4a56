from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.rules.emoji import Emoji
from cadenza.rules.rule import RuleContext
from cadenza.settings import RuleSettings
from cadenza.types import Boundary, Kind, Roster, Segment
from tests.helpers import calls_of

WAVE = "<:wave:111111111111111111>"
DANCE = "<a:dance:222222222222222222>"
SAD = "<:sad:333333333333333334>"
ROSTER = Roster(
    emoji={
        "wave": WAVE,
        "dance": DANCE,
        "sad": SAD,
        "Sad_Cat": "<:Sad_Cat:333333333333333333>",
        "100": "<:100:3>",
        "ok~1": "<:ok:4>",
        "vec": "<:vec:5>",
        "Vec": "<:Vec:6>",
        "meteor": "🌠",
        "p": "<:p:7>",
        "gone": "",
    }
)


def resolved(text: str, *, unknown: str = "keep", kind: Kind = Kind.PROSE, emoji: dict[str, str] | None = None) -> str:
    roster = ROSTER if emoji is None else Roster(emoji=emoji)
    rule = Emoji(RuleContext(roster=roster, settings=RuleSettings(unknown_emoji=unknown)))
    (segment,) = rule.feed(Segment(text, Boundary.NEWLINE, kind))
    assert isinstance(segment, Segment)
    return segment.text


@pytest.mark.parametrize("unknown", ["keep", "strip"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("hi :wave: there", f"hi {WAVE} there", id="known"),
        pytest.param(":WAVE: :sad_cat:", f"{WAVE} <:Sad_Cat:333333333333333333>", id="in any case"),
        pytest.param(":vec: :Vec: :VEC:", "<:vec:5> <:Vec:6> <:vec:5>", id="as written first"),
        pytest.param("hi:wave:there", f"hi{WAVE}there", id="glued to words"),
        pytest.param(":wave::dance:", f"{WAVE}{DANCE}", id="glued to another"),
        pytest.param("hi:wave::dance::sad:x", f"hi{WAVE}{DANCE}{SAD}x", id="a glued row"),
        pytest.param(":nope:wave: :wave:dance:", f":nope{WAVE} {WAVE}dance:", id="one colon for two"),
        pytest.param("hi:wave:there:dance:yo", f"hi{WAVE}there{DANCE}yo", id="two in a word"),
        pytest.param(":wave::dance::sad", f"{WAVE}{DANCE}:sad", id="a row that is not closed"),
        pytest.param("::wave::dance:", f":{WAVE}{DANCE}", id="a row behind a colon"),
        pytest.param("(:wave:), ~~:wave:~~!", f"({WAVE}), ~~{WAVE}~~!", id="between marks"),
        pytest.param("やあ:wave:。", f"やあ{WAVE}。", id="between other letters"),
        pytest.param("line one\n:wave:\nline two", f"line one\n{WAVE}\nline two", id="lines stay lines"),
        pytest.param(":wave: :wave:", f"{WAVE} {WAVE}", id="no space is doubled"),
        pytest.param(":ok~1: :meteor:", "<:ok:4> 🌠", id="whatever the roster says"),
        pytest.param("I <3 you :wave: ok", f"I <3 you {WAVE} ok", id="behind a heart"),
        pytest.param("if x < 5 :wave:", f"if x < 5 {WAVE}", id="behind a less-than sign"),
        pytest.param("<3:wave:", f"<3{WAVE}", id="glued to a heart"),
        pytest.param("Note::wave:", f"Note:{WAVE}", id="behind a colon"),
        pytest.param("10:30:45, 3:100:5, :100:", "10:30:45, 3:100:5, <:100:3>", id="times, ratios, a number"),
        pytest.param("`:wave:` :wave:", f"`:wave:` {WAVE}", id="not in code"),
        pytest.param("https://e.org/:wave: x", "https://e.org/:wave: x", id="not in an address"),
        pytest.param("[a](b:wave:c) [:wave:](d)", "[a](b:wave:c) [:wave:](d)", id="not in a link"),
        pytest.param("use std::vec::new", "use std::vec::new", id="not in a path"),
        pytest.param("urn:wave:sad:x a:vec:b:c", "urn:wave:sad:x a:vec:b:c", id="not between other colons"),
        pytest.param("00:1b:p:cc:dd 2001:db8:p:1::5", "00:1b:p:cc:dd 2001:db8:p:1::5", id="not in a number"),
        pytest.param("list[1:p:2] x[a:p:2]", "list[1:p:2] x[a:p:2]", id="not beside a digit"),
        pytest.param(r"\:wave: \<:wave:9>", r"\:wave: \<:wave:9>", id="not behind a backslash"),
        pytest.param("see :sad-face: ok", "see :sad-face: ok", id="not the beginning of a name"),
        pytest.param("no emoji", "no emoji", id="none"),
        pytest.param(": a:b", ": a:b", id="only colons"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_shortcodes_become_tags(text: str, expected: str, unknown: str) -> None:
    assert expected == resolved(text, unknown=unknown)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("hello :wave", f"hello {WAVE}", id="at the end"),
        pytest.param("hello :wave, friend", f"hello {WAVE}, friend", id="before a mark"),
        pytest.param("(:WAVE)\n:dance\n", f"({WAVE})\n{DANCE}\n", id="in a bracket, on a line"),
        pytest.param("a:wave b", "a:wave b", id="behind a word"),
        pytest.param(".:wave b", f".{WAVE} b", id="behind a stop"),
        pytest.param(":wavez :wave2", ":wavez :wave2", id="in a longer word"),
        pytest.param(":wave-like :wave~ :wave_", ":wave-like :wave~ :wave_", id="in a longer name"),
        pytest.param(":waveです", ":waveです", id="before a letter"),
        pytest.param(":p :100", ":p :100", id="a face, a number"),
        pytest.param("`:wave` x", "`:wave` x", id="in code"),
    ],
)
def test_a_colon_that_is_missing_is_understood(text: str, expected: str) -> None:
    assert expected == resolved(text)


@pytest.mark.parametrize("unknown", ["keep", "strip"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(f"{WAVE} {DANCE} <:ok:4>", f"{WAVE} {DANCE} <:ok:4>", id="right"),
        pytest.param("<:wave:999999999999999999>", WAVE, id="another id"),
        pytest.param("<:WAVE:9> <:ok:9>", f"{WAVE} <:ok:4>", id="another case, the name in the tag"),
        pytest.param("<:dance:222222222222222222>", DANCE, id="not animated"),
        pytest.param("<a:wave:1>", WAVE, id="animated"),
        pytest.param("<e:wave:111> <emoji:wave:1>", f"{WAVE} {WAVE}", id="another prefix"),
        pytest.param("<:wave> <:wave:> <a:dance:> <a:dance>", f"{WAVE} {WAVE} {DANCE} {DANCE}", id="no id"),
        pytest.param("<::wave:9> <a::dance:1> <:wave::9>", f"{WAVE} {DANCE} {WAVE}", id="doubled colons"),
        pytest.param("<::wave> <::wave:> <::wave:9", "<::wave> <::wave:> <::wave:9", id="too little of a tag"),
        pytest.param("<@x:wave:1> <x/y:wave:> a<b:wave:>", "<@x:wave:1> <x/y:wave:> a<b:wave:>", id="none in another"),
        pytest.param("a <:wave:11 b (<:wave:)", f"a {WAVE} b ({WAVE})", id="not closed"),
        pytest.param("x<:wave:9>y", f"x{WAVE}y", id="glued to words"),
        pytest.param(f"**{WAVE}** *{DANCE}*", f"{WAVE} {DANCE}", id="emphasised"),
        pytest.param("***<:wave:9>***, **:wave:**", f"{WAVE}, {WAVE}", id="emphasised and not right"),
        pytest.param(f"**hi {WAVE}** **a**{WAVE}**b**", f"**hi {WAVE}** **a**{WAVE}**b**", id="emphasis of more"),
        pytest.param(f"||{WAVE}|| **:meteor:**", f"||{WAVE}|| **🌠**", id="hidden; no tag"),
        pytest.param("<t:1700000000:R> <#123> </cmd:123> <id:browse>", "<t:1700000000:R> <#123> </cmd:123> <id:browse>", id="other tags"),
        pytest.param("<wave:111> <@1> </wave:wave:1> <:3>", "<wave:111> <@1> </wave:wave:1> <:3>", id="no emoji tag"),
        pytest.param("`<:wave:9>` [<:wave:9>](http://a.b)", "`<:wave:9>` [<:wave:9>](http://a.b)", id="code, links"),
    ],
)  # fmt: skip
def test_tags_become_those_of_the_server(text: str, expected: str, unknown: str) -> None:
    assert expected == resolved(text, unknown=unknown)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("hello :nope: world", "hello world", id="between words"),
        pytest.param(":nope: hi", "hi", id="at the beginning"),
        pytest.param("hello :nope:\nthere", "hello\nthere", id="at a line end"),
        pytest.param("a\n:nope:\nb", "a\n\nb", id="alone on a line"),
        pytest.param("- :nope: x\n    :nope: y", "- x\n    y", id="in a list, in indented text"),
        pytest.param(":wave: :nope:", WAVE, id="known stays"),
        pytest.param("a :nope: :nope2: :wave: b", f"a {WAVE} b", id="several"),
        pytest.param(":nope: <:x:>", "", id="nothing stays"),
        pytest.param(":gone: x", "x", id="a name without a tag"),
        pytest.param("hi<:nope:999999999999999999>there", "hi there", id="a tag"),
        pytest.param("hi **<a:nope:9>** there <:nope>!", "hi there!", id="emphasised, no id"),
        pytest.param("*<:nope:9>*<:wave:9>*", f"{WAVE}*", id="a star between two"),
        pytest.param("<e:nope:999999999999999999> x", "x", id="another prefix"),
        pytest.param("at <main.py:nope:12>", "at <main.py:nope:12>", id="a file and a line"),
        pytest.param("(:nope:) a:nope: :nope:! :nope::nope:", "(:nope:) a:nope: :nope:! :nope::nope:", id="glued"),
        pytest.param("std::nope::new a ::nope:: b", "std::nope::new a ::nope:: b", id="a path"),
        pytest.param("10:30:45 :30: 3:4:5", "10:30:45 :30: 3:4:5", id="numbers"),
        pytest.param("ok :sad-face: :+1:", "ok :sad-face: :+1:", id="no name of a server's emoji"),
        pytest.param("`:nope:` http://h/:nope:/x", "`:nope:` http://h/:nope:/x", id="code, addresses"),
        pytest.param("http://h/:nope: :nope: x", "http://h/:nope: x", id="beside an address"),
        pytest.param("hi\n- :nope:\n|| :nope: ||\n(<:nope:9>)", "hi\n\n\n", id="with what held nothing else"),
        pytest.param("`a`<:nope:9>`b`", "`a` `b`", id="two runs of backticks stay two"),
    ],
)
def test_unknown_ones_are_stripped_where_that_is_wanted(text: str, expected: str) -> None:
    assert expected == resolved(text, unknown="strip")


@pytest.mark.parametrize("text", [":nope: x", "<:nope:9> <a:nope:>", "<e:nope:999999999999999999>"])
def test_unknown_ones_are_kept_as_they_are(text: str) -> None:
    assert text == resolved(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("no list :wave: x", "no list x", id="a shortcode"),
        pytest.param("std::vec::new http://h/:id:/x", "std::vec::new http://h/:id:/x", id="code-like"),
        pytest.param(f"hi {WAVE} :a:b", f"hi {WAVE} :a:b", id="nothing else"),
    ],
)
def test_without_a_roster_only_shortcodes_are_stripped(text: str, expected: str) -> None:
    assert expected == resolved(text, unknown="strip", emoji={})


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        pytest.param("sad-face", "a :sad-face: :sad-", "a X :sad-", id="a hyphen"),
        pytest.param("Café", ":CAFÉ::café", "X:café", id="other letters"),
        pytest.param("a]b^", ":a]b^: :a]b^", "X X", id="marks of patterns"),
        pytest.param("a b", ":a b:", ":a b:", id="a space"),
        pytest.param("a:b", ":a:b:", ":a:b:", id="a colon"),
        pytest.param("", "::", "::", id="nothing"),
    ],
)
def test_names_may_be_odd(name: str, text: str, expected: str) -> None:
    assert expected == resolved(text, emoji={name: "X"})


@pytest.mark.parametrize("kind", [Kind.CODE, Kind.TABLE])
def test_only_prose_is_changed(kind: Kind) -> None:
    assert resolved(":wave:", kind=kind) == ":wave:"


@pytest.mark.parametrize(
    ("roster", "settings", "idle"),
    [
        pytest.param(Roster(), RuleSettings(), True, id="nothing to put in"),
        pytest.param(Roster(emoji={"gone": ""}), RuleSettings(), True, id="only names"),
        pytest.param(Roster(), RuleSettings(unknown_emoji="strip"), False, id="something to take out"),
        pytest.param(ROSTER, RuleSettings(), False, id="something to put in"),
        pytest.param(ROSTER, RuleSettings(use_emoji=False), True, id="not wanted"),
    ],
)
def test_it_is_idle_without_emoji(roster: Roster, settings: RuleSettings, idle: bool) -> None:  # noqa: FBT001
    assert idle is Emoji(RuleContext(roster=roster, settings=settings)).is_idle


PIECES = st.sampled_from([*":<>a*` \n~1\\\ud800\0", "wave", ":wave:", WAVE, "<e:wave:1>", "http://e.org/", "[a](b)"])


@given(st.lists(PIECES, max_size=20).map("".join))
def test_what_is_no_emoji_stays(text: str) -> None:
    """A second look changes nothing, and lines stay where they are."""
    once = resolved(text)

    assert once == resolved(once)
    assert text.count("\n") == once.count("\n")


@pytest.mark.parametrize(
    "unit",
    [
        ":wave: ",
        ":e7:",
        "<:e7:9>",
        "**:e7:**",
        ":nope: ",
        "a:b:",
        ":",
        "<:",
        "10:30 ",
        "x",
        "x:e7:",
        ":e7:x",
        "- :nope:\n",
    ],
)
@pytest.mark.parametrize("unknown", ["keep", "strip"])
def test_what_it_costs_grows_with_the_text_and_not_with_the_roster(unit: str, unknown: str) -> None:
    def cost(length: int, names: int) -> int:
        roster = Roster(emoji={f"e{number}": f"<:e{number}:{number}>" for number in range(names)})
        rule = Emoji(RuleContext(roster=roster, settings=RuleSettings(unknown_emoji=unknown)))
        segment = Segment(unit * (length // len(unit)), Boundary.NEWLINE)
        return calls_of(lambda: rule.feed(segment))

    assert cost(4000, 10) < 3 * cost(2000, 10) + 100
    assert cost(2000, 1000) < cost(2000, 10) + 100
