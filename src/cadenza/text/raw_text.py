"""The model's text on its way into the buffer: what an API sends twice is dropped, and a traced reply learns its places."""

from __future__ import annotations

from collections.abc import Iterable

from .origins import Range, RangeSet, from_model
from .overlap import Overlap


class RawText:
    """Takes the pieces of the stream; the first one of a traced reply begins at *place*.

    What is dropped of a traced text goes to *losses*.
    """

    def __init__(self, place: int | None, losses: list[tuple[str, str]], *, repeats: bool) -> None:
        self.place = place or 0
        """Where the next piece begins."""
        self._is_traced = place is not None
        self._losses = losses
        self._repeats = repeats
        self._overlap: Overlap | None = None
        self.begin()

    def begin(self) -> None:
        """A new text begins."""
        self._overlap = Overlap() if self._repeats else None

    def take(self, text: str) -> str:
        """What goes into the buffer of *text*."""
        place = self.place
        self.place += len(text)
        if self._overlap is None:
            return text
        new = self._overlap.take(text)
        if self._is_traced and len(new) < len(text):
            self._losses.append((from_model(text[: len(text) - len(new)], place), "overlap"))
        return new

    def traced(self, text: str) -> str:
        """*text*, the end of what was taken last, with its origin if the reply is traced."""
        return from_model(text, self.place - len(text)) if self._is_traced else text


class RawLedger:
    """The model's text that has arrived, and the parts whose fate is known."""

    def __init__(self, start: int) -> None:
        self._start = start  # where the text begins that is kept
        self._text = ""
        self._new: list[str] = []  # what follows it
        self._known = RangeSet()
        self._returned = start  # to where the unknown parts were returned

    def hear(self, text: str) -> None:
        """*text* has arrived."""
        self._new.append(text)

    def know(self, places: Iterable[Range]) -> None:
        """It is known what became of *places*."""
        self._known.add(places)

    def unknown(self, end: int | None = None) -> list[tuple[Range, str]]:
        """Return the parts before *end* with an unknown fate, and their texts, once each; without *end*, all."""
        parts = self.open(end)
        start, last = self._start, self._start + len(self._text)
        self._returned = max(self._returned, last if end is None else min(end, last))
        if 2 * (self._returned - start) > len(self._text):  # what is kept of a long text is not copied for each part
            self._text, self._start = self._text[self._returned - start :], self._returned
        return parts

    def open(self, end: int | None = None) -> list[tuple[Range, str]]:
        """The same; they are returned again."""
        if self._new:
            self._text, self._new = "".join([self._text, *self._new]), []
        start, last = self._start, self._start + len(self._text)
        gaps = self._known.missing([(self._returned, last if end is None else min(end, last))])
        return [(gap, self._text[gap[0] - start : gap[1] - start]) for gap in gaps]
