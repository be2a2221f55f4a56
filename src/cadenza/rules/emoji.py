"""Turn ``:name:`` into the server's own emoji, wherever it is not code."""

from __future__ import annotations

import re
from dataclasses import replace

from ..text.survey import map_prose
from ..types import Segment
from .rule import Rule, RuleContext

# Not part of a longer word or of a clock time; a name has a letter or an underscore in it.
_SHORTCODE = re.compile(r"(?<![\w:]):(?P<name>(?=[0-9~]*[A-Za-z_])[\w~]{2,32}):(?![\w:])", re.ASCII)


class Emoji(Rule):
    """Resolves shortcodes from the roster; unknown ones are kept or stripped as the settings say."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._strips = context.settings.unknown_emoji == "strip"
        self._tags = {name.casefold(): tag for name, tag in context.roster.emoji.items()}

    @property
    def is_idle(self) -> bool:
        """Whether there is neither an emoji to put in nor one to take out."""
        return not self._tags and not self._strips

    def change(self, segment: Segment) -> Segment:
        """Replace the shortcodes in *segment*."""
        if _SHORTCODE.search(segment.text) is None:  # most colons are none, and the scan for code costs more
            return segment
        return replace(segment, text=map_prose(segment.text, self._resolved))

    def _resolved(self, prose: str) -> str:
        return _SHORTCODE.sub(self._tag, prose)

    def _tag(self, match: re.Match[str]) -> str:
        return self._tags.get(match["name"].casefold(), _nothing(match) if self._strips else match.group())


def _nothing(match: re.Match[str]) -> str:
    """What stands where an unknown emoji stood; two runs of backticks must stay two."""
    around = match.string[match.start() - 1 : match.start()] + match.string[match.end() : match.end() + 1]
    return " " if around == "``" else ""
