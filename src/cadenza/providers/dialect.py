"""What all dialects share: where a model is asked, what may be odd about it, and how a refusal is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ..errors import HttpError, ProviderError
from ..stages.s2_generation import Framing, ServerSentEvents
from ..stages.s3_chunks import Attempts
from ..types import Abilities, HttpRequest
from .failures import refused

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
