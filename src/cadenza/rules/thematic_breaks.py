"""Turn a line that only separates, ``---``, into an empty line at which a message ends.

Discord shows such a line as it is written. The ``===`` below a title, which makes it a heading elsewhere, is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ..text.units import WHITESPACE
from ..types import Boundary, Kind, Segment
from .rule import LineRule, RuleContext, ends_line

# Groups of different widths, ``----  ---``, are the rule of a table that is drawn with spaces.
_BREAK = re.compile(
    r"[ \t\n]*+(?:([-*_])(?:\1{2,}+|(?:[ \t]++\1){2,}+)|(?P<tag><hr[ \t]*+/?>)|(?P<title>={3,}+))[ \t\n]*+",
    re.IGNORECASE,
)
_ENDS = (Boundary.FINAL, Boundary.TOOL_CALL)


class ThematicBreaks(LineRule):
    """Leaves only the line end of a break. Empty lines after it are dropped, because the break is one."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._after_break = False
        self._below_text = False  # whether the line before has text that a ``===`` would make a heading

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        """Pass on, blank or drop *segment*."""
        text = segment.text
        after_break, below_text = self._after_break, self._below_text
        self._after_break = self._below_text = False
        opens_line = self._line.opens_line
        self._line.last = segment
        if segment.kind is not Kind.PROSE:
            return (segment,)
        if text == "\n" and after_break and segment.boundary is Boundary.NEWLINE:
            self._after_break = True
            return ()
        found = _BREAK.fullmatch(text) if opens_line else None
        if found is None or not _stands_alone(segment):
            self._below_text = bool(text.strip(WHITESPACE))
            return (segment,)
        if found["title"]:
            return () if below_text else (segment,)
        self._after_break = True
        if segment.boundary in _ENDS:
            return ()  # nothing follows that it could separate
        return (replace(segment, text="\n" * text.count("\n"), boundary=Boundary.SECTION),)


def _stands_alone(segment: Segment) -> bool:
    """Whether the line ends with *segment*, and its marks close no emphasis that is open."""
    return ends_line(segment) and not ("*" in segment.text and "*" in segment.opens_in)
