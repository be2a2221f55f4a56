"""Show the characters that HTML entities stand for, ``R&amp;D`` → ``R&D``. What would become Markdown is escaped."""

from __future__ import annotations

import re
from html import unescape

from ..text.units import LINE_ENDS
from ..types import Kind, Segment
from .rule import LineRule

_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_SOURCE = re.compile(r"[ \t]*+</?[A-Za-z!]")
"""A line that is HTML itself."""
_ALWAYS = frozenset("*_~`|[]\\")
"""Characters that mean something anywhere in a line."""
_FIRST = frozenset(">#-+")
"""Characters that mean something at the beginning of a line."""
_OPENS_TAG = re.compile(r"[@#:/&]|(?:a|t|id):|\w+:/", re.ASCII)
"""What Discord's own tags and addresses have after their first bracket."""

_WIDEST = 100
"""How much text before an entity is looked at: the indent of its line, or a tag that it may end."""


class HtmlEntities(LineRule):
    """Decodes entities that end with a semicolon, in tables too. Unknown ones stay."""

    sign = "&"
    kinds = (Kind.PROSE, Kind.TABLE)

    def change(self, segment: Segment) -> Segment:
        """Decode the entities in *segment*."""
        if segment.kind is Kind.PROSE and self.opens_line and _SOURCE.match(segment.text):
            return segment
        return self.substituted(segment, _ENTITY, self._shown)

    def _shown(self, match: re.Match[str]) -> str | None:
        character = unescape(match.group())
        if character == match.group():
            return None
        if character in LINE_ENDS:  # or nothing at all
            return " "
        return f"\\{character}" if self._is_mark(character, match) else character

    def _is_mark(self, character: str, match: re.Match[str]) -> bool:
        """Whether *character* would be read as Markdown in the place of *match*."""
        text, start = match.string, match.start()
        if character in _ALWAYS:
            return True
        if character == "<":
            return _OPENS_TAG.match(text, match.end()) is not None
        if character == ">" and "<" in text[max(0, start - _WIDEST) : start]:
            return True
        if character not in _FIRST:
            return False
        indent = text[max(0, start - _WIDEST) : start].rstrip(" \t>")
        return indent.endswith("\n") if indent or start > _WIDEST else self.opens_line
