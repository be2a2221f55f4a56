"""Read the marks within a line: ``**four** [stars](https://a.example)`` is "four stars" in two styles.

``read`` finds the marks and the styled ranges; ``runs`` and ``plain`` apply that to the cell of a table, which is shown
where marks mean nothing: in a picture or in a code block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..types import Edit
from .emoji import EMOJI
from .spans import Span, SpanKind, survey

STYLES = {
    "*": ("italic",),
    "_": ("italic",),
    "**": ("bold",),
    "***": ("bold", "italic"),
    "__": ("underline",),
    "___": ("underline", "italic"),
    "~~": ("strike",),
    "||": ("spoiler",),
}
"""The styles of the text between two marks."""
_ESCAPE = re.compile(r"\\[!-/:-@\[-`{-~]")
_LINE_BREAK = re.compile(r"<br[ \t]*/?>", re.IGNORECASE)
_COMMAND = re.compile(r"<(?P<command>/.+):\d+>")
_TIME = re.compile(r"<t:(?P<seconds>-?\d+)(?::(?P<style>[a-zA-Z]))?>")
_FENCED = re.compile(r"(?<!`)(`{3,}+)([^`]++)\1(?!`)")
_NOT_FIRST = "x "
"""Put in front of a cell, because a fence opens no code block in a table."""


class Run(NamedTuple):
    """A run of text in one style."""

    text: str
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False
    code: bool = False
    link: bool = False
    spoiler: bool = False
    """Hidden until it is clicked."""


class StyledRange(NamedTuple):
    """``text[start:end]`` has the style of the field *style* of ``Run``."""

    style: str
    start: int
    end: int


class Reading(NamedTuple):
    """The meaning of the marks in a text."""

    stretches: list[StyledRange]
    edits: list[Edit]
    """The edits that remove the marks, in order; of two that overlap the first one counts."""


def read(text: str, *, in_cell: bool = False) -> Reading:
    """Read the marks of *text*. What the scanner does not call emphasis stays.

    With *in_cell*, the text is a cell of a table: ``<br>`` ends a line, a bar is escaped even in code, a timestamp
    becomes words, and a link becomes its text. Otherwise the address of a link follows its text.
    """
    spans = survey(text).spans
    stretches = [stretch for span in spans for stretch in _stretches(span, text, in_cell=in_cell)]
    edits = [edit for span in spans for edit in _edits(span, text, in_cell=in_cell)]
    literal = _Inside(
        [span for span in spans if span.kind in (SpanKind.CODE, SpanKind.URL, SpanKind.TAG, SpanKind.MATH)]
    )
    for match in _ESCAPE.finditer(text):
        span = literal.at(match.start())
        if span is None or (in_cell and span.kind is SpanKind.CODE and match.group() == r"\|"):
            edits.append(Edit(match.start(), match.start() + 1))
    if in_cell:
        literal = _Inside(literal.spans)
        edits += [Edit(*match.span(), "\n") for match in _LINE_BREAK.finditer(text) if not literal.at(match.start())]
    return Reading(stretches, sorted(edits))


def runs(cell: str) -> tuple[Run, ...]:
    """The runs of a table's cell; a line end is one in the text."""
    text = _NOT_FIRST + _FENCED.sub(r"`\2`", cell)  # a code block within a line is code within a line
    stretches, edits = read(text, in_cell=True)
    edits.insert(0, Edit(0, len(_NOT_FIRST)))
    changes = sorted(
        change for style, start, end in stretches for change in ((start, 1, style), (end, -1, style))
    )  # fmt: skip
    found: list[Run] = []
    depths = dict.fromkeys(Run._fields[1:], 0)
    done = 0
    for position, shown in _pieces(text, edits, [place for place, _, _ in changes]):
        while done < len(changes) and changes[done][0] <= position:
            _, step, style = changes[done]
            depths[style] += step
            done += 1
        run = Run(shown, *map(bool, depths.values()))
        if found and found[-1][1:] == run[1:]:
            run = run._replace(text=found.pop().text + run.text)
        found.append(run)
    return tuple(found)


def plain(cell: str) -> str:
    """The words of a table's cell, on one line."""
    return "".join(run.text for run in runs(cell)).replace("\n", " ")


def _pieces(text: str, edits: list[Edit], places: list[int]) -> Iterator[tuple[int, str]]:
    """What *edits* leave of *text*, with its index in *text*; split at *places*, which are in order."""
    position = 0
    following = iter([*places, len(text)])
    place = next(following)
    for start, end, instead in [*edits, Edit(len(text), len(text))]:
        if start < position:
            continue  # removed already
        while position < start:
            while place <= position:
                place = next(following)
            cut = min(place, start)
            yield position, text[position:cut]
            position = cut
        if instead:
            yield start, instead
        position = end


def _stretches(span: Span, text: str, *, in_cell: bool) -> Iterator[StyledRange]:
    """The ranges that *span* gives a style."""
    match span.kind:
        case SpanKind.EMPHASIS if _is_closed(span, text):
            yield from (StyledRange(style, span.start, span.end) for style in STYLES[span.marker])
        case SpanKind.CODE:
            yield StyledRange("code", span.start, span.end)
        case SpanKind.LINK if not in_cell:
            yield StyledRange("link", _middle(span, text) + 2, span.end - 1)
        case SpanKind.URL | SpanKind.LINK:
            yield StyledRange("link", span.start, span.end)


def _edits(span: Span, text: str, *, in_cell: bool) -> Iterator[Edit]:
    """The edits that remove the marks of *span* from *text*."""
    source = text[span.start : span.end]
    match span.kind:
        case SpanKind.EMPHASIS if _is_closed(span, text):
            yield from _without_ends(span, len(span.marker))
        case SpanKind.CODE:
            ticks = len(source) - len(source.lstrip("`"))
            inside = source[ticks:-ticks]
            # A space on either side only separates the backticks from others.
            is_padded = inside.startswith(" ") and inside.endswith(" ") and not inside.isspace()
            yield from _without_ends(span, ticks + is_padded)
        case SpanKind.LINK:
            middle = _middle(span, text)
            yield Edit(span.start, span.start + 1)
            yield Edit(middle, span.end) if in_cell else Edit(middle, middle + 1, " ")
        case SpanKind.URL if in_cell and source.startswith("<") and source.endswith(">"):
            yield from _without_ends(span, 1)
        case SpanKind.TAG:
            words = _words(source, in_cell=in_cell)
            if words != source:
                yield Edit(span.start, span.end, words)


def _is_closed(span: Span, text: str) -> bool:
    return span.marker in STYLES and text.endswith(span.marker, span.start, span.end)


def _middle(span: Span, text: str) -> int:
    """Where in the link *span* its text ends and its address begins."""
    return text.index("](", span.start, span.end)


def _without_ends(span: Span, width: int) -> Iterator[Edit]:
    yield Edit(span.start, span.start + width)
    yield Edit(span.end - width, span.end)


def _words(tag: str, *, in_cell: bool) -> str:
    """A tag of Discord in words, if that needs no lookup."""
    if emoji := EMOJI.fullmatch(tag):
        return f":{emoji['name']}:"
    if in_cell and (time := _TIME.fullmatch(tag)):
        return date_of(int(time["seconds"]), time["style"] or "f")
    if in_cell and (command := _COMMAND.fullmatch(tag)):
        return command["command"]
    return tag


def date_of(seconds: int, style: str) -> str:
    """A time in seconds since 1970 as in "2025-03-09 14:05 UTC"; some styles show only its date or its time."""
    days, second = divmod(seconds, 86_400)
    # Counted from 1 March of the year 0, so that a leap day is the last day of its year; 400 years are 146 097 days.
    era, day = divmod(days + 719_468, 146_097)
    year = (day - day // 1460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    day -= (153 * month + 2) // 5
    month, year = (month + 3, year) if month < 10 else (month - 9, year + 1)
    date = f"{era * 400 + year:04}-{month:02}-{day + 1:02}"
    time = f"{second // 3600:02}:{second // 60 % 60:02}"
    match style:
        case "d" | "D":
            return date
        case "t":
            return f"{time} UTC"
        case "T":
            return f"{time}:{second % 60:02} UTC"
        case _:
            return f"{date} {time} UTC"


class _Inside:
    """Finds, for growing indices, the span that contains one."""

    def __init__(self, spans: list[Span]) -> None:
        self.spans = spans
        self._next = 0

    def at(self, index: int) -> Span | None:
        """The span that contains *index*."""
        while self._next < len(self.spans) and self.spans[self._next].end <= index:
            self._next += 1
        if self._next < len(self.spans) and self.spans[self._next].start <= index:
            return self.spans[self._next]
        return None
