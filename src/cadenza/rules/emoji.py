"""Replace ``:name:`` and malformed tags with the server's emoji: ``hi :wave:`` → ``hi <:wave:1>``.

One pass over the text, one dictionary lookup per name: the cost does not grow with the roster.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..text.emoji import EMOJI, ODD_IN_NAME, EmojiText, Form, InWords, emoji_names, written_emoji
from ..text.removal import without_emphasis
from ..text.units import WHITESPACE
from ..types import Edit, Segment
from .rule import Rule, RuleContext

_NOT_BEFORE_UNCLOSED = frozenset("_:/<>\\")
_GOES_ON = frozenset(":-_~")
_EDGE = frozenset([*WHITESPACE, ""])
_NOT_STRIPPED = frozenset("+-")
"""Names with these are no server emoji: ``:sad-face:``, ``:+1:``."""


class Emoji(Rule):
    """Looks shortcodes and tags up in the roster; unknown ones are kept or stripped as the settings say."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._strips = context.settings.unknown_emoji == "strip"
        roster = {name: tag for name, tag in context.roster.emoji.items() if name and tag}
        self._own = frozenset(roster.values())
        """The tags of the server's emoji."""
        tags = {tag["name"]: tag.group() for tag in map(EMOJI.fullmatch, roster.values()) if tag}
        # The exact name wins over one in another case, and that over a name inside a tag.
        self._tags = _folded(tags) | _folded(roster) | roster
        self._odd = _odd(self._tags)

    @property
    def is_idle(self) -> bool:
        """Whether there is no emoji to insert and none to strip."""
        return not self.context.settings.use_emoji or not (self._tags or self._strips)

    def change(self, segment: Segment) -> Segment:
        """Insert emoji into *segment*."""
        if not self._may_name_emoji(segment.text):
            return segment
        edits = list(self._edits(segment.text))
        if not edits:
            return segment
        if all(edit.text for edit in edits):
            return self.edited(segment, edits)
        return self.tidied(segment, edits)

    def _may_name_emoji(self, text: str) -> bool:
        """Whether *text* names an emoji at all; most colons do not."""
        if ":" not in text:
            return False
        names = emoji_names(text, self._odd)
        return bool(names) and (self._strips or any(map(self._tag, names)))

    def _tag(self, name: str) -> str | None:
        return self._tags.get(name) or self._tags.get(name.casefold())

    def _edits(self, text: str) -> Iterator[Edit]:
        done = 0
        words = InWords(text, lambda name: self._tag(name) is not None)
        for emoji in written_emoji(text, self._odd):
            if emoji.start < done:
                continue  # its first colon closed the one before
            tag = self._tag(emoji.name)
            if emoji.form is Form.TAG and text[emoji.start : emoji.end] in self._own:
                tag = text[emoji.start : emoji.end]
            if tag is None:
                if self._strips and self._is_stripped(text, emoji):
                    yield Edit(emoji.start, emoji.end)
            elif _is_meant(text, emoji, words, follows=0 < emoji.start == done):
                start, end = emoji.start, emoji.end
                if text[end : end + 1] == "*" and EMOJI.fullmatch(tag):
                    start, end = without_emphasis(text, start, end, marks="*", floor=done)
                done = end
                if text[start:end] != tag:
                    yield Edit(start, end, tag)

    def _is_stripped(self, text: str, emoji: EmojiText) -> bool:
        """Whether an unknown emoji is stripped: a tag, or a shortcode with space on both sides.

        On a server without emoji everything that can only be a shortcode is stripped.
        """
        if emoji.form is Form.TAG:
            return bool(self._tags)
        if not self._tags:
            return emoji.is_plain
        return (
            emoji.form is Form.SHORTCODE
            and not emoji.is_number
            and _NOT_STRIPPED.isdisjoint(emoji.name)
            and text[emoji.start - 1 : emoji.start] in _EDGE
            and text[emoji.end : emoji.end + 1] in _EDGE
        )


def _is_meant(text: str, emoji: EmojiText, words: InWords, *, follows: bool) -> bool:
    """Whether something with the name of an emoji is one; with *follows*, it directly follows another."""
    if emoji.form is Form.SHORTCODE:
        if emoji.is_separate or emoji.is_number:
            return emoji.is_separate  # the minutes of a clock time are between other numbers
        return follows or words.holds(emoji)
    if emoji.form is Form.UNCLOSED:
        before, after = text[emoji.start - 1 : emoji.start], text[emoji.end : emoji.end + 1]
        begins = not (before.isalnum() or before in _NOT_BEFORE_UNCLOSED) if before else True
        ends = not (after.isalnum() or after in _GOES_ON) if after else True
        return begins and ends and len(emoji.name) > 1 and not emoji.is_number
    return True


def _folded(tags: dict[str, str]) -> dict[str, str]:
    return {name.casefold(): tag for name, tag in tags.items()}


def _odd(names: dict[str, str]) -> str:
    """The characters in *names* that usual names of emoji do not have."""
    characters = {character for name in names for character in name + name.upper()}
    known = {character for character in characters if character.isascii() and character.isalnum()}
    return "".join(sorted(characters - known - frozenset(f"_<>:{ODD_IN_NAME}{WHITESPACE}")))
