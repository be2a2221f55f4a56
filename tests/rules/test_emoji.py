from __future__ import annotations

import pytest

from cadenza.rules.emoji import Emoji
from cadenza.rules.rule import RuleContext
from cadenza.settings import RuleSettings
from cadenza.types import Boundary, Kind, Roster, Segment

ROSTER = Roster(emoji={"wave": "<:wave:1>", "Party_1": "<a:Party_1:2>", "100": "<:100:3>", "ok~1": "<:ok:4>"})


def resolved(text: str, *, unknown: str = "keep", kind: Kind = Kind.PROSE) -> str:
    rule = Emoji(RuleContext(roster=ROSTER, settings=RuleSettings(unknown_emoji=unknown)))
    (segment,) = rule.feed(Segment(text, Boundary.NEWLINE, kind))
    assert isinstance(segment, Segment)
    return segment.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("hi :wave:", "hi <:wave:1>", id="known"),
        pytest.param(":WAVE: :party_1:", "<:wave:1> <a:Party_1:2>", id="in any case"),
        pytest.param(":wave::wave:", ":wave::wave:", id="glued together stays"),
        pytest.param("(:wave:), **:wave:**!", "(<:wave:1>), **<:wave:1>**!", id="between marks"),
        pytest.param("やあ :wave:。", "やあ <:wave:1>。", id="before an ideographic stop"),
        pytest.param(":ok~1:", "<:ok:4>", id="a double name"),
        pytest.param("a:wave:b", "a:wave:b", id="in a word"),
        pytest.param("at 10:30:45 :100:", "at 10:30:45 :100:", id="times and numbers"),
        pytest.param("<:wave:9>", "<:wave:9>", id="a tag already"),
        pytest.param("`:wave:` :wave:", "`:wave:` <:wave:1>", id="not in code"),
        pytest.param("https://e.org/:wave: x", "https://e.org/:wave: x", id="not in an address"),
        pytest.param("[a](b:wave:c) [:wave:](d)", "[a](b:wave:c) [:wave:](d)", id="not in a link"),
        pytest.param(":unknown:", ":unknown:", id="unknown is kept"),
        pytest.param("no emoji", "no emoji", id="none"),
    ],
)
def test_shortcodes_become_tags(text: str, expected: str) -> None:
    assert expected == resolved(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(":unknown: hi", " hi", id="unknown"),
        pytest.param(":wave: :nope:", "<:wave:1> ", id="known stays"),
        pytest.param("10:30:45 and a:b:c", "10:30:45 and a:b:c", id="no shortcode"),
        pytest.param("`:nope:`", "`:nope:`", id="not in code"),
        pytest.param("`a`:nope:`b`", "`a` `b`", id="two runs of backticks stay two"),
        pytest.param("``:nope:`b`", "`` `b`", id="lone backticks too"),
        pytest.param("a `:nope:`` b", "a ` `` b", id="lone backticks on both sides"),
        pytest.param("`a`:nope: b", "`a` b", id="behind code"),
    ],
)
def test_unknown_ones_are_stripped_where_that_is_wanted(text: str, expected: str) -> None:
    assert expected == resolved(text, unknown="strip")


@pytest.mark.parametrize("kind", [Kind.CODE, Kind.TABLE])
def test_only_prose_is_changed(kind: Kind) -> None:
    assert resolved(":wave:", kind=kind) == ":wave:"
