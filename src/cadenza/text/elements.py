"""What the scanner finds in a whole text that looks different from the rest: emphasis, code, links, addresses and tags."""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

from .spans import Find, Found, Scanner, Span, SpanKind


class Sort(Enum):
    """What an element is."""

    BLOCK = auto()
    """A code block, from the marks that open it to those that close it."""
    EMPHASIS = auto()
    CODE = auto()
    LINK = auto()
    ADDRESS = auto()
    TAG = auto()


_SORTS = {
    SpanKind.EMPHASIS: Sort.EMPHASIS,
    SpanKind.CODE: Sort.CODE,
    SpanKind.LINK: Sort.LINK,
    SpanKind.URL: Sort.ADDRESS,
    SpanKind.TAG: Sort.TAG,
}


class Element(NamedTuple):
    """``text[start:end]`` is something, marks and all."""

    sort: Sort
    start: int
    end: int
    mark: str = ""
    """What opens it: of emphasis and code blocks."""


def elements(text: str) -> list[Element]:
    """The elements of *text*, outer ones before what is in them. Two of them never cross.

    What stands in quotes or brackets looks like the rest. A code block that nothing closes is none: Discord shows its
    backticks, and all that is behind them as usual.
    """
    scanner = Scanner()
    scanner.feed(text)
    blocks = _blocks(scanner)
    spans = [_as_element(span, text) for span in scanner.spans if span.kind in _SORTS]
    return sorted(blocks + spans, key=lambda element: (element.start, -element.end))


def _blocks(scanner: Scanner) -> list[Element]:
    """Scan to the end; gives back the code blocks, while the scanner has the spans."""
    found: list[Element] = []
    opened = _NOT_OPEN
    endless: dict[str, int] = {}  # how wide a fence of each sort of mark is that nothing closes any more
    while True:
        find = scanner.find(final=True)
        match find:
            case None if scanner.fence:
                endless[opened.mark[0]] = len(opened.mark)
                _leave_block(scanner, opened)
            case None:
                return found
            case Find(Found.FENCE_OPEN):
                opened = Element(Sort.BLOCK, find.end - len(scanner.fence), find.end, scanner.fence)
                if len(opened.mark) >= endless.get(opened.mark[0], len(opened.mark) + 1):
                    _leave_block(scanner, opened)
            case Find(Found.FENCE_CLOSE):
                found.append(opened._replace(end=find.end))
            case Find(Found.TABLE_OPEN):
                scanner.table = False  # Discord knows no tables: their rows are lines like others
            case Find(Found.BLOCK_TAG):
                scanner.position = find.end
            case _:
                pass


_NOT_OPEN = Element(Sort.BLOCK, 0, 0, "`")


def _leave_block(scanner: Scanner, opened: Element) -> None:
    """Go on right behind the marks of *opened*, which open nothing."""
    scanner.fence = ""
    scanner.position = opened.end


def _as_element(span: Span, text: str) -> Element:
    start, end = span.start, span.end
    if span.kind is SpanKind.URL and text[start] == "<" and text[start - 1 : start] == "\\":
        start, end = start + 1, end - 1  # the bracket stands for itself
    return Element(_SORTS[span.kind], start, end, span.marker)
