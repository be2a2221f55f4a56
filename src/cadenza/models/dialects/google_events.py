"""Events of Gemini, in camelCase or, from some proxies, in the snake_case of its protocol buffers.

Calls and the end are held back until the stream is over: the signature of a call may follow it, and so may the token
count, which comes with every event and is correct only in the last.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

import msgspec

from ...errors import ErrorKind, ProviderError, Sentence
from ...types import Chunk, Failed, Finished, Opaque, TextDelta, ThoughtDelta, ToolCall, Usage
from ..error_kind import failure, reported
from ..error_message import known_as
from .call_arguments import as_json_text, tool_call
from .dialect import EventReader

# --- shapes: the fields that are read, under both names ----------------------------------


class _Call(msgspec.Struct, gc=False):
    name: str | None = None
    id: str | None = None
    args: dict[str, Any] | None = None
    will_continue: bool | None = None
    willContinue: bool | None = None  # noqa: N815  # the API's name


class _Code(msgspec.Struct, gc=False):
    language: str | None = None
    code: str | None = None


class _CodeResult(msgspec.Struct, gc=False):
    output: str | None = None


class _Part(msgspec.Struct, gc=False):
    text: str | None = None
    thought: bool | None = None
    functionCall: _Call | None = None  # noqa: N815
    function_call: _Call | None = None
    thoughtSignature: str | None = None  # noqa: N815
    thought_signature: str | None = None
    executableCode: _Code | None = None  # noqa: N815
    executable_code: _Code | None = None
    codeExecutionResult: _CodeResult | None = None  # noqa: N815
    code_execution_result: _CodeResult | None = None


class _Content(msgspec.Struct, gc=False):
    parts: list[_Part] | None = None


class _Candidate(msgspec.Struct, gc=False):
    content: _Content | None = None
    finishReason: str | None = None  # noqa: N815
    finish_reason: str | None = None
    finishMessage: str | None = None  # noqa: N815
    finish_message: str | None = None


class _Feedback(msgspec.Struct, gc=False):
    blockReason: str | None = None  # noqa: N815
    block_reason: str | None = None
    blockReasonMessage: str | None = None  # noqa: N815
    block_reason_message: str | None = None


class _Tokens(msgspec.Struct, gc=False):
    """Token counts so far; the names of the fields vary, their order does not."""

    prompt: int | None = msgspec.field(default=None, name="promptTokenCount")
    tool_results: int | None = msgspec.field(default=None, name="toolUsePromptTokenCount")
    answer: int | None = msgspec.field(default=None, name="candidatesTokenCount")
    thoughts: int | None = msgspec.field(default=None, name="thoughtsTokenCount")
    cached: int | None = msgspec.field(default=None, name="cachedContentTokenCount")


class _TokensByProtocol(msgspec.Struct, gc=False):
    prompt: int | None = msgspec.field(default=None, name="prompt_token_count")
    tool_results: int | None = msgspec.field(default=None, name="tool_use_prompt_token_count")
    answer: int | None = msgspec.field(default=None, name="candidates_token_count")
    thoughts: int | None = msgspec.field(default=None, name="thoughts_token_count")
    cached: int | None = msgspec.field(default=None, name="cached_content_token_count")


class _Answer(msgspec.Struct, gc=False):
    candidates: list[_Candidate] | None = None
    usageMetadata: _Tokens | None = None  # noqa: N815
    usage_metadata: _TokensByProtocol | None = None
    promptFeedback: _Feedback | None = None  # noqa: N815
    prompt_feedback: _Feedback | None = None
    error: Any = None


Shape: TypeAlias = _Answer | list[_Answer]
_SHAPE: msgspec.json.Decoder[Shape] = msgspec.json.Decoder(Shape)

# --- finish reasons ------------------------------------------------------------------------

_ENDS: Mapping[str, str] = MappingProxyType(
    {
        "STOP": "stop",
        "MAX_TOKENS": "length",
        "CONTINUATION": "length",
        **dict.fromkeys(("NO_IMAGE", "IMAGE_OTHER"), "stop"),  # there are no pictures here, and the text is complete
    }
)
_BLOCKS = frozenset(
    {
        *("SAFETY", "RECITATION", "LANGUAGE", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"),
        *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
    }
)
_MISHAPS: Mapping[str, str] = MappingProxyType(
    {
        "MALFORMED_FUNCTION_CALL": "{vendor} called a tool in an unreadable way; try again",
        "UNEXPECTED_TOOL_CALL": "{vendor} called a tool that it was not given; try again",
        "TOO_MANY_TOOL_CALLS": "{vendor} called one tool after the other without end; try again",
        "MALFORMED_RESPONSE": "{vendor} began an answer that cannot be read; try again",
    }
)
"""Failures that happen by chance: the same request may succeed."""


class GoogleDecoder(EventReader[Shape]):
    """Decodes the events of one answer. *owner* names the API that the signatures belong to.

    A call without an id gets one from its name and number; *first* is the number of earlier calls in the conversation.
    """

    def __init__(self, vendor: str, *, owner: str, first: int = 0) -> None:
        super().__init__(_SHAPE, vendor)
        self._owner = owner
        self._number = first
        self._calls: list[tuple[_Call, dict[str, object]]] = []
        self._signatures: list[str] = []
        self._tokens: _Tokens | _TokensByProtocol | None = None
        self._reason = ""

    @property
    def is_ending(self) -> bool:
        """Whether the finish reason has arrived."""
        return bool(self._reason)

    def knows(self, value: Shape) -> bool:
        """Whether *value* has any field of Google's."""
        return isinstance(value, list) or value != _Answer()

    def read(self, value: Shape) -> Sequence[Chunk]:
        """The chunks of *value*: a response, or a list of them."""
        if isinstance(value, list):
            return [chunk for answer in value for chunk in self._read_answer(answer)]
        return self._read_answer(value)

    def rest(self) -> Sequence[Chunk]:
        """The calls, the token count and the end."""
        calls, reason = self._finished_calls(), self._reason
        self._reason = ""
        if not reason:  # the stream broke off
            return [*calls, *self._usage()]
        return [*calls, *self._usage(), Finished("tool_calls" if calls and reason == "stop" else reason)]

    def _read_answer(self, answer: _Answer) -> Sequence[Chunk]:
        self._tokens = answer.usageMetadata or answer.usage_metadata or self._tokens
        if not answer.candidates:
            return self._without_candidate(answer)
        candidate = answer.candidates[0]
        chunks: list[Chunk] = []
        if candidate.content is not None:
            for part in candidate.content.parts or ():
                self._read_part(part, chunks)
        reason = candidate.finishReason or candidate.finish_reason
        if reason:
            chunks += self._ended(reason, candidate.finishMessage or candidate.finish_message or "")
        return chunks if answer.error is None else [*chunks, *self._failed(self._reported(answer.error))]

    def _without_candidate(self, answer: _Answer) -> Sequence[Chunk]:
        """An event without a candidate: an error, a blocked prompt, or only a token count."""
        if answer.error is not None:
            return self._failed(self._reported(answer.error))
        feedback = answer.promptFeedback or answer.prompt_feedback
        reason = feedback and (feedback.blockReason or feedback.block_reason)
        if not feedback or not reason or reason.endswith("_UNSPECIFIED"):
            return ()
        said = feedback.blockReasonMessage or feedback.block_reason_message
        return self._failed(self._blocked(reason, said or "the prompt was blocked"))

    def _read_part(self, part: _Part, chunks: list[Chunk]) -> None:
        signature = part.thoughtSignature or part.thought_signature
        call = part.functionCall or part.function_call
        if call is not None:
            self._hold(call, signature)
            return
        if signature:
            self._signatures.append(signature)
        if part.text:
            chunks.append(ThoughtDelta(part.text) if part.thought else TextDelta(part.text))
        elif code := part.executableCode or part.executable_code:
            chunks.append(ThoughtDelta(_fenced(code.code or "", (code.language or "").lower())))
        elif result := part.codeExecutionResult or part.code_execution_result:
            chunks.append(ThoughtDelta(_fenced(result.output or "")))

    def _ended(self, reason: str, said: str) -> Sequence[Chunk]:
        """The chunks of a finish reason: none yet, or an error."""
        if reason in _ENDS:
            self._reason = _ENDS[reason]
        elif not reason.endswith("_UNSPECIFIED"):
            return self._failed(self._unfinished(reason, said or "the answer was broken off"))
        return ()

    # --- calls ---

    def _hold(self, call: _Call, signature: str | None) -> None:
        """Keep *call* with its signature and the signatures before it."""
        if not call.name:
            return
        signed = {"signature": signature, "before": self._signatures, "id": bool(call.id)}
        self._calls.append((call, {name: value for name, value in signed.items() if value}))
        self._signatures = []

    def _finished_calls(self) -> list[ToolCall]:
        if self._calls and self._signatures:
            self._calls[-1][1]["after"] = self._signatures
        calls = [self._finished_call(call, state) for call, state in self._calls]
        self._calls, self._signatures = [], []
        return calls

    def _finished_call(self, call: _Call, state: Mapping[str, object]) -> ToolCall:
        name = call.name or ""
        identity = call.id or f"{name}-{self._number}"
        self._number += 1
        is_whole = not (call.willContinue or call.will_continue)  # calls in pieces are not joined
        arguments = as_json_text(call.args or {}, is_compact=True) if is_whole else "{"
        opaque = Opaque(self._owner, json.dumps(state, separators=(",", ":"))) if state else None
        return tool_call(identity, name, arguments, opaque)

    # --- ends ---

    def _usage(self) -> Sequence[Chunk]:
        tokens, self._tokens = self._tokens, None
        if tokens is None:
            return ()
        thoughts = tokens.thoughts or 0
        read = (tokens.prompt or 0) + (tokens.tool_results or 0)
        return (Usage(read, (tokens.answer or 0) + thoughts, tokens.cached or 0, thoughts),)

    def _failed(self, error: ProviderError) -> Sequence[Chunk]:
        """The error, after what was held: text before it counts."""
        self._reason = ""
        return [*self._finished_calls(), *self._usage(), Failed(error)]

    def _reported(self, error: object) -> ProviderError:
        return reported({"error": error}, vendor=self._vendor)

    def _blocked(self, reason: str, said: str) -> ProviderError:
        return failure(said, vendor=self._vendor, kind=ErrorKind.CONTENT_BLOCKED, code=reason)

    def _unfinished(self, reason: str, said: str) -> ProviderError:
        if reason in _BLOCKS:
            return self._blocked(reason, said)
        if reason in _MISHAPS:
            words = Sentence(_MISHAPS[reason], vendor=known_as(self._vendor))
            return ProviderError(words, kind=ErrorKind.API, code=reason, retryable=True, detail=said)
        return failure(said, vendor=self._vendor, kind=ErrorKind.UNKNOWN, code=reason)


def _fenced(text: str, language: str = "") -> str:
    """Code that ran on Google's side, or its output, as a thought."""
    return f"```{language}\n{text.rstrip()}\n```\n"
