from __future__ import annotations

import pytest

from cadenza.text.tables import cells, could_be_header, could_be_separator, has_rows, head, is_separator


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


@pytest.mark.parametrize("line", ["a | b |", "a | b | c", "a|b|c", "||spoiler|| | b"])
def test_so_could_one_with_bars_enough(line: str) -> None:
    assert could_be_header(line)


@pytest.mark.parametrize(
    "line", ["", "|", "||", "||spoiler||", "||a|| and ||b||", "|  |  |", "a |", "a | b", r"a \| b | c", "text"]
)
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


def test_the_head_is_two_whole_lines() -> None:
    assert head("| a |\n|---|\n| 1 |\n| 2 |\n") == "| a |\n|---|\n"
    assert head("| a |\n|---|") == "| a |\n|---|\n"


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        pytest.param("| a |\n|---|\n| 1 |\n", True, id="a row"),
        pytest.param("| a |\n|---|\n| 1", True, id="half a row"),
        pytest.param("| a |\n|---|\n \n", False, id="only space"),
        pytest.param("| a |\n|---|", False, id="only a head"),
    ],
)
def test_what_stands_behind_the_head_are_rows(table: str, expected: bool) -> None:  # noqa: FBT001
    assert expected is has_rows(table)
