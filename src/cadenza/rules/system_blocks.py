"""Take out what a model repeats of its instructions in brackets, ``hello [System: be kind] there`` → ``hello there``.

A block that does not close must not eat the reply: it costs the rest of its own line and no more.
"""

from __future__ import annotations

import re

from .leaked_block import LeakedBlock, Mark

_OPENING = r"\[system[ \t]*+[:：]"


class SystemBlocks(LeakedBlock):
    """Removes ``[system: …]`` with the brackets that are nested in it."""

    glance = re.compile(_OPENING, re.IGNORECASE)
    marks = re.compile(rf"(?P<opens>{_OPENING})|(?P<nests>\[)|(?P<closes>\])", re.IGNORECASE)
    longest = 1000

    def _is_harmless(self, text: str) -> bool:
        return "[" not in text or super()._is_harmless(text)

    def alone(self, text: str, mark: Mark) -> tuple[int, int] | None:
        """The rest of the line of an opening; of a line without an end, only the opening itself."""
        if text[mark.start] == "]":
            return None
        last = mark.start + self.longest
        end = text.find("\n", mark.start, last)
        if end < 0:
            end = len(text) if len(text) <= last else mark.end
        return mark.start, end
