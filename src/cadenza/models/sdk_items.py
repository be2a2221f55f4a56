"""What other people's clients yield, read by its shape: their objects, or the same as dictionaries.

Nothing of theirs is imported. A reader looks at a few fields of an item and tells ``ChunkBuilder`` what it found there;
which reader an item needs is found out once for each type.

Items that repeat all that was said before are not taken for more than they are: nothing here guesses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from ..errors import CadenzaError, InputError
from ..types import Chunk, Failed, Finished, TextDelta
from .chunk_builder import VENDOR, ChunkBuilder
from .error_kind import failure, reported
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


class Shapes:
    """Reads the items of one stream: texts, chunks of ours, or what the clients of others yield."""

    def __init__(self) -> None:
        self._heard = ChunkBuilder()
        self._readers: dict[type, Reader] = {}
        self._memory = _Memory()
        self._ended = False

    @property
    def has_ended(self) -> bool:
        """Whether a ``Finished`` or ``Failed`` has come out."""
        return self._ended

    def feed(self, item: object) -> Sequence[Chunk]:
        """Read *item*; one of which nobody knows what it is raises ``InputError``."""
        if self._ended or item is None:
            return ()
        if isinstance(item, str):
            return (TextDelta(item),) if item else ()
        reader = self._readers.get(type(item))
        if reader is None:
            if isinstance(item, Chunk):
                self._ended = isinstance(item, Finished | Failed)
                return (item,)
            reader = self._recognised(item)
        reader(item, self._heard)
        return self._taken()

    def flush(self) -> Sequence[Chunk]:
        """The stream is over: give back what was held, and how it ended."""
        if self._ended:
            return ()
        self._ended = True
        self._heard.end()
        return self._taken()

    def fail(self, error: CadenzaError) -> Sequence[Chunk]:
        """The stream broke off: give back what was held, and the error."""
        self._heard.fail(error)
        return self.flush()

    def _taken(self) -> Sequence[Chunk]:
        fresh = self._heard.fresh
        if fresh:
            self._heard.fresh = []
        return fresh

    def _recognised(self, item: object) -> Reader:
        reader = self._memory.reader(item)
        if reader is None:
            msg = (
                f"a stream must yield texts, chunks of Cadenza, or the chunks of a client such as openai, anthropic, "
                f"google-genai, pydantic-ai, LangChain, litellm or ollama, not {type(item).__name__}"
            )
            raise InputError(msg)
        if not isinstance(item, Mapping | SimpleNamespace | tuple):  # of those, each item may be something else
            self._readers[type(item)] = reader
        return reader


def of_exception(error: Exception) -> CadenzaError | None:
    """What an exception of somebody's client means, if it tells the status of an answer, or what was said of it."""
    status = count(error, "status_code", "status", "code")
    told = of(error, "body")
    if not status and isinstance(told, Mapping) and told:
        return reported({"error": dict(told)}, vendor=VENDOR)  # it came in the middle of an answer
    if not status:
        return _of_the_line(type(error).__name__)
    headers = of(of(error, "response"), "headers")
    wait = headers.get("retry-after") if isinstance(headers, Mapping) else None
    seconds = float(wait) if isinstance(wait, str) and wait.isascii() and wait.isdigit() else None
    detail = next((text for name in ("message", "body") if isinstance(text := of(error, name), str)), "")
    return failure(detail or type(error).__name__, vendor=VENDOR, status=status, retry_after=seconds)


def _of_the_line(name: str) -> CadenzaError | None:
    """What an exception called *name* means if it is about the connection: clients agree on how they call those."""
    code = "ETIMEDOUT" if "Timeout" in name else "ECONNRESET" if "Connect" in name else ""
    return failure(name, vendor=VENDOR, code=code) if code else None


# --- whose an item is ----------------------------------------------------------------------


class _Memory:
    """What is to be remembered of a stream in order to read the next item."""

    def __init__(self) -> None:
        self._has_typed = False
        self._has_raw = False
        self._message = ""
        self._streamed: set[str] = set()

    def reader(self, item: object) -> Reader | None:
        """Who can read *item*."""
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
        return read_gemini if hasattr(item, "candidates") else None  # one with nothing in it

    def _knows(self, item: object) -> bool:
        """Whether *item* is an event by its type; new ones may come among those that are known."""
        kind = str(of(item, "type"))
        known = kind in TYPED or kind in MESSAGES or kind.startswith(("response.", "content.", "logprobs."))
        self._has_typed = self._has_typed or known
        return known or self._has_typed

    def _read_typed(self, item: Any, heard: ChunkBuilder) -> None:
        """An event whose ``type`` says what it is; a helper of a client tells some things twice."""
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
        """A message and what else is known of it, as a graph yields them."""
        self._read_message(item[0], heard)

    def _read_message(self, message: Any, heard: ChunkBuilder) -> None:
        """A message or a piece of one, as LangChain has them. An agent's stream holds several."""
        kind = of(message, "type")
        if kind == "tool":
            heard.run_elsewhere(of(message, "tool_call_id"))
        if kind not in ("ai", "AIMessageChunk"):
            return
        identity = of(message, "id") or ""
        if kind == "ai" and identity in self._streamed:
            return  # all of it has been heard in pieces
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
