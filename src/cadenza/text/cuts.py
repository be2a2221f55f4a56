"""Where text may be cut when nothing in it says so: an overfull buffer, a reply that is broken off."""

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
    """Where to cut the text, which runs on beyond *target* plus ``FORWARD``; 0 if every place is inside a span.

    First choice is the end of a sentence a little later, then a little earlier, then a space earlier, then later.
    """
    text = scanner.text
    target = min(target, len(text))
    low, high = max(0, target - BACK), target + FORWARD
    for is_bad in (scanner.may_be_inside, scanner.is_inside):
        for place in _places(text, target, low, high):
            if not is_bad(place):
                return place
    # No good place near the target. If something that belongs together covers it, leave that whole: cut in front of it,
    # but not so far in front that only crumbs are left, or behind it.
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
        # One character more is shown to the pattern than may be taken: a stop wants to see the space behind it.
        places = [match.end() for match in pattern.finditer(text, start, stop + 1) if match.end() <= stop]
        yield from reversed(places) if backwards else places


def clauses_in(text: str, spans: Iterable[Span]) -> str | None:
    """*text* up to its last whole clause; ``None`` if it has none.

    Never cuts inside anything that has closed (an address, a quote, emphasis), and keeps the clause's closing marks.
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
