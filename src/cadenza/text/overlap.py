"""Drop text that arrives twice: some APIs resend what they have sent before, in part or as a whole.

Repetition alone proves nothing (a refrain, a line of dashes, indentation), so this is used only for APIs that are known
to do it.
"""

from __future__ import annotations

_LEAST = 8
"""Shorter overlaps happen by chance."""
_TAIL = 4096
"""How far back the overlap is searched."""


def without_overlap(before: str, text: str) -> str:
    """*text* without the longest beginning that *before* ends with."""
    if len(text) < _LEAST or not before:
        return text
    tail = before[-_TAIL:]
    opening = text[:_LEAST]
    start = tail.find(opening)
    while start >= 0:
        if text.startswith(tail[start:]):
            return text[len(tail) - start :]
        start = tail.find(opening, start + 1)
    return text


class Overlap:
    """Follows a stream and drops what was sent before."""

    __slots__ = ("_tail",)

    def __init__(self) -> None:
        self._tail = ""

    def take(self, text: str) -> str:
        """The new part of *text*."""
        new = without_overlap(self._tail, text)
        self._tail = (self._tail + new)[-_TAIL:]
        return new
