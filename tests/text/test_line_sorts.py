from __future__ import annotations

import pytest

from cadenza.text.line_sorts import (
    LineSort,
    is_lead_in,
    is_plain_title,
    is_verse,
    looks_like_code,
    may_be_verse,
    sort_line,
)


@pytest.mark.parametrize(
    ("line", "sort", "indent"),
    [
        pytest.param("", LineSort.BLANK, 0, id="nothing"),
        pytest.param("  \n", LineSort.BLANK, 0, id="blanks"),
        pytest.param("- a", LineSort.ITEM, 0, id="a bullet"),
        pytest.param("  * a", LineSort.ITEM, 2, id="a nested bullet"),
        pytest.param("\t- a", LineSort.ITEM, 4, id="a bullet behind a tab"),
        pytest.param("12. a", LineSort.ITEM, 0, id="a number"),
        pytest.param("4) a", LineSort.ITEM, 0, id="a number with a bracket"),
        pytest.param("2024 was good", LineSort.TEXT, 0, id="a year"),
        pytest.param("3.5 litres", LineSort.TEXT, 0, id="a decimal"),
        pytest.param("-5 degrees", LineSort.TEXT, 0, id="a negative number"),
        pytest.param("*sighs*", LineSort.TEXT, 0, id="italics"),
        pytest.param("> a", LineSort.QUOTE, 0, id="a quote"),
        pytest.param("# a", LineSort.TITLE, 0, id="a heading"),
        pytest.param("#tag", LineSort.TEXT, 0, id="a tag"),
        pytest.param("**Title**", LineSort.TITLE, 0, id="a bold line"),
        pytest.param("🔹 **Title:**", LineSort.TITLE, 0, id="a bold line with an emoji"),
        pytest.param("**a** and **b**", LineSort.TEXT, 0, id="two bold words"),
        pytest.param("---", LineSort.TITLE, 0, id="a rule that was left"),
        pytest.param("🎉", LineSort.TEXT, 0, id="an emoji"),
        pytest.param("   more", LineSort.INDENTED, 3, id="indented"),
        pytest.param("x = foo(1)", LineSort.CODE, 0, id="an assignment"),
        pytest.param("Hello there, how are you?", LineSort.TEXT, 0, id="a sentence"),
    ],
)
def test_what_a_line_is(line: str, sort: LineSort, indent: int) -> None:
    assert (sort, indent) == sort_line(line)
    assert (sort, indent) == sort_line(line.rstrip("\n") + "\n")


@pytest.mark.parametrize(
    "line",
    [
        "def main():", "class A(B):", "import os", "from a.b import c, d", "for (int i = 0; i < 3; i++) {", "}", "});",
        "return x;", "#include <stdio.h>", "const a = 5;", "x += 1", "print(name)", "SELECT * FROM t;", "// a comment",
    ],
)  # fmt: skip
def test_code_is_known_by_its_look(line: str) -> None:
    assert looks_like_code(line)


@pytest.mark.parametrize(
    "line",
    [
        "Import taxes are high", "From here on it gets hard", "Let us begin", "For example, this is text:", "hey you",
        "Return to the shop (it is open)", "If you like it, tell me:", "I think so :)", "class of 1999", "see you @home",
    ],
)  # fmt: skip
def test_prose_is_not_taken_for_code(line: str) -> None:
    assert not looks_like_code(line)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Here are three:", True),
        ("**Three:**\n", True),
        ("如下：", True),
        ("at 10:30", False),
        ("fine", False),
        ("", False),
    ],
)
def test_a_lead_in_ends_with_a_colon(line: str, *, expected: bool) -> None:
    assert expected is is_lead_in(line)


@pytest.mark.parametrize(
    ("line", "expected"),
    [("Proof", True), ("Step 2", True), ("ok", False), ("It is done.", False), ("Really?", False), ("x" * 61, False)],
)
def test_a_short_line_that_is_no_sentence_may_be_a_title(line: str, *, expected: bool) -> None:
    assert expected is is_plain_title(line)


@pytest.mark.parametrize(
    ("line", "may_be", "is_one"),
    [
        pytest.param("Roses are red,\n", True, True, id="a comma"),
        pytest.param("Violets are blue\n", True, False, id="no mark"),
        pytest.param("And so are you.\n", False, False, id="a full stop"),
        pytest.param("one  \n", False, True, id="a forced line break"),
        pytest.param("床前明月光，\n", False, True, id="a full-width comma"),
        pytest.param("hey\n", False, False, id="chat"),
    ],
)
def test_a_line_of_a_verse(line: str, *, may_be: bool, is_one: bool) -> None:
    assert (may_be, is_one) == (may_be_verse(line), is_verse(line))
