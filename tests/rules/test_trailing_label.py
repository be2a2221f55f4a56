from __future__ import annotations

import pytest

from cadenza.rules.rule import RuleContext
from cadenza.rules.trailing_label import TrailingLabel
from cadenza.types import Boundary, Ending, Kind, Persona, Roster, Segment

CODE = Segment("```\nx\n```", Boundary.CODE_CLOSE, Kind.CODE)


def trailing_label() -> TrailingLabel:
    return TrailingLabel(RuleContext(Persona("Ren"), Roster(mentions={"ada": "<@1>"}, speakers=("Bob Smith",))))


def cleaned(*given: str | Segment, why: Ending = Ending.FINAL) -> list[str]:
    rule = trailing_label()
    out: list[str] = []
    for segment in given:
        out += [
            item.text for item in rule.feed(Segment(segment, Boundary.NEWLINE) if isinstance(segment, str) else segment)
        ]
    return out + [item.text for item in rule.flush(why)]


@pytest.mark.parametrize("why", [Ending.FINAL, Ending.STOP])
@pytest.mark.parametrize(
    "label", ["User:", "User：", "Bob Smith:", "  bob smith : ", "**User:**", "**User**:", "*User:*", "User (mad):\n\n"]
)
def test_a_last_line_that_is_only_a_label_goes(label: str, why: Ending) -> None:
    assert ["hello"] == cleaned(f"hello\n\n{label}", why=why)
    assert ["hello\n"] == cleaned("hello\n", label, "\n", why=why)


def test_what_is_all_of_a_reply_stays() -> None:
    assert ["User:"] == cleaned("User:")
    assert ["\n", "User:"] == cleaned("\n", "User:")


def test_a_label_that_stands_twice_goes_once() -> None:
    """The first one is passed on as words, so the second is not all of the reply."""
    assert ["User:\n"] == cleaned("User:\n", "User:\n")


def test_after_a_tool_the_model_may_go_on() -> None:
    assert ["hello\n", "User:"] == cleaned("hello\n", "User:", why=Ending.TOOL_CALL)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Intro.\nHere is the code:", id="F8 prose"),
        pytest.param("Title: x\nfirst\nsecond\nthird:", id="F8 several lines"),
        pytest.param("one\ntwo: three:", id="two colons"),
        pytest.param("Sure, here:\n", id="one line"),
        pytest.param("hello\nRen:", id="own name"),
        pytest.param("hello\n- User:", id="list"),
        pytest.param("hello\n@User:", id="somebody who is called"),
        pytest.param("hello\nada:", id="somebody who can only be mentioned"),
        pytest.param("hello\nUser :wave:", id="emoji"),
        pytest.param("hello\nUser:wave:", id="emoji without a space"),
        pytest.param("hello\nUser: hi", id="words behind it"),
        pytest.param("ask the\nnew User:", id="more than a name"),
        pytest.param("see `a\nUser: b:`:", id="code"),
        pytest.param(":", id="a colon"),
        pytest.param("", id="nothing"),
    ],
)
def test_other_last_lines_stay(text: str) -> None:
    assert [text] == cleaned(text)


def test_only_the_last_line_goes() -> None:
    assert ["a\nUser:"] == cleaned("a\nUser:\nUser:")
    assert ["a\n", "User:\n"] == cleaned("a\n", "User:\n", "User:\n")


def test_a_label_that_words_follow_stays_as_it_was() -> None:
    first, blank = Segment("a\nUser:\n", Boundary.NEWLINE, label="l"), Segment("\n", Boundary.NEWLINE)
    last = Segment("hi\n", Boundary.FINAL)
    rule = trailing_label()

    assert [[], [], [first, blank, last], []] == [
        list(items) for items in (rule.feed(first), rule.feed(blank), rule.feed(last), rule.flush(Ending.FINAL))
    ]


def test_code_follows_a_label_too() -> None:
    assert ["User:\n", CODE.text] == cleaned("User:\n", CODE)


def test_the_end_of_a_line_is_no_label() -> None:
    assert ["I am the.", "User:"] == cleaned(Segment("I am the.", Boundary.PERIOD), "User:")


def test_a_code_span_is_no_label() -> None:
    text = "`a\nUser:"  # closes in the next segment, as far as anybody knows

    assert [text, "`"] == cleaned(text, "`")


def test_what_is_left_keeps_all_else() -> None:
    rule = trailing_label()
    rule.feed(Segment("a\nUser:", Boundary.PERIOD, label="l"))

    assert [Segment("a", Boundary.PERIOD, label="l")] == list(rule.flush(Ending.FINAL))


def test_the_rule_is_idle_where_nobody_else_can_speak() -> None:
    assert TrailingLabel(RuleContext(Persona("User", ("Assistant", "System", "Human")))).is_idle
    assert TrailingLabel(RuleContext(roster=Roster(mentions={"ada": "<@1>"}))).is_idle
    assert not TrailingLabel(RuleContext(roster=Roster(speakers=("Ada",)))).is_idle
    assert not trailing_label().is_idle
