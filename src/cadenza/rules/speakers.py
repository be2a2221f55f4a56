"""Who else could be speaking: the names that, before a colon, say that the words are not the persona's."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from ..text.labels import BLANK, COLON
from ..text.names import normalised
from ..text.units import WHITESPACE, units
from .rule import RuleContext

_RESERVED = ("User", "Assistant", "System", "Human")
_NOBODY = frozenset({"", "everyone", "here"})

LABEL = re.compile(
    rf"^{BLANK}*+(?P<label>[^\s:：][^\n:：]{{0,135}}+)(?:{COLON}|(?<={BLANK})[:：](?=\*\*|__))", re.MULTILINE
)
"""The beginning of a line up to its first colon, if that is near; whether it names anybody is another question."""

_LONGEST_NAME = 64
_EMPHASIS = re.compile(r"[*_]{1,3}(?=\S)")
_DECORATED = re.compile(r"(?P<name>[^()（）]+)[(（][^()（）]{1,64}[)）]")


def known_speakers(context: RuleContext) -> frozenset[str]:
    """The names of everybody else who can be named, as they are compared, and what models call the sides of a chat."""
    handles = (handle for handle in context.roster.mentions if not handle.isdecimal())
    return others(context, (*_RESERVED, *handles))


def next_speakers(context: RuleContext) -> frozenset[str]:
    """The names of everybody in the scene, as they are compared: who may speak when the persona, if any, is done."""
    return others(context, _RESERVED if context.own_names else ())


def participants(context: RuleContext) -> Iterator[str]:
    """Every name of everybody in the scene, as it is written."""
    for person in context.roster.participants:
        yield from (person.name, *person.aliases)


def others(context: RuleContext, names: Iterable[str] = ()) -> frozenset[str]:
    """*names* and those of everybody in the scene but the persona, as they are compared."""
    roster = context.roster
    personas = (*roster.personas, *roster.personas.values())
    everybody = map(normalised, (*names, *roster.speakers, *personas, *participants(context)))
    return frozenset(everybody) - set(map(normalised, context.own_names)) - _NOBODY


def names_speaker(label: str, speakers: Collection[str]) -> bool:
    """Whether *label*, what stands before a colon, is one of *speakers*: ``Bob``, ``**Bob**`` or ``Bob (angry)``.

    Whoever is called, ``@Bob``, does not speak.
    """
    return any(
        normalised(name) in speakers and units(name) <= _LONGEST_NAME and not name.startswith(("@", "＠"))
        for name in _readings(label.strip(WHITESPACE))
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
