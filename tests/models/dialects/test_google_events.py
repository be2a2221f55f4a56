from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from google.genai import errors, types

from cadenza.errors import ErrorKind, ProviderError
from cadenza.models.dialects.dialect import Endpoint
from cadenza.models.dialects.google import GoogleCodec
from cadenza.models.dialects.google_events import GoogleDecoder
from cadenza.types import (
    Chunk,
    Ending,
    Failed,
    Finished,
    Opaque,
    Prompt,
    PromptTurn,
    RawEvent,
    Role,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
from tests.loopback import Answer, serving
from tests.models.googles_client import IGNORE, googles_client
from tests.models.recorded import decoded, every_slicing, expected, joined, recorded, written

GEMINI_URL = "https://generativelanguage.googleapis.com/v1beta"
CODEC = GoogleCodec(Endpoint("google", "gemini-2.5-flash", GEMINI_URL, key="not-a-key"))
STREAMS = recorded("google")
EVENT_STREAMS = [path for path in STREAMS if path.suffix == ".sse"]


def read(*events: object) -> list[Chunk]:
    decoder = GoogleDecoder("google", owner="google:google")
    chunks = [chunk for event in events for chunk in decoder.feed(RawEvent("", json.dumps(event).encode()))]
    return [*chunks, *decoder.flush(Ending.FINAL)]


def answer(*parts: dict[str, object], **candidate: object) -> dict[str, object]:
    return {"candidates": [{"content": {"parts": list(parts), "role": "model"}, **candidate}]}


# --- recorded streams -----------------------------------------------------------------


@pytest.mark.parametrize("stream", STREAMS, ids=lambda path: path.name)
def test_a_recorded_stream_comes_to_the_same_however_it_is_sliced(stream: Path) -> None:
    body = stream.read_bytes()

    for slices in every_slicing(body):
        assert expected(stream) == written(decoded(CODEC, slices))


class Heard(NamedTuple):
    """What Google's own client makes of a stream."""

    parts: list[types.Part]
    usage: types.GenerateContentResponseUsageMetadata | None
    failed_with: int | None


async def heard_by_their_client(body: bytes) -> Heard:
    parts: list[types.Part] = []
    usage = None
    async with serving(Answer((body,))) as server, googles_client(server.url) as client:
        try:
            async for event in await client.models.generate_content_stream(model="gemini-2.5-flash", contents="hi"):
                content = event.candidates[0].content if event.candidates else None
                parts += (content.parts or []) if content else []
                usage = event.usage_metadata or usage
        except errors.APIError as error:
            return Heard(parts, usage, error.code)
    return Heard(parts, usage, None)


@IGNORE
@pytest.mark.parametrize(
    ("body", "is_error"),
    [pytest.param(path.read_bytes(), path.stem.startswith("error"), id=path.name) for path in EVENT_STREAMS],
)
async def test_googles_own_client_reads_a_recorded_stream_to_the_same(body: bytes, is_error: bool) -> None:  # noqa: FBT001  # a column of the table
    ours = joined(decoded(CODEC, [body]))

    parts, usage, failed_with = await heard_by_their_client(body)

    words = "".join(part.text or "" for part in parts if not part.thought)
    assert words == "".join(chunk.text for chunk in ours if isinstance(chunk, TextDelta))
    if not any(part.executable_code for part in parts):
        thoughts = "".join(part.text or "" for part in parts if part.thought)
        assert thoughts == "".join(chunk.text for chunk in ours if isinstance(chunk, ThoughtDelta))
    calls = [part.function_call for part in parts if part.function_call]
    our_calls = [chunk for chunk in ours if isinstance(chunk, ToolCall)]
    assert [(call.name, call.args) for call in calls] == [(call.name, json.loads(call.arguments)) for call in our_calls]
    assert [call.id or f"{call.name}-{index}" for index, call in enumerate(calls)] == [call.id for call in our_calls]
    assert usage is not None
    assert [_usage(usage)] == [chunk for chunk in ours if isinstance(chunk, Usage)]
    if is_error:  # any other failure is, to their client, an ordinary end
        assert [failed_with] == [getattr(chunk.error, "status", None) for chunk in ours if isinstance(chunk, Failed)]
    else:
        assert failed_with is None


def _usage(theirs: types.GenerateContentResponseUsageMetadata) -> Usage:
    thoughts = theirs.thoughts_token_count or 0
    written_tokens = (theirs.candidates_token_count or 0) + thoughts
    return Usage(theirs.prompt_token_count or 0, written_tokens, theirs.cached_content_token_count or 0, thoughts)


# --- ends -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "end"),
    [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        ("CONTINUATION", "length"),
        ("NO_IMAGE", "stop"),
        ("IMAGE_OTHER", "stop"),
    ],
)
def test_an_answer_that_is_whole_or_too_long_is_finished(reason: str, end: str) -> None:
    assert [TextDelta("Hi"), Finished(end)] == read(answer({"text": "Hi"}, finishReason=reason))


@pytest.mark.parametrize(
    ("reason", "kind", "retryable"),
    [
        ("SAFETY", ErrorKind.CONTENT_BLOCKED, False),
        ("RECITATION", ErrorKind.CONTENT_BLOCKED, False),
        ("LANGUAGE", ErrorKind.CONTENT_BLOCKED, False),
        ("OTHER", ErrorKind.CONTENT_BLOCKED, False),
        ("BLOCKLIST", ErrorKind.CONTENT_BLOCKED, False),
        ("PROHIBITED_CONTENT", ErrorKind.CONTENT_BLOCKED, False),
        ("SPII", ErrorKind.CONTENT_BLOCKED, False),
        ("IMAGE_SAFETY", ErrorKind.CONTENT_BLOCKED, False),
        ("IMAGE_PROHIBITED_CONTENT", ErrorKind.CONTENT_BLOCKED, False),
        ("IMAGE_RECITATION", ErrorKind.CONTENT_BLOCKED, False),
        ("MODEL_ARMOR", ErrorKind.CONTENT_BLOCKED, False),
        ("MALFORMED_FUNCTION_CALL", ErrorKind.API, True),
        ("UNEXPECTED_TOOL_CALL", ErrorKind.API, True),
        ("TOO_MANY_TOOL_CALLS", ErrorKind.API, True),
        ("MALFORMED_RESPONSE", ErrorKind.API, True),
        ("SOMETHING_NEW", ErrorKind.UNKNOWN, False),
    ],
)
def test_an_answer_that_was_broken_off_has_failed_after_its_words(
    reason: str,
    kind: ErrorKind,
    retryable: bool,  # noqa: FBT001  # a column of the table
) -> None:
    words, failed = read(answer({"text": "So"}, finishReason=reason, finishMessage="because"))

    assert TextDelta("So") == words
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, ProviderError)
    assert "Google" in str(failed.error)
    assert (kind, reason, retryable, "because") == (
        failed.error.kind, failed.error.code, failed.error.retryable, failed.error.detail,
    )  # fmt: skip


def test_every_reason_that_googles_own_client_knows_is_known() -> None:
    for reason in types.FinishReason:
        chunks = read(answer({"text": "Hi"}, finishReason=reason.value))
        failures = [chunk.error for chunk in chunks if isinstance(chunk, Failed)]

        assert all(isinstance(error, ProviderError) and error.kind is not ErrorKind.UNKNOWN for error in failures)


@pytest.mark.parametrize("reason", ["SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "IMAGE_SAFETY", "JAILBREAK"])
def test_a_prompt_that_was_blocked_has_failed(reason: str) -> None:
    (failed,) = read({"promptFeedback": {"blockReason": reason, "blockReasonMessage": "because"}})

    assert isinstance(failed, Failed)
    assert isinstance(failed.error, ProviderError)
    assert (ErrorKind.CONTENT_BLOCKED, reason, False) == (failed.error.kind, failed.error.code, failed.error.retryable)
    assert failed.error.detail == "because"


@pytest.mark.parametrize(
    "event",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"candidates": []}, id="no candidate"),
        pytest.param({"candidates": None, "promptFeedback": None, "usageMetadata": None, "error": None}, id="nulls"),
        pytest.param({"candidates": [{}]}, id="an empty candidate"),
        pytest.param({"candidates": [{"content": {"role": "model"}}]}, id="no parts"),
        pytest.param({"candidates": [{"content": {"parts": None}}]}, id="null parts"),
        pytest.param({"candidates": [{"finishReason": "FINISH_REASON_UNSPECIFIED"}]}, id="no reason"),
        pytest.param({"promptFeedback": {"blockReason": "BLOCKED_REASON_UNSPECIFIED"}}, id="not blocked"),
        pytest.param({"promptFeedback": {"safetyRatings": []}}, id="feedback that is no block"),
        pytest.param(answer({"text": None}, {"text": ""}, {}), id="empty parts"),
        pytest.param(answer({"inlineData": {"mimeType": "image/png", "data": "AAAA"}}), id="a picture"),
        pytest.param(answer({"functionCall": {"args": {}}}), id="a call of nothing"),
        pytest.param({"somethingNew": {"candidates": 3}}, id="something new"),
    ],
)
def test_an_event_that_says_nothing_comes_to_nothing(event: object) -> None:
    assert [] == read({"candidates": []}, event)


@pytest.mark.parametrize(
    "error",
    [
        pytest.param({"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}, id="whole"),
        pytest.param({"message": "The model is overloaded", "status": "UNAVAILABLE"}, id="without a code"),
    ],
)
@pytest.mark.parametrize("is_list", [False, True], ids=["an object", "a list"])
def test_an_error_comes_behind_the_words(error: dict[str, object], is_list: bool) -> None:  # noqa: FBT001  # likewise
    event = {"error": error}

    words, failed = read(answer({"text": "So"}), [event] if is_list else event)

    assert TextDelta("So") == words
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, ProviderError)
    assert (ErrorKind.OVERLOADED, True) == (failed.error.kind, failed.error.retryable)


def test_a_stream_that_breaks_off_does_not_say_that_it_is_finished() -> None:
    assert [TextDelta("Hi"), Usage(3, 1)] == read(
        {**answer({"text": "Hi"}), "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 1}}
    )


def test_what_was_held_comes_once() -> None:
    decoder = GoogleDecoder("google", owner="google:google")
    decoder.feed(RawEvent("", json.dumps(answer({"functionCall": {"name": "now"}}, finishReason="STOP")).encode()))

    assert [ToolCall("now-0", "now", "{}"), Finished("tool_calls")] == list(decoder.flush(Ending.FINAL))
    assert [] == list(decoder.flush(Ending.FINAL))


# --- tokens ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "usage"),
    [
        pytest.param({"promptTokenCount": 5, "candidatesTokenCount": 2}, Usage(5, 2), id="words"),
        pytest.param(
            {"promptTokenCount": 5, "candidatesTokenCount": 2, "thoughtsTokenCount": 9},
            Usage(5, 11, 0, 9),
            id="thoughts",
        ),
        pytest.param({"promptTokenCount": 5, "cachedContentTokenCount": 4}, Usage(5, 0, 4), id="some from the cache"),
        pytest.param({"promptTokenCount": 5, "toolUsePromptTokenCount": 7}, Usage(12), id="what their tools brought"),
        pytest.param({"promptTokenCount": 5, "candidatesTokenCount": None}, Usage(5), id="null"),
    ],
)
def test_tokens_are_counted_by_the_last_event(counts: dict[str, object], usage: Usage) -> None:
    first = {**answer({"text": "Hi"}, finishReason="STOP"), "usageMetadata": {"promptTokenCount": 1}}

    assert [TextDelta("Hi"), usage, Finished()] == read(first, {"usageMetadata": counts})


# --- calls ----------------------------------------------------------------------------


def test_calls_come_at_the_end_and_in_order() -> None:
    first, second = {"name": "weather", "args": {"city": "Zürich"}}, {"name": "now", "id": "call_9"}

    chunks = read(
        answer({"functionCall": first}), answer({"text": "and"}, {"functionCall": second}), answer(finishReason="STOP")
    )

    assert [
        TextDelta("and"),
        ToolCall("weather-0", "weather", '{"city":"Zürich"}'),
        ToolCall("call_9", "now", "{}", state=Opaque("google:google", '{"id":true}')),
        Finished("tool_calls"),
    ] == chunks


def test_a_call_without_an_id_is_numbered_through_the_conversation() -> None:
    asked = PromptTurn(Role.MODEL, (), calls=(ToolCall("now-0", "now", "{}"),))
    decoder = CODEC.decoder(Prompt("", (asked,)))
    decoder.feed(RawEvent("", json.dumps(answer({"functionCall": {"name": "now"}})).encode()))

    assert [ToolCall("now-1", "now", "{}")] == list(decoder.flush(Ending.FINAL))


@pytest.mark.parametrize(
    ("parts", "states"),
    [
        pytest.param([{"functionCall": {"name": "a"}}], [None], id="none"),
        pytest.param(
            [{"functionCall": {"name": "a"}, "thoughtSignature": "s1"}, {"functionCall": {"name": "b"}}],
            [{"signature": "s1"}, None],
            id="on the first call",
        ),
        pytest.param(
            [{"text": "hm", "thoughtSignature": "s0"}, {"functionCall": {"name": "a"}, "thoughtSignature": "s1"}],
            [{"signature": "s1", "before": ["s0"]}],
            id="on words before it",
        ),
        pytest.param(
            [{"text": "hm", "thought": True, "thoughtSignature": "s0"}, {"functionCall": {"name": "a"}}],
            [{"before": ["s0"]}],
            id="on a thought before it",
        ),
        pytest.param(
            [{"functionCall": {"name": "a"}}, {"text": "", "thoughtSignature": "s2"}],
            [{"after": ["s2"]}],
            id="behind it",
        ),
    ],
)
def test_every_signature_of_a_turn_is_kept(parts: list[dict[str, object]], states: list[object]) -> None:
    chunks = read(*(answer(part) for part in parts))

    found = [chunk.state for chunk in chunks if isinstance(chunk, ToolCall)]
    assert states == [state and json.loads(state.data) for state in found]


def test_a_call_that_comes_in_pieces_is_never_run() -> None:
    """Nobody asks for it to come so; if it does, half of it must not be taken for the whole."""
    start = {"functionCall": {"name": "buy", "willContinue": True}}
    more = {"functionCall": {"partialArgs": [{"jsonPath": "$.what", "stringValue": "tea"}]}}

    (call,) = (chunk for chunk in read(answer(start), answer(more)) if isinstance(chunk, ToolCall))

    assert ("buy", True) == (call.name, call.is_truncated)


# --- parts ----------------------------------------------------------------------------


def test_code_that_was_run_there_is_a_thought() -> None:
    code = {"executableCode": {"language": "PYTHON", "code": "print(1)"}}
    result = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1\n"}}

    assert [ThoughtDelta("```python\nprint(1)\n```\n"), ThoughtDelta("```\n1\n```\n")] == read(answer(code, result))


def test_the_names_of_the_protocol_are_read_too() -> None:
    call = {"function_call": {"name": "now", "id": "c1"}, "thought_signature": "s"}
    counts = {"prompt_token_count": 4, "candidates_token_count": 2, "thoughts_token_count": 1}

    chunks = read(
        answer({"executable_code": {"language": "PYTHON", "code": "1"}}, {"code_execution_result": {"output": "1"}}),
        {**answer(call, finish_reason="STOP"), "usage_metadata": counts},
    )

    assert [
        ThoughtDelta("```python\n1\n```\n"),
        ThoughtDelta("```\n1\n```\n"),
        ToolCall("c1", "now", "{}", state=Opaque("google:google", '{"signature":"s","id":true}')),
        Usage(4, 3, 0, 1),
        Finished("tool_calls"),
    ] == chunks


@pytest.mark.parametrize(
    "event",
    [
        {"prompt_feedback": {"block_reason": "SAFETY", "block_reason_message": "because"}},
        {"candidates": [{"finish_reason": "SAFETY", "finish_message": "because"}]},
    ],
)
def test_a_block_in_the_names_of_the_protocol_is_one(event: object) -> None:
    (failed,) = read(event)

    assert isinstance(failed, Failed)
    assert isinstance(failed.error, ProviderError)
    assert ("SAFETY", "because") == (failed.error.code, failed.error.detail)


def test_half_an_emoji_loses_nothing_but_itself() -> None:
    decoder = GoogleDecoder("google", owner="google:google")
    event = b'{"candidates":[{"content":{"parts":[{"text":"a\\ud83d b"}]}}],"usageMetadata":{"promptTokenCount":1}}'

    (words,) = decoder.feed(RawEvent("", event))

    assert isinstance(words, TextDelta)
    assert words.text.startswith("a")
    assert words.text.endswith(" b")


@pytest.mark.parametrize("data", [b"nonsense", b'{"candidates": 3}', b"[1]", b'"text"', b""])
def test_what_cannot_be_read_is_passed_over(data: bytes) -> None:
    decoder = GoogleDecoder("google", owner="google:google")

    assert [] == list(decoder.feed(RawEvent("", data)))
    assert [TextDelta("Hi")] == list(decoder.feed(RawEvent("", json.dumps(answer({"text": "Hi"})).encode())))
    assert 1 == decoder.skipped
    assert [] == list(decoder.flush(Ending.FINAL))
