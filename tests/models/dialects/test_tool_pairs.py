from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from anthropic.types import MessageParam
from google.genai import types
from hypothesis import given, strategies as st
from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses import ResponseInputItemParam
from pydantic import TypeAdapter

from cadenza.models.dialects.tool_pairs import ANY_ID, with_paired_calls
from cadenza.models.vendors import codec
from cadenza.types import Media, MediaKind, Opaque, Prompt, PromptTurn, Role, ToolCall, ToolSpec

HI = PromptTurn.said(Role.USER, "Hi")
LOST = "[System: There is no result: the tool was not run, or what it gave back was lost.]"
STRAY = "[System: A tool was run and gave back what follows.]"
IDS = re.compile(r"[a-z]\d")


def called(*ids: str, text: str = "", name: str = "look") -> PromptTurn:
    return PromptTurn(Role.MODEL, (text,) if text else (), tuple(ToolCall(identity, name, "{}") for identity in ids))


def result(identity: str, text: str = "seen") -> PromptTurn:
    return PromptTurn(Role.TOOL, (text,), call_id=identity)


def told(turn: PromptTurn) -> str:
    ids = "".join(f" {call.id}" for call in turn.calls) or (f" {turn.call_id}" if turn.call_id is not None else "")
    return f"{turn.role.value}{ids}: {turn.text}"


@pytest.mark.parametrize(
    ("turns", "wanted"),
    [
        pytest.param((HI, called("a1"), result("a1")), ["user: Hi", "model a1: ", "tool a1: seen"], id="as it is"),
        pytest.param((HI, called("a1")), ["user: Hi", "model a1: ", f"tool a1: {LOST}"], id="never answered"),
        pytest.param(
            (called("a1", "a2"), result("a2")),
            ["model a1 a2: ", f"tool a1: {LOST}", "tool a2: seen"],
            id="one of two is never answered",
        ),
        pytest.param((called("a1"), HI, result("a1")), ["model a1: ", "tool a1: seen", "user: Hi"], id="answered late"),
        pytest.param(
            (called("a1", "a2"), result("a2", "B"), result("a1", "A")),
            ["model a1 a2: ", "tool a1: A", "tool a2: B"],
            id="answered in another order",
        ),
        pytest.param((result("a1"), HI), [f"user: {STRAY}\nseen", "user: Hi"], id="the call is gone"),
        pytest.param(
            (called("a1"), result("a1", "A"), result("a1", "B")),
            ["model a1: ", "tool a1: A", f"user: {STRAY}\nB"],
            id="answered twice",
        ),
        pytest.param(
            (called("a1"), result("a1", "A"), called("a1"), result("a1", "B")),
            ["model a1: ", "tool a1: A", "model call00001: ", "tool call00001: B"],
            id="an id that came before",
        ),
        pytest.param(
            (called("a1", "a1"), result("a1", "A"), result("a1", "B")),
            ["model a1 call00001: ", "tool a1: A", "tool call00001: B"],
            id="an id that comes twice at once",
        ),
        pytest.param(
            (called("functions.look:0"), result("functions.look:0")),
            ["model call00000: ", "tool call00000: seen"],
            id="an id that is none here",
        ),
        pytest.param(
            (called("", "a1"), result("", "A"), result("a1", "B")),
            ["model call00000 a1: ", "tool call00000: A", "tool a1: B"],
            id="no id",
        ),
    ],
)
def test_each_call_is_answered_at_once_and_once(turns: tuple[PromptTurn, ...], wanted: list[str]) -> None:
    assert wanted == [told(turn) for turn in with_paired_calls(Prompt("", turns), IDS).turns]


def test_an_id_that_is_made_is_nobody_elses() -> None:
    turns = (called("", "call00000", "call00001"),)

    ids = [call.id for call in with_paired_calls(Prompt("", turns), ANY_ID).turns[0].calls]

    assert ["call00002", "call00000", "call00001"] == ids


def test_a_made_id_does_not_change_as_the_conversation_goes_on() -> None:
    turns = (HI, called("x.1"), result("x.1"), called("a1"), result("a1"))

    before, after = (with_paired_calls(Prompt("", turns[:end]), IDS).turns for end in (3, 5))

    assert before == after[:3]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("get.weather now", "get_weather_now"),
        ("7up", "_7up"),
        ("", "_"),
        ("x" * 99, "x" * 64),
        ("my.tool", "my.tool"),
    ],
)
def test_a_name_that_a_model_made_up_is_written_as_one(name: str, written: str) -> None:
    prompt = Prompt("", (called("a1", name=name),), tools=(ToolSpec("my.tool", "", {}),))

    assert written == with_paired_calls(prompt, ANY_ID).turns[0].calls[0].name


# --- what real interfaces refuse -------------------------------------------------------------------

TEXTS = st.sampled_from(["", " ", "Hm.", "月\n", "\ud83d"])
PARTS = st.lists(
    TEXTS
    | st.sampled_from(
        [
            Media(MediaKind.IMAGE, "image/png", data=b"\x89PNG"),
            Media(MediaKind.IMAGE, "image/gif", url="https://tenor.com/view/a-b"),
            Media(MediaKind.VIDEO, "video/mp4", url="https://films.example/a.mp4"),
        ]
    ),
    max_size=2,
).map(tuple)
CALL_IDS = st.sampled_from(["", "0", "call_1", "functions.look:0", "x" * 50, "chatcmpl-tool-" + "f" * 32, "D681PevKs"])
STATES = st.sampled_from(
    [
        None,
        Opaque("openai:openai", '{"thought_signature":"s"}'),
        Opaque(
            "anthropic:anthropic", '{"model":"claude-sonnet-4-5","blocks":[{"type":"redacted_thinking","data":"x"}]}'
        ),
        Opaque("google:google", '{"id":true,"signature":"c2ln"}'),
        Opaque("openai-responses:openai-responses", '{"model":"gpt-5.1","items":[]}'),
    ]
)
ARGUMENTS = st.sampled_from(["{}", '{"a": 1e999}', '{"a": "\\ud83d"}', "", "nonsense"])
CALLS = st.lists(
    st.builds(ToolCall, CALL_IDS, st.sampled_from(["look", "a.b c"]), ARGUMENTS, state=STATES), max_size=3
).map(tuple)
TURNS = st.lists(
    st.builds(PromptTurn, st.sampled_from([Role.USER, Role.MODEL]), PARTS)
    | st.builds(PromptTurn, st.just(Role.MODEL), PARTS, CALLS)
    | st.builds(PromptTurn, st.just(Role.TOOL), PARTS, call_id=CALL_IDS),
    max_size=6,
).map(tuple)
LOOK = ToolSpec("look", "", {})
MESSAGES = TypeAdapter(list[ChatCompletionMessageParam])
CLAUDES = TypeAdapter(list[MessageParam])
CONTENTS = TypeAdapter(list[types.Content])
ITEMS = TypeAdapter(list[ResponseInputItemParam])


def body(vendor: str, model: str, turns: tuple[PromptTurn, ...]) -> dict[str, Any]:
    request = codec(vendor, model).encode(Prompt("Be kind.", turns, (LOOK,)))
    found: dict[str, Any] = json.loads(request.body, parse_constant=pytest.fail)
    return found


@given(TURNS)
def test_whatever_the_history_chat_completions_take_it(turns: tuple[PromptTurn, ...]) -> None:
    messages = body("openai", "gpt-4.1", turns)["messages"]

    MESSAGES.validate_python(messages)
    waiting: list[str] = []
    for message in messages:
        assert bool(waiting) == (message["role"] == "tool")
        if waiting:
            assert waiting.pop(0) == message["tool_call_id"]
        waiting += [call["id"] for call in message.get("tool_calls", ())]
    ids = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    assert not waiting
    assert len(set(ids)) == len(ids)
    assert all(0 < len(identity) <= 40 for identity in ids)
    assert any(message["role"] != "system" for message in messages)


@given(TURNS)
def test_whatever_the_history_mistral_takes_it(turns: tuple[PromptTurn, ...]) -> None:
    messages = body("mistral", "mistral-large-latest", turns)["messages"]

    roles = [message["role"] for message in messages]
    assert roles[-1] in ("user", "tool")
    assert ("tool", "user") not in set(pairwise(roles))
    ids = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    assert all(re.fullmatch("[a-zA-Z0-9]{9}", identity) for identity in ids)


@given(TURNS, st.sampled_from(["claude-3-5-haiku", "claude-sonnet-4-5", "claude-opus-4-7"]))
def test_whatever_the_history_claude_takes_it(turns: tuple[PromptTurn, ...], model: str) -> None:
    messages = body("anthropic", model, turns)["messages"]

    CLAUDES.validate_python(messages)
    assert [message["role"] for message in messages] == [("user", "assistant")[at % 2] for at in range(len(messages))]
    asked: list[str] = []
    seen: set[str] = set()
    for message in messages:
        blocks = message["content"] if isinstance(message["content"], list) else []
        assert message["content"]
        answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        assert asked == answered
        assert all(block["type"] == "tool_result" for block in blocks[: len(answered)])
        asked = [block["id"] for block in blocks if block["type"] == "tool_use"]
        assert seen.isdisjoint(asked)
        assert all(re.fullmatch("[a-zA-Z0-9_-]+", identity) for identity in asked)
        seen.update(asked)
    assert not asked


@given(TURNS, st.sampled_from(["gemini-2.5-flash", "gemini-3-pro-preview", "gemma-3-27b-it"]))
def test_whatever_the_history_gemini_takes_it(turns: tuple[PromptTurn, ...], model: str) -> None:
    contents = body("google", model, turns)["contents"]

    CONTENTS.validate_python(contents)
    assert "user" == contents[0]["role"] == contents[-1]["role"]
    asked: list[str] = []
    for content in contents:
        answered = [part["functionResponse"]["name"] for part in content["parts"] if "functionResponse" in part]
        assert asked == answered
        assert len(answered) in (0, len(content["parts"]))
        asked = [part["functionCall"]["name"] for part in content["parts"] if "functionCall" in part]
    assert not asked


@given(TURNS)
def test_whatever_the_history_responses_take_it(turns: tuple[PromptTurn, ...]) -> None:
    items = body("openai-responses", "gpt-5.1", turns)["input"]

    ITEMS.validate_python(items)
    asked = [item["call_id"] for item in items if item.get("type") == "function_call"]
    answered = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
    assert asked == answered
    assert len(set(asked)) == len(asked)
    assert all(0 < len(identity) <= 64 for identity in asked)


@given(TURNS)
def test_the_same_history_is_the_same_bytes(turns: tuple[PromptTurn, ...]) -> None:
    prompt = Prompt("", turns, (LOOK,))

    for vendor in ("openai", "mistral", "anthropic", "google", "openai-responses", "ollama", "deepseek"):
        asked = codec(vendor, "a-model")
        assert asked.encode(prompt) == asked.encode(prompt)
