"""The names that, in front of a colon, mark a line as another speaker's."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from ..text.labels import BLANK, COLON
from ..text.names import normalised
from ..text.units import WHITESPACE, units
from .rule import RuleContext

_RESERVED = ("User", "Assistant", "System", "Human")
_NO_SPEAKER = frozenset({"", "everyone", "here"})

LABEL = re.compile(
    rf"^{BLANK}*+(?P<label>[^\s:：][^\n:：]{{0,135}}+)(?:{COLON}|(?<={BLANK})[:：](?=\*\*|__))", re.MULTILINE
)
"""The beginning of a line up to its first colon, if that is near; it need not be a name."""

_LONGEST_NAME = 64
_EMPHASIS = re.compile(r"[*_]{1,3}(?=\S)")
_DECORATED = re.compile(r"(?P<name>[^()（）]+)[(（][^()（）]{1,64}[)）]")


def known_speakers(context: RuleContext) -> frozenset[str]:
    """The normalised names of all others who can be named, and the roles that models use for the sides of a chat."""
    handles = (handle for handle in context.roster.mentions if not handle.isdecimal())
    return others(context, (*_RESERVED, *handles))


def next_speakers(context: RuleContext) -> frozenset[str]:
    """The normalised names of all in the scene, who may speak when the persona is done."""
    return others(context, _RESERVED if context.own_names else ())


def participants(context: RuleContext) -> Iterator[str]:
    """All names in the scene, as they are written."""
    for person in context.roster.participants:
        yield from (person.name, *person.aliases)


def others(context: RuleContext, names: Iterable[str] = ()) -> frozenset[str]:
    """*names* and those of all in the scene except the persona, normalised."""
    roster = context.roster
    personas = (*roster.personas, *roster.personas.values())
    everyone = map(normalised, (*names, *roster.speakers, *personas, *participants(context)))
    return frozenset(everyone) - set(map(normalised, context.own_names)) - _NO_SPEAKER


def names_speaker(label: str, speakers: Collection[str]) -> bool:
    """Whether *label*, the text before a colon, is one of *speakers*: ``Bob``, ``**Bob**`` or ``Bob (angry)``.

    A mention, ``@Bob``, is not a speaker.
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
