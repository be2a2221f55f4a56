"""Show the picture of an image, ``![alt](https://…)``: Discord adds the picture to an address that it finds in a text.

Alone on its line an image becomes its address, among words a link: ``see ![the logo](…)`` → ``see [the logo](…)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..text.spans import SpanKind
from ..types import Edit, Segment
from .rule import LineRule, ends_line

_ADDRESS = re.compile(
    r"\]\([ \t]*+<?(?P<address>https?://[^\s<>]+?)>?(?:[ \t]++(?:\"[^\"\n]*+\"|'[^'\n]*+'))?+[ \t]*+\)", re.IGNORECASE
)
_LINKED = re.compile(r"\[!(?P<alt>\[[^\[\]]++\])\([^()\s]++\)\](?P<address>\(<?https?://.+\))", re.IGNORECASE)
"""A picture that is the text of a link."""
_SPACE = " \t"


class Images(LineRule):
    """Replaces images that have a web address."""

    sign = "!["

    def change(self, segment: Segment) -> Segment:
        """Replace the images in *segment*."""
        return self.rewritten(segment, self._edits(segment))

    def _edits(self, segment: Segment) -> Iterator[Edit]:
        text = segment.text
        for span in self.prose(segment).kept:
            if span.kind is not SpanKind.LINK:
                continue
            link = text[span.start : span.end]
            if linked := _LINKED.fullmatch(link):
                yield Edit(span.start, span.end, linked["alt"] + linked["address"])
            elif text.endswith("!", 0, span.start) and not text.endswith("\\!", 0, span.start):
                address = _ADDRESS.fullmatch(link, link.rfind("]("))
                if address is not None:
                    is_bare = link.startswith("[]") or self._is_alone(segment, span.start - 1, span.end)
                    yield Edit(span.start - 1, span.end, address["address"] if is_bare else link)

    def _is_alone(self, segment: Segment, start: int, end: int) -> bool:
        """Whether nothing else is on the line of ``text[start:end]``."""
        text = segment.text
        while start and text[start - 1] in _SPACE:
            start -= 1
        while end < len(text) and text[end] in _SPACE:
            end += 1
        return self.begins_line(text, start) and (ends_line(segment) if end == len(text) else text[end] == "\n")
