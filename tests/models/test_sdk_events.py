"""Events of other people's clients, made by those clients' own types, and the same as dictionaries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from anthropic.types import RawMessageStreamEvent
from openai.types.responses import ResponseStreamEvent

from cadenza.errors import ProviderError
from cadenza.types import Failed, Finished, TextDelta, ThoughtDelta, ToolCall, Usage
from tests.models.client_items import (
    AT,
    CLAUDE,
    CLAUDE_SAID,
    MESSAGE,
    RESPONSE,
    attributes,
    closing,
    delta,
    event,
    parsed,
    plain,
    read,
    start,
    stop,
    whole,
)  # fmt: skip
from tests.models.recorded import written


@pytest.mark.parametrize("made", [plain, parsed(RawMessageStreamEvent), attributes], ids=["dict", "anthropic", "any"])
def test_anthropic(made: Callable[[dict[str, Any]], object]) -> None:
    assert CLAUDE_SAID == read([made(item) for item in CLAUDE] + [{"type": "ping"}])


def test_a_tool_that_the_provider_runs_itself_is_nobody_s_call() -> None:
    items = [
        MESSAGE,
        start(0, type="server_tool_use", id="srv_1", name="web_search", input={}),
        delta(0, "input_json_delta", partial_json='{"query": "x"}'),
        stop(0),
        start(1, type="web_search_tool_result", tool_use_id="srv_1", content=[]),
        stop(1),
        start(2, type="text", text="Found it."),
        {"type": "something_new", "index": 2},
        *closing("max_tokens"),
    ]

    assert [Usage(18, 1, 5), TextDelta("Found it."), Usage(18, 12, 5), Finished("length")] == read(items)


def test_an_error_event_is_a_failure() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}

    assert [TextDelta, Failed] == [type(chunk) for chunk in read([delta(0, "text_delta", text="a"), error])]


@pytest.mark.parametrize("made", [plain, parsed(ResponseStreamEvent), attributes], ids=["dict", "openai", "any"])
def test_responses(made: Callable[[dict[str, Any]], object]) -> None:
    assert [
        ThoughtDelta("Weather?\n\nAsk."),
        TextDelta("Let me look 😀"),
        Usage(20, 9, 8, 4),
        ToolCall("call_1", "weather", '{"city":"Oslo"}'),
        Finished("tool_calls"),
    ] == read(map(made, RESPONSE))


@pytest.mark.parametrize(
    ("last", "said"),
    [
        pytest.param(
            event("incomplete", 2, response=whole("incomplete", incomplete_details={"reason": "max_output_tokens"})),
            {"chunk": "Finished", "reason": "length"},
            id="too long",
        ),
        pytest.param(
            event("incomplete", 2, response=whole("incomplete", incomplete_details={"reason": "content_filter"})),
            {"chunk": "Failed", "kind": "content_blocked", "code": "content_filter"},
            id="filtered",
        ),
    ],
)
def test_a_response_that_is_not_complete(last: dict[str, Any], said: dict[str, Any]) -> None:
    refused = event("refusal.delta", 1, **AT, delta="No.")
    text, _, ending = written(read([refused, last]))

    assert {"chunk": "TextDelta", "text": "No."} == text
    assert said == {name: ending[name] for name in said}


@pytest.mark.parametrize(
    "last",
    [
        event("failed", 2, response=whole("failed", error={"code": "server_error", "message": "Sorry."})),
        {"type": "error", "sequence_number": 2, "code": "server_error", "message": "Sorry.", "param": None},
    ],
    ids=["failed", "error"],
)
@pytest.mark.parametrize("made", [plain, parsed(ResponseStreamEvent)], ids=["dict", "openai"])
def test_a_response_that_failed(made: Callable[[dict[str, Any]], object], last: dict[str, Any]) -> None:
    *_, ending = read(map(made, [event("output_text.delta", 1, **AT, delta="a", logprobs=[]), last]))

    assert isinstance(ending, Failed)
    assert isinstance(ending.error, ProviderError)
    assert ending.error.code


def test_cohere() -> None:
    items = [
        {"type": "message-start", "id": "1"},
        {"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "text", "text": ""}}}},
        {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "Hi"}}}},
        {"type": "content-end", "index": 0},
        {
            "type": "tool-call-start", "index": 0,
            "delta": {"message": {"tool_calls": {"id": "c1", "type": "function", "function": {"name": "w", "arguments": ""}}}},
        },
        {"type": "tool-call-delta", "index": 0, "delta": {"message": {"tool_calls": {"function": {"arguments": "{}"}}}}},
        {"type": "tool-call-end", "index": 0},
        {
            "type": "message-end",
            "delta": {"finish_reason": "TOOL_CALL", "usage": {"tokens": {"input_tokens": 20.0, "output_tokens": 9.0}}},
        },
    ]  # fmt: skip

    assert [TextDelta("Hi"), Usage(20, 9), ToolCall("c1", "w", "{}"), Finished("tool_calls")] == read(items)
