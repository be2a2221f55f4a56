"""Where to cut text that offers no place by itself: a buffer that is full, a reply that breaks off."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .sentences import clause_ends, closes, is_whole
from .spans import Scanner, Span
from .units import WHITESPACE, whole_grapheme

FORWARD = 200
BACK = 300
"""How far around its target an overflow looks for a better place."""

_SENTENCE = re.compile(rf"\n|[.!?](?=[{WHITESPACE}])|[。！？．｡]")
_SPACE = re.compile(f"[{WHITESPACE}]")


def overflow_cut(scanner: Scanner, target: int) -> int:
    """Where to cut the text, which is longer than *target* plus ``FORWARD``; 0 if every place is inside a span.

    In order of preference: the end of a sentence a little later, a little earlier, a space earlier, a space later.
    """
    text = scanner.text
    target = min(target, len(text))
    low, high = max(0, target - BACK), target + FORWARD
    for is_bad in (scanner.may_be_inside, scanner.is_inside):
        for place in _places(text, target, low, high):
            if not is_bad(place):
                return place
    # No good place near the target. If a span covers it, keep that whole: cut in front of it, unless that leaves only
    # crumbs, or after it.
    place = scanner.outside(target)
    if place >= low:
        return whole_grapheme(text, place)
    for match in _SPACE.finditer(text, high, scanner.position):
        if not scanner.is_inside(match.end()):
            return match.end()
    return 0


def _places(text: str, target: int, low: int, high: int) -> Iterator[int]:
    """The ends of sentences and then the spaces near *target*, the better ones first."""
    for pattern, start, stop, backwards in (
        (_SENTENCE, target, high, False),
        (_SENTENCE, low, target, True),
        (_SPACE, low, target, True),
        (_SPACE, target, high, False),
    ):
        # The pattern gets one character more than may be used: a stop needs to see the space after it.
        places = [match.end() for match in pattern.finditer(text, start, stop + 1) if match.end() <= stop]
        yield from reversed(places) if backwards else places


def up_to_last_clause(text: str, spans: Iterable[Span]) -> str | None:
    """*text* up to its last whole clause; ``None`` if it has none.

    Never cuts inside a span (an address, a quote, emphasis), and keeps the closing marks of the clause.
    """
    core = text.rstrip(WHITESPACE)
    if is_whole(core):
        return text
    closed = list(spans)
    for end in clause_ends(core):
        outer = max((span.end for span in closed if span.start < end < span.end), default=end)
        if outer == end or closes(core[end:outer]):
            return core[:outer] + text[len(core) :]
    return None
