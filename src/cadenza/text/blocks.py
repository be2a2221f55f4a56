"""Split a whole text into prose, code blocks and tables."""

from __future__ import annotations

from collections.abc import Iterator

from ..types import Kind
from .spans import Found, Scanner, SpanKind, survey


def blocks(text: str) -> Iterator[tuple[Kind, str]]:
    """The prose, code blocks and tables of *text*, in order; joined they are *text* again."""
    scanner = Scanner()
    scanner.feed(text)
    kind, start = Kind.PROSE, 0
    while find := scanner.find(final=True):
        match find.what:
            case Found.FENCE_OPEN | Found.TABLE_OPEN:
                yield kind, text[start : find.start]
                kind = Kind.CODE if find.what is Found.FENCE_OPEN else Kind.TABLE
                start = find.start
            case Found.FENCE_CLOSE | Found.TABLE_CLOSE:
                yield kind, text[start : find.end]
                kind, start = Kind.PROSE, find.end
            case Found.BLOCK_TAG:
                scanner.position = find.end
    yield kind, text[start:]


def code_in(text: str) -> list[range]:
    """The ranges of *text* that are code, in blocks and within lines: mentions and tags mean nothing there."""
    found: list[range] = []
    place = 0
    for kind, block in blocks(text):
        if kind is Kind.CODE:
            found.append(range(place, place + len(block)))
        else:
            spans = (span for span in survey(block).spans if span.kind is SpanKind.CODE)
            found += (range(place + span.start, place + span.end) for span in spans)
        place += len(block)
    return found
