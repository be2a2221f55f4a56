"""Events of other clients that are identified by their ``type``: anthropic, openai's Responses API, cohere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..types import Usage
from .chunk_builder import VENDOR, ChunkBuilder
from .error_kind import reported
from .sdk_answers import Reader, count, of, read_completion
from .shown_files import generated

# --- helpers of clients -------------------------------------------------------------------------


def _read_chunk_event(item: Any, heard: ChunkBuilder) -> None:
    """An event of openai's stream helper, which wraps a chunk."""
    read_completion(of(item, "chunk"), heard)


def _read_content_delta(item: Any, heard: ChunkBuilder) -> None:
    heard.text(of(item, "delta"))


# --- anthropic --------------------------------------------------------------------------------


def _read_message_start(item: Any, heard: ChunkBuilder) -> None:
    usage = of(of(item, "message"), "usage")
    if usage:
        cached = count(usage, "cache_read_input_tokens")
        written = count(usage, "cache_creation_input_tokens")
        heard.usage(Usage(count(usage, "input_tokens") + cached + written, count(usage, "output_tokens"), cached))


def _read_block_start(item: Any, heard: ChunkBuilder) -> None:
    block, index = of(item, "content_block"), of(item, "index")
    match of(block, "type"):
        case "text":
            heard.text(of(block, "text"))
        case "thinking":
            heard.thought(of(block, "thinking"))
        case "tool_use":
            given = of(block, "input")
            heard.call(index, identity=of(block, "id"), name=of(block, "name"), arguments=given or None)
        case _:
            pass


def _read_block_delta(item: Any, heard: ChunkBuilder) -> None:
    delta, index = of(item, "delta"), of(item, "index")
    match of(delta, "type"):
        case "text_delta":
            heard.text(of(delta, "text"))
        case "thinking_delta":
            heard.thought(of(delta, "thinking"))
        case "input_json_delta" if heard.is_open(index):  # otherwise a server-side tool
            heard.call(index, arguments=of(delta, "partial_json"))
        case _:
            pass


def _read_block_stop(item: Any, heard: ChunkBuilder) -> None:
    """The whole block, as anthropic's helper sends it: used if its start was missed."""
    block, index = of(item, "content_block"), of(item, "index")
    if of(block, "type") == "tool_use" and not heard.is_open(index):
        heard.call(index, identity=of(block, "id"), name=of(block, "name"), arguments=of(block, "input"))


def _read_message_delta(item: Any, heard: ChunkBuilder) -> None:
    heard.finish(of(of(item, "delta"), "stop_reason"))
    heard.output_tokens(count(of(item, "usage"), "output_tokens"))


def _read_whole_message(item: Any, heard: ChunkBuilder) -> None:
    """A response that was not streamed."""
    for index, block in enumerate(of(item, "content") or ()):
        _read_block_start({"content_block": block, "index": index}, heard)
    _read_message_start({"message": item}, heard)
    heard.finish(of(item, "stop_reason"))


def _read_error(item: Any, heard: ChunkBuilder) -> None:
    error = of(item, "error")
    told = error if error is not None else {"code": of(item, "code"), "message": of(item, "message")}
    heard.fail(reported({"error": _plain(told)}, vendor=VENDOR))


def _plain(error: Any) -> object:
    """The fields of an error as a dictionary."""
    if isinstance(error, dict | str):
        return error
    return {name: value for name in ("type", "code", "message", "status") if (value := of(error, name)) is not None}


# --- openai's responses -------------------------------------------------------------------------


def _read_output_item(item: Any, heard: ChunkBuilder) -> None:
    """A new output item, or a finished one."""
    found, index = of(item, "item"), of(item, "output_index")
    if of(found, "type") == "image_generation_call":  # its result is there when it is done
        mime = f"image/{of(found, 'output_format') or 'png'}"
        heard.file(generated(of(found, "result"), mime, of(found, "revised_prompt")))
    if of(found, "type") == "function_call":
        given = None if heard.has_arguments(index) else of(found, "arguments")
        heard.call(index, identity=of(found, "call_id"), name=of(found, "name"), arguments=given or None)


def _read_arguments(item: Any, heard: ChunkBuilder) -> None:
    index = of(item, "output_index")
    if heard.is_open(index):
        heard.call(index, arguments=of(item, "delta"))


def _read_thought_delta(item: Any, heard: ChunkBuilder) -> None:
    heard.thought(of(item, "delta"))


def _read_thought_part(item: Any, heard: ChunkBuilder) -> None:
    if of(item, "summary_index"):
        heard.thought("\n\n")


def _read_response(item: Any, heard: ChunkBuilder) -> None:
    """The end of a response, with its usage."""
    response = of(item, "response")
    usage = of(response, "usage")
    if usage:
        read, written = of(usage, "input_tokens_details"), of(usage, "output_tokens_details")
        heard.usage(
            Usage(
                count(usage, "input_tokens"),
                count(usage, "output_tokens"),
                count(read, "cached_tokens"),
                count(written, "reasoning_tokens"),
            )
        )
    error = of(response, "error")
    if error:
        heard.fail(reported({"error": _plain(error)}, vendor=VENDOR))
    else:
        heard.finish(of(of(response, "incomplete_details"), "reason") or "stop")


def read_whole_response(response: Any, heard: ChunkBuilder) -> None:
    """A response that was not streamed."""
    for index, item in enumerate(of(response, "output") or ()):
        for part in of(item, "summary") or ():
            heard.thought(of(part, "text"))
        for part in of(item, "content") or ():
            heard.text(of(part, "text") or of(part, "refusal"))
        _read_output_item({"item": item, "output_index": index}, heard)
    _read_response({"response": response}, heard)


# --- cohere -----------------------------------------------------------------------------------------


def _read_cohere_text(item: Any, heard: ChunkBuilder) -> None:
    content = of(of(of(item, "delta"), "message"), "content")
    heard.text(of(content, "text"))
    heard.thought(of(content, "thinking"))


def _read_cohere_call(item: Any, heard: ChunkBuilder) -> None:
    call = of(of(of(item, "delta"), "message"), "tool_calls")
    function = of(call, "function")
    heard.call(
        of(item, "index"), identity=of(call, "id"), name=of(function, "name"), arguments=of(function, "arguments")
    )


def _read_cohere_end(item: Any, heard: ChunkBuilder) -> None:
    delta = of(item, "delta")
    heard.finish(of(delta, "finish_reason"))
    tokens = of(of(delta, "usage"), "tokens")
    if tokens:
        read, written = (of(tokens, name) or 0 for name in ("input_tokens", "output_tokens"))
        heard.usage(Usage(int(read), int(written)))


def _pass_over(item: Any, heard: ChunkBuilder) -> None:
    """Ignore the item."""


TYPED: Mapping[str, Reader] = {
    "message": _read_whole_message,
    "message_start": _read_message_start,
    "content_block_start": _read_block_start,
    "content_block_delta": _read_block_delta,
    "content_block_stop": _read_block_stop,
    "message_delta": _read_message_delta,
    "message_stop": _pass_over,
    "ping": _pass_over,
    "error": _read_error,
    "text": lambda item, heard: heard.text(of(item, "text")),
    "thinking": lambda item, heard: heard.thought(of(item, "thinking")),
    "input_json": _pass_over,
    "signature": _pass_over,
    "citation": _pass_over,
    "chunk": _read_chunk_event,
    "content.delta": _read_content_delta,
    "response.output_text.delta": _read_content_delta,
    "response.refusal.delta": _read_content_delta,
    "response.reasoning_summary_text.delta": _read_thought_delta,
    "response.reasoning_text.delta": _read_thought_delta,
    "response.reasoning_summary_part.added": _read_thought_part,
    "response.output_item.added": _read_output_item,
    "response.output_item.done": _read_output_item,
    "response.function_call_arguments.delta": _read_arguments,
    "response.completed": _read_response,
    "response.incomplete": _read_response,
    "response.failed": _read_response,
    "message-start": _pass_over,
    "content-start": _read_cohere_text,
    "content-delta": _read_cohere_text,
    "tool-call-start": _read_cohere_call,
    "tool-call-delta": _read_cohere_call,
    "message-end": _read_cohere_end,
}
"""Readers by event type: those of anthropic, of openai's Responses API and helpers, and of cohere."""

RAW = frozenset({"content_block_delta", "chunk"})
TOLD_AGAIN = frozenset({"text", "thinking", "content.delta"})
"""Events of a helper that repeat a raw event in a simpler form."""

MESSAGES = frozenset({"AIMessageChunk", "ai", "tool", "human", "system", "HumanMessageChunk", "ToolMessageChunk"})
