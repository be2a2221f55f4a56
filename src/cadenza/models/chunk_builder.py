"""Build chunks from what the readers of other clients' items find; tool calls are assembled from pieces."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace

from ..errors import CadenzaError, ErrorKind
from ..types import Attachment, Chunk, Failed, Finished, TextDelta, ThoughtDelta, ToolCall, Usage
from .dialects.call_arguments import as_json_text, tool_call
from .error_kind import failure

VENDOR = "the provider"
"""The provider's name in errors; which one a foreign client talks to is unknown."""

_ENDINGS: Mapping[str, str] = {
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "tool_calls": "tool_calls",
    "tool_call": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
}
"""Finish reasons of clients → ours; all others are ``stop``."""

_BLOCKED = frozenset(
    [
        "content_filter",
        "refusal",
        "safety",
        "recitation",
        "blocklist",
        "prohibited_content",
        "spii",
        "image_safety",
        "other",
        "error_toxic",
        "guardrail_intervened",
        "image_prohibited_content",
        "image_recitation",
        "language",
    ]
)
_BROKEN = frozenset(["error", "malformed_function_call", "unexpected_tool_call", "malformed_response"])


@dataclass(slots=True)
class _Call:
    """An unfinished tool call."""

    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)


class ChunkBuilder:
    """Collects what a reader found, and keeps unfinished calls."""

    def __init__(self) -> None:
        self.fresh: list[Chunk] = []
        """Chunks since the list was last taken."""
        self._calls: list[_Call] = []
        self._open: dict[Hashable, _Call] = {}
        self._elsewhere: set[str] = set()
        self._usage = Usage()
        self._before = Usage()
        self._ending: Finished | Failed | None = None
        self._last = ""
        self._is_new = False

    # --- text and usage ----------------------------------------------------------------

    def text(self, text: object) -> None:
        """Add text."""
        if isinstance(text, str) and text:
            if self._is_new:
                self._is_new = False
                if not self._last.endswith("\n"):
                    self.fresh.append(TextDelta("\n"))
            self._last = text
            self.fresh.append(TextDelta(text))

    def thought(self, text: object) -> None:
        """Add a thought."""
        if isinstance(text, str) and text:
            self.fresh.append(ThoughtDelta(text))

    def file(self, file: Attachment | None) -> None:
        """Add a file."""
        if file is not None:
            self.fresh.append(file)

    def usage(self, usage: Usage) -> None:
        """Set the usage of this response so far."""
        self._usage = usage
        self.fresh.append(self._before + usage)

    def more_usage(self, usage: Usage) -> None:
        """Add to the usage of this response."""
        self.usage(self._usage + usage)

    def output_tokens(self, count: int) -> None:
        """Set the output tokens of this response so far; the input tokens stay."""
        if count:
            self.usage(replace(self._usage, output_tokens=count))

    def total_usage(self, usage: Usage) -> None:
        """Set the usage of all responses together."""
        self._before = Usage()
        self.usage(usage)

    def next_response(self) -> None:
        """The client ran tools and asked the model again within one stream: begin another message."""
        self._is_new = bool(self._last)
        self._before, self._usage = self._before + self._usage, Usage()
        self._open.clear()
        self._ending = None

    # --- calls -------------------------------------------------------------------------

    def call(self, key: Hashable, *, identity: object = None, name: object = None, arguments: object = None) -> None:
        """Add a call, or a piece of one. *key* distinguishes calls that arrive interleaved.

        A piece with another id than the call under *key* begins a new call.
        """
        call = self._open.get(key)
        if call is None or (isinstance(identity, str) and identity and call.id not in ("", identity)):
            call = self._open[key] = _Call()
            self._calls.append(call)
        if isinstance(identity, str):
            call.id = call.id or identity
        if isinstance(name, str):
            call.name = call.name or name
        if isinstance(arguments, str):
            call.pieces.append(arguments)
        elif isinstance(arguments, Mapping):
            call.pieces.append(as_json_text(arguments))

    def is_open(self, key: Hashable) -> bool:
        """Whether a call is open under *key*."""
        return key in self._open

    def has_arguments(self, key: Hashable) -> bool:
        """Whether a call is open under *key* and has some arguments."""
        return key in self._open and bool(self._open[key].pieces)

    def run_elsewhere(self, identity: object = None) -> None:
        """The client runs the call *identity* itself, so it is dropped here; without an id, all calls are."""
        if isinstance(identity, str):
            self._elsewhere.add(identity)
        elif identity is None:
            self._calls.clear()
            self._open.clear()

    # --- the end -----------------------------------------------------------------------

    def finish(self, reason: object) -> None:
        """Set the finish reason; usage may still follow."""
        if not isinstance(reason, str) or not reason or isinstance(self._ending, Failed):
            return
        word = reason.lower()
        if word in _BLOCKED:
            detail = f"the answer was ended: {word}"
            self._ending = Failed(failure(detail, vendor=VENDOR, kind=ErrorKind.CONTENT_BLOCKED, code=reason))
        elif word in _BROKEN:
            detail = f"the answer broke off: {word}"
            self._ending = Failed(failure(detail, vendor=VENDOR, kind=ErrorKind.API, code=reason))
        else:
            self._ending = Finished(_ENDINGS.get(word, "stop"))

    def fail(self, error: CadenzaError) -> None:
        """End with *error*."""
        self._ending = Failed(error)

    def end(self) -> None:
        """End the answer: release the calls and the final chunk."""
        calls = self._whole_calls()
        self.fresh += calls
        ending = self._ending or Finished("end_of_stream")
        if calls and ending == Finished("stop"):
            ending = Finished("tool_calls")
        self.fresh.append(ending)

    def _whole_calls(self) -> list[ToolCall]:
        """The calls in the order of their start; a missing id is made from name and position."""
        wanted = [call for call in self._calls if call.name and call.id not in self._elsewhere]
        return [
            tool_call(call.id or f"{call.name}-{place}", call.name, "".join(call.pieces))
            for place, call in enumerate(wanted)
        ]
