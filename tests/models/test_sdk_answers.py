"""Answers of other people's clients, made by those clients' own types, and the same as dictionaries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import pytest
from google.genai.types import GenerateContentResponse
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from openai.types.chat import ChatCompletionChunk
from pydantic_ai import messages as pydantic_ai
from pydantic_ai.run import AgentRunResult, AgentRunResultEvent

from cadenza.errors import ErrorKind, ProviderError
from cadenza.types import Chunk, Failed, Finished, TextDelta, ThoughtDelta, ToolCall, Usage
from tests.models.client_items import (
    COMPLETIONS,
    COUNTED,
    USAGE,
    attributes,
    candidate,
    completion,
    piece,
    plain,
    read,
)

# --- chat completions -------------------------------------------------------------------------


@pytest.mark.parametrize(("items", "chunks"), COMPLETIONS)
@pytest.mark.parametrize("made", [plain, ChatCompletionChunk.model_validate, attributes], ids=["dict", "openai", "any"])
def test_chat_completions(made: Callable[[Any], object], items: list[dict[str, Any]], chunks: list[Chunk]) -> None:
    assert chunks == read(map(made, items))


@pytest.mark.parametrize("reason", ["content_filter", "safety", "refusal"])
def test_what_a_filter_ended_has_failed_behind_its_text(reason: str) -> None:
    *rest, last = read([completion({"content": "Well, "}), completion({}, reason), completion(usage=USAGE)])

    assert [TextDelta("Well, "), Usage(20, 9, 8, 4)] == rest
    assert isinstance(last, Failed)
    assert isinstance(last.error, ProviderError)
    assert (ErrorKind.CONTENT_BLOCKED, reason) == (last.error.kind, last.error.code)


def test_an_error_among_the_chunks_is_a_failure_behind_the_text() -> None:
    error = {"code": 429, "message": "slow down", "type": "rate_limit"}

    text, last = read([completion({"content": "a"}), completion(error=error)])

    assert (TextDelta("a"), Failed) == (text, type(last))


def test_a_whole_answer_is_one_too() -> None:
    whole = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]}

    assert [TextDelta("Hi"), Finished("stop")] == read([whole])


def test_mistral_has_its_chunks_in_events_and_its_thoughts_in_blocks() -> None:
    blocks = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
        {"type": "text", "text": "Hi"},
        {"type": "reference", "reference_ids": [1]},
    ]
    items = [
        attributes({"data": completion({"content": blocks})}),
        attributes({"data": completion({}, "model_length")}),
    ]

    assert [ThoughtDelta("Hm."), TextDelta("Hi"), Finished("length")] == read(items)


@dataclass
class Delta:
    """As litellm has it: what is not there is not even ``None``."""

    content: str | None = None
    role: str | None = None
    function_call: object = None
    tool_calls: list[object] | None = None
    audio: object = None
    provider_specific_fields: object = None


@dataclass
class StreamingChoices:
    delta: Delta
    finish_reason: str | None = None
    index: int = 0
    logprobs: object = None


@dataclass
class ModelResponseStream:
    choices: list[StreamingChoices]
    id: str = "chatcmpl-1"
    created: int = 1
    model: str = "gpt-4o"
    object: str = "chat.completion.chunk"
    system_fingerprint: str | None = None
    provider_specific_fields: object = None
    citations: object = None


@dataclass
class Told(ModelResponseStream):
    usage: object = field(default_factory=lambda: attributes(USAGE))


def test_litellm() -> None:
    thinking = Delta(role="assistant")
    thinking.reasoning_content = "Hm."  # type: ignore[attr-defined]
    call = attributes({**piece(0, '{"a": 1}', "weather", "call_a")})
    items = [
        ModelResponseStream([StreamingChoices(thinking)]),
        ModelResponseStream([StreamingChoices(Delta("Hello "))]),
        ModelResponseStream([StreamingChoices(Delta("there", tool_calls=[call]))]),
        ModelResponseStream([StreamingChoices(Delta(), "tool_calls")]),
        Told([StreamingChoices(Delta())]),
    ]

    assert [
        ThoughtDelta("Hm."),
        TextDelta("Hello there"),
        Usage(20, 9, 8, 4),
        ToolCall("call_a", "weather", '{"a": 1}'),
        Finished("tool_calls"),
    ] == read(items)


def test_litellm_itself(not_tested: Callable[[str], None]) -> None:
    if find_spec("litellm") is None:
        not_tested("litellm itself, but only its shape; try: pip install litellm")
        return
    from litellm.types.utils import ModelResponseStream as Real  # type: ignore[import-not-found]

    items = [Real(**completion({"content": "Hello"})), Real(**completion({}, "stop"))]

    assert [TextDelta("Hello"), Finished("stop")] == read(items)


# --- google -----------------------------------------------------------------------------------


@pytest.mark.parametrize("made", [plain, GenerateContentResponse.model_validate], ids=["dict", "google-genai"])
def test_gemini(made: Callable[[dict[str, Any]], object]) -> None:
    items = [
        candidate({"text": "Weather?", "thought": True}),
        {**candidate({"text": "Let me "}), "usageMetadata": {"promptTokenCount": 20}},
        candidate({"text": "look 😀"}),
        candidate({"functionCall": {"name": "weather", "args": {"city": "Århus"}}, "thoughtSignature": "c2ln"}),
        candidate({"functionCall": {"id": "x", "name": "now"}}),
        {**candidate({"text": ""}, finish="STOP"), **COUNTED},
    ]

    assert [
        ThoughtDelta("Weather?"),
        TextDelta("Let me "),
        Usage(20),
        TextDelta("look 😀"),
        Usage(20, 9, 8, 4),
        ToolCall("weather-0", "weather", '{"city": "Århus"}'),
        ToolCall("x", "now", "{}"),
        Finished("tool_calls"),
    ] == read(map(made, items))


@pytest.mark.parametrize(
    ("item", "ending"),
    [
        pytest.param(candidate({"text": "a"}, finish="MAX_TOKENS"), Finished("length"), id="too long"),
        pytest.param(candidate({"text": "a"}, finish="STOP"), Finished("stop"), id="stop"),
        pytest.param(candidate({"text": "a"}, finish="SAFETY"), None, id="safety"),
        pytest.param({"promptFeedback": {"blockReason": "SAFETY"}}, None, id="the question was refused"),
    ],
)
@pytest.mark.parametrize("made", [plain, GenerateContentResponse.model_validate], ids=["dict", "google-genai"])
def test_how_gemini_ends(made: Callable[[dict[str, Any]], object], item: dict[str, Any], ending: Chunk | None) -> None:
    last = read([made(item)])[-1]

    assert last == ending if ending else isinstance(last, Failed)


def test_an_empty_response_of_gemini_is_passed_over() -> None:
    assert [Finished("end_of_stream")] == read([GenerateContentResponse()])


# --- pydantic-ai ------------------------------------------------------------------------------------------


def model_events() -> list[object]:
    return [
        pydantic_ai.PartStartEvent(index=0, part=pydantic_ai.ThinkingPart("Hm")),
        pydantic_ai.PartDeltaEvent(index=0, delta=pydantic_ai.ThinkingPartDelta(content_delta=".")),
        pydantic_ai.PartStartEvent(index=1, part=pydantic_ai.TextPart("Let me ")),
        pydantic_ai.FinalResultEvent(tool_name=None, tool_call_id=None),
        pydantic_ai.PartDeltaEvent(index=1, delta=pydantic_ai.TextPartDelta("look.")),
        pydantic_ai.PartEndEvent(index=1, part=pydantic_ai.TextPart("Let me look.")),
        pydantic_ai.PartStartEvent(index=2, part=pydantic_ai.ToolCallPart("weather", None, "call_1")),
        pydantic_ai.PartDeltaEvent(index=2, delta=pydantic_ai.ToolCallPartDelta(args_delta='{"city": ')),
        pydantic_ai.PartDeltaEvent(index=2, delta=pydantic_ai.ToolCallPartDelta(args_delta='"Oslo"}')),
    ]


def test_the_events_of_a_model_of_pydantic_ai() -> None:
    assert [
        ThoughtDelta("Hm."),
        TextDelta("Let me look."),
        ToolCall("call_1", "weather", '{"city": "Oslo"}'),
        Finished("end_of_stream"),
    ] == read(model_events())


def test_an_agent_runs_its_tools_itself_and_goes_on_with_another_message() -> None:
    call = pydantic_ai.ToolCallPart("weather", {"city": "Oslo"}, "call_1")
    result = pydantic_ai.ToolReturnPart("weather", "sunny", "call_1")
    items = [
        *model_events(),
        pydantic_ai.FunctionToolCallEvent(call),
        pydantic_ai.FunctionToolResultEvent(result),
        pydantic_ai.PartStartEvent(index=0, part=pydantic_ai.TextPart("Sunny")),
        pydantic_ai.PartDeltaEvent(index=0, delta=pydantic_ai.TextPartDelta("!")),
        AgentRunResultEvent(AgentRunResult("Sunny!")),
    ]

    assert [ThoughtDelta("Hm."), TextDelta("Let me look.\nSunny!")] == [
        chunk for chunk in read(items) if isinstance(chunk, TextDelta | ThoughtDelta | ToolCall)
    ]


def test_a_result_that_comes_as_a_call_is_no_call() -> None:
    items = [
        pydantic_ai.PartStartEvent(index=0, part=pydantic_ai.ToolCallPart("final_result", '{"a": 1}', "call_1")),
        pydantic_ai.FinalResultEvent(tool_name="final_result", tool_call_id="call_1"),
    ]

    assert [Finished("end_of_stream")] == read(items)


# --- LangChain ----------------------------------------------------------------------------------------------


def langchain() -> list[AIMessageChunk]:
    about = {"finish_reason": "tool_calls"}
    counted: Any = {
        "input_tokens": 20, "output_tokens": 8, "total_tokens": 28, "input_token_details": {"cache_read": 8},
        "output_token_details": {"reasoning": 4},
    }  # fmt: skip
    more: Any = {"input_tokens": 0, "output_tokens": 1, "total_tokens": 1}
    first: Any = {"name": "weather", "args": "", "id": "call_1", "index": 0, "type": "tool_call_chunk"}
    second: Any = {"name": None, "args": '{"city": "Oslo"}', "id": None, "index": 0, "type": "tool_call_chunk"}
    return [
        AIMessageChunk("", id="run-1", additional_kwargs={"reasoning_content": "Hm."}),
        AIMessageChunk("Let me ", id="run-1", usage_metadata=counted),
        AIMessageChunk(["look", {"type": "text", "text": "."}, {"type": "thinking", "thinking": "So."}], id="run-1"),
        AIMessageChunk("", id="run-1", tool_call_chunks=[first]),
        AIMessageChunk("", id="run-1", tool_call_chunks=[second]),
        AIMessageChunk("", id="run-1", response_metadata=about, usage_metadata=more),
    ]


LANGCHAIN_SAID = [
    ThoughtDelta("Hm."),
    TextDelta("Let me "),
    Usage(20, 8, 8, 4),
    TextDelta("look."),
    ThoughtDelta("So."),
    Usage(20, 9, 8, 4),
    ToolCall("call_1", "weather", '{"city": "Oslo"}'),
    Finished("tool_calls"),
]


def as_events(chunks: list[AIMessageChunk]) -> list[object]:
    """The same as ``astream_events`` has it."""
    begun: list[object] = [{"event": "on_chat_model_start", "data": {"input": {}}, "run_id": "1", "name": "x"}]
    told: list[object] = [
        {"event": "on_chat_model_stream", "data": {"chunk": chunk}, "run_id": "1"} for chunk in chunks
    ]
    whole_message = AIMessage("Let me look.", id="run-1")
    return [*begun, *told, {"event": "on_chat_model_end", "data": {"output": whole_message}, "run_id": "1"}]


@pytest.mark.parametrize(
    "items",
    [
        pytest.param(langchain(), id="astream"),
        pytest.param(as_events(langchain()), id="astream_events"),
        pytest.param([(chunk, {"langgraph_node": "agent"}) for chunk in langchain()], id="a graph"),
        pytest.param([*langchain(), AIMessage("Let me look.", id="run-1")], id="told again as a whole"),
        pytest.param([HumanMessage("Weather?"), *langchain()], id="among others"),
    ],
)
def test_langchain(items: list[object]) -> None:
    assert LANGCHAIN_SAID == read(items)


@pytest.mark.parametrize(
    "ran",
    [
        pytest.param([ToolMessage("sunny", tool_call_id="call_1")], id="a graph"),
        pytest.param([{"event": "on_tool_start", "data": {}}, {"event": "on_tool_end", "data": {}}], id="events"),
    ],
)
def test_a_chain_that_runs_its_tools_goes_on_with_another_message(ran: list[object]) -> None:
    again: Any = {"input_tokens": 30, "output_tokens": 2, "total_tokens": 32}
    chunks = read([*langchain(), *ran, AIMessageChunk("Sunny!", id="run-2", usage_metadata=again)])

    assert [TextDelta("\nSunny!"), Usage(50, 11, 8, 4), Finished("end_of_stream")] == chunks[-3:]
    assert not [chunk for chunk in chunks if isinstance(chunk, ToolCall)]


def test_a_whole_message_of_langchain() -> None:
    message = AIMessage("Hi", tool_calls=[{"name": "w", "args": {"a": 1}, "id": "1", "type": "tool_call"}])

    assert [TextDelta("Hi"), ToolCall("1", "w", '{"a": 1}'), Finished("end_of_stream")] == read([message])


# --- ollama, cohere, Hugging Face ---------------------------------------------------------------------------


@pytest.mark.parametrize("made", [plain, attributes], ids=["dict", "ollama"])
def test_ollama(made: Callable[[Any], object]) -> None:
    call = {"function": {"name": "weather", "arguments": {"city": "Oslo"} if made is plain else '{"city": "Oslo"}'}}
    items: list[dict[str, Any]] = [
        {"model": "m", "message": {"role": "assistant", "content": "", "thinking": "Hm."}, "done": False},
        {"model": "m", "message": {"role": "assistant", "content": "Hi"}, "done": False},
        {"model": "m", "message": {"role": "assistant", "content": "", "tool_calls": [call]}, "done": False},
        {
            "model": "m", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop",
            "prompt_eval_count": 20, "eval_count": 9,
        },
    ]  # fmt: skip

    assert [
        ThoughtDelta("Hm."),
        TextDelta("Hi"),
        Usage(20, 9),
        ToolCall("weather-0", "weather", '{"city": "Oslo"}'),
        Finished("tool_calls"),
    ] == read(map(made, items))


def test_ollama_without_a_chat() -> None:
    items = [{"response": "Hi", "done": False}, {"response": "", "done": True, "done_reason": "length"}]

    assert [TextDelta("Hi"), Usage(), Finished("length")] == read(items)


def test_text_generation() -> None:
    items = [
        {"token": {"id": 1, "text": "Hi", "special": False}, "details": None},
        {"token": {"id": 2, "text": "</s>", "special": True}, "details": {"finish_reason": "length"}},
    ]

    assert [TextDelta("Hi"), Finished("length")] == read(items)
