r"""Show formulas, which Discord does not render: ``\(x^2\)`` becomes "x²".

A formula within a line becomes Unicode or, if not all of it can be, code with its LaTeX. A display formula becomes a
segment of its own, in a code block; its LaTeX stays as the segment's source, for a picture and for the model, which
later sees what it wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from ..text import readable_formulas
from ..text.formulas import Formula, parse
from ..text.origins import join, line_ends, rewritten
from ..text.spans import SpanKind, survey
from ..text.units import WHITESPACE
from ..types import Boundary, Kind, Segment
from .rule import LineOpening, Rule, RuleContext

_NO_ROOM = re.compile(r"[ \t]*(?:-?#{1,6}[ \t]|\|)|[ \t>]*(?:[-*+•]|\d{1,9}[.)])[ \t]+\Z")
"""What precedes a formula on its line that leaves no room for a block: a heading, a cell, the mark of a list item."""
_QUOTE = re.compile(r"[ \t]*>")
_QUOTE_OR_BLANK = re.compile(r"[ \t>]*")
_MORE = re.compile(r"[^\n]*\w")
_STOP = re.compile(r"[ \t]*[.,;:!?。，][ \t]*(?=\n|\Z)")


class _Found(NamedTuple):
    formula: Formula
    start: int
    end: int
    quote: str
    """The quote mark in front of its lines."""
    is_block: bool
    begins_line: bool


class Formulas(Rule):
    """Makes every formula readable."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._opening = LineOpening()

    @property
    def is_idle(self) -> bool:
        """Whether formulas are shown as they were written."""
        return self.context.settings.math == "source"

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        """Convert the formulas of *segment*; around a display formula it becomes several."""
        text = segment.text
        if "$" not in text and "\\" not in text:  # nearly always
            self._opening.last = segment
            return (segment,)
        opens_line = self._opening.opens_line
        self._opening.last = segment
        if segment.kind is Kind.TABLE:
            return (_with_readable_cells(segment),)
        if segment.kind is not Kind.PROSE or not any(mark in text for mark in readable_formulas.MARKS):
            return (segment,)
        found = list(_formulas(segment, opens_line=opens_line))
        return _parts(segment, found) if found else (segment,)


def _with_readable_cells(segment: Segment) -> Segment:
    text = readable_formulas.in_table(segment.text)
    return segment if text == segment.text else replace(segment, text=text, source=segment.text.strip("\n"))


def _formulas(segment: Segment, *, opens_line: bool) -> Iterator[_Found]:
    text = segment.text
    is_hidden = "|" in segment.opens_in + segment.ends_in  # a block would leave its spoiler
    line = seen = linked = emphasised = 0
    for span in survey(text).spans:
        if span.kind is SpanKind.EMPHASIS:
            emphasised = max(emphasised, span.end)
        elif span.kind is SpanKind.LINK:
            linked = span.end  # the text of a link stays as it is
        formula = parse(text[span.start : span.end]) if span.kind is SpanKind.MATH else None
        if formula is None or span.start < linked:
            continue
        line = max(line, text.rfind("\n", seen, span.start) + 1)
        seen = span.start
        begins_line = (opens_line or line > 0) and _QUOTE_OR_BLANK.fullmatch(text, line, seen) is not None
        is_quoted = _QUOTE.match(text, line, seen) is not None
        has_room = not _NO_ROOM.match(text, line, seen) and (begins_line or not is_quoted)
        has_room = has_room and (begins_line or not _MORE.match(text, span.end))  # in the middle of a sentence it stays
        is_block = formula.is_display and has_room and not segment.source and seen >= emphasised and not is_hidden
        quote = text[line:seen] if is_quoted and is_block else ""
        yield _Found(formula, seen, span.end, quote, is_block, begins_line)


def _parts(segment: Segment, found: Iterable[_Found]) -> list[Segment]:
    text = segment.text
    parts: list[Segment] = []
    prose: list[str] = []
    done = 0
    for one in found:
        prose.append(text[done : one.start])
        done = one.end
        if not one.is_block:
            prose.append(_in_line(one, text))
            continue
        stop = _STOP.match(text, done)
        done = stop.end() if stop else done
        above, joint = _before_block(join(prose), one.quote)
        prose.clear()
        if above:
            parts.append(replace(segment, text=above, boundary=Boundary.CODE_OPEN, joint=""))
        source = one.quote + text[one.start : done].rstrip(WHITESPACE)
        block = replace(segment, text=rewritten(source, _block(one)), kind=Kind.CODE, boundary=Boundary.CODE_CLOSE)
        parts.append(replace(block, source=source, is_painted=True, joint=joint))
    return _as_one(segment, parts, join([*prose, text[done:]]))


def _in_line(one: _Found, text: str) -> str:
    shown = readable_formulas.within_line(one.formula, begins_line=one.begins_line)
    if shown.startswith("`"):  # two runs of backticks are kept apart
        return " " * text.endswith("`", 0, one.start) + shown + " " * text.startswith("`", one.end)
    return shown


def _before_block(prose: str, quote: str) -> tuple[str, str]:
    """The prose in front of a block, and the white space that goes with the block."""
    prose = prose.removesuffix(quote)
    if not prose.strip(WHITESPACE):
        return "", prose
    above = prose.rstrip(" \t")
    return (above, prose[len(above) :]) if above.endswith("\n") else (prose, "")


def _block(one: _Found) -> str:
    lines = ["```", *readable_formulas.in_lines(one.formula, one.quote), "```"]
    return "\n".join(("> " if one.quote else "") + line for line in lines)


def _as_one(segment: Segment, parts: list[Segment], rest: str) -> list[Segment]:
    """*parts* and the prose after them, with what only the first or the last of them has."""
    if not parts:
        return [replace(segment, text=rest, source=segment.source or segment.text)]
    if rest.strip(WHITESPACE):
        parts.append(replace(segment, text=rest, joint=""))
    else:
        parts[-1] = replace(parts[-1], text=parts[-1].text + line_ends(rest), boundary=segment.boundary)
    last = len(parts) - 1
    return [
        replace(
            part,
            label=part.label if not number else "",
            joint=segment.joint + part.joint if not number else part.joint,
            opens_in=part.opens_in if not number else "",
            ends_in=part.ends_in if number == last else "",
        )
        for number, part in enumerate(parts)
    ]
