"""Turn a line that only separates, ``---``, into an empty line at which a message ends.

Discord shows such a line as it is written. The ``===`` below a title, which makes it a heading elsewhere, is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ..text.origins import line_ends
from ..text.units import WHITESPACE
from ..types import Boundary, Kind, Segment
from .rule import Rule, RuleContext, ends_line

# Groups of different widths, ``----  ---``, are the rule of a table that is drawn with spaces.
_BREAK = re.compile(
    r"[ \t]*+(?:([-*_])(?:\1{2,}+|(?:[ \t]++\1){2,}+)|(?P<tag><hr[ \t]*+/?>)|(?P<title>={3,}+))[ \t\n]*+",
    re.IGNORECASE,
)
_FIRST = frozenset("-*_=< \t")
"""What the line of a break begins with."""
_ENDS = (Boundary.FINAL, Boundary.TOOL_CALL)


class ThematicBreaks(Rule):
    """Leaves only an empty line of a break. Empty lines after it are dropped, because the break is one."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._last: Segment | None = None
        self._after_break = False

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        """Pass on, blank or drop *segment*."""
        before, self._last = self._last, segment
        text = segment.text
        if self._after_break:
            self._after_break = text == "\n" and segment.boundary is Boundary.NEWLINE
            if self._after_break:
                return ()
        if text[:1] not in _FIRST:
            return (segment,)  # the usual case
        found = _BREAK.fullmatch(text)
        if found is None or not _stands_alone(segment, before):
            return (segment,)
        if found["title"]:
            has_title = before is not None and before.kind is Kind.PROSE and before.text.strip(WHITESPACE)
            return () if has_title else (segment,)
        self._after_break = True
        if segment.boundary in _ENDS:
            return ()  # nothing follows that it could separate
        has_space = before is None or not before.text.strip(WHITESPACE)  # one empty line is enough
        return (replace(segment, text="" if has_space else line_ends(text), boundary=Boundary.SECTION),)


def _stands_alone(segment: Segment, before: Segment | None) -> bool:
    """Whether *segment* is a line of its own, and its marks close no emphasis that is open."""
    is_line = (before is None or ends_line(before)) and ends_line(segment)
    closes = "*" in segment.text and "*" in segment.opens_in
    return is_line and not closes and segment.kind is Kind.PROSE
