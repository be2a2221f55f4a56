"""Stage 3: raw events in, chunks out. Whatever the dialect, what comes out looks the same.

A provider's own decoder does the reading; this stage sees to what holds for all of them:
a stream ends with exactly one ``Finished`` or ``Failed``, and nothing comes after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from ..types import Aside, Chunk, Ending, Failed, Finished, Halt, HttpRequest, Prompt, RawEvent
from .s2_generation import Framing
from .stage import Stage


class Codec(Protocol):
    """One API dialect: how a prompt is written down and how its answer is read."""

    def encode(self, prompt: Prompt, /) -> HttpRequest:
        """Write *prompt* down."""

    def framing(self) -> Framing:
        """A fresh reader of bytes into events."""

    def decoder(self) -> Stage[RawEvent, Chunk]:
        """A fresh reader of events into chunks."""


class Chunks:
    """A decoder with a proper end."""

    def __init__(self, decoder: Stage[RawEvent, Chunk]) -> None:
        self._decoder = decoder
        self._ended = False

    def feed(self, event: RawEvent, /) -> Sequence[Chunk | Aside | Halt]:
        """Decode *event*."""
        return self._until_end(self._decoder.feed(event))

    def flush(self, why: Ending, /) -> Sequence[Chunk | Aside | Halt]:
        """Give back what the decoder held; say that the stream is over if it did not say so itself."""
        chunks = self._until_end(self._decoder.flush(why))
        return chunks if self._ended else [*chunks, *self._until_end([Finished("end_of_stream")])]

    def _until_end(self, chunks: Iterable[Chunk | Aside | Halt]) -> list[Chunk | Aside | Halt]:
        kept: list[Chunk | Aside | Halt] = []
        for chunk in chunks:
            if self._ended:
                break
            kept.append(chunk)
            self._ended = isinstance(chunk, (Finished, Failed))
        return kept
