from __future__ import annotations

import pytest
from hypothesis import given

from cadenza.rules.formulas import Formulas
from cadenza.rules.rule import RuleContext
from cadenza.rules.tables import Tables
from cadenza.settings import BufferSettings, RuleSettings
from cadenza.stages.s5_buffer import Buffer
from cadenza.types import Boundary, Ending, Kind, Segment
from tests.laws.material import nasty_markdown

BEFORE, CLOSE, LINE = Boundary.CODE_OPEN, Boundary.CODE_CLOSE, Boundary.NEWLINE


def shown(text: str, boundary: Boundary = LINE, kind: Kind = Kind.PROSE) -> list[Segment]:
    return list(Formulas(RuleContext()).feed(Segment(text, boundary, kind)))


@pytest.mark.parametrize(("math", "idle"), [("picture", False), ("text", False), ("source", True)])
def test_formulas_stay_as_they_were_written_if_that_is_wanted(math: str, idle: bool) -> None:  # noqa: FBT001
    assert idle is Formulas(RuleContext(settings=RuleSettings(math=math))).is_idle


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("So \\(x^2\\) is $y$.\n", "So x² is y.\n", id="readable"),
        pytest.param("It costs $5 or $10.\n", "It costs $5 or $10.\n", id="money"),
        pytest.param("`$x^2$` stays\n", "`$x^2$` stays\n", id="code"),
        pytest.param("[see $x^2$](https://e.org)\n", "[see $x^2$](https://e.org)\n", id="a link"),
        pytest.param("`a`\\(\\foo x\\)`b`\n", "`a` `\\foo x` `b`\n", id="code beside code"),
        pytest.param("\\(> 5\\) it is\n", "\\> 5 it is\n", id="no quote begins"),
        pytest.param("# The $$x = 1$$ law\n", "# The x = 1 law\n", id="a display formula in a heading"),
        pytest.param("- $$x = 1$$\n", "- x = 1\n", id="as a list item"),
        pytest.param("**\\[x = 1\\]**\n", "**x = 1**\n", id="in bold"),
        pytest.param("> so \\[x = 1\\] is\n", "> so x = 1 is\n", id="within a quoted line"),
    ],
)
def test_within_a_line(text: str, expected: str) -> None:
    assert [Segment(expected, LINE, source="" if expected == text else text)] == shown(text)


def test_a_display_formula_is_one_block() -> None:
    """The repro: three messages, one of them ``\\[``."""
    source = "\\[\n(x - y)^2\n\\]"
    buffer = Buffer(BufferSettings())
    (segment,) = [*buffer.feed(source), *buffer.flush(Ending.FINAL)]

    assert Segment(source, Boundary.FINAL) == segment
    expected = Segment("```\n(x − y)²\n```", Boundary.FINAL, Kind.CODE, source=source, is_painted=True)
    assert [expected] == list(Formulas(RuleContext()).feed(segment))


def test_it_stands_between_the_prose_around_it() -> None:
    assert [
        Segment("We get ", BEFORE),
        Segment("```\nx² = 1\n```", CLOSE, Kind.CODE, source="\\[ x^2 = 1 \\]", is_painted=True),
        Segment("\nand y.\n", LINE),
    ] == shown("We get \\[ x^2 = 1 \\]\nand \\(y\\).\n")


def test_in_the_middle_of_a_sentence_it_stays_there() -> None:
    assert ["The area is x² = 1 as you know.\n"] == [
        part.text for part in shown("The area is $$x^2 = 1$$ as you know.\n")
    ]


def test_the_stop_of_the_sentence_goes_with_it() -> None:
    assert [Segment("```\nx = 1\n```\n", LINE, Kind.CODE, source="$$x = 1$$.", is_painted=True)] == shown(
        "$$x = 1$$.\n"
    )


def test_in_a_list_its_indent_is_the_joint() -> None:
    assert [
        Segment("1. So:\n", BEFORE),
        Segment("```\na/b\n```\n", LINE, Kind.CODE, source="$$\n   \\frac{a}{b}\n   $$", is_painted=True, joint="   "),
    ] == shown("1. So:\n   $$\n   \\frac{a}{b}\n   $$\n")
    assert [Segment("```\nx = 1\n```\n", LINE, Kind.CODE, source="\\[x = 1\\]", is_painted=True, joint="  ")] == shown(
        "  \\[x = 1\\]\n"
    )


def test_a_quoted_one_stays_in_its_quote() -> None:
    source = "> \\[\n> x^2\n> \\]"

    assert [Segment("> ```\n> x²\n> ```\n", LINE, Kind.CODE, source=source, is_painted=True)] == shown(source + "\n")


def test_what_cannot_be_read_is_shown_as_latex() -> None:
    assert "```\n\\foo{x}_1\n```\n" == shown("\\[\\foo{x}_1\\]\n")[0].text


def test_what_the_first_and_the_last_part_have_is_theirs() -> None:
    segment = Segment("a \\[x = 1\\]\nb", LINE, label="Ren: ", joint=" ", opens_in="**", ends_in="__")
    parts = list(Formulas(RuleContext()).feed(segment))

    assert ["Ren: ", "", ""] == [part.label for part in parts]
    assert [" ", "", ""] == [part.joint for part in parts]
    assert ["**", "", ""] == [part.opens_in for part in parts]
    assert ["", "", "__"] == [part.ends_in for part in parts]


def test_code_is_not_looked_into() -> None:
    assert [Segment("```\n$x^2$\n```", LINE, Kind.CODE)] == shown("```\n$x^2$\n```", kind=Kind.CODE)


def test_in_the_cells_of_a_table_formulas_are_readable_and_the_source_keeps_them() -> None:
    table = "| a | b |\n|---|---|\n| $x^2$ | $5 |\n"
    (segment,) = shown(table, kind=Kind.TABLE)
    (columns,) = Tables(RuleContext()).feed(segment)

    assert "```\na   b\n──  ──\nx²  $5\n```\n" == columns.text
    assert columns.source == segment.source == table.strip("\n")


@given(nasty_markdown())
def test_no_line_end_outside_a_formula_is_lost(text: str) -> None:
    parts = shown(text)
    written = "".join(part.joint + (part.source or part.text) + _ends(part) for part in parts)

    assert sum(len(part.text) for part in parts) or not text
    if all(not part.source for part in parts):
        assert len(parts) == 1
    else:
        assert text.count("\n") == written.count("\n")


def _ends(part: Segment) -> str:
    return "\n" * (len(part.text) - len(part.text.rstrip("\n"))) if part.source else ""
