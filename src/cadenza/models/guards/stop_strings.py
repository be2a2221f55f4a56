"""Search for stop strings ourselves, for APIs that accept none, or not all of them.

The answer ends where the first complete stop string begins. Nothing after it is read, so the caller can close the
stream; the model might go on for long.
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
        self._held = ""  # possible beginning of a stop string
        self._is_over = False

    def feed(self, chunk: Chunk, /) -> Sequence[Chunk]:
        """Take *chunk*; return what no later one can change."""
        if self._is_over:
            return ()
        if type(chunk) is TextDelta and not self._held and self._starts.isdisjoint(chunk.text):
            return (chunk,)  # the common case
        return super().feed(chunk)

    def flush(self, why: Ending, /) -> Sequence[Chunk]:
        """Return what was held."""
        return () if self._is_over else super().flush(why)

    def passes(self, text: str) -> bool:
        """Whether no stop string can begin or continue in *text*."""
        return not self._held and self._starts.isdisjoint(text)

    def read(self, text: str) -> Sequence[Chunk]:
        """Search *text* for a stop string."""
        text = self._held + text
        found = [(start + len(stop), start) for stop in self._stops if (start := text.find(stop)) >= 0]
        if found:
            self._is_over = True
            _, start = min(found)  # the first to be complete, as if read letter by letter
            return [*said(text[:start]), Finished()]
        end = self._stop_begins(text)
        self._held = text[end:]
        return said(text[:end])

    def rest(self) -> Sequence[Chunk]:
        """The held text is no stop string."""
        held, self._held = self._held, ""
        return said(held)

    def _stop_begins(self, text: str) -> int:
        """Where an incomplete stop string may begin; the end of *text* if nowhere."""
        for start in range(max(0, len(text) - self._longest + 1), len(text)):
            if text[start] in self._starts and any(stop.startswith(text[start:]) for stop in self._stops):
                return start
        return len(text)
