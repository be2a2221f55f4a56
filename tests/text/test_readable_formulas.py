from __future__ import annotations

import pytest

from cadenza.text.formulas import Formula
from cadenza.text.readable_formulas import in_lines, in_table, within_line


@pytest.mark.parametrize(
    ("latex", "shown"),
    [
        pytest.param(" x^2 ", "x²", id="Unicode"),
        pytest.param("x^* * y", r"x\* \* y", id="stars"),
        pytest.param(r"k_B T", r"k\_B T", id="an underscore"),
        pytest.param("||v||", r"\|\|v\|\|", id="two bars"),
        pytest.param("|v|", "|v|", id="one bar"),
        pytest.param(r"a \backslash b", r"a\\b", id="a backslash"),
        pytest.param("a_1 \\foo\n{b}_2", r"`a_1 \foo {b}_2`", id="code, in one line"),
    ],
)
def test_within_a_line(latex: str, shown: str) -> None:
    assert shown == within_line(Formula("\\(", latex))


@pytest.mark.parametrize(("latex", "shown"), [("> 5", r"\> 5"), (r"\#S", r"\#S"), ("-5", "−5"), ("+ 5", r"\+5")])
def test_a_formula_that_begins_a_line_opens_no_block(latex: str, shown: str) -> None:
    assert shown == within_line(Formula("\\(", latex), begins_line=True)


@pytest.mark.parametrize(
    ("latex", "quote", "lines"),
    [
        pytest.param("\n  x^2\n", "", ["x²"], id="readable"),
        pytest.param("\n  \\foo x\n\n    y_1\n", "", ["\\foo x", "y_1"], id="LaTeX"),
        pytest.param("\n> \\foo x\n> ", "> ", ["\\foo x"], id="quoted"),
    ],
)
def test_in_lines(latex: str, quote: str, lines: list[str]) -> None:
    assert lines == in_lines(Formula("\\[", latex), quote)


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        pytest.param(r"| $x^2$ | \(a_1\) |", "| x² | a₁ |", id="cells"),
        pytest.param(r"| $\|x\|$ | b |", r"| \|x\| | b |", id="a bar is escaped"),
        pytest.param(r"| \(\foo \| x\) | b |", r"| `\foo \| x` | b |", id="in code too"),
        pytest.param("| $a = | b$ |", "| $a = | b$ |", id="a formula ends with its cell"),
        pytest.param("| $5 | $6 |", "| $5 | $6 |", id="money"),
    ],
)
def test_in_a_table(row: str, shown: str) -> None:
    table = "| a | b |\n|---|---|\n{}\n"

    assert table.replace("{}", shown) == in_table(table.replace("{}", row))
