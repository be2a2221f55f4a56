"""Stop strings that we look for ourselves: for interfaces that take none, or not all of them.

What stands before the first that is whole is the answer. Behind it nothing is read any more, so that whoever listens
can hang up; the model may go on for long.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...types import Chunk, Ending, Finished, TextDelta
from .text_guard import TextGuard, said


class StopGuard(TextGuard):
    """Ends an answer where a stop string begins."""

    def __init__(self, stops: Iterable[str]) -> None:
        self._stops = tuple(dict.fromkeys(stop for stop in stops if stop))
        self._starts = frozenset(stop[0] for stop in self._stops)
        self._longest = max(map(len, self._stops), default=0)
        self._held = ""  # what may be the beginning of a stop string
        self._is_over = False

    def feed(self, chunk: Chunk, /) -> Sequence[Chunk]:
        """Take *chunk*; give back what no later one can change."""
        if self._is_over:
            return ()
        if type(chunk) is TextDelta and not self._held and self._starts.isdisjoint(chunk.text):
            return (chunk,)  # nearly always
        return super().feed(chunk)

    def flush(self, why: Ending, /) -> Sequence[Chunk]:
        """Give back what was held."""
        return () if self._is_over else super().flush(why)

    def passes(self, text: str) -> bool:
        """Whether no stop string can begin or go on in *text*."""
        return not self._held and self._starts.isdisjoint(text)

    def read(self, text: str) -> Sequence[Chunk]:
        """Look for a stop string in *text*."""
        text = self._held + text
        found = [(start + len(stop), start) for stop in self._stops if (start := text.find(stop)) >= 0]
        if found:
            self._is_over = True
            _, start = min(found)  # the first to be whole, as a model would come to it letter by letter
            return [*said(text[:start]), Finished()]
        end = self._stop_begins(text)
        self._held = text[end:]
        return said(text[:end])

    def rest(self) -> Sequence[Chunk]:
        """What has not become a stop string was none."""
        held, self._held = self._held, ""
        return said(held)

    def _stop_begins(self, text: str) -> int:
        """Where a stop string may begin whose rest is still to come; the end of *text* if there is none."""
        for start in range(max(0, len(text) - self._longest + 1), len(text)):
            if text[start] in self._starts and any(stop.startswith(text[start:]) for stop in self._stops):
                return start
        return len(text)
