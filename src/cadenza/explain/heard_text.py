"""The model's text, as it was heard: where each piece of it stands, and when it came."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from ..text.origins import Range
from ..text.units import WHITESPACE, units


class HeardText:
    """The pieces of the model's text. Places are counted in characters, from the first one of the reply."""

    def __init__(self) -> None:
        self.size = 0
        self._units = 0
        self._pieces: list[tuple[str, float, int]] = []  # its text, when it came, and its place in UTF-16 units
        self._starts: list[int] = []

    @property
    def pieces(self) -> int:
        """How many pieces came so far."""
        return len(self._pieces)

    def add(self, text: str, at: float) -> None:
        """*text* comes."""
        if text:
            self._pieces.append((text, at, self._units))
            self._starts.append(self.size)
            self.size += len(text)
            self._units += units(text)

    def heard_at(self, place: int) -> tuple[float, int]:
        """When the character at *place* came, and in which piece."""
        number = self._piece(place)
        return (self._pieces[number][1], number) if self._pieces else (0.0, 0)

    def in_units(self, found: Iterable[Range]) -> list[list[int]]:
        """*found* in UTF-16 units."""
        return [[self._unit(start), self._unit(end)] for start, end in found]

    def trimmed(self, found: Iterable[Range]) -> list[Range]:
        """*found* without the white space at their ends, and without those that are nothing else."""
        parts: list[Range] = []
        for start, end in found:
            text = self._text(start, end)
            first = len(text) - len(text.lstrip(WHITESPACE))
            if first < len(text):
                parts.append((start + first, start + len(text.rstrip(WHITESPACE))))
        return parts

    def texts(self, found: Iterable[Range]) -> list[str]:
        """What stands in *found*."""
        return [self._text(start, end) for start, end in found]

    def _piece(self, place: int) -> int:
        return max(0, bisect_right(self._starts, place) - 1)

    def _text(self, start: int, end: int) -> str:
        parts: list[str] = []
        for number in range(self._piece(start), len(self._pieces)):
            begin = self._starts[number]
            if begin >= end:
                break
            parts.append(self._pieces[number][0][max(0, start - begin) : end - begin])
        return "".join(parts)

    def _unit(self, place: int) -> int:
        if place >= self.size:
            return self._units
        number = self._piece(place)
        text, _, before = self._pieces[number]
        return before + units(text[: place - self._starts[number]])
