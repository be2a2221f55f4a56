"""What the clients of providers yield, as dictionaries with their own field names, and what it comes to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import TypeAdapter

from cadenza.models.sdk_items import Shapes
from cadenza.types import Chunk, Finished, TextDelta, ThoughtDelta, ToolCall, Usage
from tests.models.recorded import joined


def read(items: Iterable[object]) -> list[Chunk]:
    shapes = Shapes()
    chunks = [chunk for item in items for chunk in shapes.feed(item)]
    return joined([*chunks, *shapes.flush()])


def parsed(kind: Any) -> Callable[[dict[str, Any]], object]:
    """What reads a *kind*; it is made where it is first needed, for it takes a while and stands in tables of cases."""

    @cache
    def adapter() -> TypeAdapter[object]:
        return TypeAdapter(kind)

    return lambda value: adapter().validate_python(value)


def plain(value: dict[str, Any]) -> object:
    return value


def attributes(value: Any) -> Any:
    """*value* as an object of no particular type."""
    if isinstance(value, dict):
        return SimpleNamespace(**{name: attributes(inner) for name, inner in value.items()})
    return [attributes(inner) for inner in value] if isinstance(value, list) else value


# --- chat completions -------------------------------------------------------------------------


def completion(delta: dict[str, Any] | None = None, finish: str | None = None, **fields: Any) -> dict[str, Any]:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}]
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5.1"}
    return {**head, "choices": choices, **fields}


def piece(index: int | None, arguments: str, name: str | None = None, identity: str | None = None) -> dict[str, Any]:
    function = {"arguments": arguments, **({"name": name} if name else {})}
    begins = {"id": identity, "type": "function"} if identity else {}
    return {"index": index, **begins, "function": function}


USAGE = {
    "prompt_tokens": 20,
    "completion_tokens": 9,
    "total_tokens": 29,
    "prompt_tokens_details": {"cached_tokens": 8},
    "completion_tokens_details": {"reasoning_tokens": 4},
}

COMPLETIONS = [
    pytest.param(
        [
            completion({"role": "assistant", "content": "", "refusal": None}),
            completion({"content": "Hi 😀 "}),
            completion({"content": "日本"}),
            completion({}, "stop"),
            completion(usage=USAGE),
        ],
        [TextDelta("Hi 😀 日本"), Usage(20, 9, 8, 4), Finished("stop")],
        id="text and usage",
    ),
    pytest.param(
        [
            completion({"role": "assistant", "reasoning_content": "They "}),
            completion({"reasoning_content": "greet."}),
            completion({"content": "Hi"}, "length"),
        ],
        [ThoughtDelta("They greet."), TextDelta("Hi"), Finished("length")],
        id="thoughts",
    ),
    pytest.param(
        [
            completion({"content": "Let me look."}),
            completion({"tool_calls": [piece(0, "", "weather", "call_a"), piece(1, "", "time", "call_b")]}),
            completion({"tool_calls": [piece(1, '{"zone": ')]}),
            completion({"tool_calls": [piece(0, '{"city"')]}),
            completion({"tool_calls": [piece(0, ': "Oslo"}'), piece(1, '"CET"}')]}),
            completion({}, "tool_calls"),
            completion(usage=USAGE),
        ],
        [
            TextDelta("Let me look."),
            Usage(20, 9, 8, 4),
            ToolCall("call_a", "weather", '{"city": "Oslo"}'),
            ToolCall("call_b", "time", '{"zone": "CET"}'),
            Finished("tool_calls"),
        ],
        id="two calls at once",
    ),
    pytest.param(
        [
            completion({"tool_calls": [piece(0, "{}", "a", "1")]}),
            completion({"tool_calls": [piece(0, '{"x": 1}', "a", "2")]}, "stop"),
        ],
        [ToolCall("1", "a", "{}"), ToolCall("2", "a", '{"x": 1}'), Finished("tool_calls")],
        id="calls that share an index, ended with stop",
    ),
    pytest.param(
        [completion({"tool_calls": [piece(0, '{"city": "Os', "weather", "call_a")]}, "length")],
        [ToolCall("call_a", "weather", "{}", is_truncated=True), Finished("length")],
        id="a call that was cut off",
    ),
    pytest.param(
        [completion({"tool_calls": [piece(0, '{"a": 1}', "weather")]}, "tool_calls")],
        [ToolCall("weather-0", "weather", '{"a": 1}'), Finished("tool_calls")],
        id="a call without an id",
    ),
    pytest.param(
        [
            completion({"function_call": {"name": "old", "arguments": ""}}),
            completion({"function_call": {"arguments": "{}"}}, "function_call"),
        ],
        [ToolCall("old-0", "old", "{}"), Finished("tool_calls")],
        id="the old kind of call",
    ),
    pytest.param(
        [completion({"refusal": "I cannot "}), completion({"refusal": "do that."}, "stop")],
        [TextDelta("I cannot do that."), Finished("stop")],
        id="a refusal is said",
    ),
    pytest.param(
        [{**completion(), "choices": [{"index": n, "delta": {"content": text}}]} for n, text in enumerate("ab")],
        [TextDelta("a"), Finished("end_of_stream")],
        id="the first of several answers",
    ),
    pytest.param([completion()], [Finished("end_of_stream")], id="nothing in it"),
]


# --- anthropic ----------------------------------------------------------------------------------


def start(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, kind: str, **fields: str) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


MESSAGE = {
    "type": "message_start",
    "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": [], "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "cache_creation_input_tokens": 3, "cache_read_input_tokens": 5, "output_tokens": 1},
    },
}  # fmt: skip


def closing(reason: str, tokens: int = 12) -> list[dict[str, Any]]:
    ended = {"stop_reason": reason, "stop_sequence": None}
    return [{"type": "message_delta", "delta": ended, "usage": {"output_tokens": tokens}}, {"type": "message_stop"}]


CLAUDE = [
    MESSAGE,
    start(0, type="thinking", thinking="", signature=""),
    delta(0, "thinking_delta", thinking="They want "),
    delta(0, "thinking_delta", thinking="weather."),
    delta(0, "signature_delta", signature="c2ln"),
    stop(0),
    start(1, type="text", text="", citations=None),
    delta(1, "text_delta", text="Let me 😀 "),
    delta(1, "text_delta", text="look."),
    stop(1),
    start(2, type="tool_use", id="toolu_1", name="weather", input={}),
    delta(2, "input_json_delta", partial_json=""),
    delta(2, "input_json_delta", partial_json='{"city":'),
    delta(2, "input_json_delta", partial_json=' "Oslo"}'),
    stop(2),
    start(3, type="tool_use", id="toolu_2", name="now", input={}),
    stop(3),
    *closing("tool_use"),
]
CLAUDE_SAID = [
    Usage(18, 1, 5),
    ThoughtDelta("They want weather."),
    TextDelta("Let me 😀 look."),
    Usage(18, 12, 5),
    ToolCall("toolu_1", "weather", '{"city": "Oslo"}'),
    ToolCall("toolu_2", "now", "{}"),
    Finished("tool_calls"),
]


# --- openai's responses ---------------------------------------------------------------------------


def event(kind: str, number: int, **fields: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", "sequence_number": number, **fields}


def whole(status: str, **fields: Any) -> dict[str, Any]:
    usage = {
        "input_tokens": 20, "input_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 0}, "output_tokens": 9,
        "output_tokens_details": {"reasoning_tokens": 4}, "total_tokens": 29,
    }  # fmt: skip
    return {
        "id": "resp_1", "object": "response", "created_at": 1, "status": status, "model": "gpt-5.1", "output": [],
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None, "incomplete_details": None,
        "instructions": None, "metadata": {}, "temperature": 1.0, "top_p": 1.0, "usage": usage, **fields,
    }  # fmt: skip


def called(arguments: str, status: str) -> dict[str, Any]:
    return {
        "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "weather", "arguments": arguments,
        "status": status,
    }  # fmt: skip


AT = {"item_id": "msg_1", "output_index": 1, "content_index": 0}
THINKING = {"item_id": "rs_1", "output_index": 0}
CALL = {"item_id": "fc_1", "output_index": 2}
RESPONSE = [
    event("created", 0, response=whole("in_progress", usage=None)),
    event("in_progress", 1, response=whole("in_progress", usage=None)),
    event("output_item.added", 2, output_index=0, item={"type": "reasoning", "id": "rs_1", "summary": []}),
    event("reasoning_summary_text.delta", 3, **THINKING, summary_index=0, delta="Weather?"),
    event("reasoning_summary_part.added", 4, **THINKING, summary_index=1, part={"type": "summary_text", "text": ""}),
    event("reasoning_summary_text.delta", 5, **THINKING, summary_index=1, delta="Ask."),
    event("reasoning_summary_text.done", 6, **THINKING, summary_index=1, text="Ask."),
    event("output_text.delta", 7, **AT, delta="Let me ", logprobs=[]),
    event("output_text.delta", 8, **AT, delta="look 😀", logprobs=[]),
    event("output_text.done", 9, **AT, text="Let me look 😀", logprobs=[]),
    event("output_item.added", 10, output_index=2, item=called("", "in_progress")),
    event("function_call_arguments.delta", 11, **CALL, delta='{"city":'),
    event("function_call_arguments.delta", 12, **CALL, delta='"Oslo"}'),
    event("function_call_arguments.done", 13, **CALL, name="weather", arguments='{"city":"Oslo"}'),
    event("output_item.done", 14, output_index=2, item=called('{"city":"Oslo"}', "completed")),
    event("completed", 15, response=whole("completed")),
]


# --- google -------------------------------------------------------------------------------------------


def candidate(*parts: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    ended = {"finishReason": finish} if finish else {}
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "index": 0, **ended}]}


COUNTED = {
    "usageMetadata": {
        "promptTokenCount": 20, "candidatesTokenCount": 5, "thoughtsTokenCount": 4, "cachedContentTokenCount": 8,
        "totalTokenCount": 29,
    },
}  # fmt: skip
