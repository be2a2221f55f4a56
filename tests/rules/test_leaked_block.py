from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from cadenza.rules.leaked_block import LeakedBlock, Mark
from cadenza.rules.rule import RuleContext
from cadenza.types import Boundary, Ending, Kind, Segment

CODE = Segment("```\n}\n```", Boundary.CODE_CLOSE, Kind.CODE)


class Braces(LeakedBlock):
    """Takes out ``{!…}``; of one that does not close, the first two characters."""

    quick_check = re.compile(r"\{!")
    marks = re.compile(r"(?P<opens>\{!)|(?P<nests>\{)|(?P<closes>\})")
    longest = 40

    def alone(self, text: str, mark: Mark) -> tuple[int, int] | None:
        return None if text[mark.start] == "}" else (mark.start, mark.end)


def as_segment(given: str | Segment) -> Segment:
    return Segment(given, Boundary.NEWLINE) if isinstance(given, str) else given


def cleaned(*given: str | Segment, rule: LeakedBlock | None = None) -> list[str]:
    rule = rule or Braces(RuleContext())
    items = [item for segment in map(as_segment, given) for item in rule.feed(segment)]
    items += rule.flush(Ending.FINAL)
    return [item.text for item in items if isinstance(item, Segment)]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param("a {!x} b", "a b", id="one of two spaces goes"),
        pytest.param("a \t{!x}  b", "a  b", id="several blanks"),
        pytest.param("a{!x}b", "a b", id="two words stay two"),
        pytest.param("a.{!x}(b)", "a.(b)", id="no space, none made"),
        pytest.param("a{!x} b", "a b", id="space behind"),
        pytest.param("a {!x}b", "a b", id="space in front"),
        pytest.param("{!x} b", "b", id="at the beginning"),
        pytest.param("  {!x} b", "  b", id="what is indented stays so"),
        pytest.param("a {!x}", "a", id="at the end"),
        pytest.param("**{!x}** b", "b", id="emphasised"),
        pytest.param("a *{!x}*\nb", "a\nb", id="emphasised at the end of a line"),
        pytest.param("a **b {!x}** c", "a **b** c", id="emphasised with other words"),
        pytest.param("a {!x}, b", "a, b", id="what closes a clause"),
        pytest.param("(a {!x}) b", "(a) b", id="what closes a bracket"),
        pytest.param("`a` {!x}, b", "`a`, b", id="what closes a clause behind code"),
        pytest.param("https://e.org {!x}, b", "https://e.org , b", id="nothing comes to stand behind an address"),
        pytest.param("> {!x}\n> b", "> b", id="only a quote is left of the line"),
        pytest.param("a\n- {!x}\n- b", "a\n- b", id="only a bullet is left of the line"),
        pytest.param("> 1. {!x}\nb", "b", id="only markers are left of the line"),
        pytest.param("a\n> **{!x}** {!y}\nb", "a\nb", id="two, and only a marker is left of the line"),
        pytest.param("- a {!x}\nb", "- a\nb", id="an item with words"),
        pytest.param("-5 {!x}\nb", "-5\nb", id="a number"),
        pytest.param(">" * 70 + " a {!x} {!y}\nb", ">" * 70 + " a\nb", id="a long line"),
        pytest.param("a\n\n{!x}\n\nb", "a\n\nb", id="between empty lines"),
        pytest.param("a\n\n{!x}\nb", "a\n\nb", id="behind an empty line"),
        pytest.param("a\n{!x}\n\nb", "a\n\nb", id="before an empty line"),
        pytest.param("a {!x} \nb", "a\nb", id="at the end of a line"),
        pytest.param("a\n{!x} b", "a\nb", id="at the beginning of a line"),
        pytest.param("a\n {!x} \nb", "a\nb", id="a line of its own"),
        pytest.param("a {!x} {!y}{!z} b", "a b", id="several in a row"),
        pytest.param("{!x}\n{!y}\nb", "b", id="several lines"),
        pytest.param("a {!x} b {!y} c", "a b c", id="several with words between them"),
        pytest.param("a {!x {y} {!z} w} b", "a b", id="nested"),
        pytest.param("a {x} b", "a {x} b", id="a plain bracket"),
        pytest.param("a} {!x} {b} c}", "a} {b} c}", id="plain brackets beside it"),
        pytest.param("a {!x\ny} b", "a b", id="over a line end"),
        pytest.param("`{!x}` b", "`{!x}` b", id="in code"),
        pytest.param("{!x `}` y} b", "b", id="closing in code within"),
        pytest.param("`a`{!x}`b`", "`a` `b`", id="code stays apart from code"),
        pytest.param("`{!x}` {!y}`", "`{!x}` `", id="a lone backtick"),
        pytest.param("a{!x}<https://e.org>", "a <https://e.org>", id="an address stays apart"),
        pytest.param("[a](https://e.org){!x}b", "[a](https://e.org) b", id="a link stays apart"),
        pytest.param("{!see https://e.org [a](https://e.org)} b", "b", id="addresses within go with it"),
        pytest.param("a {!x", "a x", id="not closed"),
        pytest.param("a {!x {y} z", "a x {y} z", id="only what is nested is closed"),
        pytest.param("a {!x {!y} z", "a x z", id="only the inner one is closed"),
        pytest.param("a {!x\n\ny} {!z} b", "a b", id="an empty line before it closes"),
        pytest.param("a\n\n{!x} b", "a\n\nb", id="an empty line before it opens"),
        pytest.param("{!" + "x" * 37 + "} b", "b", id="as long as can be"),
        pytest.param("{!" + "x" * 38 + "} b", "x" * 38 + "} b", id="longer than can be"),
        pytest.param("{!" + "x" * 38 + "{!y} b", "x" * 38 + " b", id="too long, and another one in it"),
        pytest.param("{!a{!b" + "x" * 40, "a b" + "x" * 40, id="too long without an end"),
    ],
)
def test_in_one_segment(given: str, expected: str) -> None:
    assert expected == "".join(cleaned(given))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(("a {!x\n", "y} b\n", "c\n"), ["a b\n", "c\n"], id="what stood around it is one"),
        pytest.param(("a\n", "{!x\n", "y\n", "z}\n", "b\n"), ["a\n", "b\n"], id="lines of its own"),
        pytest.param(("{!x\n", "y} {!z\n", "w} b\n"), ["b\n"], id="the next one opens where it closes"),
        pytest.param(("a {!x\n", "b\n", "\n", "c}\n"), ["a\n"], id="an empty line"),
        pytest.param(("a {!x\n", " \t\n", "c\n"), ["a x\n", " \t\n", "c\n"], id="an empty line and no end"),
        pytest.param(("{!x", "\n", "y} b\n"), ["b\n"], id="a line end that arrives alone"),
        pytest.param(("a {!x\n", CODE, "b}\n"), ["a x\n", CODE.text, "b}\n"], id="code"),
        pytest.param((CODE, "b}\n"), [CODE.text, "b}\n"], id="code with nothing open"),
        pytest.param(("{!x {!y\n", "z} b\n", CODE), ["x b\n", CODE.text], id="an inner one is closed"),
        pytest.param(("{!x\n", "y" * 40, "}"), ["x\n", "y" * 40, "}"], id="too long"),
        pytest.param(("a {!x\n", "b\n"), ["a x\n", "b\n"], id="the end"),
        pytest.param(("", "{!x", "", "}b"), ["", "b"], id="empty segments"),
        pytest.param(("a\n", "\n", "{!x}\n", "\n", "\n", "b\n"), ["a\n", "\n", "b\n"], id="between empty lines"),
        pytest.param(("a\n", "\n", "{!x}\n", "\nb\n"), ["a\n", "\n", "b\n"], id="an empty line and words behind it"),
        pytest.param(("a\n\n", "{!x}\n", "{!y}\n", "\n", "b"), ["a\n\n", "b"], id="two between empty lines"),
        pytest.param(
            (CODE, "\n", "{!x}\n", "\n", "b"), [CODE.text, "\n", "\n", "b"], id="the end of a line is no empty line"
        ),
        pytest.param(("\n", "{!x}\n", "\n", "b"), ["\n", "\n", "b"], id="the first line"),
        pytest.param(
            ("a\n", "\n", "{!x} {!y\n", CODE, "\n"), ["a\n", "\n", "y\n", CODE.text, "\n"], id="the line end of code"
        ),
        pytest.param(("a\n", "\n", "{!x}", CODE, "\n"), ["a\n", "\n", CODE.text, "\n"], id="code at once"),
    ],
)
def test_over_several_segments(given: tuple[str | Segment, ...], expected: list[str]) -> None:
    assert expected == cleaned(*given)


class WithCode(Braces):
    """A block may have code in it."""

    holds_code = True
    longest = 60


TABLE = Segment("| a |\n|---|\n| 1 |\n", Boundary.NEWLINE, Kind.TABLE)
INDENTED = Segment("  ```\n}\n```", Boundary.CODE_CLOSE, Kind.CODE)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(("{!x\n", CODE, "\n", "}\n", "b"), ["b"], id="it goes with the block"),
        pytest.param(("a {!", CODE, "} b"), ["a b"], id="words around the block"),
        pytest.param(("{!\n", TABLE, "\n", CODE, "\n", "}\n", "b"), ["b"], id="a table and code"),
        pytest.param(("a {!x\n", CODE, "\n", "b"), ["a x\n", CODE.text, "\n", "b"], id="never closed"),
        pytest.param(
            ("{!x {!y}\n", INDENTED, "{!", CODE, "} c\n"),
            ["x\n", INDENTED.text, "c\n"],
            id="only inner ones are closed",
        ),
        pytest.param(("{!x {!y}", INDENTED, "c"), ["x", INDENTED.text, "c"], id="code keeps its indentation"),
        pytest.param(
            ("{!x\n", CODE, "\n", "y" * 60, "}"), ["x\n", CODE.text, "\n", "y" * 60, "}"], id="given up when too long"
        ),
        pytest.param((CODE, "{!x}", CODE), [CODE.text, CODE.text], id="nothing open"),
    ],
)
def test_a_block_may_hold_code(given: tuple[str | Segment, ...], expected: list[str]) -> None:
    assert expected == cleaned(*given, rule=WithCode(RuleContext()))


def test_what_is_not_touched_is_the_very_same() -> None:
    rule = Braces(RuleContext())
    first, second = Segment("a\n", Boundary.NEWLINE), Segment("b {!x", Boundary.PERIOD)
    third, code = Segment("c", Boundary.OVERFLOW, label="l"), CODE

    assert [first] == list(rule.feed(first))
    assert [] == [*rule.feed(second), *rule.feed(third)]
    assert [Segment("b x", Boundary.PERIOD), third, code] == list(rule.feed(code))


def test_a_line_that_was_begun_keeps_its_end() -> None:
    """Only a line that is empty without the block goes as a whole."""
    given = Segment("Yes.", Boundary.PERIOD), Segment(" {!x}\n", Boundary.NEWLINE), Segment("{!y}\n", Boundary.NEWLINE)

    assert ["Yes.", "\n"] == cleaned(*given)


@pytest.mark.parametrize("boundary", [Boundary.PERIOD, Boundary.OVERFLOW])
def test_a_line_that_goes_on_keeps_its_marker_and_its_spaces(boundary: Boundary) -> None:
    assert [">", " b"] == cleaned(Segment("> {!x.}", boundary), " b")
    assert ["a ", "b"] == cleaned(Segment("a {!x} ", boundary), "b")


def test_at_the_end_of_all_a_marker_does_not_stay() -> None:
    assert ["a\n"] == cleaned("a\n", Segment("> {!x.}", Boundary.FINAL))


def test_what_was_kept_says_whether_a_line_begins() -> None:
    given = Segment("{!x}a.", Boundary.PERIOD), Segment("{!y}\n", Boundary.NEWLINE)

    assert ["a.", "\n"] == cleaned(*given)


@pytest.mark.parametrize("why", list(Ending))
def test_every_ending_lets_go_and_begins_anew(why: Ending) -> None:
    rule = Braces(RuleContext())

    rule.feed(Segment("a {!x\n", Boundary.NEWLINE))

    assert [Segment("a x\n", Boundary.NEWLINE)] == list(rule.flush(why))
    assert [Segment("b} c\n", Boundary.NEWLINE)] == list(rule.feed(Segment("b} c\n", Boundary.NEWLINE)))
    assert [] == list(rule.flush(why))


def test_a_rule_says_itself_what_goes_of_a_lone_mark() -> None:
    with pytest.raises(NotImplementedError):
        LeakedBlock(RuleContext()).alone("{!", Mark(0, 2))


BITS = st.sampled_from(["{!", "{", "}", "w", " ", "\n", "\n\n", "`", "x" * 30, "https://e.org ", "\ud83d", "é", "\0"])


@given(st.lists(st.lists(BITS, max_size=8).map("".join), max_size=8))
def test_nothing_is_added_doubled_or_moved(texts: list[str]) -> None:
    """What comes out is what went in, with parts left out; only a space may part what was apart."""
    before = iter("".join(texts))

    assert all(character in before for character in "".join(cleaned(*texts)) if character != " ")


@given(st.lists(st.sampled_from(["{!a", "}", "b c", "\n", "\n\n", "{a}", " "]), max_size=12))
def test_what_stands_outside_of_every_bracket_arrives(bits: list[str]) -> None:
    numbered = ["".join((bit, "w", str(number), "w")) for number, bit in enumerate(bits)]
    depth, outside = 0, []
    for number, bit in enumerate(bits):
        depth = max(0, depth + (bit == "{!a") - (bit == "}"))
        if not depth:
            outside.append(f"w{number}w")

    arrived = "".join(cleaned("".join(numbered)))

    assert all(word in arrived for word in outside)
