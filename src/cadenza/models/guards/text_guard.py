"""The base of the guards of stage 3: each examines the text of an answer and passes everything else.

A guard may hold text back. It releases it before a call and before the end, so that nothing is lost or out of order.
Thoughts, token counts and the model's name pass at once, because they have no place in the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from ...types import Attachment, Chunk, Ending, Failed, Finished, Served, TextDelta, ThoughtDelta, ToolCall, Usage


class TextGuard:
    """A stage from chunks to chunks that examines text. Subclasses define ``passes``, ``read`` and ``rest``."""

    def feed(self, chunk: Chunk, /) -> Sequence[Chunk]:
        """Take *chunk*; return what no later one can change."""
        if type(chunk) is TextDelta:  # the most common type first
            return (chunk,) if self.passes(chunk.text) else self.read(chunk.text)
        match chunk:
            case TextDelta(text):
                return self.read(text)
            case ThoughtDelta(text):
                self.overhear(text)
                return (chunk,)
            case Usage() | Served():
                return (chunk,)  # some APIs send counts with every token
            case ToolCall() | Attachment() | Finished() | Failed():
                return [*self.rest(), chunk]
            case _:
                assert_never(chunk)

    def flush(self, why: Ending, /) -> Sequence[Chunk]:  # noqa: ARG002  # what is held is returned at any end
        """Return what was held."""
        return self.rest()

    def passes(self, text: str) -> bool:
        """Whether *text* passes unchanged; it then counts as seen."""
        raise NotImplementedError

    def read(self, text: str) -> Sequence[Chunk]:
        """The chunks of *text*."""
        raise NotImplementedError

    def rest(self) -> Sequence[Chunk]:
        """The held text, at the end."""
        raise NotImplementedError

    def overhear(self, text: str) -> None:
        """Note a thought that the API marked as one."""


def said(text: str) -> Sequence[Chunk]:
    """*text* as a chunk, unless it is empty."""
    return (TextDelta(text),) if text else ()


def thought(text: str) -> Sequence[Chunk]:
    """*text* as a thought, unless it is empty."""
    return (ThoughtDelta(text),) if text else ()
