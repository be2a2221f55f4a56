"""Give every code block a fence of three backticks, and make longer runs inside it harmless.

Discord's client knows no other fence: it ends a block of four backticks at the first three inside, and shows the rest
torn. A zero-width space in such a run keeps it from closing the block. The run looks as it was written; a look-alike
letter instead of the backtick would look different in many fonts and could not be copied at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..text.repair import with_three_backticks
from ..types import Kind, Segment
from .rule import Rule


class LongFences(Rule):
    """Shortens the fences of code; inline code with two backticks is prose, and stays."""

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        """Change *segment* if it is code with a run of four or more backticks."""
        if "````" not in segment.text or segment.kind is not Kind.CODE:
            return (segment,)
        text, source = with_three_backticks(segment.text), segment.source or segment.text
        return (replace(segment, text=text, source=source),)
