"""Parses the sample dialogue of a card, with its placeholders for names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...types import Line
from .character import Character
from .placeholders import DEFAULT_USER, resolved

_START = re.compile(r"[ \t]*<START>[ \t]*", re.IGNORECASE)


def samples(character: Character, user: str = "") -> tuple[Line, ...]:
    """The sample dialogue of *character* as lines: a name at the start of a line begins that speaker's text.

    Text after ``<START>`` without a name is the character's own.
    """
    user = user or DEFAULT_USER
    own = {character.called.casefold(), character.name.casefold()}
    lines = []
    for block in _START.split(character.samples):
        # Placeholders are resolved first: cards often write the names out.
        for speaker, text in _said(resolved(block, char=character.called, user=user), (*own, user.casefold())):
            is_own = not speaker or speaker.casefold() in own
            if text := text.strip():
                lines.append(Line(character.name if is_own else user, text, is_own=is_own))
    return tuple(lines)


def _said(block: str, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The speakers and texts in *block*; the first speaker is empty."""
    speaker, said = "", ""
    for line in block.splitlines(keepends=True):
        name, colon, rest = line.lstrip().partition(":")
        if colon and name.strip().casefold() in names:
            yield speaker, said
            speaker, said = name.strip(), rest
        else:
            said += line
    yield speaker, said
