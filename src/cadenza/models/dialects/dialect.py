"""The base of all dialects: endpoints, quirks of models, and the decoding of events and errors."""

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

from ...errors import ErrorKind, HttpError, ProviderError, Sentence
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
"""Most fields of one event that may have a wrong type."""


@dataclass(frozen=True, slots=True)
class Quirks:
    """Known oddities of a model or its API. All are off unless a vendor is known for one."""

    opens_in_thought: bool = False
    """The stream begins inside a thought: the template holds the opening tag, so only ``</think>`` arrives."""
    spills_thoughts: bool = False
    """The end of a thought may run into the first words of the answer."""
    resends: bool = False
    """Text that was sent before is sent again."""
    gemma: bool = False
    """Thoughts and calls may arrive in the notation of Gemma's template."""
    harmony: bool = False
    """Thoughts and calls may arrive in the notation of gpt-oss's template, ``<|channel|>analysis``."""
    verbatim_calls: bool = False
    """Calls may arrive as plain text, ``name({"a": 1})``."""
    replays_reasoning: bool = False
    """The thoughts before a call must go back with it."""


class ThinkingField(Enum):
    """The field of an OpenAI-style request that sets the thinking effort."""

    NOWHERE = ""
    EFFORT = "reasoning_effort"
    """A word: ``"reasoning_effort": "low"``."""
    REASONING = "reasoning"
    """The same word, a level deeper: ``"reasoning": {"effort": "low"}``."""
    SWITCH = "thinking"
    """On or off: ``"thinking": {"type": "enabled"}``, together with the word where there is one."""
    TEMPLATE = "chat_template_kwargs"
    """On or off, for the model's chat template: ``"chat_template_kwargs": {"enable_thinking": true}``."""


@dataclass(frozen=True, slots=True)
class RetryHints:
    """What the ladder must know about a vendor to choose a smaller request."""

    mandatory: tuple[str, ...] = ()
    """Fields that are never dropped."""
    priority: tuple[str, ...] = ()
    """Fields that are dropped first."""
    is_router: bool = False
    """Whether a router forwards to other providers, which may not know a parameter: a 502 may come from one of them."""
    opaque_5xx: bool = False
    """Whether a server error without a reason may be caused by a parameter."""
    is_custom: bool = False
    """Whether the server is unknown."""


@dataclass(frozen=True, slots=True)
class RequestStyle:
    """How an OpenAI-style request is written for one vendor. The defaults suit most of them."""

    max_tokens: str = "max_tokens"
    """The name of the parameter for the longest answer."""
    sampling: Mapping[str, str] | None = None
    """Our name of a sampling parameter → the API's; others are not sent. ``None`` sends all under our names."""
    parameters: frozenset[str] | None = None
    """The parameters that the model is known to take, by the API's names; ``None`` if unknown."""
    usage_on_request: bool = True
    """Whether a stream counts tokens only if ``stream_options`` asks for it."""
    thinking: ThinkingField = ThinkingField.NOWHERE
    efforts: Mapping[Thinking, str] = field(default_factory=lambda: _NO_WORDS)
    """The API's word for each level; a level without one is not sent."""
    thinking_budget: str = ""
    """The name of the parameter for the number of thinking tokens, if there is one."""
    thinking_fixes_sampling: bool = False
    """Whether sampling parameters must be left out when the model thinks."""
    short_ids: bool = False
    """Whether the id of a call must be nine letters or digits."""
    strict_turns: bool = False
    """Whether a model turn must follow a tool result, and must not come last unless it is marked as a prefix."""
    counts_thoughts: bool = False
    """Whether thoughts count towards the longest answer, so that room must be added for them."""
    tool_stream: bool = False
    """Whether call arguments are streamed only if ``tool_stream`` asks for it."""
    requires_parameters: bool = False
    """Whether a router must be told to choose only providers with tool support."""
    clamps_output: bool = False
    """Whether the longest answer must fit into the rest of the context."""
    tells_context: bool = False
    """Whether the request must say how long a context to reserve."""
    continues_last: bool = False
    """Whether the request must say that the last model turn is to be continued."""
    prefix_path: str = ""
    """The path under which a marked prefix is supported, if it differs."""
    wants_thoughts: bool = False
    """Whether every model turn must have a field for its thoughts, even if it is empty."""
    retry: RetryHints = field(default_factory=RetryHints)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where and as what a model is asked, with which key, and what it can do."""

    vendor: str
    model: str
    url: str
    """The base URL of the API, without the path of a call."""
    key: str = field(default="", repr=False)
    """Empty if no key is needed."""
    headers: Mapping[str, str] = field(default_factory=lambda: _NONE, repr=False)
    """Headers of every request besides the key."""
    extra: Mapping[str, object] = field(default_factory=lambda: _NO_FIELDS)
    """More fields for the body of the request, under the API's names."""
    abilities: Abilities = field(default_factory=Abilities)
    quirks: Quirks = field(default_factory=Quirks)
    style: RequestStyle = field(default_factory=RequestStyle)

    def __repr__(self) -> str:
        """Secrets are hidden: a URL may hold a password, or a key in its query."""
        return f"Endpoint({self.vendor!r}, {self.model!r}, {without_secrets(self.url)!r})"

    def able(self, **changes: Any) -> Endpoint:
        """The same endpoint with other abilities."""
        return replace(self, abilities=replace(self.abilities, **changes))

    def at(self, call: str) -> str:
        """The URL of *call*, such as ``/chat/completions``; a query stays at the end."""
        base, mark, query = self.url.partition("?")
        return f"{base.rstrip('/')}{call}{mark}{query}"


class Dialect:
    """The base class of most dialects: subclasses add ``encode`` and ``decoder``."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    @property
    def endpoint(self) -> Endpoint:
        """The endpoint that it asks."""
        return self._endpoint

    def keyed(self, key: str, /) -> Self:
        """The same dialect and model with another key."""
        twin = copy(self)
        twin._endpoint = replace(self._endpoint, key=key)  # noqa: SLF001  # the same class
        return twin

    def framing(self) -> Framing:
        """A new parser of bytes into events.

        Some servers always answer with one document, and errors may come as plain JSON, even in the middle of a stream,
        or as an HTML page.
        """
        return EventsOrJson()

    def refused(self, refusal: HttpError, /) -> ProviderError:
        """The error for a response with a status of 400 or more."""
        return refused(refusal, self._endpoint.vendor)

    def attempts(self, request: HttpRequest, /) -> Attempts | None:  # noqa: ARG002  # most have no smaller request
        """Smaller requests to try if *request* is refused."""
        return None


class EventReader(Generic[Shape]):
    """The base of decoders: each event is JSON of a known shape; unreadable events are counted and skipped.

    A stream without any readable event is an error; one unreadable event among others is not.
    """

    def __init__(self, shape: msgspec.json.Decoder[Shape], vendor: str) -> None:
        self._decode = shape.decode
        self._shape = shape.type
        self._vendor = vendor
        self._has_read = False
        self.skipped = 0
        """How many events were unreadable."""

    def feed(self, event: RawEvent, /) -> Sequence[Chunk]:
        """Decode *event*."""
        try:
            value = self._decode(event.data)
        except (ValueError, RecursionError):  # msgspec raises several; invalid UTF-8 raises one of Python's
            return self._read_leniently(event.data)
        if not self._has_read:
            self._note_dialect(value)
        return self.read(value)

    def flush(self, why: Ending, /) -> Sequence[Chunk]:  # noqa: ARG002  # what is held is returned at any end
        """Return what was held."""
        chunks = self.rest()
        if self.skipped and not self._has_read:
            return [*chunks, Failed(unreadable_stream(self._vendor))]
        return chunks

    def knows(self, value: Shape) -> bool:  # noqa: ARG002  # most shapes fit nothing else
        """Whether *value* is an event of this dialect, rather than another object with none of its fields."""
        return True

    def read(self, value: Shape) -> Sequence[Chunk]:
        """The chunks of *value*."""
        raise NotImplementedError

    def rest(self) -> Sequence[Chunk]:
        """The remaining chunks at the end."""
        return ()

    def _read_leniently(self, data: bytes) -> Sequence[Chunk]:
        """Decode with Python's parser, which accepts half an emoji: some APIs split one between events."""
        try:
            return self._read_in_part(json.loads(data.decode("utf-8", "replace")))
        except (ValueError, RecursionError):
            self.skipped += 1
            return ()

    def _read_in_part(self, value: object) -> Sequence[Chunk]:
        """Decode what is valid of *value*: fields of a wrong type are dropped."""
        left_out = 0
        while True:
            try:
                shaped = msgspec.convert(value, self._shape)
                break
            except msgspec.ValidationError as error:
                left_out += 1
                if left_out > _MOST_LEFT_OUT or not _delete_field(value, str(error)):
                    raise
        chunks = self.read(shaped)
        self.skipped += left_out > 0
        if not left_out or chunks:
            self._note_dialect(shaped)
        return chunks

    def _note_dialect(self, value: Shape) -> None:
        """Note whether this server speaks the dialect at all; the address may be wrong."""
        if self.knows(value):
            self._has_read = True
        elif not self._has_read:
            self.skipped += 1


def _delete_field(value: Any, complaint: str) -> bool:
    """Delete the field that *complaint* names from *value*; ``False`` if it names none."""
    path = _PATH.findall(complaint.rpartition(" - at `$")[2])
    last = max((place for place, (name, _) in enumerate(path) if name), default=None)
    if last is None:
        return False
    for name, index in path[:last]:
        value = value[name or int(index)]
    del value[path[last][0]]
    return True


def unreadable_stream(vendor: str) -> ProviderError:
    """The error for a stream without a readable event."""
    return ProviderError(
        Sentence(
            "{vendor} sent something that is not an answer; try again, or check its address", vendor=known_as(vendor)
        ),
        kind=ErrorKind.API,
        code="unreadable",
        retryable=True,
    )


def as_json(body: Mapping[str, object]) -> bytes:
    """*body* as JSON. Fields keep their order, so that equal bodies are equal bytes.

    A lone surrogate, which a model may have written and a history may repeat, is invalid Unicode and would be refused,
    so it becomes the replacement character.
    """
    try:
        return msgspec.json.encode(body, enc_hook=_plain)
    except UnicodeEncodeError:
        return msgspec.json.encode(_without_surrogates(body), enc_hook=_plain)


def _without_surrogates(value: object) -> object:
    """*value* with surrogate pairs joined and lone ones replaced, at any depth."""
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case Mapping():
            return {_without_surrogates(name): _without_surrogates(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_without_surrogates(inner) for inner in value]
        case _:
            return value


def _plain(value: object) -> object:
    """Convert read-only mappings, which schemas may hold and no JSON encoder knows."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable):
        return list(value)
    msg = f"a request cannot hold a {type(value).__name__}"
    raise TypeError(msg)
