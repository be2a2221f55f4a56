"""Stage 3: raw events in, chunks out. Whatever the dialect, what comes out looks the same.

A provider's own decoder does the reading; this stage sees to what holds for all of them:
a stream ends with exactly one ``Finished`` or ``Failed``, and nothing comes after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from ..errors import CadenzaError, HttpError, ProviderError
from ..types import Aside, Chunk, Ending, Failed, Finished, Halt, HttpRequest, Prompt, RawEvent, TextDelta
from .s2_generation import Framing
from .stage import Stage, is_calling, is_ending, skipped

NO_PROMPT = Prompt("", ())
"""For a decoder that is to read an answer without knowing the question."""


_ONE_BY_ONE = (list, tuple)


class Attempts(Protocol):
    """How a request may be asked again, with less in it, after an interface did not like it.

    A machine without a clock: the shell counts the requests and the seconds, and remembers the lesson.
    """

    @property
    def request(self) -> HttpRequest:
        """What is to be asked now."""

    @property
    def key(self) -> str:
        """What a lesson holds for: an interface and a model."""

    @property
    def label(self) -> str:
        """What was done to the present request, for operators."""

    @property
    def lesson(self) -> str:
        """What to remember if the present request is answered; empty if it taught nothing."""

    def recall(self, lesson: str, /) -> None:
        """Begin where an earlier request ended."""

    def degrade(self, error: ProviderError, /) -> bool:
        """Take the next request, if *error* is one that it may cure; ``False`` if it is final."""


class Codec(Protocol):
    """One API dialect: how a prompt is written down and how its answer is read.

    ``providers.dialect.Dialect`` has everything but ``encode`` and ``decoder``.
    """

    def encode(self, prompt: Prompt, /) -> HttpRequest:
        """Write *prompt* down."""

    def framing(self) -> Framing:
        """A fresh reader of bytes into events."""

    def decoder(self, prompt: Prompt = NO_PROMPT, /) -> Stage[RawEvent, Chunk]:
        """A fresh reader of events into chunks; some must know what was asked."""

    def refused(self, refusal: HttpError, /) -> ProviderError:
        """What an answer with a status of 400 or more means."""

    def attempts(self, request: HttpRequest, /) -> Attempts | None:
        """How *request* may be asked again with less in it; ``None`` if it may not."""


class Chunks:
    """A decoder with a proper end. What it gives back is chunks only: no rule and no buffer stands in front of it."""

    def __init__(self, decoder: Stage[RawEvent, Chunk]) -> None:
        self._decoder = decoder
        self.has_ended = False
        """Whether a ``Finished`` or ``Failed`` has come out. It is asked for every event, so it is no property."""

    @property
    def is_alike(self) -> bool:
        """Whether two events that differ by their text alone are chunks that differ by their text alone."""
        return getattr(self._decoder, "is_alike", False) is True

    @property
    def is_ending(self) -> bool:
        """Whether the model has said why it stopped: the answer is whole, and only counts may follow."""
        return self.has_ended or is_ending(self._decoder)

    @property
    def is_calling(self) -> bool:
        """Whether a call is being written, of which nothing comes out before it is whole."""
        return not self.is_ending and is_calling(self._decoder)

    @property
    def skipped(self) -> int:
        """How many events the decoder could not read, if it counts them."""
        return skipped(self._decoder)

    def fail(self, error: CadenzaError) -> Sequence[Chunk]:
        """The stream broke: give back what the decoder held, and then the error."""
        held = [] if self.has_ended else self._decoder.flush(Ending.FINAL)
        kept = [chunk for chunk in held if not isinstance(chunk, (Finished, Failed))]
        return self._until_end([*kept, Failed(error)])

    def feed(self, event: RawEvent, /) -> Sequence[Chunk]:
        """Decode *event*."""
        chunks = self._decoder.feed(event)
        if isinstance(chunks, _ONE_BY_ONE) and len(chunks) == 1 and type(chunks[0]) is TextDelta and not self.has_ended:
            return chunks  # type: ignore[return-value]  # nearly always there is one piece of text, and that is all
        return self._until_end(chunks)

    def feed_all(self, events: Iterable[RawEvent]) -> list[Chunk]:
        """Decode *events*."""
        return [chunk for event in events for chunk in self.feed(event)]

    def flush(self, why: Ending, /) -> Sequence[Chunk]:
        """Give back what the decoder held; say that the stream is over if it did not say so itself."""
        chunks = self._until_end(self._decoder.flush(why))
        return chunks if self.has_ended else [*chunks, *self._until_end([Finished("end_of_stream")])]

    def _until_end(self, chunks: Iterable[Chunk | Aside | Halt]) -> list[Chunk]:
        kept: list[Chunk] = []
        for chunk in chunks:
            if self.has_ended:
                break
            if isinstance(chunk, Aside | Halt):
                continue
            kept.append(chunk)
            self.has_ended = isinstance(chunk, (Finished, Failed))
        return kept
