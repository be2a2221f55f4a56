"""Who else could be speaking: the names that, before a colon, say that the words are not the persona's."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from ..text.names import normalised
from ..text.units import WHITESPACE, units
from .rule import RuleContext

_RESERVED = ("User", "Assistant", "System", "Human")
_NOBODY = frozenset({"", "everyone", "here"})

# A colon that begins an address, is doubled or parts the numbers of a time makes no label.
LABEL = re.compile(r"^[ \t]*+(?P<label>[^\s:：][^\n:：]{0,135})[:：](?!//|[:：]|(?<=\d.)\d)", re.MULTILINE)
"""The beginning of a line up to its first colon, if that is near; whether it names anybody is another question."""

_LONGEST_NAME = 64
_EMPHASIS = re.compile(r"[*_]{1,3}(?=\S)")
_DECORATED = re.compile(r"(?P<name>[^()（）]+)[(（][^()（）]{1,64}[)）]")


def known_speakers(context: RuleContext) -> frozenset[str]:
    """The names of everybody else in the scene, as they are compared, and what models call the two sides of a chat."""
    return frozenset(map(normalised, _names(context))) - set(map(normalised, context.own_names)) - _NOBODY


def _names(context: RuleContext) -> Iterator[str]:
    roster = context.roster
    yield from _RESERVED
    yield from roster.speakers
    yield from roster.personas
    yield from (handle for handle in roster.mentions if not handle.isdecimal())
    for participant in roster.participants:
        yield from (participant.name, *participant.aliases)


def names_speaker(label: str, speakers: Collection[str]) -> bool:
    """Whether *label*, what stands before a colon, is one of *speakers*: ``Bob``, ``**Bob**`` or ``Bob (angry)``."""
    return any(
        normalised(name) in speakers and units(name) <= _LONGEST_NAME for name in _readings(label.strip(WHITESPACE))
    )


def _readings(label: str) -> Iterator[str]:
    """*label* as it is, and without what may only decorate a name."""
    yield label
    if label.startswith(("*", "_")) or label.endswith((")", "）")):
        plain = _without_emphasis(label)
        yield plain
        if decorated := _DECORATED.fullmatch(plain):
            yield _without_emphasis(decorated["name"].rstrip(WHITESPACE))


def _without_emphasis(label: str) -> str:
    opening = _EMPHASIS.match(label)
    return label[opening.end() if opening else 0 :].rstrip("*_")
