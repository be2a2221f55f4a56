"""Move the code of a list item to the beginning of the line, all of it: fence, code and closing fence.

A chat shows code as it is written, so the indent of the list item would be part of the code, and Python would not run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice

from ..text.origins import join, lines_of
from ..text.repair import Fence, split_fence, without_closing
from ..types import Boundary, Ending, Kind, Segment
from .rule import Rule, RuleContext

_TAB = 4
_SPACE = " \t"
_FENCES = ("```", "~~~")
_CODE = Kind.CODE  # a global is faster to look up than a member of an enumeration
_ITEM = re.compile(r"[ \t]*(?:(?:[-*+•]|\d{1,9}[.)])[ \t]+)*")
_LONGEST_MARKER = 80
"""So much of a line tells which list item it begins."""


class ListCode(Rule):
    """Dedents every code block by the indent of its list item; the parts of a long one alike."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._line = ""  # how the current line begins
        self._before: Segment | None = None  # the part of the same block that was released before
        self._columns = 0  # how far the block is indented

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        """Dedent *segment* if it is code; otherwise remember how its last line begins."""
        if segment.kind is _CODE:
            return (self._dedented(segment),)
        self._before = None
        if segment.text.endswith("\n"):  # by far the most frequent
            self._line = ""
        else:
            _, line_end, last = segment.text.rpartition("\n")
            self._line = (last if line_end else self._line + last)[:_LONGEST_MARKER]
        return (segment,)

    def flush(self, why: Ending, /) -> Iterable[Segment]:  # noqa: ARG002  # the same after every ending
        """What follows begins a line."""
        self._line, self._before = "", None
        return ()

    def _dedented(self, segment: Segment) -> Segment:
        before, self._before = self._before, segment if segment.boundary is Boundary.OVERFLOW else None
        if before is None and not self._line and segment.text.startswith(_FENCES):
            self._columns = 0
            return segment  # nearly always: it is in no list
        fence, body = split_fence(segment.text)
        if ">" in fence.prefix:
            return segment
        code = without_closing(body, fence)
        lines = lines_of(code)
        # Code on the line of the fence has no indent.
        beside = not segment.text.startswith(fence.opening)
        if before is None:
            self._columns = self._indent(fence, islice(lines, beside, None))
        if not self._columns and not fence.prefix:
            return segment
        begin = int(beside or (before is not None and before.is_torn))
        lines[begin:] = [_without_indent(line, self._columns) for line in lines[begin:]]
        opening = segment.text[len(fence.prefix) : len(segment.text) - len(body)]
        text = opening + join(lines) + body[len(code) :].lstrip(_SPACE)
        source = segment.source or segment.text[len(fence.prefix) :]
        return replace(segment, text=text, source=source, joint=segment.joint + fence.prefix)

    def _indent(self, fence: Fence, lines: Iterable[str]) -> int:
        """By how many columns the code in *lines* is indented because of its list.

        That is the indent of the fence or, in ``- ```py``, of the text of the list item. If the first line of code has
        less, all of it has less: some models indent nothing but the fence.
        """
        item = _ITEM.match(self._line)
        most = _columns(fence.prefix or (item.group() if item else ""))
        first = next((line for line in lines if line.strip()), "")
        return min(most, _columns(first[: len(first) - len(first.lstrip(_SPACE))]))


def _columns(space: str) -> int:
    return len(space.expandtabs(_TAB))


def _without_indent(line: str, columns: int) -> str:
    """*line* without an indent of *columns*; a tab that reaches further goes as a whole."""
    used = end = 0
    for character in line:
        if used >= columns or character not in _SPACE:
            break
        used += _TAB - used % _TAB if character == "\t" else 1
        end += 1
    return line[end:]
