"""Remove bracketed instructions that the model repeats, ``hello [System: be kind] there`` → ``hello there``.

A block that never closes must not swallow the reply: it costs the rest of its own line and no more.
"""

from __future__ import annotations

import re

from .leaked_block import LeakedBlock, Mark

_OPENING = r"\[system[ \t]*+[:：]"


class SystemBlocks(LeakedBlock):
    """Removes ``[system: …]`` with the brackets that are nested in it."""

    signs = ("[",)
    quick_check = re.compile(_OPENING, re.IGNORECASE)
    marks = re.compile(rf"(?P<opens>{_OPENING})|(?P<nests>\[)|(?P<closes>\])", re.IGNORECASE)
    longest = 1000

    def alone(self, text: str, mark: Mark) -> tuple[int, int] | None:
        """The rest of the line after an opening; on an unfinished line, only the opening itself."""
        if text[mark.start] == "]":
            return None
        last = mark.start + self.longest
        end = text.find("\n", mark.start, last)
        if end < 0:
            end = len(text) if len(text) <= last else mark.end
        return mark.start, end
