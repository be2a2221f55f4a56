"""Turn ``@name`` into a real mention, for those whom the roster knows: ``hi @Alice!`` → ``hi <@1>!``.

Another persona of the channel is called by its word instead: ``@Shy Tomori`` → ``@lilya``.
"""

from __future__ import annotations

from ..text.handles import Directory
from ..types import Segment
from .rule import Rule, RuleContext


class Mentions(Rule):
    """Resolves handles in one pass, the longest first; whatever the roster does not know stays as it is."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._directory = Directory.of(context.roster)

    @property
    def is_idle(self) -> bool:
        """Whether the roster knows nobody who can be called."""
        return self._directory.is_empty

    def change(self, segment: Segment) -> Segment:
        """Replace the handles in *segment*."""
        if "@" not in segment.text:
            return segment
        edits = tuple(self._directory.edits(segment.text))
        return self.edited(segment, edits) if edits else segment  # the scan costs more than a look
