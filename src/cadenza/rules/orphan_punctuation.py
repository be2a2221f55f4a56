"""Join a lone "..." to what comes after it.

Models write an ellipsis on a line of its own; sent alone it reads as a glitch, dropped it is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ..text.units import WHITESPACE
from ..types import Boundary, Ending, Kind, Segment
from .rule import Rule, RuleContext

# Stops and commas never stand alone; "!?" may, unless there are three or more.
_ORPHAN = re.compile(r"[.,;。、，…]+|[.,!?;。！？、，…]{3,}|[!?！？]*…[.,!?;。！？、，…]*")


class OrphanPunctuation(Rule):
    """Holds punctuation that stands alone and puts it in front of the next prose."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._held = ""

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        """Hold, prepend, or pass on."""
        core = segment.text.strip(WHITESPACE)
        if not core:
            return (segment,)
        if segment.kind is not Kind.PROSE:
            return (*self._release(Boundary.NEWLINE), segment)
        if _ORPHAN.fullmatch(core):
            self._held += core
            return ()
        if not self._held:
            return (segment,)
        held, self._held = self._held, ""
        return (replace(segment, text=held + segment.text.lstrip("\n")),)

    def flush(self, why: Ending, /) -> Iterable[Segment]:
        """Nothing comes after it: let it stand alone."""
        return self._release(why.boundary)

    def _release(self, boundary: Boundary) -> tuple[Segment, ...]:
        held, self._held = self._held, ""
        return (Segment(held, boundary),) if held else ()
