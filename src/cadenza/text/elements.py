"""The parts of a whole text that Discord renders differently: emphasis, code, links, addresses and tags."""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

from .spans import Find, Found, Scanner, Span, SpanKind


class Sort(Enum):
    """What an element is."""

    BLOCK = auto()
    """A code block, including its fences."""
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
    """``text[start:end]`` is something, marks included."""

    sort: Sort
    start: int
    end: int
    mark: str = ""
    """The opening mark of emphasis and code blocks."""


def elements(text: str) -> list[Element]:
    """The elements of *text*, outer ones before inner ones. Two of them never cross.

    Quotes and brackets are left out, because they look like text. An unclosed code block is none: Discord shows its
    backticks and renders what follows as usual.
    """
    scanner = Scanner()
    scanner.feed(text)
    blocks = _blocks(scanner)
    spans = [_as_element(span, text) for span in scanner.spans if span.kind in _SORTS]
    return sorted(blocks + spans, key=lambda element: (element.start, -element.end))


def _blocks(scanner: Scanner) -> list[Element]:
    """Scan to the end; return the code blocks. The spans are in the scanner."""
    found: list[Element] = []
    opened = _NOT_OPEN
    endless: dict[str, int] = {}  # per mark: the width of a fence that nothing closes any more
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
                scanner.table = False  # Discord has no tables: their rows are ordinary lines
            case Find(Found.BLOCK_TAG):
                scanner.position = find.end
            case _:
                pass


_NOT_OPEN = Element(Sort.BLOCK, 0, 0, "`")


def _leave_block(scanner: Scanner, opened: Element) -> None:
    """Continue directly after the marks of *opened*, which open nothing."""
    scanner.fence = ""
    scanner.position = opened.end


def _as_element(span: Span, text: str) -> Element:
    start, end = span.start, span.end
    if span.kind is SpanKind.URL and text[start] == "<" and text[start - 1 : start] == "\\":
        start, end = start + 1, end - 1  # the bracket is escaped
    return Element(_SORTS[span.kind], start, end, span.marker)
