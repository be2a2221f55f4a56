"""What is mathematics, and what is money, an escaped bracket, a regular expression or a variable."""

from __future__ import annotations

from random import Random

import pytest

from cadenza.text.formulas import Formula, is_formula, parse
from cadenza.text.readable_formulas import spans_of
from cadenza.text.spans import Scanner, SpanKind

MATHEMATICS = [
    *(r"\(x^2\)", r"\( \Delta G = \Gamma \)", r"\(n\)", r"\(AB\)", r"\(P(A|B)\)", r"\(> 5\)", r"\(a, b, c\)", r"\(0\)"),
    *("$x$", "$x^2$", "$2x + 3$", r"$2 \times 3$", "$f(x)$", "$(0, 1)$", "$AB$", "$x, y$", "$5$", "$|x|$", "$-x$"),
    *(r"$O(n \log n)$", "$v_x$", "$a_{ij}$", "$n!=6$", "$π ≈ 3.14$", "$i = 0$", r"$\$5 \times 3$", "$x\n= 1$"),
    *("\\[\n(x - y)^2\n\\]", "\\[ E = mc^2 \\]", "\\[\nx\n\\]", r"\[\foo\]", "\\[ speed = distance / time \\]"),
    *("$$x = 1$$", "$$\nx = 1\n\ny = 2\n$$", "$$a < b$$", "\\[\nx = 1 \\\\\n\ny = 2\n\\]"),
]

TEXT = [
    *("$5 and $10", "$5-$10", "costs $20. Or $30", "US$5", "$5/$10", "$5, or $6", "$1,000 and y$", "$100k-$200k", "$5"),
    *("I paid $5 + $3 = $8", "cost: $10 (or $12)", "$3.50 < $4", "$10M to $20M", "5$ and 10$", "5$-10$", "A$AP and A$AP"),
    *("The price is $5, or x=3$", r"\$x^2$", r"\$5 and \$6", "$ x^2 $", "$x^2 $", "$x^2$3", "$AAPL/$TSLA", "$$$ x $$$"),
    *("$HOME/$USER", "$a+$b", "${var}_$x", "$i=0;$i<5", "$x and $y", "$my_var$", "$PATH:$HOME", "$(a)+$(b)", "$a->b($c)"),
    *("$$ cheap $$", "$$", "$$$$", "$", "$x\n\n= 1$", r"\\(x\)", r"\\[x = 1\\]", r"\(x", r"\)x\(", r"\(x = `1`\)"),
    *(r"\[not math\]", r"\[link\](https://e.org)", r"\[x=1\](https://e.org)", r"- \[x\] done", r"\[1\]", r"\[key=value\]"),
    *(r"\(foo\|bar\)", r"\(\d+\)", r"\([a-z]*\)", r"\(\w\)", r"\(see below\)", r"\(link\)", r"\( \)", r"\(\)"),
    *("\\(x\n\n= 1\\)", "a \\[x\n\n= 1\\]", "\\[\nx = 1\n\n\ny = 2\n\\]", "\\[x = <think>1\\]", "`$x$`", "```\n$x$\n```"),
]  # fmt: skip


@pytest.mark.parametrize("text", MATHEMATICS)
def test_a_formula_is_one_span(text: str) -> None:
    for around in ("{}", "so\n{}\nand"):
        whole = around.format(text) if "{" not in text else around.replace("{}", text)
        start = whole.index(text)
        assert [(start, start + len(text))] == [(span.start, span.end) for span in spans_of(whole)]


@pytest.mark.parametrize("text", TEXT)
def test_what_is_no_formula_stays_text(text: str) -> None:
    assert [] == spans_of(text)


def test_money_and_mathematics_in_one_sentence() -> None:
    text = r"It costs $5, but $x^2$ of \(n\) is $10 (\$20 with $y = 1$)."

    assert ["$x^2$", r"\(n\)", "$y = 1$"] == [text[span.start : span.end] for span in spans_of(text)]


def test_nothing_inside_a_formula_means_anything_else() -> None:
    scanner = Scanner(sentence_ends=True, hold=1000)
    scanner.feed("So \\( *a* [b](c) \"d\" f. G = 'x' ||h|| \\) it is. Yes.")
    while scanner.find(final=True):
        pass

    assert [SpanKind.MATH] == [span.kind for span in scanner.spans]


@pytest.mark.parametrize(
    ("text", "hold", "spans"),
    [
        pytest.param("\\[" + "x + " * 20 + "x\\]", 80, 0, id="a display formula waits as long as it may"),
        pytest.param("\\[" + "x + " * 20 + "x\\]", 90, 1, id="and no longer"),
        pytest.param("$" + "x + " * 5 + "x$", 80, 0, id="one within a line a quarter"),
        pytest.param("$" + "x + " * 5 + "x$", 92, 1, id="but that"),
        pytest.param("\\(" + "x + " * 5 + "x\\)", 80, 0, id="the other marks too"),
    ],
)
def test_text_waits_for_the_end_of_a_formula_as_long_as_for_any_mark(text: str, hold: int, spans: int) -> None:
    for size in (1, 3, 1000):
        scanner = Scanner(hold=hold)
        for start in range(0, len(text), size):
            scanner.feed(text[start : start + size])
            scanner.find()
        scanner.find(final=True)
        assert spans == len([span for span in scanner.spans if span.kind is SpanKind.MATH])


def test_a_formula_is_found_in_any_slices() -> None:
    dice = Random(20)
    text = "\n".join([*MATHEMATICS, *(one for one in TEXT if "```" not in one and "<" not in one)])
    expected = spans_of(text)
    for _ in range(20):
        scanner = Scanner(hold=32_000)
        start = 0
        while start < len(text):
            end = start + dice.randint(1, 5)
            scanner.feed(text[start:end])
            while scanner.find():
                pass
            start = end
        while scanner.find(final=True):
            pass
        assert expected == [
            span for span in sorted(scanner.spans, key=lambda span: span.start) if span.kind is SpanKind.MATH
        ]


@pytest.mark.parametrize(
    ("source", "formula"),
    [
        ("\\[ x \\]", Formula("\\[", " x ")),
        ("$$x$$", Formula("$$", "x")),
        ("$x$", Formula("$", "x")),
        ("> \\[\n> x\n> \\].", Formula("\\[", "\nx\n")),
        ("$$a$$ | $$b$$", None),
        ("| a | b |\n|---|---|\n| 1 | 2 |", None),
        ("$", None),
        ("", None),
    ],
)
def test_a_source_is_a_formula_or_a_table(source: str, formula: Formula | None) -> None:
    assert formula == parse(source)
    assert is_formula(source) is (formula is not None and formula.is_display)
