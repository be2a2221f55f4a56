"""What is remembered only so long: dictionaries that do not grow without end."""

from __future__ import annotations

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def make_room(entries: dict[K, V], most: int) -> None:
    """Forget the oldest of *entries*, so that one more is no more than *most*."""
    while len(entries) >= most:
        del entries[next(iter(entries))]
