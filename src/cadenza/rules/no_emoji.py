"""Take all emoji out, for a server that wants none: ``done 🎉 :tada:`` → ``done``.

Symbols that are text (``™``, ``☑``), numbers, clock times and ratios stay.
"""

from __future__ import annotations

from ..text.emoji import Form, Written, drawn_emoji, emoji_names, written_emoji
from ..text.prose import Edit
from ..text.removal import tidied
from ..types import Segment
from .rule import Rule, RuleContext


class NoEmoji(Rule):
    """Takes out tags, shortcodes and the characters that are drawn as pictures."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._known = frozenset(name.casefold() for name in context.roster.emoji)

    @property
    def is_idle(self) -> bool:
        """Whether emoji are welcome."""
        return self.context.settings.use_emoji

    def change(self, segment: Segment) -> Segment:
        """Take the emoji out of *segment*."""
        text = segment.text
        edits = [Edit(start, end) for start, end in drawn_emoji(text)]
        if ":" in text and emoji_names(text):
            edits += self._written(text)
            edits.sort()
        return self.edited(segment, tidied(self.prose(segment), edits)) if edits else segment

    def _written(self, text: str) -> list[Edit]:
        edits: list[Edit] = []
        done = 0
        for emoji in written_emoji(text):
            if emoji.start >= done and (emoji.is_plain or self._is_known(text, emoji)):
                edits.append(Edit(emoji.start, emoji.end))
                done = emoji.end
        return edits

    def _is_known(self, text: str, emoji: Written) -> bool:
        """Whether the name says that it is an emoji where the neighbours do not: ``thanks:wave:``."""
        if emoji.form is Form.UNCLOSED or emoji.is_number or emoji.name.casefold() not in self._known:
            return False
        return not text[emoji.start - 1 : emoji.start] == ":" == text[emoji.end : emoji.end + 1]
