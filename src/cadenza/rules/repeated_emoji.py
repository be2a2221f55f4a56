"""Take out emoji that were used a moment ago: ``hi :wave: there`` → ``hi there`` if the last reply waved.

Models that have found one emoji use it in every reply; people notice.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from ..text.emoji import Form, Written, emoji_names, written_emoji
from ..text.prose import Edit, Prose
from ..text.removal import tidied
from ..text.units import WHITESPACE
from ..types import Line, Segment
from .rule import Rule, RuleContext

_PUNCTUATION = ".,!?;:。！？、，…"


class RepeatedEmoji(Rule):
    """Knows the names of the last replies' emoji. A segment that would be left with nothing but punctuation keeps its own."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._recent = frozenset(name.lower() for name in context.roster.recent_emoji)
        self._known = frozenset(name.lower() for name in context.roster.emoji)

    @property
    def is_idle(self) -> bool:
        """Whether no emoji counts as used."""
        return not self._recent or self.context.settings.emoji_lookback == 0

    def change(self, segment: Segment) -> Segment:
        """Take out of *segment* what was used before."""
        text = segment.text
        if ":" not in text or self._recent.isdisjoint(name.lower() for name in emoji_names(text)):
            return segment
        edits = [Edit(emoji.start, emoji.end) for emoji in written_emoji(text) if self._is_repeated(emoji)]
        if not edits:
            return segment
        after = self.edited(segment, tidied(self.prose(segment), edits))
        left = after.text.strip(WHITESPACE)
        return segment if left and not left.strip(_PUNCTUATION + WHITESPACE) else after

    def _is_repeated(self, emoji: Written) -> bool:
        if emoji.name.lower() not in self._recent:
            return False
        # Between words only a name that the roster knows is an emoji: it would be shown as one.
        is_shown = emoji.form is Form.SHORTCODE and not emoji.is_number and emoji.name.lower() in self._known
        return emoji.is_plain or is_shown or emoji.form is Form.NEARLY_TAG


def recent_emoji(history: Iterable[Line], lookback: int) -> tuple[str, ...]:
    """The names of the emoji in the last *lookback* lines of *history* that are the persona's own, each once."""
    own = [line.text for line in history if line.is_own]
    names: dict[str, None] = {}
    for text in islice(own, max(0, len(own) - lookback), None):
        emoji = [emoji for emoji in written_emoji(text) if emoji.is_plain]
        if emoji:
            prose = Prose.of(text)
            names |= {one.name.lower(): None for one in emoji if prose.is_free(one.start, one.end)}
    return tuple(names)
