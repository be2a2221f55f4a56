"""Bounded dictionaries: the oldest entries make room for new ones."""

from __future__ import annotations

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def make_room(entries: dict[K, V], most: int) -> None:
    """Delete the oldest of *entries* until there is room for one more within *most*."""
    while len(entries) >= most:
        del entries[next(iter(entries))]
