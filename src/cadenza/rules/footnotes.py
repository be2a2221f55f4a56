"""Show the numbers of footnotes in superscript, ``so it is.[^1]`` → ``so it is.¹`` and ``[^1]: Note`` → ``¹ Note``.

Footnotes with names are numbered in the order in which they appear.
"""

from __future__ import annotations

import re
from itertools import count

from ..text.scripts import superscript
from ..types import Segment
from .rule import LineRule, RuleContext

_NAME = r"[^\[\]\s^`]{1,40}"
_NOTE = re.compile(
    rf"^[ \t]{{0,3}}\[\^(?P<defined>{_NAME})\]:[ \t]*+|(?P<space>[ \t]?)(?P<notes>(?:\[\^{_NAME}\])++)(?!\()",
    re.MULTILINE,
)
_NAMES = re.compile(_NAME)
_NUMBER = re.compile(r"[0-9]{1,3}")
_WORD = re.compile(r"(?!(?:\w-\w)+\Z)[^\W\d][\w-]+")
"""The name of a footnote; ``a-z`` is a set of characters."""
_BEFORE_NOTE = frozenset(".,;:!?)”’»*_。，")
"""What may stand between a word and its footnote."""
_REPEATS = ("*", "+", "{")
"""What follows a set of characters, ``[^abc]+``."""


class Footnotes(LineRule):
    """Replaces references and the marks of the notes. A name counts as one where it is behind a word."""

    sign = "[^"

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._numbers: dict[str, str] = {}
        self._taken: set[str] = set()
        self._free = map(str, count(1))

    def change(self, segment: Segment) -> Segment:
        """Replace the footnotes in *segment*."""
        return self.substituted(segment, _NOTE, self._shown)

    def _shown(self, match: re.Match[str]) -> str | None:
        if match["defined"] is None:
            return self._reference(match, match["space"], _NAMES.findall(match["notes"]))
        is_note = _NUMBER.fullmatch(match["defined"]) or _WORD.fullmatch(match["defined"])
        if is_note and self.begins_line(match.string, match.start()):
            return f"{self._number(match['defined'])} "
        return None

    def _reference(self, match: re.Match[str], space: str, names: list[str]) -> str | None:
        text, start = match.string, match.start("notes")
        before = text[match.start() - 1 : match.start()] if match.start() else ""
        if not all(map(_NUMBER.fullmatch, names)):
            follows = not space and (before.isalnum() or before in _BEFORE_NOTE) and before
            is_known = all(name.casefold() in self._numbers for name in names)
            if (
                not all(map(_WORD.fullmatch, names))
                or not (follows or is_known)
                or text.startswith(_REPEATS, match.end())
            ):
                return None
        elif before and not before.isspace():
            space = ""  # the number follows its word directly
        return (space if start else "") + ",".join(map(self._number, names))

    def _number(self, name: str) -> str:
        """The number of the note called *name*, in superscript."""
        name = name.casefold()
        if name not in self._numbers:
            is_number = _NUMBER.fullmatch(name)
            number = name if is_number else next(free for free in self._free if free not in self._taken)
            self._numbers[name] = number
            self._taken.add(number)
        return superscript(self._numbers[name]) or name
