"""Put words together again that a middle dot parts, ``sn·eaky`` → ``sneaky``: some models write them so that no filter knows them."""

from __future__ import annotations

import re

from ..types import Segment
from .rule import Rule, RuleContext

_DOT = "·"
_LETTER = "[A-Za-zÀ-ÖØ-öø-ɏḀ-ỿ]"
# What stands in angle brackets is a tag or wants to be one; it is matched so that nothing inside is.
_DOTTED = re.compile(rf"<[^<>\n]{{1,200}}>|(?<!{_LETTER})(?<!{_DOT})(?P<word>{_LETTER}++(?:{_DOT}{_LETTER}++)++)")
_CATALAN = re.compile(rf"(?<=l){_DOT}(?=l)", re.IGNORECASE)


class Sanitise(Rule):
    """Knows which words are not to be parted: those of a list, or all. Catalan keeps its ``col·legi``."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._words = frozenset(context.settings.sanitise.casefold().replace(_DOT, "").split())

    @property
    def is_idle(self) -> bool:
        """Whether every word may be written as the model likes."""
        return not self._words

    def change(self, segment: Segment) -> Segment:
        """Put the words in *segment* together."""
        if _DOT not in segment.text:
            return segment
        return self.substituted(segment, _DOTTED, self._whole)

    def _whole(self, match: re.Match[str]) -> str | None:
        word = match["word"]
        if word is None or _DOT not in _CATALAN.sub("", word):
            return None
        whole = word.replace(_DOT, "")
        return whole if "*" in self._words or whole.casefold() in self._words else None
