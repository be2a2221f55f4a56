"""Remove emoji that were used in the last replies: ``hi :wave: there`` → ``hi there`` if the last reply waved.

Models that have found one emoji use it in every reply, and people notice.
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
    """Removes the emoji of the last replies. A segment that would become nothing but punctuation keeps its own."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._recent = frozenset(name.lower() for name in context.roster.recent_emoji)
        self._known = frozenset(name.lower() for name in context.roster.emoji)

    @property
    def is_idle(self) -> bool:
        """Whether no emoji was used."""
        return not self._recent or self.context.settings.emoji_lookback == 0

    def change(self, segment: Segment) -> Segment:
        """Remove the emoji that were used before from *segment*."""
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
        # Between words only a name in the roster is an emoji: it would be shown as one.
        if emoji.form is Form.SHORTCODE and not emoji.is_separate:
            return not emoji.is_number and self._shows(emoji.name) and words.holds(emoji)
        return emoji.is_plain or emoji.form is Form.NEARLY_TAG

    def _shows(self, name: str) -> bool:
        return name.lower() in self._known


def _are_marks(text: str) -> bool:
    """Whether *text* holds nothing but punctuation or the mark of a list item."""
    return all(not word.strip(_MARKS) or BLOCK_MARK.fullmatch(word) for word in text.split())


def _leaves_marks(text: str, edits: Iterable[Edit]) -> bool:
    """Whether more than emphasis surrounds what *edits* remove from *text*."""
    rest: list[str] = []
    done = 0
    for edit in edits:
        rest.append(text[done : edit.start])
        done = edit.end
    words = "".join([*rest, text[done:]]).split()
    return any(word.strip(_STYLES + WHITESPACE) or word == "*" for word in words)


def recent_emoji(history: Iterable[Line], lookback: int) -> tuple[str, ...]:
    """The names of the emoji in the persona's own last *lookback* lines of *history*, each once."""
    own = [line.text for line in history if line.is_own]
    names: dict[str, None] = {}
    for text in islice(own, max(0, len(own) - lookback), None):
        emoji = [emoji for emoji in written_emoji(text) if emoji.is_plain]
        if emoji:
            prose = Prose.of(text)
            names |= {one.name.lower(): None for one in emoji if prose.is_free(one.start, one.end)}
    return tuple(names)
