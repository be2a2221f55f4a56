"""Turn blank braille patterns (U+2800) into spaces: some models put them between words to evade filters."""

from __future__ import annotations

from dataclasses import replace

from ..text.origins import join
from ..text.spans import SpanKind
from ..types import Segment
from .rule import Rule

_BLANK = "\u2800"


class UnicodeSpaces(Rule):
    """Replaces every blank pattern outside code and links with a space."""

    @property
    def is_idle(self) -> bool:
        """Whether blank patterns stay as they are."""
        return not self.context.settings.unicode_spaces

    def change(self, segment: Segment) -> Segment:
        """Replace the blank patterns in *segment*."""
        text = segment.text
        if _BLANK not in text:
            return segment
        parts: list[str] = []
        done = 0
        for span in self.prose(segment).kept:
            if span.kind is not SpanKind.URL:  # no address contains a blank: the next word follows it
                parts += [text[done : span.start].replace(_BLANK, " "), text[span.start : span.end]]
                done = span.end
        return replace(segment, text=join([*parts, text[done:].replace(_BLANK, " ")]))
