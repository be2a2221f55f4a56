"""Text that an interface sends again, taken off: only for interfaces that are known to do it.

What was sent twice can only be told by how it was sent, so this is the one guard for which the slices of a stream
matter. It stands before all the others, which may join them.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...text.overlap import Overlap
from ...types import Chunk
from .text_guard import TextGuard, said


class ResentGuard(TextGuard):
    """Takes off what a piece of text begins with and the text before it ends with."""

    def __init__(self) -> None:
        self._overlap = Overlap()

    def passes(self, text: str) -> bool:  # noqa: ARG002  # any text may have been there before
        """Never: what passes has to be remembered too."""
        return False

    def read(self, text: str) -> Sequence[Chunk]:
        """What is new in *text*."""
        return said(self._overlap.take(text))

    def rest(self) -> Sequence[Chunk]:
        """Nothing is held."""
        return ()
