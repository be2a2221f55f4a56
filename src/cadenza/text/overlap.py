"""Text that arrives twice: some interfaces send again what they have sent before, in part or as a whole.

Repetition alone proves nothing (a refrain, a line of dashes, indentation), so this is only used where a model's
interface is known to do it.
"""

from __future__ import annotations

_LEAST = 8
"""Shorter overlaps happen by chance."""
_TAIL = 4096
"""How far back is looked."""


def without_overlap(before: str, text: str) -> str:
    """*text* without what it begins with and *before* ends with; the longest such overlap counts."""
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
    """Follows a stream and takes off what was there before."""

    __slots__ = ("_tail",)

    def __init__(self) -> None:
        self._tail = ""

    def take(self, text: str) -> str:
        """What is new in *text*."""
        new = without_overlap(self._tail, text)
        self._tail = (self._tail + new)[-_TAIL:]
        return new
