"""What all dialects share: where a model is asked, what may be odd about it, and how a refusal is read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import Any, Generic, Self, TypeVar

import msgspec

from ...errors import ErrorKind, HttpError, ProviderError
from ...stages.s2_generation import EventsOrJson, Framing
from ...stages.s3_chunks import Attempts
from ...text.redaction import without_secrets
from ...types import Abilities, Chunk, Ending, Failed, HttpRequest, RawEvent, Thinking
from ..error_kind import refused
from ..error_message import known_as

Shape = TypeVar("Shape")

_NONE: Mapping[str, str] = MappingProxyType({})
_NO_FIELDS: Mapping[str, object] = MappingProxyType({})
_NO_WORDS: Mapping[Thinking, str] = MappingProxyType({})
_PATH = re.compile(r"\.([^.\[`]+)|\[(\d+)\]")
_MOST_LEFT_OUT = 8
"""How many fields of one event may hold something else than they should."""


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


class ThinkingField(Enum):
    """Where in a request of the OpenAI family it is said how long to think."""

    NOWHERE = ""
    EFFORT = "reasoning_effort"
    """A word: ``"reasoning_effort": "low"``."""
    REASONING = "reasoning"
    """The same word, a level deeper: ``"reasoning": {"effort": "low"}``."""
    SWITCH = "thinking"
    """On or off: ``"thinking": {"type": "enabled"}``, and the word beside it where there is one."""
    TEMPLATE = "chat_template_kwargs"
    """On or off, told to the model's own template: ``"chat_template_kwargs": {"enable_thinking": true}``."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a request of the OpenAI family is written for one vendor. The defaults are what most of them take."""

    max_tokens: str = "max_tokens"
    """What the longest answer is called."""
    sampling: Mapping[str, str] | None = None
    """Our name of a sampling parameter → the interface's; what is not there is not sent. ``None`` sends all as they are."""
    parameters: frozenset[str] | None = None
    """Which parameters the model is known to take, by the interface's names; ``None`` is unknown."""
    usage_on_request: bool = True
    """Whether a stream counts its tokens only if ``stream_options`` ask for it."""
    thinking: ThinkingField = ThinkingField.NOWHERE
    efforts: Mapping[Thinking, str] = field(default_factory=lambda: _NO_WORDS)
    """The interface's word for a level; a level without one is not sent."""
    thinking_budget: str = ""
    """What the number of tokens to think with is called, where there is such a thing."""
    thinking_fixes_sampling: bool = False
    """Whether sampling parameters must not be sent when the model is told to think."""
    short_ids: bool = False
    """Whether the id of a call must be nine letters or digits."""
    strict_turns: bool = False
    """Whether the model's own turn must follow a result, and must not be the last unless it is marked as a beginning."""
    counts_thoughts: bool = False
    """Whether thoughts count as part of the longest answer, so that there must be room for them."""
    tool_stream: bool = False
    """Whether the arguments of calls are streamed only if ``tool_stream`` asks for it."""
    requires_parameters: bool = False
    """Whether a router must be told to choose only among those who can use tools."""
    clamps_output: bool = False
    """Whether the longest answer must fit into what the prompt leaves of the context."""
    tells_context: bool = False
    """Whether the interface is told how long a context to make room for."""
    continues_last: bool = False
    """Whether it must be told to go on with a last turn of the model's own."""
    prefix_path: str = ""
    """The part of the address under which a marked beginning is understood, if it is another."""
    wants_thoughts: bool = False
    """Whether a turn of the model's own must say what was thought before it, even if that was nothing."""
    mandatory: tuple[str, ...] = ()
    """Fields that are never left out to please the interface."""
    priority: tuple[str, ...] = ()
    """Fields of our own that are left out first."""
    is_router: bool = False
    """Whether somebody else answers, who may not know a parameter."""
    opaque_5xx: bool = False
    """Whether a server error without a reason may be about a parameter."""
    is_custom: bool = False
    """Whether nothing is known of who answers."""


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
    manner: Manner = field(default_factory=Manner)

    def __repr__(self) -> str:
        """Without what may be a secret: an address may hold a password, or a key behind its question mark."""
        return f"Endpoint({self.vendor!r}, {self.model!r}, {without_secrets(self.url)!r})"

    def able(self, **changes: Any) -> Endpoint:
        """The same with other abilities."""
        return replace(self, abilities=replace(self.abilities, **changes))

    def at(self, call: str) -> str:
        """The address of *call*, such as ``/chat/completions``; what stands behind a question mark stays behind it."""
        base, mark, query = self.url.partition("?")
        return f"{base.rstrip('/')}{call}{mark}{query}"


class Dialect:
    """What most dialects have in common: inherit it, and write ``encode`` and ``decoder``."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    @property
    def endpoint(self) -> Endpoint:
        """Where and whom it asks."""
        return self._endpoint

    def keyed(self, key: str, /) -> Self:
        """The same dialect, to the same model, with another key."""
        twin = copy(self)
        twin._endpoint = replace(self._endpoint, key=key)  # noqa: SLF001  # it is one of us
        return twin

    def framing(self) -> Framing:
        """A fresh reader of bytes into events.

        Some servers answer with one document, whatever they were asked, and what goes wrong may be told in plain JSON,
        even in the middle of a stream, or with a web page.
        """
        return EventsOrJson()

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
        except (ValueError, RecursionError):  # msgspec has several, and bytes that are no UTF-8 are one of Python's own
            return self._read_leniently(event.data)
        if not self._has_read:
            self._meet(value)
        return self.read(value)

    def flush(self, why: Ending, /) -> Sequence[Chunk]:  # noqa: ARG002  # what is held is given back, whatever the end
        """Give back what was held."""
        chunks = self.rest()
        if self.skipped and not self._has_read:
            return [*chunks, Failed(nonsense(self._vendor))]
        return chunks

    def knows(self, value: Shape) -> bool:  # noqa: ARG002  # most shapes fit nothing else
        """Whether *value* is an event of this dialect, and not of another that has nothing to say in it."""
        return True

    def read(self, value: Shape) -> Sequence[Chunk]:
        """What *value* comes to."""
        raise NotImplementedError

    def rest(self) -> Sequence[Chunk]:
        """What is left when nothing more comes."""
        return ()

    def _read_leniently(self, data: bytes) -> Sequence[Chunk]:
        """Some interfaces cut an emoji in two, and half of one is not valid here: Python's own reader is not so strict."""
        try:
            return self._read_in_part(json.loads(data.decode("utf-8", "replace")))
        except (ValueError, RecursionError):
            self.skipped += 1
            return ()

    def _read_in_part(self, value: object) -> Sequence[Chunk]:
        """Read what can be read of *value*: a field that holds something else than it should is left out."""
        left_out = 0
        while True:
            try:
                shaped = msgspec.convert(value, self._shape)
                break
            except msgspec.ValidationError as error:
                left_out += 1
                if left_out > _MOST_LEFT_OUT or not _left_out(value, str(error)):
                    raise
        chunks = self.read(shaped)
        self.skipped += left_out > 0
        if not left_out or chunks:
            self._meet(shaped)
        return chunks

    def _meet(self, value: Shape) -> None:
        """Note whether anybody speaks this dialect at all: somebody else may listen at a wrong address."""
        if self.knows(value):
            self._has_read = True
        elif not self._has_read:
            self.skipped += 1


def _left_out(value: Any, complaint: str) -> bool:
    """Take out of *value* the field that *complaint* names; ``False`` if there is none."""
    path = _PATH.findall(complaint.rpartition(" - at `$")[2])
    last = max((place for place, (name, _) in enumerate(path) if name), default=None)
    if last is None:
        return False
    for name, index in path[:last]:
        value = value[name or int(index)]
    del value[path[last][0]]
    return True


def nonsense(vendor: str) -> ProviderError:
    """The error for a stream of which nothing could be read."""
    return ProviderError(
        f"{known_as(vendor)} sent something that is not an answer; try again, or look whether its address is right",
        kind=ErrorKind.API,
        code="unreadable",
        retryable=True,
    )


def as_json(body: Mapping[str, object]) -> bytes:
    """*body* as JSON, its fields in their order: the same body is always the same bytes.

    Half an emoji, which a model may have said and a history may repeat, is no Unicode and would be refused:
    it is written as the character for what cannot be shown.
    """
    try:
        return msgspec.json.encode(body, enc_hook=_plain)
    except UnicodeEncodeError:
        return msgspec.json.encode(_mended(body), enc_hook=_plain)


def _mended(value: object) -> object:
    """*value* with halves of characters put together, or replaced, wherever they stand."""
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case Mapping():
            return {_mended(name): _mended(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_mended(inner) for inner in value]
        case _:
            return value


def _plain(value: object) -> object:
    """Schemas may be read-only mappings, or hold some, which no writer of JSON knows."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable):
        return list(value)
    msg = f"a request cannot hold a {type(value).__name__}"
    raise TypeError(msg)
