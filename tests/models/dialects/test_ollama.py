from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cadenza.errors import ErrorKind, HttpError, ProviderError
from cadenza.models.dialects.dialect import Endpoint, Quirks
from cadenza.models.dialects.ollama import OllamaCodec, OllamaDecoder
from cadenza.types import (
    Abilities,
    Chunk,
    Ending,
    Failed,
    Finished,
    Media,
    MediaKind,
    Opaque,
    Prompt,
    PromptTurn,
    RawEvent,
    Role,
    TextDelta,
    Thinking,
    ThoughtDelta,
    ToolCall,
    ToolSpec,
    Usage,
)
from tests.models.conversations import called, result, user
from tests.models.recorded import decoded, every_slicing, expected, recorded, written

LOCAL = Endpoint("ollama", "llama3.2", "http://localhost:11434")
OURS = "ollama:ollama"
PICTURE = Media(MediaKind.IMAGE, "image/png", data=b"\x89PNG")


def body_of(prompt: Prompt, **changes: Any) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(OllamaCodec(replace(LOCAL, **changes)).encode(prompt).body)
    return body


def messages_of(*turns: PromptTurn, system: str = "", **changes: Any) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = body_of(Prompt(system, turns), **changes)["messages"]
    return messages


HI = user("hi")


# --- the request ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://localhost:11434", "http://localhost:11434/api/chat"),
        ("http://localhost:11434/", "http://localhost:11434/api/chat"),
        ("https://ollama.com/api", "https://ollama.com/api/chat"),
        ("https://proxy.example/ollama?who=me", "https://proxy.example/ollama/api/chat?who=me"),
    ],
)
def test_the_address_is_that_of_the_chat(url: str, address: str) -> None:
    assert address == OllamaCodec(replace(LOCAL, url=url)).encode(Prompt("", (HI,))).url


@pytest.mark.parametrize(("key", "header"), [("", {}), ("s3cret", {"authorization": "Bearer s3cret"})])
def test_a_key_stands_in_a_header_if_there_is_one(key: str, header: dict[str, str]) -> None:
    request = OllamaCodec(replace(LOCAL, key=key, headers={"x-more": "1"})).encode(Prompt("", (HI,)))

    assert {"content-type": "application/json", "x-more": "1", **header} == request.headers
    assert "s3cret" not in f"{request!r}{request.url}{request.body!r}"


def test_what_is_not_set_is_not_sent() -> None:
    assert {"model": "llama3.2", "messages": [{"role": "user", "content": "hi"}], "stream": True} == body_of(
        Prompt("", (HI,))
    )


@pytest.mark.parametrize(
    ("turns", "messages"),
    [
        pytest.param(
            (HI, PromptTurn.said(Role.MODEL, "ho")),
            [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}],
            id="both sides",
        ),
        pytest.param(
            (user("a", PICTURE, "b"),), [{"role": "user", "content": "a\nb", "images": ["iVBORw=="]}], id="a picture"
        ),
        pytest.param((user(PICTURE),), [{"role": "user", "content": "", "images": ["iVBORw=="]}], id="nothing but one"),
        pytest.param(
            (user("a", Media(MediaKind.IMAGE, "image/png", url="https://example.com/a.png")),),
            [{"role": "user", "content": "a\n[An image was sent here that cannot be loaded.]"}],
            id="C-7 a picture that nobody fetched",
        ),
        pytest.param((HI, user()), [{"role": "user", "content": "hi"}], id="a turn without anything"),
    ],
)
def test_turns_are_messages(turns: tuple[PromptTurn, ...], messages: list[object]) -> None:
    assert [{"role": "system", "content": "be kind"}, *messages] == messages_of(*turns, system="be kind")


def test_a_film_is_not_shown() -> None:
    film = Media(MediaKind.VIDEO, "video/mp4", data=b"x")

    assert [{"role": "user", "content": "a"}] == messages_of(user("a", film), abilities=Abilities(videos=True))


def test_calls_and_their_results_are_told_in_order() -> None:
    weather, now = ToolCall("call_1", "weather", '{"city":"Oslo"}'), ToolCall("now-1", "now", "")

    messages = messages_of(
        HI, called(weather, now, text="Let me see."), result("call_1", "blue", PICTURE), result("now-1", "noon"), HI
    )

    assert messages[1:] == [
        {
            "role": "assistant",
            "content": "Let me see.",
            "tool_calls": [
                {"function": {"name": "weather", "arguments": {"city": "Oslo"}}},
                {"function": {"name": "now", "arguments": {}}},
            ],
        },
        {"role": "tool", "tool_name": "weather", "content": "blue"},
        {"role": "tool", "tool_name": "now", "content": "noon"},
        {"role": "user", "content": "", "images": ["iVBORw=="]},
        {"role": "user", "content": "hi"},
    ]


def test_what_a_tool_showed_is_shown_even_at_the_end() -> None:
    messages = messages_of(called(ToolCall("a-0", "a", "{}")), result("a-0", "done", PICTURE))

    assert {"role": "user", "content": "", "images": ["iVBORw=="]} == messages[-1]


@pytest.mark.parametrize(
    ("owner", "thoughts"), [(OURS, {"thinking": "hm"}), ("openai:openai", {})], ids=["ours", "somebody else's"]
)
def test_what_was_thought_before_a_call_goes_back_to_who_thought_it(owner: str, thoughts: dict[str, str]) -> None:
    call = ToolCall("now-0", "now", "{}", state=Opaque(owner, '{"thinking":"hm"}'))

    message, _ = messages_of(called(call), result("now-0", "noon"))

    calls = [{"function": {"name": "now", "arguments": {}}}]
    assert {"role": "assistant", "content": "", "tool_calls": calls, **thoughts} == message


@pytest.mark.parametrize(
    ("words", "left_out"),
    [
        ('"llama3.2" does not support thinking', "think"),
        ("registry.ollama.ai/library/llama3.2:latest does not support tools", "tools"),
    ],
)
def test_what_a_model_cannot_do_is_left_out_and_remembered(words: str, left_out: str) -> None:
    codec = OllamaCodec(LOCAL)
    request = codec.encode(Prompt("", (HI,), (ToolSpec("f", "", {}),), thinking=Thinking.LOW))
    attempts, next_turn = codec.attempts(request), codec.attempts(request)

    assert attempts.degrade(codec.refused(HttpError(400, {}, json.dumps({"error": words}).encode())))
    next_turn.recall(attempts.lesson)

    asked = json.loads(request.body)
    assert {name: value for name, value in asked.items() if name != left_out} == json.loads(attempts.request.body)
    assert attempts.request == next_turn.request


def test_a_tool_is_described() -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}

    body = body_of(Prompt("", (HI,), tools=(ToolSpec("weather", "Tells the weather.", schema),)))

    function = {"name": "weather", "description": "Tells the weather.", "parameters": schema}
    assert body["tools"] == [{"type": "function", "function": function}]


def test_parameters_are_options() -> None:
    sampling = {
        "temperature": 0.5, "top_p": 0.9, "top_k": 40.0, "min_p": 0.1, "frequency_penalty": 0.1,
        "presence_penalty": 0.2, "repetition_penalty": 1.1,
    }  # fmt: skip
    prompt = Prompt("", (HI,), sampling=sampling, max_tokens=100, stop=("a", "b"))

    body = body_of(
        prompt, abilities=Abilities(context_tokens=8192), extra={"keep_alive": "10m", "options": {"seed": 7}}
    )

    assert body["keep_alive"] == "10m"
    assert body["options"] == {
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 40,
        "min_p": 0.1,
        "frequency_penalty": 0.1,
        "presence_penalty": 0.2,
        "repeat_penalty": 1.1,
        "num_ctx": 8192,
        "num_predict": 100,
        "stop": ["a", "b"],
        "seed": 7,
    }


@pytest.mark.parametrize(
    ("model", "thinking", "think"),
    [
        ("qwen3:8b", "auto", None),
        ("qwen3:8b", "none", False),
        ("qwen3:8b", "low", True),
        ("qwen3:8b", "high", True),
        ("gpt-oss:20b", "auto", None),
        ("gpt-oss:20b", "none", "low"),
        ("hf.co/someone/GPT-OSS-20B", "low", "low"),
        ("gpt-oss:20b", "medium", "medium"),
        ("gpt-oss:20b", "high", "high"),
    ],
)
def test_thinking_is_a_switch_or_a_level(model: str, thinking: str, think: object) -> None:
    assert think == body_of(Prompt("", (HI,), thinking=Thinking(thinking)), model=model).get("think")


# --- the answer -----------------------------------------------------------------------


@pytest.mark.parametrize("stream", recorded("ollama"), ids=lambda path: path.name)
def test_a_recorded_stream_comes_to_the_same_however_it_is_sliced(stream: Path) -> None:
    for slices in every_slicing(stream.read_bytes()):
        assert expected(stream) == written(decoded(OllamaCodec(LOCAL), slices))


def read(*lines: object, **options: Any) -> list[Chunk]:
    decoder = OllamaDecoder("ollama", owner=OURS, **options)
    chunks = [chunk for line in lines for chunk in decoder.feed(RawEvent("", json.dumps(line).encode()))]
    return [*chunks, *decoder.flush(Ending.FINAL)]


def message(**fields: object) -> dict[str, object]:
    return {"model": "llama3.2", "message": {"role": "assistant", **fields}, "done": False}


NOW = {"function": {"name": "now", "arguments": {}}}


@pytest.mark.parametrize(
    ("reason", "end"),
    [("stop", "stop"), ("length", "length"), ("load", "stop"), ("unload", "stop"), (None, "stop")],
)
def test_the_last_line_says_how_it_ended(reason: str | None, end: str) -> None:
    last = {**message(content="!"), "done": True, "done_reason": reason, "prompt_eval_count": 5, "eval_count": 2}

    assert [TextDelta("Hi"), TextDelta("!"), Usage(5, 2), Finished(end)] == read(message(content="Hi"), last)


def test_tokens_that_were_not_counted_are_none() -> None:
    assert [Finished()] == read({"done": True})
    assert [Usage(0, 2), Finished()] == read({"done": True, "eval_count": 2})


def test_calls_are_numbered_through_the_conversation_unless_they_have_ids() -> None:
    chunks = read(
        message(tool_calls=[NOW, {"id": "call_1", **NOW}]),
        message(content="", tool_calls=[NOW]),
        {"done": True},
        first=3,
    )

    assert [
        ToolCall("now-3", "now", "{}"),
        ToolCall("call_1", "now", "{}"),
        ToolCall("now-5", "now", "{}"),
        Finished("tool_calls"),
    ] == chunks


def test_a_decoder_knows_how_many_calls_there_were() -> None:
    decoder = OllamaCodec(LOCAL).decoder(Prompt("", (called(ToolCall("now-0", "now", "{}")),)))

    assert [ToolCall("now-1", "now", "{}")] == list(
        decoder.feed(RawEvent("", json.dumps(message(tool_calls=[NOW])).encode()))
    )


@pytest.mark.parametrize(
    ("arguments", "written_as", "is_truncated"),
    [
        pytest.param({"city": "Zürich"}, '{"city":"Zürich"}', False, id="an object"),
        pytest.param('{"city": "Oslo"}', '{"city": "Oslo"}', False, id="an object in a text"),
        pytest.param('{"city": "Os', None, True, id="a text that was cut off"),
        pytest.param(None, "{}", False, id="none"),
    ],
)
def test_arguments_are_json(arguments: object, written_as: str | None, is_truncated: object) -> None:
    (call,) = read(message(tool_calls=[{"function": {"name": "weather", "arguments": arguments}}]))

    assert isinstance(call, ToolCall)
    assert is_truncated == call.is_truncated
    assert written_as in (None, call.arguments)


def test_thoughts_are_kept_for_the_first_call_where_they_have_to_go_back() -> None:
    lines = (message(thinking="h"), message(thinking="m"), message(tool_calls=[NOW]), message(tool_calls=[NOW]))

    kept = [chunk.state for chunk in read(*lines, keeps_thoughts=True) if isinstance(chunk, ToolCall)]
    not_kept = [chunk.state for chunk in read(*lines) if isinstance(chunk, ToolCall)]

    assert [Opaque(OURS, '{"thinking": "hm"}'), None] == kept
    assert [None, None] == not_kept


def test_a_model_is_asked_to_think_again_of_what_it_thought_only_if_it_has_to_be() -> None:
    codec = OllamaCodec(replace(LOCAL, quirks=Quirks(replays_reasoning=True)))
    body = b'{"message":{"thinking":"hm"}}\n{"message":{"tool_calls":[{"function":{"name":"now"}}]}}\n{"done":true}\n'

    (call,) = (chunk for chunk in decoded(codec, [body]) if isinstance(chunk, ToolCall))

    assert Opaque(OURS, '{"thinking": "hm"}') == call.state


@pytest.mark.parametrize(
    "line",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"message": None, "done": None, "error": None}, id="nulls"),
        pytest.param(message(), id="an empty message"),
        pytest.param(message(content=None, thinking=None, tool_calls=None), id="null fields"),
        pytest.param(message(tool_calls=[{}, {"function": {}}, {"function": {"name": ""}}]), id="calls of nothing"),
    ],
)
def test_a_line_that_says_nothing_comes_to_nothing(line: object) -> None:
    assert [] == read(line)


@pytest.mark.parametrize(
    "error",
    [
        pytest.param("model runner has unexpectedly stopped, please check server logs", id="a text"),
        pytest.param({"message": "model runner has unexpectedly stopped"}, id="an object"),
    ],
)
def test_an_error_comes_behind_the_words(error: object) -> None:
    words, thought, failed = read(message(content="So"), message(thinking="hm"), {"error": error})

    assert (TextDelta("So"), ThoughtDelta("hm")) == (words, thought)
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, ProviderError)
    assert "unexpectedly stopped" in failed.error.detail


def test_a_model_that_is_not_there_is_said_to_be() -> None:
    refused = OllamaCodec(LOCAL).refused(HttpError(404, {}, b'{"error":"model \'llama3.2\' not found"}'))

    assert (ErrorKind.MODEL, 404, False) == (refused.kind, refused.status, refused.retryable)


@pytest.mark.parametrize("data", [b"nonsense", b"[]", b'{"message": 3}', b'"text"'])
def test_what_cannot_be_read_is_passed_over(data: bytes) -> None:
    decoder = OllamaDecoder("ollama", owner=OURS)

    assert [] == list(decoder.feed(RawEvent("", data)))
    assert [TextDelta("Hi")] == list(decoder.feed(RawEvent("", json.dumps(message(content="Hi")).encode())))
    assert 1 == decoder.skipped
    assert [] == list(decoder.flush(Ending.FINAL))
