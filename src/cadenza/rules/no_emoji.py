"""Remove all emoji, for a server that wants none: ``done 🎉 :tada:`` → ``done``.

Symbols that are text (``™``, ``☑``), numbers, clock times and ratios stay.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..text.emoji import EmojiText, Form, InWords, drawn_emoji, emoji_names, written_emoji
from ..text.removal import tidied_cells
from ..types import Edit, Kind, Segment
from .rule import Rule, RuleContext


class NoEmoji(Rule):
    """Removes tags, shortcodes and emoji characters, in tables too."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._known = frozenset(name.casefold() for name in context.roster.emoji)

    @property
    def is_idle(self) -> bool:
        """Whether emoji are allowed."""
        return self.context.settings.use_emoji

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        """Remove the emoji from *segment*, unless it is code."""
        return (segment if segment.kind is Kind.CODE else self.change(segment),)

    def change(self, segment: Segment) -> Segment:
        """Remove the emoji from *segment*."""
        text = segment.text
        edits = [Edit(start, end) for start, end in drawn_emoji(text)]
        if ":" in text and emoji_names(text):
            edits += self._written(text)
            edits.sort()
        if not edits:
            return segment
        if segment.kind is not Kind.TABLE:
            return self.tidied(segment, edits)
        return self.edited(segment, tidied_cells(self.prose(segment), edits))

    def _written(self, text: str) -> list[Edit]:
        edits: list[Edit] = []
        done = 0
        words = InWords(text, self._knows)
        for emoji in written_emoji(text):
            if emoji.start >= done and (
                emoji.is_plain or self._is_meant(emoji, words, follows=0 < emoji.start == done)
            ):
                edits.append(Edit(emoji.start, emoji.end))
                done = emoji.end
        return edits

    def _is_meant(self, emoji: EmojiText, words: InWords, *, follows: bool) -> bool:
        """Whether it is an emoji by its name, if its neighbours leave that open: ``thanks:wave:``."""
        if emoji.form is Form.UNCLOSED or emoji.is_number or not self._knows(emoji.name):
            return False
        return emoji.form is not Form.SHORTCODE or follows or words.holds(emoji)

    def _knows(self, name: str) -> bool:
        return name.casefold() in self._known
