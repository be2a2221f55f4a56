"""How somebody talks, as cards write it: samples of conversations, with names that are yet to be put in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...types import Line
from .character import Character
from .placeholders import SOMEBODY, resolved

_START = re.compile(r"[ \t]*<START>[ \t]*", re.IGNORECASE)


def samples(character: Character, user: str = "") -> tuple[Line, ...]:
    """How *character* talks, as lines: who speaks stands in front of a line, and what follows is theirs.

    What stands behind ``<START>`` with nobody in front is the character's own.
    """
    user = user or SOMEBODY
    own = {character.called.casefold(), character.name.casefold()}
    lines = []
    for block in _START.split(character.samples):
        # Names are looked for after they were put in: cards write them out as often as not.
        for speaker, text in _said(resolved(block, char=character.called, user=user), (*own, user.casefold())):
            is_own = not speaker or speaker.casefold() in own
            if text := text.strip():
                lines.append(Line(character.name if is_own else user, text, is_own=is_own))
    return tuple(lines)


def _said(block: str, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Who said what in *block*; at first nobody."""
    speaker, said = "", ""
    for line in block.splitlines(keepends=True):
        name, colon, rest = line.lstrip().partition(":")
        if colon and name.strip().casefold() in names:
            yield speaker, said
            speaker, said = name.strip(), rest
        else:
            said += line
    yield speaker, said
