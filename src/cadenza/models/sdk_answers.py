"""Read the items of other clients: where text, calls and counts are in their objects.

No client is imported. A reader looks at a few fields of an item, an object or an equal dictionary, and passes what it
finds to ``ChunkBuilder``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from ..types import Usage
from .chunk_builder import VENDOR, ChunkBuilder
from .error_kind import reported
from .shown_files import generated

_NO_FIELDS: Mapping[str, object] = MappingProxyType({})

Reader: TypeAlias = Callable[[Any, ChunkBuilder], None]
"""Passes what it finds in an item to ``ChunkBuilder``."""


def of(item: Any, name: str) -> Any:
    """The field *name* of an object or a dictionary; ``None`` if there is none."""
    if isinstance(item, dict):
        return item.get(name)
    fields = getattr(item, "__dict__", _NO_FIELDS)  # missing for objects with slots, numbers and the like
    if name in fields:
        return fields[name]
    # Most clients use pydantic models, whose lookup of missing attributes is slow.
    more = getattr(item, "__pydantic_extra__", item) if fields else item
    if more is not item:
        return more.get(name) if more else None
    return getattr(item, name, None)


def either(item: Any, snake: str, camel: str) -> Any:
    """The field *snake*, which in a dictionary may be called *camel*."""
    found = of(item, snake)
    return of(item, camel) if found is None else found


def count(item: Any, *names: str) -> int:
    """The first of the fields *names* that holds a number."""
    return next((value for name in names if isinstance(value := of(item, name), int)), 0)


# --- chat completions: openai, litellm, mistral, Hugging Face and many more -------------------


def read_completion(item: Any, heard: ChunkBuilder) -> None:
    """A chunk of a chat completion."""
    for choice in of(item, "choices"):
        if of(choice, "index"):
            continue  # an alternative answer
        delta = of(choice, "delta")
        _read_delta(of(choice, "message") if delta is None else delta, heard)
        heard.finish(of(choice, "finish_reason"))
    usage = of(item, "usage")
    if usage:
        heard.usage(_completion_usage(usage))
    error = of(item, "error")
    if error:
        heard.fail(reported({"error": error}, vendor=VENDOR))


def _read_delta(delta: Any, heard: ChunkBuilder) -> None:
    thought = of(delta, "reasoning_content") or of(delta, "reasoning")
    if thought:
        heard.thought(thought)
    content = of(delta, "content")
    if content:
        read_content(content, heard)
    heard.text(of(delta, "refusal"))
    for place, call in enumerate(of(delta, "tool_calls") or ()):
        index, function = of(call, "index"), of(call, "function")
        key = place if index is None else index
        heard.call(key, identity=of(call, "id"), name=of(function, "name"), arguments=of(function, "arguments"))
    function = of(delta, "function_call")
    if function:
        heard.call("function_call", name=of(function, "name"), arguments=of(function, "arguments"))


def read_content(content: Any, heard: ChunkBuilder) -> None:
    """Text, or a list of blocks, some of which may be thoughts."""
    if isinstance(content, str):
        heard.text(content)
        return
    for block in content if isinstance(content, Sequence) else ():
        if isinstance(block, str):
            heard.text(block)
        elif of(block, "type") in ("thinking", "reasoning"):
            _read_thinking(block, heard)
        elif of(block, "type") in ("text", "text_delta"):
            heard.text(of(block, "text"))


def _read_thinking(block: Any, heard: ChunkBuilder) -> None:
    """A thought under one of its field names; a summary has several parts."""
    found = of(block, "thinking") or of(block, "reasoning") or of(block, "text") or of(block, "summary") or ()
    for part in (found,) if isinstance(found, str) else found:
        heard.thought(part if isinstance(part, str) else of(part, "text"))


def _completion_usage(usage: Any) -> Usage:
    read, written = of(usage, "prompt_tokens_details"), of(usage, "completion_tokens_details")
    return Usage(
        count(usage, "prompt_tokens", "input_tokens"),
        count(usage, "completion_tokens", "output_tokens"),
        count(read, "cached_tokens") or count(usage, "prompt_cache_hit_tokens"),
        count(written, "reasoning_tokens"),
    )


def read_wrapped(item: Any, heard: ChunkBuilder) -> None:
    """An event of Mistral's client, which wraps a chunk."""
    read_completion(of(item, "data"), heard)


# --- google-genai --------------------------------------------------------------------------------------

GEMINI = ("candidates", "prompt_feedback", "promptFeedback", "usage_metadata", "usageMetadata")
"""Any of these fields identifies an item of Gemini's."""


def read_gemini(item: Any, heard: ChunkBuilder) -> None:
    """A chunk of a Gemini answer."""
    blocked = either(either(item, "prompt_feedback", "promptFeedback"), "block_reason", "blockReason")
    for candidate in (of(item, "candidates") or ())[:1]:
        for part in of(of(candidate, "content"), "parts") or ():
            _read_part(part, heard)
        heard.finish(either(candidate, "finish_reason", "finishReason"))
    usage = either(item, "usage_metadata", "usageMetadata")
    if usage:
        heard.usage(_gemini_usage(usage))
    if blocked:
        heard.finish("safety")


def _read_part(part: Any, heard: ChunkBuilder) -> None:
    call = either(part, "function_call", "functionCall")
    if call:
        heard.call(object(), identity=of(call, "id"), name=of(call, "name"), arguments=of(call, "args") or {})
    elif of(part, "thought"):
        heard.thought(of(part, "text"))
    else:
        heard.text(of(part, "text"))
        inline = either(part, "inline_data", "inlineData")
        if inline:
            heard.file(generated(of(inline, "data"), either(inline, "mime_type", "mimeType") or "image/png"))


def _gemini_usage(usage: Any) -> Usage:
    thoughts = count(usage, "thoughts_token_count", "thoughtsTokenCount")
    tools = count(usage, "tool_use_prompt_token_count", "toolUsePromptTokenCount")
    return Usage(
        count(usage, "prompt_token_count", "promptTokenCount") + tools,
        count(usage, "candidates_token_count", "candidatesTokenCount") + thoughts,
        count(usage, "cached_content_token_count", "cachedContentTokenCount"),
        thoughts,
    )


# --- pydantic-ai ------------------------------------------------------------------------------------------


def read_pydantic_ai(item: Any, heard: ChunkBuilder) -> None:
    """An event of a model's stream, or of an agent's, which runs its tools itself."""
    match of(item, "event_kind"):
        case "part_start":
            _read_part_start(of(item, "part"), of(item, "index"), heard)
        case "part_delta":
            _read_part_delta(of(item, "delta"), of(item, "index"), heard)
        case "final_result":
            identity = of(item, "tool_call_id")
            if identity:  # the final result came as a call
                heard.run_elsewhere(identity)
        case "function_tool_call" | "output_tool_call":
            heard.run_elsewhere(of(of(item, "part"), "tool_call_id"))
        case "function_tool_result":
            heard.next_response()
        case "agent_run_result":
            _read_run_usage(of(of(item, "result"), "usage"), heard)
        case _:
            pass


def _read_part_start(part: Any, index: Any, heard: ChunkBuilder) -> None:
    match of(part, "part_kind"):
        case "text":
            heard.text(of(part, "content"))
        case "thinking":
            heard.thought(of(part, "content"))
        case "tool-call":
            identity = of(part, "tool_call_id")
            heard.call(index, identity=identity, name=of(part, "tool_name"), arguments=of(part, "args"))
        case _:
            pass


def _read_part_delta(delta: Any, index: Any, heard: ChunkBuilder) -> None:
    match of(delta, "part_delta_kind"):
        case "text":
            heard.text(of(delta, "content_delta"))
        case "thinking":
            heard.thought(of(delta, "content_delta"))
        case "tool_call" if heard.is_open(index):
            heard.call(index, name=of(delta, "tool_name_delta"), arguments=of(delta, "args_delta"))
        case _:
            pass


def _read_run_usage(usage: Any, heard: ChunkBuilder) -> None:
    """The usage of all rounds of a run."""
    counted = usage() if callable(usage) and of(usage, "input_tokens") is None else usage  # a method in older versions
    if counted is not None:
        read, written = count(counted, "input_tokens"), count(counted, "output_tokens")
        heard.total_usage(Usage(read, written, count(counted, "cache_read_tokens")))


# --- LangChain -----------------------------------------------------------------------------------------------


def read_langchain(message: Any, heard: ChunkBuilder) -> None:
    """A model's message, or a chunk of one."""
    heard.thought(of(of(message, "additional_kwargs"), "reasoning_content"))
    read_content(of(message, "content"), heard)
    pieces = of(message, "tool_call_chunks")
    for place, piece in enumerate(pieces or ()):
        index = of(piece, "index")
        key = place if index is None else index
        heard.call(key, identity=of(piece, "id"), name=of(piece, "name"), arguments=of(piece, "args"))
    for call in () if pieces else of(message, "tool_calls") or ():
        heard.call(object(), identity=of(call, "id"), name=of(call, "name"), arguments=of(call, "args") or {})
    usage = of(message, "usage_metadata")
    if usage:
        read, written = of(usage, "input_token_details"), of(usage, "output_token_details")
        heard.more_usage(
            Usage(
                count(usage, "input_tokens"),
                count(usage, "output_tokens"),
                count(read, "cache_read"),
                count(written, "reasoning"),
            )
        )
    about = of(message, "response_metadata") or {}
    for name in ("finish_reason", "stop_reason", "done_reason"):
        heard.finish(of(about, name))


# --- ollama, and text generation ---------------------------------------------------------------------------------


def read_ollama(item: Any, heard: ChunkBuilder) -> None:
    """A chunk of an Ollama answer, from chat or generate."""
    message = of(item, "message")
    source = item if message is None else message
    heard.thought(of(source, "thinking"))
    heard.text(of(item, "response") if message is None else of(message, "content"))
    for call in of(source, "tool_calls") or ():
        function = of(call, "function")
        heard.call(object(), name=of(function, "name"), arguments=of(function, "arguments") or {})
    if of(item, "done"):
        heard.finish(of(item, "done_reason") or "stop")
        heard.usage(Usage(count(item, "prompt_eval_count"), count(item, "eval_count")))


def read_generated(item: Any, heard: ChunkBuilder) -> None:
    """A token of Hugging Face's text generation."""
    token = of(item, "token")
    if not of(token, "special"):
        heard.text(of(token, "text"))
    heard.finish(of(of(item, "details"), "finish_reason"))
