"""A whole text taken apart: what of it is prose, what is a code block, what is a table."""

from __future__ import annotations

from collections.abc import Iterator

from ..types import Kind
from .spans import Found, Scanner


def blocks(text: str) -> Iterator[tuple[Kind, str]]:
    """The prose, code blocks and tables of *text*, in their order; put together they are *text* again."""
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
