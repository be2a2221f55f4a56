"""Stage 3: raw events in, chunks out. The chunks look the same for every dialect.

The dialect's decoder reads the events. This stage adds what holds for all dialects: a stream ends with exactly one
``Finished`` or ``Failed``, and nothing comes after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from ..errors import CadenzaError, HttpError, ProviderError
from ..types import Aside, Chunk, Ending, Failed, Finished, Halt, HttpRequest, Prompt, RawEvent, TextDelta
from .s2_generation import Framing
from .stage import Stage, is_calling, is_ending, skipped

NO_PROMPT = Prompt("", ())
"""For decoders that read an answer without its prompt."""


_ONE_BY_ONE = (list, tuple)


class Attempts(Protocol):
    """How a request can be retried with fewer parameters after an API refused it.

    It has no clock: the shell counts requests and seconds, and remembers the lesson.
    """

    @property
    def request(self) -> HttpRequest:
        """The current request."""

    @property
    def key(self) -> str:
        """What a lesson applies to: an API and a model."""

    @property
    def label(self) -> str:
        """What was changed in the current request, for operators."""

    @property
    def lesson(self) -> str:
        """What to remember if the current request succeeds; empty if nothing was learnt."""

    def recall(self, lesson: str, /) -> None:
        """Begin where an earlier request ended."""

    def degrade(self, error: ProviderError, /) -> bool:
        """Move on to the next request if that may cure *error*; ``False`` if the error is final."""


class Codec(Protocol):
    """One API dialect: encodes a prompt and decodes its answer.

    ``models.dialects.dialect.Dialect`` has everything but ``encode`` and ``decoder``.
    """

    def encode(self, prompt: Prompt, /) -> HttpRequest:
        """Encode *prompt*."""

    def framing(self) -> Framing:
        """A new reader of bytes into events."""

    def decoder(self, prompt: Prompt = NO_PROMPT, /) -> Stage[RawEvent, Chunk]:
        """A new reader of events into chunks; some need the prompt."""

    def refused(self, refusal: HttpError, /) -> ProviderError:
        """The error that a response with status 400 or higher means."""

    def attempts(self, request: HttpRequest, /) -> Attempts | None:
        """How *request* can be retried with fewer parameters; ``None`` if it cannot."""


class Chunks:
    """A decoder whose stream ends properly. It returns chunks only: no buffer or rule comes before it."""

    def __init__(self, decoder: Stage[RawEvent, Chunk]) -> None:
        self._decoder = decoder
        self.has_ended = False
        """Whether a ``Finished`` or ``Failed`` came out. It is read for every event, so it is no property."""

    @property
    def is_alike(self) -> bool:
        """Whether two events that differ only in their text give chunks that differ only in their text."""
        return getattr(self._decoder, "is_alike", False) is True

    @property
    def is_ending(self) -> bool:
        """Whether the model gave its stop reason: the answer is complete, and only token counts may follow."""
        return self.has_ended or is_ending(self._decoder)

    @property
    def is_calling(self) -> bool:
        """Whether a tool call is arriving, which comes out only when it is complete."""
        return not self.is_ending and is_calling(self._decoder)

    @property
    def skipped(self) -> int:
        """How many events the decoder could not read, if it counts them."""
        return skipped(self._decoder)

    def fail(self, error: CadenzaError) -> Sequence[Chunk]:
        """The stream broke: return what the decoder held, and then the error."""
        held = [] if self.has_ended else self._decoder.flush(Ending.FINAL)
        kept = [chunk for chunk in held if not isinstance(chunk, (Finished, Failed))]
        return self._until_end([*kept, Failed(error)])

    def feed(self, event: RawEvent, /) -> Sequence[Chunk]:
        """Decode *event*."""
        chunks = self._decoder.feed(event)
        if isinstance(chunks, _ONE_BY_ONE) and len(chunks) == 1 and type(chunks[0]) is TextDelta and not self.has_ended:
            return chunks  # type: ignore[return-value]  # usually there is one piece of text
        return self._until_end(chunks)

    def feed_all(self, events: Iterable[RawEvent]) -> list[Chunk]:
        """Decode *events*."""
        return [chunk for event in events for chunk in self.feed(event)]

    def flush(self, why: Ending, /) -> Sequence[Chunk]:
        """Return what the decoder held, and end the stream if it did not end itself."""
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
