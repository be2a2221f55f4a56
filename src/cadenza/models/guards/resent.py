"""Drop text that an API sends again: only for APIs that are known to do so.

Repeated text can be recognised only by how the stream is sliced, so this is the one guard whose result depends on the
slices. It stands before all the others, which may join them.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...text.overlap import Overlap
from ...types import Chunk
from .text_guard import TextGuard, said


class ResentGuard(TextGuard):
    """Drops the beginning of a piece that repeats the end of the text before it."""

    def __init__(self) -> None:
        self._overlap = Overlap()

    def passes(self, text: str) -> bool:  # noqa: ARG002  # any text may be a repetition
        """Never: text that passes must be remembered too."""
        return False

    def read(self, text: str) -> Sequence[Chunk]:
        """The new part of *text*."""
        return said(self._overlap.take(text))

    def rest(self) -> Sequence[Chunk]:
        """Nothing is held."""
        return ()
