"""Take out emoji that were used a moment ago: ``hi :wave: there`` → ``hi there`` if the last reply waved.

Models that have found one emoji use it in every reply; people notice.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from ..text.emoji import EmojiText, Form, InWords, emoji_names, written_emoji
from ..text.prose import Prose
from ..text.removal import BLOCK_MARK, EMPHASIS, PAIRS
from ..text.units import WHITESPACE
from ..types import Edit, Line, Segment
from .rule import Rule, RuleContext

_PUNCTUATION = ".,!?;:。！？、，…"
_MARKS = _PUNCTUATION + PAIRS + EMPHASIS + WHITESPACE
_STYLES = EMPHASIS.replace("|", "")


class RepeatedEmoji(Rule):
    """Knows the names of the last replies' emoji. A segment that would be left with nothing but marks keeps its own."""

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
        words = InWords(text, self._shows)
        edits = [Edit(emoji.start, emoji.end) for emoji in written_emoji(text) if self._is_repeated(emoji, words)]
        if not edits:
            return segment
        after = self.tidied(segment, edits)
        return segment if _are_marks(after.text) and _leaves_marks(text, edits) else after

    def _is_repeated(self, emoji: EmojiText, words: InWords) -> bool:
        if emoji.name.lower() not in self._recent:
            return False
        # Between words only a name that the roster knows is an emoji: it would be shown as one.
        if emoji.form is Form.SHORTCODE and not emoji.stands:
            return not emoji.is_number and self._shows(emoji.name) and words.holds(emoji)
        return emoji.is_plain or emoji.form is Form.NEARLY_TAG

    def _shows(self, name: str) -> bool:
        return name.lower() in self._known


def _are_marks(text: str) -> bool:
    """Whether nothing is said in *text*: there is punctuation at most, or what a list item begins with."""
    return all(not word.strip(_MARKS) or BLOCK_MARK.fullmatch(word) for word in text.split())


def _leaves_marks(text: str, edits: Iterable[Edit]) -> bool:
    """Whether more than a style stands beside what *edits* take out of *text*."""
    rest: list[str] = []
    done = 0
    for edit in edits:
        rest.append(text[done : edit.start])
        done = edit.end
    words = "".join([*rest, text[done:]]).split()
    return any(word.strip(_STYLES + WHITESPACE) or word == "*" for word in words)


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
