"""Turn ``@name`` into a real mention, for the people whom the roster knows."""

from __future__ import annotations

import re
from dataclasses import replace

from ..text.survey import map_prose
from ..types import Segment
from .rule import Rule, RuleContext


class Mentions(Rule):
    """Resolves handles in one pass, the longest first; whatever the roster does not know stays as it is."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._mentions = {handle.casefold(): tag for handle, tag in context.roster.mentions.items() if handle}
        handles = sorted(filter(None, context.roster.mentions), key=lambda handle: (-len(handle), handle))
        pattern = rf"(?<!\w)@({'|'.join(map(re.escape, handles))})(?!\w)"
        self._pattern = re.compile(pattern, re.IGNORECASE) if handles else None

    @property
    def is_idle(self) -> bool:
        """Whether the roster knows nobody."""
        return self._pattern is None

    def change(self, segment: Segment) -> Segment:
        """Replace the handles in *segment*."""
        pattern = self._pattern
        if pattern is None or "@" not in segment.text:
            return segment
        return replace(segment, text=map_prose(segment.text, lambda prose: pattern.sub(self._mention, prose)))

    def _mention(self, match: re.Match[str]) -> str:
        return self._mentions.get(match[1].casefold(), match[0])
