"""Turn ``@name`` into a real mention if the roster knows the name: ``hi @Alice!`` → ``hi <@1>!``.

Another persona of the channel gets its trigger word instead: ``@Shy Tomori`` → ``@lilya``.
"""

from __future__ import annotations

from ..text.handles import Directory
from ..types import Segment
from .rule import Rule, RuleContext


class Mentions(Rule):
    """Resolves handles in one pass, the longest first; unknown ones stay."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._directory = Directory.of(context.roster)

    @property
    def is_idle(self) -> bool:
        """Whether the roster holds no handles."""
        return self._directory.is_empty

    def change(self, segment: Segment) -> Segment:
        """Replace the handles in *segment*."""
        if "@" not in segment.text:
            return segment
        edits = tuple(self._directory.edits(segment.text))
        return self.edited(segment, edits) if edits else segment  # the scan costs more than the check
