"""Whose an item is, and what is told twice: recognised by shape, whoever made it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from anthropic.lib.streaming._types import ContentBlockStopEvent, InputJsonEvent, TextEvent, ThinkingEvent
from anthropic.types import RawMessageStreamEvent
from openai.types.chat import ChatCompletionChunk

from cadenza.errors import InputError, ProviderError
from cadenza.models.sdk_items import Shapes, of_exception
from cadenza.types import Chunk, Failed, Finished, Served, TextDelta, ThoughtDelta, ToolCall, Usage
from tests.models.client_items import CLAUDE, CLAUDE_SAID, COMPLETIONS, parsed, read

# --- texts and chunks ----------------------------------------------------------------------


def test_texts_and_our_own_chunks_are_what_they_are() -> None:
    items = [
        "Hi ",
        None,
        "",
        TextDelta("there"),
        ThoughtDelta("hm"),
        ToolCall("1", "w", "{}"),
        Usage(1, 2),
        Served("x"),
    ]

    assert [TextDelta("Hi there"), *items[4:], Finished("end_of_stream")] == read(items)


@pytest.mark.parametrize("last", [Finished("length"), Failed(ProviderError("no"))], ids=["finished", "failed"])
def test_after_the_end_nothing_comes(last: Chunk) -> None:
    assert [TextDelta("a"), last] == read(["a", last, "b", Finished()])


class Odd:
    pass


@pytest.mark.parametrize(
    "item",
    [
        Odd(), 4, b"bytes", {}, {"text": "a"}, {"type": "odd"}, {"type": 1}, (), ("a", "b"), ["a"], SimpleNamespace(),
        SimpleNamespace(type="odd"), {"choices": 3}, {"event": "x"},
    ],
    ids=lambda item: type(item).__name__,
)  # fmt: skip
def test_what_nobody_knows_is_refused_by_its_name(item: object) -> None:
    with pytest.raises(InputError, match=rf"must yield texts, .*openai.*, not {type(item).__name__}$"):
        Shapes().feed(item)


# --- helpers that tell things twice -------------------------------------------------------------


@pytest.mark.parametrize(("items", "chunks"), COMPLETIONS)
def test_the_helper_of_openai_says_nothing_twice(items: list[dict[str, Any]], chunks: list[Chunk]) -> None:
    told: list[object] = []
    for item in items:
        chunk = ChatCompletionChunk.model_validate(item)
        told.append(SimpleNamespace(type="chunk", chunk=chunk, snapshot=None))
        if chunk.choices and chunk.choices[0].delta.content:
            told.append(SimpleNamespace(type="content.delta", delta=chunk.choices[0].delta.content, snapshot=""))

    assert chunks == read([*told, SimpleNamespace(type="content.done", content="all of it")])


def test_the_helper_s_words_alone_are_enough() -> None:
    items = [{"type": "content.delta", "delta": "a", "snapshot": "a"}, {"type": "content.delta", "delta": "b"}]

    assert [TextDelta("ab"), Finished("end_of_stream")] == read(items)


def told_by_the_helper() -> list[object]:
    """What the helper yields for the same: the raw events, and what it makes of them."""
    events: list[object] = []
    for item in CLAUDE:
        index, found = item.get("index", -1), item.get("delta", {})
        if item["type"] == "content_block_stop":
            block: dict[str, Any] = next(one for one in CLAUDE if one.get("index") == index)["content_block"]
            block = {**block, "input": {"city": "Oslo"} if index == 2 else {}} if "input" in block else block
            events.append(ContentBlockStopEvent.model_validate({**item, "content_block": block}))
            continue
        events.append(parsed(RawMessageStreamEvent)(item))
        match found.get("type"):
            case "text_delta":
                events.append(TextEvent(type="text", text=found["text"], snapshot="..."))
            case "thinking_delta":
                events.append(ThinkingEvent(type="thinking", thinking=found["thinking"], snapshot="..."))
            case "input_json_delta":
                events.append(InputJsonEvent(type="input_json", partial_json=found["partial_json"], snapshot={}))
    return events


def test_the_helper_of_anthropic_says_nothing_twice() -> None:
    assert CLAUDE_SAID == read(told_by_the_helper())


def test_what_the_helper_adds_is_enough() -> None:
    """Somebody may leave the raw events out, and want only what the helper makes of them."""
    own = (TextEvent, ThinkingEvent, InputJsonEvent, ContentBlockStopEvent)

    assert [
        ThoughtDelta("They want weather."),
        TextDelta("Let me 😀 look."),
        ToolCall("toolu_1", "weather", '{"city": "Oslo"}'),
        ToolCall("toolu_2", "now", "{}"),
        Finished("end_of_stream"),
    ] == read(event for event in told_by_the_helper() if isinstance(event, own))


# --- exceptions ---------------------------------------------------------------------------------------------


class RefusedError(Exception):
    def __init__(self, **fields: object) -> None:
        super().__init__("sk-secret")
        for name, value in fields.items():
            setattr(self, name, value)


def test_an_exception_that_tells_a_status_is_a_provider_s() -> None:
    response = SimpleNamespace(headers={"retry-after": "7"})

    error = of_exception(RefusedError(status_code=429, message="slow down", response=response))

    assert isinstance(error, ProviderError)
    assert (429, 7.0, "slow down") == (error.status, error.retry_after, error.detail)
    assert "sk-secret" not in str(error)


@pytest.mark.parametrize("error", [ValueError("x"), RefusedError(), RefusedError(code="insufficient_quota")], ids=repr)
def test_an_exception_that_tells_none_is_not_understood(error: Exception) -> None:
    assert of_exception(error) is None
