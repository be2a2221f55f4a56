"""Gathers the chunks of a model into records: with one record for each chunk, a long film would hold little else."""

from __future__ import annotations

from ...text.units import units
from .film import FilmRecord

MOST = 500
"""Chunks in one record."""
SPAN = 0.1
"""Seconds that one record spans in a live film."""
_DIGITS = 4


class Tokens:
    """The latest chunks of one turn and one sort that are in no record yet."""

    def __init__(self, *, is_live: bool) -> None:
        self._is_live = is_live
        self._of = ("", "")
        self._at = 0.0
        self._texts: list[str] = []
        self._times: list[float] = []

    def add(self, turn: str, sort: str, text: str, at: float) -> FilmRecord | None:
        """Add a chunk; returns the record of the chunks before it if that record is complete."""
        before = self.flush() if self._texts and self._is_over(turn, sort, at) else None
        if not self._texts:
            self._of, self._at = (turn, sort), at
        self._texts.append(text)
        self._times.append(round(at - self._at, _DIGITS))
        return before

    def flush(self) -> FilmRecord | None:
        """The record of all chunks that are in none yet."""
        if not self._texts:
            return None
        turn, sort = self._of
        lengths = [units(text) for text in self._texts]
        about = {"turn": turn, "sort": sort, "text": "".join(self._texts), "lengths": lengths, "times": self._times}
        self._texts, self._times = [], []
        return FilmRecord(self._at, "tokens", about)

    def _is_over(self, turn: str, sort: str, at: float) -> bool:
        is_long = self._is_live and at - self._at > SPAN
        return is_long or self._of != (turn, sort) or len(self._texts) >= MOST
