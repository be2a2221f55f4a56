"""Recognise the items of other clients by their shape: objects, or equal dictionaries.

No client is imported. A reader looks at a few fields of an item and passes what it finds to ``ChunkBuilder``. The reader is
chosen once for each type.

Nothing is guessed: items that repeat the whole text so far are not detected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from ..errors import CadenzaError, InputError, Sentence
from ..types import Attachment, Chunk, Failed, Finished, Media, TextDelta
from .chunk_builder import VENDOR, ChunkBuilder
from .error_kind import broken_off, failure, reported
from .sdk_answers import (
    GEMINI,
    Reader,
    count,
    of,
    read_completion,
    read_gemini,
    read_generated,
    read_langchain,
    read_ollama,
    read_pydantic_ai,
    read_wrapped,
)
from .sdk_events import MESSAGES, RAW, TOLD_AGAIN, TYPED, read_whole_response
from .shown_files import as_attachment, checked

_MODULES_OF_CHATS = frozenset({"discord", "disnake", "nextcord", "hikari", "interactions"})
_MODULES_OF_CLIENTS = frozenset(
    {
        *("aiohttp", "anyio", "grpc", "h11", "h2", "http", "httpcore", "httpx", "httpx2", "requests", "socket", "ssl"),
        *("urllib", "urllib3", "websockets"),
        *("anthropic", "botocore", "cohere", "google", "groq", "huggingface_hub", "langchain", "langchain_core"),
        *("litellm", "mistralai", "ollama", "openai", "pydantic_ai", "together"),
    }
)
"""Packages whose exceptions are of the network or of a model, not of the author's own code."""


class Shapes:
    """Converts the items of one stream: texts, chunks of Cadenza, or the items of other clients."""

    def __init__(self) -> None:
        self._heard = ChunkBuilder()
        self._readers: dict[type, Reader] = {}
        self._known = _Readers()
        self._ended = False

    @property
    def has_ended(self) -> bool:
        """Whether ``Finished`` or ``Failed`` was returned."""
        return self._ended

    def check(self, item: object) -> None:
        """Raise ``InputError`` if *item* has no known shape."""
        if not (item is None or isinstance(item, str | Chunk | Media)):
            self._reader_for(item)

    def feed(self, item: object) -> Sequence[Chunk]:
        """Convert *item* to chunks; an unknown shape raises ``InputError``."""
        if self._ended or item is None:
            return ()
        if isinstance(item, str):
            return (TextDelta(item),) if item else ()
        reader = self._readers.get(type(item))
        if reader is None:
            if isinstance(item, Chunk):
                self._ended = isinstance(item, Finished | Failed)
                if isinstance(item, Attachment):
                    checked(item)
                return (item,)
            file = as_attachment(item)
            if file is not None:
                return (file,)
            if isinstance(item, Media):
                return (TextDelta(f"\n{item.url}\n"),) if item.url else ()  # a chat shows what is behind an address
            reader = self._reader_for(item)
        reader(item, self._heard)
        return self._taken()

    def flush(self) -> Sequence[Chunk]:
        """End the stream: return what was held, and the final chunk."""
        if self._ended:
            return ()
        self._ended = True
        self._heard.end()
        return self._taken()

    def fail(self, error: CadenzaError) -> Sequence[Chunk]:
        """End the stream with *error*: return what was held, and the error."""
        self._heard.fail(error)
        return self.flush()

    def _taken(self) -> Sequence[Chunk]:
        fresh = self._heard.fresh
        if fresh:
            self._heard.fresh = []
        return fresh

    def _reader_for(self, item: object) -> Reader:
        reader = self._known.reader(item)
        if reader is None:
            msg = Sentence(
                "a stream must yield texts, chunks of Cadenza, or the chunks of a client such as openai, "
                "anthropic, google-genai, pydantic-ai, LangChain, litellm or ollama, not {item_type}",
                item_type=type(item).__name__,
            )
            raise InputError(msg)
        if not isinstance(item, Mapping | SimpleNamespace | tuple):  # of these types, each item may differ
            self._readers[type(item)] = reader
        return reader


def of_exception(error: Exception) -> CadenzaError | None:
    """The error for an exception of a client, or of a connection; ``None`` for one of the author's own code.

    A client's exception holds a status or a body, or its class is of a known client.
    """
    if not _MODULES_OF_CHATS.isdisjoint(_modules(error)):
        return None  # its status is a chat's, not a model's
    status = count(error, "status_code", "status", "code")
    told = of(error, "body")
    if not 400 <= status <= 599:  # raised in the middle of an answer, whose own status was a success
        if isinstance(told, Mapping) and told:
            return reported({"error": dict(told)}, vendor=VENDOR)
        return _connection_error(error)
    headers = of(of(error, "response"), "headers")
    wait = headers.get("retry-after") if isinstance(headers, Mapping) else None
    seconds = float(wait) if isinstance(wait, str) and wait.isascii() and wait.isdigit() else None
    detail = next((text for name in ("message", "body") if isinstance(text := of(error, name), str)), "")
    return failure(detail or type(error).__name__, vendor=VENDOR, status=status, retry_after=seconds)


def _connection_error(error: Exception) -> CadenzaError | None:
    """The error for *error* if it is of a client or of the network; its name tells the kind, on which clients agree."""
    if not isinstance(error, ConnectionError | TimeoutError) and _MODULES_OF_CLIENTS.isdisjoint(_modules(error)):
        return None
    name = type(error).__name__
    code = "ETIMEDOUT" if "Timeout" in name else "ECONNRESET" if "Connect" in name else ""
    return failure(name, vendor=VENDOR, code=code) if code else broken_off(error)


def _modules(error: Exception) -> set[str]:
    """The packages of the classes of *error*."""
    return {kind.__module__.partition(".")[0] for kind in type(error).__mro__}


# --- choosing a reader ---------------------------------------------------------------------


class _Readers:
    """Chooses readers, and keeps what they need to know of earlier items."""

    def __init__(self) -> None:
        self._has_typed = False
        self._has_raw = False
        self._message = ""
        self._streamed: set[str] = set()

    def reader(self, item: object) -> Reader | None:
        """The reader for *item*; ``None`` if its shape is unknown."""
        if isinstance(item, tuple):
            return self._read_pair if len(item) == 2 and isinstance(item[1], Mapping) else None
        if isinstance(of(item, "choices"), Sequence):
            return read_completion
        if of(item, "object") == "response":
            return read_whole_response
        if isinstance(of(item, "event_kind"), str):
            return read_pydantic_ai
        if isinstance(of(item, "event"), str) and isinstance(of(item, "data"), Mapping):
            return self._read_runnable
        if of(of(item, "data"), "choices") is not None:
            return read_wrapped
        if isinstance(of(item, "type"), str):
            return self._read_typed if self._knows(item) else None
        if any(of(item, name) is not None for name in GEMINI):
            return read_gemini
        if isinstance(of(item, "done"), bool):
            return read_ollama
        if isinstance(of(of(item, "token"), "text"), str):
            return read_generated
        return read_gemini if hasattr(item, "candidates") else None  # an empty one

    def _knows(self, item: object) -> bool:
        """Whether the type of *item* is known; once one was, unknown types are accepted too."""
        kind = str(of(item, "type"))
        known = kind in TYPED or kind in MESSAGES or kind.startswith(("response.", "content.", "logprobs."))
        self._has_typed = self._has_typed or known
        return known or self._has_typed

    def _read_typed(self, item: Any, heard: ChunkBuilder) -> None:
        """An event with a ``type``; a client's helper sends some things twice."""
        kind = of(item, "type")
        if kind in MESSAGES:
            self._read_message(item, heard)
        elif kind in TOLD_AGAIN:
            if not self._has_raw:
                TYPED[kind](item, heard)
        elif kind in TYPED:
            self._has_raw = self._has_raw or kind in RAW
            TYPED[kind](item, heard)

    def _read_pair(self, item: tuple[Any, Any], heard: ChunkBuilder) -> None:
        """A message with metadata, as LangGraph yields them."""
        self._read_message(item[0], heard)

    def _read_message(self, message: Any, heard: ChunkBuilder) -> None:
        """A LangChain message or a chunk of one. An agent's stream holds several."""
        kind = of(message, "type")
        if kind == "tool":
            heard.run_elsewhere(of(message, "tool_call_id"))
        if kind not in ("ai", "AIMessageChunk"):
            return
        identity = of(message, "id") or ""
        if kind == "ai" and identity in self._streamed:
            return  # already received in chunks
        if self._message and identity != self._message:
            heard.next_response()
        self._message = identity
        self._streamed.add(identity)
        read_langchain(message, heard)

    def _read_runnable(self, item: Any, heard: ChunkBuilder) -> None:
        """An event of ``astream_events``."""
        match of(item, "event"):
            case "on_chat_model_stream":
                self._read_message(of(of(item, "data"), "chunk"), heard)
            case "on_llm_stream":
                heard.text(of(of(of(item, "data"), "chunk"), "text"))
            case "on_tool_start":
                heard.run_elsewhere()
            case _:
                pass
