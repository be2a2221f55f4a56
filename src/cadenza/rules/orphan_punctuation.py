"""Join punctuation that is alone on its line, "..." or ",", to the next line: ``...⏎next`` → ``...next``.

Models put an ellipsis on a line of its own. As a message of its own it looks like a glitch. "?!" or "!!" means
something by itself and stays, unless other marks are held already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ..text.origins import join, line_ends
from ..text.units import WHITESPACE
from ..types import Boundary, Ending, Kind, Segment
from .rule import Rule, RuleContext

# With something in front, these would no longer be a list, a heading, a quote, an address or a large emoji.
_BLOCK = re.compile(
    r"\s*(?:(?:[-*+•]|>{1,3}|-?#{1,6}|\d{1,3}[.)])(?:\s|$)|[-*_]{3,}\s*$|<?(?:http|ftp)s?://|<a?:\w+:\d+>|:(?=[0-9~]*[a-z_])[\w~]{2,32}:|\|)",
    re.IGNORECASE,
)
_MARKS = "[.,!?;。！？、，…]+"
_ORPHAN = re.compile(rf"{_MARKS}(?:\s+{_MARKS})*|[:：]")
_OUTCRY = frozenset("!?！？")
_MOST = 100
"""A drawn line of dots is not held for ever."""


class OrphanPunctuation(Rule):
    """Holds lone punctuation and puts it in front of the next prose."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._held: Segment | None = None
        self._line_end = ""  # behind what is held
        self._before = ""  # the line end in front of it

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        """Hold, prepend, or pass on."""
        if self._held is None and segment.text[:1].isalnum():
            return (segment,)  # the usual case
        core = segment.text.strip(WHITESPACE)
        if not core:
            return self._blank(segment)
        if segment.kind is Kind.PROSE and _ORPHAN.fullmatch(core):
            if len(core) > _MOST:
                return (*self._release(), segment)
            marks = join(core.split())
            if self._held or len(marks) != 2 or "…" in marks or _OUTCRY.isdisjoint(marks):
                after = segment.text[len(segment.text.rstrip(WHITESPACE)) :]
                if self._held is None:
                    self._before = line_ends(segment.text[: -len(segment.text.lstrip(WHITESPACE))])[-1:]
                return self._hold(replace(segment, text=marks), line_ends(after)[-1:])
        held = self._held
        if held is None:
            return (segment,)
        is_others = held.identity is not None and segment.identity != held.identity
        if segment.kind is not Kind.PROSE or is_others or _BLOCK.match(segment.text):
            return (*self._release(), segment)
        self._held = None
        text = held.text + segment.text.lstrip("\n")
        return (replace(segment, text=text, label=held.label or segment.label, opens_in=held.opens_in),)

    def flush(self, why: Ending, /) -> Iterable[Segment]:
        """Nothing follows: release it as it is."""
        return self._release(why.boundary)

    def _blank(self, segment: Segment) -> tuple[Segment, ...]:
        """Let an empty line overtake what is held. If the line of what is held was not over, its own end stays with it."""
        if self._held is None or self._line_end or "\n" not in segment.text:
            return (segment,)
        before, self._line_end, after = segment.text.partition("\n")
        return (replace(segment, text=join([before, self._before or "\n", after])),)

    def _hold(self, segment: Segment, line_end: str) -> tuple[Segment, ...]:
        held = self._held
        if held is not None and (held.identity != segment.identity or len(held.text) > _MOST):
            released = self._release()
            self._held, self._line_end = segment, line_end
            return released
        self._line_end = line_end
        self._held = replace(held, text=held.text + segment.text, ends_in=segment.ends_in) if held else segment
        return ()

    def _release(self, boundary: Boundary = Boundary.NEWLINE) -> tuple[Segment, ...]:
        held, self._held = self._held, None
        if held is None:
            return ()
        line_end = self._line_end or "\n" if boundary is Boundary.NEWLINE else ""  # the next text begins a line
        return (replace(held, text=held.text + line_end, boundary=boundary),)
