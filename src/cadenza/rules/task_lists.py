"""Show the boxes of a task list, ``- [x] done`` → ``- ☑ done``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..types import Edit, Segment
from .rule import BEFORE_LINE, LineRule

_BOX = re.compile(rf"^{BEFORE_LINE}(?P<box>\[[ xX]\])(?=[ \t]++\S)", re.MULTILINE)


class TaskLists(LineRule):
    """Replaces the brackets after the mark of a list item; the mark stays."""

    sign = "["

    def change(self, segment: Segment) -> Segment:
        """Replace the boxes in *segment*."""
        if _BOX.search(segment.text) is None:
            return segment
        # One line needs no scan: only code over several lines can hold the beginning of one.
        change = self.edited if self.context.scan.has(segment.text) else self.rewritten
        return change(segment, list(self._boxes(segment)))

    def _boxes(self, segment: Segment) -> Iterator[Edit]:
        text = segment.text
        for match in _BOX.finditer(text):
            begin, (start, end) = match.start(), match.span("box")
            is_item = self.begins_line(text, begin) and text[begin:start].rstrip(" \t>")
            if is_item and (not begin or self.prose(segment).is_free(start, end)):
                yield Edit(start, end, "☐" if text[start + 1] == " " else "☑")
