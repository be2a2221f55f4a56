from __future__ import annotations

import pytest

from cadenza.text.latex_layout import aligned, columns, fenced, side_by_side


def test_rows_are_aligned_at_their_second_cell() -> None:
    assert ("aa = 1", " b = 2") == aligned([["aa", "= 1"], ["b", "= 2"]])
    assert ("a", "b") == aligned([["a"], ["b"]])


def test_cells_stand_in_columns_also_where_one_is_missing() -> None:
    assert ("1   2", "33   ") == columns([["1", "2"], ["33"]], "  ")


@pytest.mark.parametrize(
    ("height", "left"),
    [(1, ["{"]), (2, ["⎧", "⎩"]), (3, ["⎧", "⎨", "⎩"]), (4, ["⎧", "⎪", "⎨", "⎩"])],
)
def test_a_brace_is_as_tall_as_what_it_encloses(height: int, left: list[str]) -> None:
    assert [f"{part} x" for part in left] == list(fenced(["x"] * height, "{", ""))


def test_boxes_stand_beside_the_middle() -> None:
    assert ["  1", "a 2", "  3"] == side_by_side([("a",), ("1", "2", "3")])
