"""LaTeX that people can read without a renderer."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.text.latex import readable, readable_lines
from tests.text.formula_samples import READABLE


@pytest.mark.parametrize("latex", READABLE)
def test_what_models_write_can_be_read(latex: str) -> None:
    assert READABLE[latex] == readable(latex)


def test_most_of_it_needs_nothing_but_unicode() -> None:
    plain = [shown for shown in READABLE.values() if not {"^", "_", "\\"} & {*shown}]

    assert len(READABLE) >= 150
    assert len(plain) / len(READABLE) > 0.85


@pytest.mark.parametrize(
    "latex",
    [
        pytest.param(r"\foo{x}", id="a command that nobody knows"),
        pytest.param(r"\frac{a}{", id="broken off"),
        pytest.param("x}", id="a brace too many"),
        pytest.param(r"\left( x", id="half a bracket"),
        pytest.param(r"\begin{aligned} x \end{cases}", id="an environment that another one ends"),
        pytest.param(r"\begin{tikzpicture} x \end{tikzpicture}", id="a drawing"),
        pytest.param(r"\underbrace{a + b}_{n}", id="a brace under the formula"),
        pytest.param(r"\widehat{ABC}", id="a wide accent"),
        pytest.param(r"\ce{A ->[\Delta] \foo}", id="a command in a reaction"),
        pytest.param(r"\text{if $x$}", id="a formula in words"),
        pytest.param("{" * 100 + "}" * 100, id="too deep"),
        pytest.param("x" * 5000, id="too long"),
        pytest.param("x^", id="nothing raised"),
        pytest.param("", id="nothing"),
    ],
)
def test_what_cannot_be_read_in_full_is_not_read_by_halves(latex: str) -> None:
    assert readable(latex) is None


@pytest.mark.parametrize(
    ("latex", "shown"),
    [
        pytest.param(r"{a+b}^2", "(a + b)²", id="a group that is raised"),
        pytest.param(r"\sin\frac{x}{2}", "sin (x/2)", id="a fraction in a function"),
        pytest.param(r"x\frac{a}{b}y", "x(a/b)y", id="a fraction in a product"),
        pytest.param(r"\not= \not\in", "≠ ∉", id="negated"),
        pytest.param(r"\tag{1}", "(1)", id="a number"),
        pytest.param(r"x\ y~z", "x y z", id="spaces"),
        pytest.param(r"\textcolor{red}{x} \color{blue} y", "xy", id="colours"),
        pytest.param(r"\stackrel{?}{=}", "≟", id="a sign over a sign"),
        pytest.param(r"\xrightarrow[b]{a}", "─a, b→", id="over and under an arrow"),
        pytest.param(r"\mathfrak{g} \mathbb{1} \mathcal{F}", "𝔤𝟙ℱ", id="letters in styles"),
        pytest.param(r"f'_1", "f′₁", id="a prime and an index"),
        pytest.param("1,000", "1,000", id="thousands"),
        pytest.param("f(x,y)", "f(x, y)", id="two arguments"),
    ],
)
def test_details(latex: str, shown: str) -> None:
    assert shown == readable(latex)


@pytest.mark.parametrize(
    ("latex", "lines"),
    [
        pytest.param(
            r"\begin{aligned} (x-y)^2 &= x^2 - 2xy + y^2 \\ &= x^2 + y^2 - 2xy \end{aligned}",
            ["(x − y)² = x² − 2xy + y²", "         = x² + y² − 2xy"],
            id="aligned",
        ),
        pytest.param(
            r"f(x) = \begin{cases} x^2 & \text{if } x \ge 0 \\ -x & \text{otherwise} \end{cases}",
            ["f(x) = ⎧ x²   if x ≥ 0", "       ⎩ −x   otherwise"],
            id="cases",
        ),
        pytest.param(
            r"A = \begin{pmatrix} 1 & 2 \\ 30 & 4 \\ 5 & 6 \end{pmatrix}",
            ["    ⎛ 1   2 ⎞", "A = ⎜ 30  4 ⎟", "    ⎝ 5   6 ⎠"],
            id="a matrix",
        ),
        pytest.param(
            r"\left\{ \begin{array}{l} x = 1 \\ y = 2 \end{array} \right.", ["⎧ x = 1", "⎩ y = 2"], id="a system"
        ),
        pytest.param(r"x = 1 \\ y = 2", ["x = 1", "y = 2"], id="two lines"),
        pytest.param(r"\frac{a}{b}", ["a/b"], id="one line"),
    ],
)
def test_a_display_formula_has_its_lines(latex: str, lines: list[str]) -> None:
    assert lines == readable_lines(latex)


_BITS = [
    "\\",
    "{",
    "}",
    "^",
    "_",
    "&",
    "\\\\",
    "\\frac",
    "\\sqrt",
    "[",
    "]",
    "\\left",
    "\\right",
    "(",
    ")",
    "x",
    "1",
    " ",
    "'",
]


@given(
    st.lists(st.sampled_from([*_BITS, "\\begin{cases}", "\\end{cases}", "\\ce{", "\\text{", "\\hat", "\\not"])).map(
        "".join
    )
)
def test_nothing_is_raised_whatever_is_read(latex: str) -> None:
    shown, lines = readable(latex), readable_lines(latex)

    assert shown is None or shown.strip() == shown != ""
    assert lines is None or any(lines)
