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
        return segment if _BOX.search(segment.text) is None else self.edited(segment, self._boxes(segment))

    def _boxes(self, segment: Segment) -> Iterator[Edit]:
        text = segment.text
        for match in self.prose(segment).matches(_BOX):
            start, end = match.span("box")
            if self.begins_line(text, match.start()) and text[match.start() : start].rstrip(" \t>"):
                yield Edit(start, end, "☐" if text[start + 1] == " " else "☑")
