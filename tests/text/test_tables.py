from __future__ import annotations

from itertools import takewhile

import pytest
from hypothesis import given, strategies as st

from cadenza.text.tables import (
    Alignment,
    alignment,
    cells,
    could_be_header,
    could_be_separator,
    ends_with_bar,
    has_rows,
    head,
    is_quoted,
    is_separator,
    is_shaped,
    lines,
    parse,
    quote,
)

LEFT, CENTRE, RIGHT = Alignment


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("| a | b |", ["a", "b"], id="usual"),
        pytest.param("|a|b|", ["a", "b"], id="tight"),
        pytest.param("| a | b", ["a", "b"], id="no last bar"),
        pytest.param("  | a | b |  ", ["a", "b"], id="indented"),
        pytest.param("| a || b |", ["a", "", "b"], id="an empty cell"),
        pytest.param(r"| a \| b | c |", [r"a \| b", "c"], id="an escaped bar"),
        pytest.param(r"| a | b \|", ["a", r"b \|"], id="an escaped last bar"),
    ],
)
def test_a_row_has_its_cells(line: str, expected: list[str]) -> None:
    assert expected == cells(line)


@pytest.mark.parametrize("line", ["| a | b |", "|a|b", "  | name | qty |", "| 名前 |"])
def test_a_line_that_begins_with_a_bar_could_be_a_header(line: str) -> None:
    assert could_be_header(line)


@pytest.mark.parametrize("line", ["a | b |", "a | b | c", "a|b|c", "||spoiler|| | b", "a | b", "a|b", r"a \| b | c"])
def test_so_could_one_with_bars_enough(line: str) -> None:
    assert could_be_header(line)


@pytest.mark.parametrize("line", ["", "|", "||", "||spoiler||", "||a|| and ||b||", "|  |  |", "a |", r"a \| b", "text"])
def test_other_lines_could_not(line: str) -> None:
    assert not could_be_header(line)


@pytest.mark.parametrize("line", ["|---|---|", "| :-- | --: | :-: |", "|-|-|"])
def test_a_line_of_dashes_is_a_separator_from_its_first_character_on(line: str) -> None:
    assert all(could_be_separator(line[:length]) for length in range(len(line) + 1))


@pytest.mark.parametrize("line", ["| a", "|---|x", "text"])
def test_a_line_with_anything_else_is_none(line: str) -> None:
    assert not could_be_separator(line)


@pytest.mark.parametrize(
    ("line", "header", "expected"),
    [
        pytest.param("|---|---|", "| a | b |", True, id="as many"),
        pytest.param("|-|:-:|", "| a | b |", True, id="one dash is enough"),
        pytest.param("|---|---", "| a | b |", True, id="no last bar"),
        pytest.param("|---|", "| a | b |", False, id="too few"),
        pytest.param("|---|---|---|", "| a | b |", False, id="too many"),
        pytest.param("|---||", "| a | b |", False, id="an empty cell"),
        pytest.param("|:|-|", "| a | b |", False, id="no dash"),
        pytest.param("|", "| a |", False, id="only a bar"),
        pytest.param("|--- ---|---|", "| a | b |", False, id="a gap"),
        pytest.param("---|---|---", "a | b | c", True, id="no edge bars"),
        pytest.param("|---|---|---|", "a | b | c", True, id="edge bars under none"),
        pytest.param("---", "| a |", False, id="no bar at all"),
    ],
)
def test_a_separator_fits_its_header(line: str, header: str, expected: bool) -> None:  # noqa: FBT001  # a table's column
    assert expected is is_separator(line, header=header)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("a | b |", True, id="a bar"),
        pytest.param("a | b |  ", True, id="a bar and space"),
        pytest.param(r"a | b \|", False, id="an escaped bar"),
        pytest.param("| a | b", False, id="none"),
    ],
)
def test_a_line_ends_with_a_bar(line: str, expected: bool) -> None:  # noqa: FBT001
    assert expected is ends_with_bar(line)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("> | a |", "> ", id="a space behind it"),
        pytest.param(">| a |", ">", id="none"),
        pytest.param("  >  | a |", "  > ", id="only one"),
        pytest.param("> > | a |", "> ", id="only the outermost"),
        pytest.param("| a | > |", "", id="not in the middle"),
        pytest.param("         > a", "", id="not far away"),
    ],
)
def test_a_quoted_line_begins_with_its_mark(line: str, expected: str) -> None:
    assert expected == quote(line)


def test_the_head_is_two_whole_lines() -> None:
    assert head("| a |\n|---|\n| 1 |\n| 2 |\n") == "| a |\n|---|\n"
    assert head("| a |\n|---|") == "| a |\n|---|\n"
    assert head(">\n> | a |\n> |---|\n> | 1 |\n") == ">\n> | a |\n> |---|\n"


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        pytest.param("| a |\n|---|\n| 1 |\n", True, id="a row"),
        pytest.param("| a |\n|---|\n| 1", True, id="half a row"),
        pytest.param("| a |\n|---|\n \n", False, id="only space"),
        pytest.param("| a |\n|---|", False, id="only a head"),
        pytest.param(">\n> | a |\n> |---|\n> | 1 |", True, id="a row in a quote"),
        pytest.param(">\n>\n> | a |\n> |---|\n", False, id="only a head in a quote"),
    ],
)
def test_what_stands_behind_the_head_are_rows(table: str, expected: bool) -> None:  # noqa: FBT001
    assert expected is has_rows(table)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        pytest.param("| a |\n|---|\n", ["| a |", "|---|"], id="as they are"),
        pytest.param("\n| a |\n|---|", ["| a |", "|---|"], id="without the line ends around them"),
        pytest.param("> | a |\n> |---|", ["| a |", "|---|"], id="out of their quote"),
        pytest.param(">\n > \n>| a |\n>|---|", ["| a |", "|---|"], id="without lone quote marks"),
        pytest.param("> | a |\n|---|", ["| a |", "|---|"], id="a line that is not quoted"),
        pytest.param("", [""], id="nothing"),
    ],
)
def test_a_table_has_lines(table: str, expected: list[str]) -> None:
    assert expected == lines(table)


def test_a_table_may_be_quoted() -> None:
    assert is_quoted(">\n> | a |\n")
    assert not is_quoted("| > |\n")


# --- tables that are understood -------------------------------------------------------------


@pytest.mark.parametrize(
    ("markdown", "header", "rows", "alignments"),
    [
        pytest.param("| a | b |\n|---|---|\n| 1 | 2 |", "a b", ["1 2"], [LEFT, LEFT], id="usual"),
        pytest.param("a | b\n---|---\n1 | 2\n", "a b", ["1 2"], [LEFT, LEFT], id="f16 two columns, no edge bars"),
        pytest.param("a | b | c\n-|-|-\n1|2|3", "a b c", ["1 2 3"], [LEFT] * 3, id="one dash is enough"),
        pytest.param("| a | b |\n|:-:|--:|\n| x | y |", "a b", ["x y"], [CENTRE, RIGHT], id="alignments"),
        pytest.param("| a | b |\n|:--|:-:|\n| x | y |", "a b", ["x y"], [LEFT, CENTRE], id="more alignments"),
        pytest.param("| a | b |\r\n|--|--|\r\n| 1 | 2 |\r\n", "a b", ["1 2"], [LEFT, LEFT], id="another line end"),
        pytest.param("  | a | b |\n  |---|---|\n  | 1 | 2 |", "a b", ["1 2"], [LEFT, LEFT], id="indented"),
        pytest.param("| a | b |\n|---|---|\n| 1 | |\n", "a b", ["1 -"], [LEFT, LEFT], id="an empty cell"),
        pytest.param("| a | b |\n|---|---|\n| 1 |\n", "a b", ["1 -"], [LEFT, LEFT], id="f16 a short row"),
        pytest.param("| a | b |\n|---|---|\n| 1 | 2 | 3 |", "a b -", ["1 2 3"], [LEFT] * 3, id="a cell beyond the head"),
        pytest.param("| a | b |\n|--:|:-:|\n| 1 | 2 | | 3 |\n| 4 |", "a b - -", ["1 2 - 3", "4 - - -"], [RIGHT, CENTRE, LEFT, LEFT], id="cells beyond the head"),
        pytest.param("| a | b |\n|---|---|\n| 1 | 2 | | |", "a b", ["1 2"], [LEFT, LEFT], id="nothing beyond the head"),
        pytest.param("| a |\n|---|\n| 1 | 2 |", "a -", ["1 2"], [LEFT, LEFT], id="a head of one column"),
        pytest.param("| h | i |\n|-|-|\n|---|---|\n| 1 | 2 |", "h i", ["--- ---", "1 2"], [LEFT, LEFT], id="f16 dashes"),
        pytest.param("| a | b \\|\n|---|---|\n| 1 | 2 |", "a b|", ["1 2"], [LEFT, LEFT], id="f16 an escaped last bar"),
        pytest.param("| a | b |\n|---|---|\n| x\\|y | `p\\|q` |", "a b", ["x|y `p|q`"], [LEFT, LEFT], id="escaped bars"),
        pytest.param("| a | b |\n|---|---|\n| `x|y` |", "a b", ["`x y`"], [LEFT, LEFT], id="a bar in code"),
        pytest.param("> | a | b |\n> |---|---|\n> | 1 | 2 |\n", "a b", ["1 2"], [LEFT, LEFT], id="quoted"),
        pytest.param(">\n> a | b\n> -|-\n> 1 | 2\n", "a b", ["1 2"], [LEFT, LEFT], id="behind a lone quote mark"),
        pytest.param("| | b |\n|---|---|\n| 1 | 2 |", "- b", ["1 2"], [LEFT, LEFT], id="one name is enough"),
        pytest.param("| a | b |\n|---|---|\n| 1 | 2 |\n\nend", "a b", ["1 2"], [LEFT, LEFT], id="up to an empty line"),
    ],
)  # fmt: skip
def test_a_table_is_understood(markdown: str, header: str, rows: list[str], alignments: list[Alignment]) -> None:
    """Cells are given parted by spaces; one that is a dash is empty."""
    table = parse(markdown)

    assert table is not None
    assert [_cells(header), [_cells(row) for row in rows], alignments] == [
        [cell.replace(" ", "") for cell in table.header],
        [list(row) for row in table.rows],
        list(table.alignments),
    ]


def _cells(row: str) -> list[str]:
    return [cell if cell != "-" else "" for cell in row.split()]


@pytest.mark.parametrize(
    ("markdown", "shaped"),
    [
        pytest.param("", False, id="nothing"),
        pytest.param("no bars at all", False, id="words"),
        pytest.param("| a | b |", False, id="a header"),
        pytest.param("| a | b |\n|---|---|\n", True, id="no row"),
        pytest.param("| a | b |\n|---|---|\n  \n| 1 | 2 |", True, id="a row too far away"),
        pytest.param("| a |\n|---|\n| 1 |", True, id="one column"),
        pytest.param("|  |  |\n|---|---|\n| 1 | 2 |", False, id="no names"),
        pytest.param("| a | b |\n|---|\n| 1 | 2 |", False, id="too few dashes"),
        pytest.param("| a | b |\n\n|---|---|\n| 1 | 2 |", False, id="an empty line"),
        pytest.param("> | a | b |\n|---|\n| 1 | 2 |", False, id="half of it quoted"),
        pytest.param("|" + "a|" * 40 + "\n|" + "-|" * 40 + "\n" + "| 1 |\n" * 52, True, id="next to nothing in it"),
        pytest.param("| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 40 + "| 1 " * 60, True, id="a row without end"),
    ],
)
def test_anything_else_is_none(markdown: str, shaped: bool) -> None:  # noqa: FBT001
    assert parse(markdown) is None
    assert shaped is is_shaped(markdown)


def test_a_table_may_be_wide_and_have_gaps() -> None:
    table = parse("|" + "a|" * 40 + "\n|" + "-|" * 40 + "\n" + "| 1 |\n" * 51)

    assert table is not None
    assert (("1",) + ("",) * 39,) * 51 == table.rows


@pytest.mark.parametrize(
    ("dashes", "expected"),
    [("---", LEFT), (":--", LEFT), (":-:", CENTRE), ("--:", RIGHT), ("", LEFT)],
)
def test_dashes_say_where_the_text_of_a_column_stands(dashes: str, expected: Alignment) -> None:
    assert expected is alignment(dashes)


@given(st.lists(st.text("ab|\\` -:>\n\t\0\ud800日", max_size=12), max_size=8))
def test_every_row_is_as_wide_as_the_header_and_no_cell_is_lost(rows: list[str]) -> None:
    table = parse("\n".join(["| a | b |", "|---|---|", *rows]))

    if table is not None:
        assert len({len(row) for row in (table.header, *table.rows, table.alignments)}) == 1
        written = takewhile(str.strip, "\n".join(rows).split("\n"))
        assert [_letters(row) for row in written] == [_letters("".join(row)) for row in table.rows]


def _letters(text: str) -> list[str]:
    return [letter for letter in text if letter in "ab日"]


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        pytest.param("| `x|y` | 2 |", ("`x|y`", "2"), id="a bar in code is meant as one"),
        pytest.param("| ``a|`b`` | 2 |", ("``a|`b``", "2"), id="code in two backticks"),
        pytest.param("| `x | y` |", ("`x", "y`"), id="as many cells as there should be"),
        pytest.param("| `x\\|y` | 2 |", ("`x|y`", "2"), id="written as it should be"),
        pytest.param("| `x | y | z |", ("`x", "y", "z"), id="no code at all"),
        pytest.param("| or | a || b |", ("or", "a || b"), id="two bars between words"),
        pytest.param("| a || b |", ("a", "", "b"), id="a cell with nothing in it"),
    ],
)
def test_a_bar_in_code_ends_no_cell_if_there_would_be_too_many(row: str, cells: tuple[str, ...]) -> None:
    table = parse(f"| a | b |\n|---|---|\n{row}")

    assert table is not None
    assert (cells,) == table.rows


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        pytest.param("| Ada | ||secret|| |", ("Ada", "||secret||"), id="a spoiler"),
        pytest.param("|Ada|||secret|||", ("Ada", "||secret||"), id="tight"),
        pytest.param("| ||a|| | ||b|| |", ("||a||", "||b||"), id="two of them"),
        pytest.param("| `a||b` | ||c|| |", ("`a||b`", "||c||"), id="with code"),
        pytest.param("| a || b |", ("a", "", "b"), id="an empty cell is none"),
    ],
)
def test_a_spoiler_stays_in_its_cell(row: str, expected: tuple[str, ...]) -> None:
    table = parse(f"| x | y |\n|---|---|\n{row}")

    assert table is not None
    assert table.rows == (expected,)
