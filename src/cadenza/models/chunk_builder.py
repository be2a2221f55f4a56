"""What has been heard of an answer so far, whoever's objects it came in: chunks come out, and calls are put together."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace

from ..errors import CadenzaError, ErrorKind
from ..types import Chunk, Failed, Finished, TextDelta, ThoughtDelta, ToolCall, Usage
from .dialects.call_arguments import as_json_text, tool_call
from .error_kind import failure

VENDOR = "the provider"
"""How somebody else's client is called in an error: who is behind it is not known."""

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
"""What a client calls the end → what we call it; whatever is not here is ``stop``."""

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
    """A tool call in the making."""

    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)


class ChunkBuilder:
    """Takes what a reader found in an item, and keeps what is not whole yet."""

    def __init__(self) -> None:
        self.fresh: list[Chunk] = []
        """What has come out since it was last taken."""
        self._calls: list[_Call] = []
        self._open: dict[Hashable, _Call] = {}
        self._elsewhere: set[str] = set()
        self._usage = Usage()
        self._before = Usage()
        self._ending: Finished | Failed | None = None
        self._last = ""
        self._is_new = False

    # --- what is said ------------------------------------------------------------------

    def text(self, text: object) -> None:
        """Some more of what the model says."""
        if isinstance(text, str) and text:
            if self._is_new:
                self._is_new = False
                if not self._last.endswith("\n"):
                    self.fresh.append(TextDelta("\n"))
            self._last = text
            self.fresh.append(TextDelta(text))

    def thought(self, text: object) -> None:
        """Some more of what it thinks."""
        if isinstance(text, str) and text:
            self.fresh.append(ThoughtDelta(text))

    def usage(self, usage: Usage) -> None:
        """What this response has cost so far."""
        self._usage = usage
        self.fresh.append(self._before + usage)

    def more_usage(self, usage: Usage) -> None:
        """What this response has cost besides what was told before."""
        self.usage(self._usage + usage)

    def output_tokens(self, count: int) -> None:
        """How much of this response has been written so far; what was read is known."""
        if count:
            self.usage(replace(self._usage, output_tokens=count))

    def total_usage(self, usage: Usage) -> None:
        """What all responses have cost together."""
        self._before = Usage()
        self.usage(usage)

    def next_response(self) -> None:
        """Somebody ran tools and asked the model again, all in one stream: what it says now is another message."""
        self._is_new = bool(self._last)
        self._before, self._usage = self._before + self._usage, Usage()
        self._open.clear()
        self._ending = None

    # --- calls -------------------------------------------------------------------------

    def call(self, key: Hashable, *, identity: object = None, name: object = None, arguments: object = None) -> None:
        """Some of a call, or all of it. *key* tells calls apart that are written at the same time.

        A piece with another id than the call has which is written under that key begins a new one.
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
        """Whether a call is being written under *key*."""
        return key in self._open

    def has_arguments(self, key: Hashable) -> bool:
        """Whether a call is being written under *key*, and some of its arguments have come."""
        return key in self._open and bool(self._open[key].pieces)

    def run_elsewhere(self, identity: object = None) -> None:
        """The call *identity* is run by whoever made the stream, so nobody else should; without one, all calls are."""
        if isinstance(identity, str):
            self._elsewhere.add(identity)
        elif identity is None:
            self._calls.clear()
            self._open.clear()

    # --- the end -----------------------------------------------------------------------

    def finish(self, reason: object) -> None:
        """The model said why it ended; what it has cost may still follow."""
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
        """The model's side failed."""
        self._ending = Failed(error)

    def end(self) -> None:
        """Nothing more comes: calls are as whole as they will be, and the end is said."""
        calls = self._whole_calls()
        self.fresh += calls
        ending = self._ending or Finished("end_of_stream")
        if calls and ending == Finished("stop"):
            ending = Finished("tool_calls")
        self.fresh.append(ending)

    def _whole_calls(self) -> list[ToolCall]:
        """The calls in the order in which they began; one without an id is called by its name and place."""
        wanted = [call for call in self._calls if call.name and call.id not in self._elsewhere]
        return [
            tool_call(call.id or f"{call.name}-{place}", call.name, "".join(call.pieces))
            for place, call in enumerate(wanted)
        ]
