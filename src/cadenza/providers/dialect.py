"""What all dialects share: where a model is asked, what may be odd about it, and how a refusal is read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Generic, TypeVar

import msgspec

from ..errors import ErrorKind, HttpError, ProviderError
from ..stages.s2_generation import Framing, ServerSentEvents
from ..stages.s3_chunks import Attempts
from ..types import Abilities, Chunk, Ending, Failed, HttpRequest, RawEvent
from .failures import refused

Shape = TypeVar("Shape")

_NONE: Mapping[str, str] = MappingProxyType({})
_NO_FIELDS: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Quirks:
    """What is odd about how a model or its interface speaks. Everything is off unless a vendor is known for it."""

    opens_in_thought: bool = False
    """The stream begins inside a thought, whose opening tag the template kept: only ``</think>`` is seen."""
    spills_thoughts: bool = False
    """The end of a thought may be glued to the first words of the answer."""
    resends: bool = False
    """Text is sent again that was sent before."""
    gemma: bool = False
    """Thoughts and calls may come as Gemma's template writes them."""
    harmony: bool = False
    """Thoughts and calls may come as gpt-oss's template writes them, ``<|channel|>analysis``."""
    verbatim_calls: bool = False
    """Calls may come as plain text, ``name({"a": 1})``."""
    replays_reasoning: bool = False
    """What was thought before a call must go back with it."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is asked, under which name and with which key, and what it can do."""

    vendor: str
    model: str
    url: str
    """The base of the interface, without the name of a call."""
    key: str = field(default="", repr=False)
    """Empty if none is needed."""
    headers: Mapping[str, str] = field(default_factory=lambda: _NONE, repr=False)
    """What every request carries besides the key."""
    extra: Mapping[str, object] = field(default_factory=lambda: _NO_FIELDS)
    """More fields for the body of the request, in the interface's own words."""
    abilities: Abilities = field(default_factory=Abilities)
    quirks: Quirks = field(default_factory=Quirks)


class Dialect:
    """What most dialects have in common: inherit it, and write ``encode`` and ``decoder``."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    @property
    def endpoint(self) -> Endpoint:
        """Where and whom it asks."""
        return self._endpoint

    def framing(self) -> Framing:
        """A fresh reader of bytes into events."""
        return ServerSentEvents()

    def refused(self, refusal: HttpError, /) -> ProviderError:
        """What an answer with a status of 400 or more means."""
        return refused(refusal, self._endpoint.vendor)

    def attempts(self, request: HttpRequest, /) -> Attempts | None:  # noqa: ARG002  # most take a no for a no
        """How *request* may be asked again with less in it."""
        return None


class EventReader(Generic[Shape]):
    """The base of decoders: each event is JSON of a known shape; what cannot be read is counted and passed over.

    A stream of which nothing at all could be read has failed; one with a broken event among others has not.
    """

    def __init__(self, shape: msgspec.json.Decoder[Shape], vendor: str) -> None:
        self._decode = shape.decode
        self._shape = shape.type
        self._vendor = vendor
        self._has_read = False
        self.skipped = 0
        """How many events could not be read."""

    def feed(self, event: RawEvent, /) -> Sequence[Chunk]:
        """Read *event*."""
        try:
            value = self._decode(event.data)
        except ValueError:  # msgspec has several, and bytes that are no UTF-8 are one of Python's own
            return self._read_leniently(event.data)
        self._has_read = True
        return self.read(value)

    def flush(self, why: Ending, /) -> Sequence[Chunk]:  # noqa: ARG002  # what is held is given back, whatever the end
        """Give back what was held."""
        chunks = self.rest()
        if self.skipped and not self._has_read:
            return [*chunks, Failed(nonsense(self._vendor))]
        return chunks

    def read(self, value: Shape) -> Sequence[Chunk]:
        """What *value* comes to."""
        raise NotImplementedError

    def rest(self) -> Sequence[Chunk]:
        """What is left when nothing more comes."""
        return ()

    def _read_leniently(self, data: bytes) -> Sequence[Chunk]:
        """Some interfaces cut an emoji in two, and half of one is not valid here: Python's own reader is not so strict."""
        try:
            value = msgspec.convert(json.loads(data.decode("utf-8", "replace")), self._shape)
        except (ValueError, RecursionError):
            self.skipped += 1
            return ()
        self._has_read = True
        return self.read(value)


def nonsense(vendor: str) -> ProviderError:
    """The error for a stream of which nothing could be read."""
    return ProviderError(
        f"{vendor} sent something that is not an answer; try again, or look whether its address is right",
        kind=ErrorKind.API,
        code="unreadable",
        retryable=True,
    )
