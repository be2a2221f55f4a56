"""Join words that a middle dot splits, ``sn·eaky`` → ``sneaky``: some models write them like that to evade filters."""

from __future__ import annotations

import re

from ..types import Segment
from .rule import Rule, RuleContext

_DOT = "·"
_LETTER = "[A-Za-zÀ-ÖØ-öø-ɏḀ-ỿ]"
# Text in angle brackets is matched as a whole, because it may be a tag.
_DOTTED = re.compile(rf"<[^<>\n]{{1,200}}>|(?<!{_LETTER})(?<!{_DOT})(?P<word>{_LETTER}++(?:{_DOT}{_LETTER}++)++)")
_CATALAN = re.compile(rf"(?<=l){_DOT}(?=l)", re.IGNORECASE)


class Sanitise(Rule):
    """Joins the words of a list, or all words. Catalan keeps its ``col·legi``."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._words = frozenset(context.settings.sanitise.casefold().replace(_DOT, "").split())

    @property
    def is_idle(self) -> bool:
        """Whether the settings join no words."""
        return not self._words

    def change(self, segment: Segment) -> Segment:
        """Join the words in *segment*."""
        if _DOT not in segment.text:
            return segment
        return self.substituted(segment, _DOTTED, self._whole)

    def _whole(self, match: re.Match[str]) -> str | None:
        word = match["word"]
        if word is None or _DOT not in _CATALAN.sub("", word):
            return None
        whole = word.replace(_DOT, "")
        return whole if "*" in self._words or whole.casefold() in self._words else None
