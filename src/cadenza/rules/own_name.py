"""Take off the persona's own name when the model writes it in front of its words, ``Ren: hello`` → ``hello``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ..types import Kind, Segment
from .rule import LineOpening, Rule, RuleContext


class OwnName(Rule):
    """Strips one or more labels with own names from the beginning of a line."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._line = LineOpening()
        names = "|".join(map(re.escape, context.own_names))
        label = rf"(?:\*\*(?:{names}):\*\*|\*\*(?:{names})\*\*[:：]|(?:{names})[:：])[ \t]*"
        self._labels = re.compile(rf"\s*(?:{label})+", re.IGNORECASE) if names else None

    @property
    def is_idle(self) -> bool:
        """Whether the persona has no name."""
        return self._labels is None

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        """Strip the label from *segment* if it is prose and begins a line."""
        opens_line = self._line.opens_line
        self._line.follow(segment)
        if self._labels is None or not opens_line or segment.kind is not Kind.PROSE:
            return (segment,)
        match = self._labels.match(segment.text)
        return (replace(segment, text=segment.text[match.end() :]) if match else segment,)
