"""What a picture says to those who cannot see it."""

from __future__ import annotations

import pytest

from cadenza.text.alt_text import LONGEST, of_picture, within
from cadenza.text.units import units

HEAD = "| Name | Tea |\n|---|---|"


def table(rows: int) -> str:
    return "\n".join([HEAD, *(f"| person number {row} | `green` |" for row in range(rows))])


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(table(3), id="a table"),
        pytest.param("$$\nx^2\n$$", id="a formula"),
        pytest.param("> | a | b |\n> |---|---|\n> | $x$ | 2 |", id="a table in a quote"),
    ],
)
def test_it_is_the_source(source: str) -> None:
    assert source == of_picture(f"{source}\n")


def test_a_long_table_ends_with_a_whole_row() -> None:
    said = of_picture(table(100))

    first, *rows, last = said.split("\n")
    assert ("Name | Tea", "…") == (first, last)
    assert rows == [f"person number {row} | `green`" for row in range(len(rows))]
    assert LONGEST - 40 < units(said) <= LONGEST


@pytest.mark.parametrize("text", ["a" * 3000, "😀" * 2000, "a word " * 400, f"$$\n{'x+' * 900}x\n$$"])
def test_what_is_too_long_is_cut(text: str) -> None:
    for said in (within(text), of_picture(text)):
        assert said.endswith("…")
        assert 900 < units(said) <= LONGEST


def test_a_short_text_stays() -> None:
    assert ["", "A fox."] == [within(text) for text in ("", "A fox.")]
