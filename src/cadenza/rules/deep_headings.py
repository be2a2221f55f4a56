"""Make a heading of the fourth level or deeper a bold line: ``#### Title`` → ``**Title**``. Discord knows three levels."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..text.spans import SpanKind, survey
from ..types import Edit, Kind, Segment
from .rule import BEFORE_LINE, LineRule, ends_line

_MARK = re.compile(rf"^{BEFORE_LINE}(?P<mark>#{{4,}}+[ \t]++)(?=[^\s#])", re.MULTILINE)
_STARS = re.compile(r"\\.|(?P<stars>\*{2,})", re.DOTALL)
_SPACE = " \t"


class DeepHeadings(LineRule):
    """Replaces the marks of deep headings. A title that is cut at a sentence is bold in each part."""

    sign = "####"

    def change(self, segment: Segment) -> Segment:
        """Make the titles in *segment* bold. The rule waits while a title continues in the next segment."""
        text, edits = segment.text, list[Edit]()
        if self.waits:
            self.waits = False
            if segment.kind is not Kind.PROSE:
                return segment
            start = len(text) - len(text.lstrip(_SPACE))
            edits += self._bold(segment, start, start)
        if self.sign in text:
            for match in self.prose(segment).matches(_MARK):
                if self.begins_line(text, match.start()):
                    edits += self._bold(segment, *match.span("mark"))
        return self.edited(segment, edits)

    def _bold(self, segment: Segment, start: int, begin: int) -> Iterator[Edit]:
        """The edits that make the title at *begin* bold and remove the mark of the heading at *start*."""
        text = segment.text
        line_end = text.find("\n", begin) % (len(text) + 1)
        self.waits = line_end == len(text) and not ends_line(segment)
        end = line_end if self.waits else _end(text, begin, line_end)
        end = begin + len(text[begin:end].rstrip(_SPACE))
        mark = "" if begin == end or "**" in segment.opens_in else "**"
        yield Edit(start, begin, mark)
        if mark:
            yield from _even(text, begin, end)
            is_escape = (end - len(text[begin:end].rstrip("\\")) - begin) % 2 == 1
            mark = "\\" * is_escape + mark  # a last backslash would take the mark's meaning
        yield Edit(end, end if self.waits else line_end, mark)


def _end(text: str, begin: int, end: int) -> int:
    """Where the title ends: marks may close it, ``#### Title ####``."""
    title = text[begin:end].rstrip(_SPACE)
    bare = title.rstrip("#")
    return begin + len(bare if not bare or bare[-1] in _SPACE else title)


def _even(text: str, begin: int, end: int) -> Iterator[Edit]:
    """The edits without which stars in the title would end its bold text: bold in bold is dropped, stray ones escaped."""
    title = text[begin:end]
    if "**" not in title:
        return
    spans = [span for span in survey(title).spans if span.kind is SpanKind.EMPHASIS and span.marker.startswith("**")]
    dropped = {place + n for span in spans for place in (span.start, span.end - 2) for n in (0, 1)}
    for match in _STARS.finditer(title):
        if match["stars"]:
            rest = sum(place not in dropped for place in range(*match.span()))
            yield Edit(begin + match.start(), begin + match.end(), "\\*" * rest if rest > 1 else "*" * rest)
