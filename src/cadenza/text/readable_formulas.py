"""Formulas as a chat can show them: within a line, in a code block, and in the cells of a table."""

from __future__ import annotations

import re

from .formulas import Formula, parse
from .origins import join, lines_of
from .spans import Span, SpanKind, survey

MARKS = ("$", "\\(", "\\[")
"""Without one of these there is no formula."""
_SPECIAL = re.compile(r"[\\*_~`]|\|(?=\|)|(?<=\|)\|")
_OPENS_BLOCK = re.compile(r"[>#+-]")


def spans_of(text: str) -> list[Span]:
    """The formulas of *text*."""
    if not any(mark in text for mark in MARKS):
        return []
    return [span for span in survey(text).spans if span.kind is SpanKind.MATH]


def within_line(formula: Formula, *, begins_line: bool = False) -> str:
    """*formula* as part of a sentence: in Unicode or, if not all of it can be, its LaTeX as code."""
    from .latex import readable  # noqa: PLC0415  # most replies have no formula, and its patterns take time to make

    latex = " ".join(formula.latex.split())
    shown = readable(latex)
    if shown is None:
        return f"`{latex}`"
    shown = _SPECIAL.sub(r"\\\g<0>", shown)
    return "\\" + shown if begins_line and _OPENS_BLOCK.match(shown) else shown


def in_lines(formula: Formula, quote: str = "") -> list[str]:
    """*formula* in lines of its own; its LaTeX if not all of it can be read otherwise. Its lines begin with *quote*."""
    from .latex import readable_lines  # noqa: PLC0415

    latex = "\n".join(line.strip().removeprefix(quote.strip()).strip() for line in formula.latex.split("\n")).strip()
    return readable_lines(latex) or [line for line in latex.split("\n") if line]


def in_table(text: str) -> str:
    """A table with the formulas in its cells made readable."""
    return join([*map(_in_row, lines_of(text))]) if any(mark in text for mark in MARKS) else text


def _in_row(line: str) -> str:
    parts: list[str] = []
    done = 0
    for span in spans_of(line.removesuffix("\n")):  # a row is no fence, whatever it begins with
        formula = parse(line[span.start : span.end])
        if formula is None or "|" in formula.latex.replace("\\|", ""):
            continue  # a bar ends the cell
        shown = within_line(Formula(formula.opening, formula.latex.replace("\\|", "|")))
        parts += (line[done : span.start], shown.replace("\\|", "|").replace("|", "\\|"))
        done = span.end
    return join([*parts, line[done:]])
