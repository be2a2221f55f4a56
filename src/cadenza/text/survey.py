"""One look at a whole text: where its spans, lines and sentences are."""

from __future__ import annotations

from dataclasses import dataclass

from .sentences import STOPS
from .spans import Found, Scanner, Span


@dataclass(frozen=True, slots=True)
class Survey:
    """What one scan of a whole text found."""

    spans: tuple[Span, ...]
    line_ends: tuple[int, ...]
    """Where lines end that are not inside a span: the index of each ``\\n``."""
    sentence_ends: tuple[int, ...]
    """The index of each stop that ends a sentence outside any span."""


_SURVEY_HOLD = 32_000
"""Many messages: what is longer has to be cut anyway, and a mark that never closes is not looked for without end."""


def survey(text: str, *, sentence_ends: bool = False) -> Survey:
    """Scan the whole of *text*."""
    scanner = Scanner(sentence_ends=sentence_ends, hold=_SURVEY_HOLD)
    scanner.feed(text)
    lines: list[int] = []
    stops: list[int] = []
    while find := scanner.find(final=True):
        if find.what is Found.LINE_END:
            lines.append(find.start)
            if sentence_ends and find.end > find.start + 1 and text[find.end - 1] in STOPS:
                stops.append(find.end - 1)  # on the next line, where the scan has jumped over it
        elif find.what is Found.SENTENCE_END:
            stops.append(find.start)
        elif find.what is Found.BLOCK_TAG:
            scanner.position = find.end
    spans = tuple(sorted(scanner.spans, key=lambda span: (span.start, -span.end)))
    return Survey(spans, _outside(lines, spans), _outside(stops, spans))


def _outside(places: list[int], spans: tuple[Span, ...]) -> tuple[int, ...]:
    """Those of *places* that lie inside no span."""
    covered = _Cover(spans)
    return tuple(place for place in places if not covered(place))


class _Cover:
    """Asks, for growing indices, whether one lies inside a span."""

    def __init__(self, spans: tuple[Span, ...]) -> None:
        self._spans = spans
        self._next = 0
        self._reach = 0

    def __call__(self, index: int) -> bool:
        while self._next < len(self._spans) and self._spans[self._next].start <= index:
            self._reach = max(self._reach, self._spans[self._next].end)
            self._next += 1
        return index < self._reach
