"""Stage 5: a ``<details>`` block that is shown, its content as a spoiler and its summary as a bold line in front of it.

The buffer reads the block as it reads any text, and its segments come here. A spoiler may go over many segments, so
each says that it is open (``opens_in``, ``ends_in``), and a message that ends within it closes it. The last segment is
held back until it is known to be the last: then it gets the mark that closes the spoiler.

For Discord the next two bars close a spoiler, even in code. So no two bars in the content may be neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

from ..text.blocks import code_in
from ..text.origins import join, line_ends, substituted
from ..text.units import WHITESPACE
from ..types import Aside, Boundary, Kind, Segment

SPOILER = "||"

_Item: TypeAlias = Segment | Aside

_SUMMARY = re.compile(r"<summary>(.*?)</summary>", re.IGNORECASE | re.DOTALL)
_LONGEST_SUMMARY = 1000
"""What does not end within so many characters is no summary."""
_STYLE = re.compile(r"</?(?:b|strong|i|em|u|h[1-6])>|\*\*|__", re.IGNORECASE)
"""Marks in a summary, which becomes bold as a whole."""
_BARS = re.compile(r"\|{2,}")
_BAR_BEFORE_BAR = re.compile(r"\|(?=\|)")
_ESCAPED_BAR_BEFORE_BAR = re.compile(r"\\\|(?=\\\|)")
_ZERO_WIDTH = "\u200b"
"""What separates bars in code, where a backslash would be shown, and at the end, where one would not help."""


class ShownDetails:
    """The segments of one block on their way into a spoiler."""

    def __init__(self) -> None:
        self._head: list[Segment] = []  # what may become the summary
        self._has_begun = False  # whether there was content
        self._held: list[Segment] = []  # the last segment with content, and empty lines after it

    @property
    def size(self) -> int:
        """How many characters are held back."""
        return sum(len(segment.text) for segment in (*self._head, *self._held))

    def wrapped(self, items: Iterable[_Item]) -> list[_Item]:
        """Take *items*; return what may leave."""
        return [out for item in items for out in (self._take(item) if isinstance(item, Segment) else (item,))]

    def closed(self, items: Iterable[_Item], boundary: Boundary) -> list[_Item]:
        """Take the last *items* of the block, which ends with *boundary*; return everything."""
        out = self.wrapped(items)
        out += [item for segment in self._head for item in self._add(segment)]
        if self._held:
            out += _closing(self._held[0], boundary)  # without the empty lines behind it
        self._head, self._held = [], []
        return out

    def _take(self, segment: Segment) -> Iterator[Segment]:
        if self._has_begun:
            yield from self._add(segment)
            return
        head, self._head = [*self._head, segment], []
        text = join([part.text for part in head]).lstrip(WHITESPACE)
        if segment.kind is Kind.PROSE and (summary := _SUMMARY.match(text)):
            if title := _title(summary):
                yield Segment(f"{title}\n", Boundary.NEWLINE)
            head = [replace(segment, text=text[summary.end() :])]
        elif segment.kind is Kind.PROSE and _may_be_summary(text):
            self._head = head
            return
        for part in head:
            yield from self._add(part)

    def _add(self, segment: Segment) -> Iterator[Segment]:
        """Put *segment* into the spoiler; return what it pushes out."""
        inside = _inside(segment)
        if not inside.text.strip(WHITESPACE):
            self._held += [inside] * self._has_begun
            return
        yield from self._held
        if not self._has_begun and segment.kind is Kind.PROSE:
            inside = replace(inside, text=SPOILER + inside.text.lstrip(WHITESPACE), opens_in="")
        elif not self._has_begun:
            yield Segment(SPOILER, Boundary.CODE_OPEN, ends_in=SPOILER)
        self._has_begun = True
        self._held = [inside]


def _may_be_summary(text: str) -> bool:
    return text[:9].lower() == "<summary>" and len(text) <= _LONGEST_SUMMARY


def _title(summary: re.Match[str]) -> str:
    """The words of *summary* in bold."""
    words = " ".join(_STYLE.sub("", summary[1]).split())
    return f"**{_without_bars(words)}**" if words else ""


def _inside(segment: Segment) -> Segment:
    """*segment* as it is within the spoiler: its own spoilers are none any more."""
    text = segment.text
    if segment.kind is Kind.PROSE:
        text = _without_bars(substituted(_SUMMARY, _title, text))
    elif segment.kind is Kind.CODE:
        text = substituted(_BAR_BEFORE_BAR, lambda _: "|" + _ZERO_WIDTH, text)
    else:  # an empty cell, and bars in a cell, which are shown as code
        text = substituted(_BAR_BEFORE_BAR, lambda _: "| ", text)
        text = substituted(_ESCAPED_BAR_BEFORE_BAR, lambda _: "\\|" + _ZERO_WIDTH, text)
    opens, ends = (SPOILER + marks.replace(SPOILER, "") for marks in (segment.opens_in, segment.ends_in))
    return replace(segment, text=text, opens_in=opens, ends_in=ends)


def _without_bars(text: str) -> str:
    """*text* with no two bars side by side, and none beside those that will close the spoiler."""
    if "|" not in text:
        return text
    code = code_in(text)

    def separated(bars: re.Match[str]) -> str:
        if any(bars.start() in part for part in code):
            return _ZERO_WIDTH.join(bars.group())
        return "\\|" * len(bars.group())

    text = substituted(_BARS, separated, text)
    core = text.rstrip(WHITESPACE)
    return core + _ZERO_WIDTH + text[len(core) :] if core.endswith("|") else text


def _closing(last: Segment, boundary: Boundary) -> tuple[Segment, ...]:
    """The *last* segment, and the end of the spoiler."""
    is_line = boundary is Boundary.NEWLINE
    if last.kind is not Kind.PROSE:
        return last, Segment(SPOILER + "\n" * is_line, boundary, opens_in=SPOILER)
    core = last.text.rstrip(WHITESPACE)
    line_end = (line_ends(last.text[len(core) :])[:1] or "\n") if is_line else ""
    text = core + last.ends_in.removeprefix(SPOILER)[::-1] + SPOILER + line_end
    return (replace(last, text=text, boundary=boundary, ends_in=""),)
