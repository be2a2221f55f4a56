"""What the guards of stage 3 have in common: each looks at the text of an answer and lets everything else pass.

A guard may hold text back. It lets go of it before a call and before the end, so nothing is lost or out of order;
thoughts, counts and the name of who answers go past it, for they stand nowhere in the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from ...types import Chunk, Ending, Failed, Finished, Served, TextDelta, ThoughtDelta, ToolCall, Usage


class TextGuard:
    """A stage from chunks to chunks that has an eye on text: inherit it, and write ``passes``, ``read`` and ``rest``."""

    def feed(self, chunk: Chunk, /) -> Sequence[Chunk]:
        """Take *chunk*; give back what no later one can change."""
        if type(chunk) is TextDelta:  # most of them, so asked first and quickly
            return (chunk,) if self.passes(chunk.text) else self.read(chunk.text)
        match chunk:
            case TextDelta(text):
                return self.read(text)
            case ThoughtDelta(text):
                self.overhear(text)
                return (chunk,)
            case Usage() | Served():
                return (chunk,)  # some interfaces count with every word
            case ToolCall() | Finished() | Failed():
                return [*self.rest(), chunk]
            case _:
                assert_never(chunk)

    def flush(self, why: Ending, /) -> Sequence[Chunk]:  # noqa: ARG002  # what is held is given back, whatever the end
        """Give back what was held."""
        return self.rest()

    def passes(self, text: str) -> bool:
        """Whether *text* is nothing to this guard and goes on as it is; it counts as seen then."""
        raise NotImplementedError

    def read(self, text: str) -> Sequence[Chunk]:
        """What *text* comes to."""
        raise NotImplementedError

    def rest(self) -> Sequence[Chunk]:
        """What is held, when nothing more can join it."""
        raise NotImplementedError

    def overhear(self, text: str) -> None:
        """A thought came that is one by the interface's own account."""


def said(text: str) -> Sequence[Chunk]:
    """*text* as a chunk, if there is any."""
    return (TextDelta(text),) if text else ()


def thought(text: str) -> Sequence[Chunk]:
    """*text* as a chunk of thought, if there is any."""
    return (ThoughtDelta(text),) if text else ()
