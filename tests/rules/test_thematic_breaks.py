from __future__ import annotations

import pytest

from cadenza.rules.rule import RuleContext
from cadenza.rules.thematic_breaks import ThematicBreaks
from cadenza.types import Boundary, Kind, Segment
from tests import rules_at_work as work


def passed(text: str) -> list[Segment]:
    out = work.passed(work.row_of(work.context(), only="thematic_breaks"), work.segments(text))
    return [item for item in out if isinstance(item, Segment)]


@pytest.mark.parametrize(
    "line", ["---", "***", "___", "- - -", "* * *", "_ _ _", "-----", "  ---  ", "<hr>", "<HR />", "----------"]
)
def test_a_line_that_separates_becomes_an_empty_line_and_a_boundary(line: str) -> None:
    assert [
        Segment("a\n", Boundary.NEWLINE),
        Segment("\n", Boundary.SECTION),
        Segment("b", Boundary.FINAL),
    ] == passed(f"a\n{line}\nb")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a\n\n---\n\nb", "a\n\nb", id="among empty lines, which do not become more"),
        pytest.param("a\n---\n\n\nb", "a\n\nb", id="before empty lines"),
        pytest.param("a\n\n---\nb", "a\n\nb", id="after an empty line"),
        pytest.param("---\na", "a", id="at the beginning"),
        pytest.param("a\n---\n***\nb", "a\n\n\nb", id="two"),
        pytest.param("a\n---\n\n```\n---\n```", "a\n\n```\n---\n```", id="before code"),
        pytest.param("a\n\n---", "a\n\n", id="at the end, where nothing is to be separated"),
        pytest.param("a\n---\n", "a\n", id="at the end with a line end"),
        pytest.param("Title\n=====\nx", "Title\nx", id="below a title"),
        pytest.param("Title\n---\nx", "Title\n\nx", id="below a title, as a break"),
    ],
)
def test_what_is_left(text: str, expected: str) -> None:
    assert expected == work.joined(passed(text))


@pytest.mark.parametrize(
    "text",
    [
        *("--", "- -", "a ---", "--- a", "> ---", "- ---", "---a", "-----  ---", "`---`", "```\n---\n```", "=====\nx"),
        *("a\n\n===\nb", "| a | b |\n|---|---|\n| 1 | 2 |\n", '"a\n---\nb"'),
    ],
)  # fmt: skip
def test_what_separates_nothing_stays(text: str) -> None:
    assert text == work.joined(passed(text))


@pytest.mark.parametrize(
    ("segment", "is_break"),
    [
        pytest.param(Segment("***\n", Boundary.NEWLINE, opens_in="***", ends_in=""), False, id="it closes emphasis"),
        pytest.param(Segment("---\n", Boundary.NEWLINE, opens_in="**", ends_in="**"), True, id="bold is open"),
        pytest.param(Segment("-" * 1000, Boundary.OVERFLOW), False, id="the line goes on"),
        pytest.param(Segment("---", Boundary.NEWLINE, Kind.TABLE), False, id="a table"),
    ],
)
def test_one_segment(segment: Segment, *, is_break: bool) -> None:
    rule = ThematicBreaks(RuleContext())

    assert is_break == (next(iter(rule.feed(segment))).boundary is Boundary.SECTION)


def test_marks_in_the_middle_of_a_line_are_no_break() -> None:
    rule = ThematicBreaks(RuleContext())
    list(rule.feed(Segment("One.", Boundary.PERIOD)))

    assert [Segment(" ---\n", Boundary.NEWLINE)] == list(rule.feed(Segment(" ---\n", Boundary.NEWLINE)))
