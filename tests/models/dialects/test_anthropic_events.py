from __future__ import annotations

import json

import anthropic
import pytest
from hypothesis import given, strategies as st

from cadenza.errors import ErrorKind, ProviderError
from cadenza.models.dialects.anthropic import AnthropicCodec
from cadenza.models.dialects.anthropic_events import AnthropicDecoder
from cadenza.models.dialects.dialect import Endpoint
from cadenza.stages.s3_chunks import Chunks
from cadenza.types import (
    Chunk,
    Ending,
    Failed,
    Finished,
    RawEvent,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
from tests.loopback import Answer, serving
from tests.models.recorded import decoded, every_slicing, expected, joined, recorded, written

CODEC = AnthropicCodec(Endpoint("anthropic", "claude-sonnet-4-6", "https://api.anthropic.com"))
STREAMS = {path.stem: path for path in recorded("anthropic")}
BODIES = {name: path.read_bytes() for name, path in STREAMS.items()}


def read(*events: dict[str, object] | bytes) -> list[Chunk]:
    """What *events* come to, with a proper end."""
    chunks = Chunks(AnthropicDecoder("anthropic", "claude-sonnet-4-6", "anthropic:anthropic"))
    raw = [event if isinstance(event, bytes) else json.dumps(event).encode() for event in events]
    heard = chunks.feed_all(RawEvent("", data) for data in raw)
    return joined([*heard, *chunks.flush(Ending.FINAL)])


def block(index: int, *deltas: dict[str, object], **started: object) -> list[dict[str, object]]:
    """The events of one block."""
    return [
        {"type": "content_block_start", "index": index, "content_block": started},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def said(index: int, text: str) -> list[dict[str, object]]:
    return block(index, {"type": "text_delta", "text": text}, type="text", text="")


def ended(reason: str, **more: object) -> list[dict[str, object]]:
    return [{"type": "message_delta", "delta": {"stop_reason": reason, **more}}, {"type": "message_stop"}]


# --- recorded streams ------------------------------------------------------------


@pytest.mark.parametrize("name", STREAMS)
def test_a_recorded_stream_comes_to_the_same_however_it_is_sliced(name: str) -> None:
    for slices in every_slicing(BODIES[name]):
        assert expected(STREAMS[name]) == written(decoded(CODEC, slices))


async def heard_by_sdk(body: bytes) -> tuple[list[Chunk], anthropic.APIStatusError | None]:
    """What Anthropic's own client hears of *body*, in our words."""
    heard: list[Chunk] = []
    names: dict[int, tuple[str, str]] = {}
    arguments: dict[int, str] = {}
    async with serving(Answer((body,))) as server:
        client = anthropic.AsyncAnthropic(base_url=server.url, api_key="test", max_retries=0)
        async with client:
            stream = await client.messages.create(
                model="claude-opus-4-8", max_tokens=1, messages=[{"role": "user", "content": "Hi"}], stream=True
            )
            try:
                async for event in stream:
                    match event.type:
                        case "content_block_start" if event.content_block.type == "tool_use":
                            names[event.index] = event.content_block.id, event.content_block.name
                            arguments[event.index] = ""
                        case "content_block_delta" if event.delta.type == "text_delta":
                            heard.append(TextDelta(event.delta.text))
                        case "content_block_delta" if event.delta.type == "thinking_delta":
                            heard.append(ThoughtDelta(event.delta.thinking))
                        case "content_block_delta" if event.delta.type == "input_json_delta":
                            if event.index in names:
                                arguments[event.index] += event.delta.partial_json
                        case "content_block_stop" if event.index in names:
                            heard.append(ToolCall(*names[event.index], arguments[event.index]))
                        case "message_delta":
                            heard.append(Usage(output_tokens=event.usage.output_tokens))
                        case _:
                            pass
            except anthropic.APIStatusError as error:
                return joined(heard), error
    return joined(heard), None


def words(chunks: list[Chunk]) -> str:
    """All that was said, without white space: a blank line between two paragraphs is ours."""
    return "".join("".join(chunk.text for chunk in chunks if isinstance(chunk, TextDelta)).split())


@pytest.mark.parametrize("name", STREAMS)
async def test_anthropics_own_client_hears_the_same(name: str) -> None:
    theirs, error = await heard_by_sdk(BODIES[name])

    ours = joined(decoded(CODEC, [BODIES[name]]))

    assert words(theirs) == words(ours)
    assert [c for c in theirs if isinstance(c, ThoughtDelta)] == [c for c in ours if isinstance(c, ThoughtDelta)]
    for call in (chunk for chunk in ours if isinstance(chunk, ToolCall) and not chunk.is_truncated):
        twin = next(chunk for chunk in theirs if isinstance(chunk, ToolCall) and chunk.id == call.id)
        assert (twin.name, twin.arguments or "{}") == (call.name, call.arguments)
    counted = [chunk.output_tokens for chunk in theirs if isinstance(chunk, Usage)]
    assert counted[-1:] == [chunk.output_tokens for chunk in ours if isinstance(chunk, Usage)][1:]
    assert (error is not None) == (name == "overloaded")


async def test_anthropics_own_client_counts_the_same_tokens_read() -> None:
    async with (
        serving(Answer((BODIES["text"],))) as server,
        anthropic.AsyncAnthropic(base_url=server.url, api_key="test", max_retries=0) as client,
        client.messages.stream(
            model="claude-opus-4-8", max_tokens=1, messages=[{"role": "user", "content": "Hi"}]
        ) as stream,
    ):
        theirs = (await stream.get_final_message()).usage

    ours = [chunk for chunk in decoded(CODEC, [BODIES["text"]]) if isinstance(chunk, Usage)][-1]

    cached, stored = theirs.cache_read_input_tokens or 0, theirs.cache_creation_input_tokens or 0
    assert (theirs.input_tokens + cached + stored, theirs.output_tokens, cached) == (
        ours.input_tokens,
        ours.output_tokens,
        ours.cached_tokens,
    )


# --- how it ends ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "end"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("pause_turn", "stop"),
        ("tool_use", "tool_calls"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("a_reason_of_next_year", "stop"),
    ],
)
def test_a_reason_is_told_in_our_words(reason: str, end: str) -> None:
    assert [TextDelta("Hi."), Finished(end)] == read(*said(0, "Hi."), *ended(reason))


def test_a_call_is_wanted_whatever_the_reason_is_called() -> None:
    call = block(0, type="tool_use", id="t1", name="look", input={})

    assert [ToolCall("t1", "look", "{}"), Finished("tool_calls")] == read(*call, *ended("end_turn"))


def test_b27_a_refusal_is_a_failure_after_what_was_said() -> None:
    text, failed = read(*said(0, "First, "), *ended("refusal", stop_details={"explanation": "It is not allowed."}))

    assert TextDelta("First, ") == text
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, ProviderError)
    assert (ErrorKind.CONTENT_BLOCKED, "refusal") == (failed.error.kind, failed.error.code)
    assert "It is not allowed." in failed.error.detail


@pytest.mark.parametrize("details", [None, "bio", {"explanation": None}], ids=repr)
def test_a_refusal_without_a_word_of_why_still_says_what_it_is(details: object) -> None:
    (failed,) = read(*ended("refusal", stop_details=details))

    assert isinstance(failed, Failed)
    assert "safety" in getattr(failed.error, "detail", "")


@pytest.mark.parametrize(
    ("name", "kind", "retryable"),
    [
        ("overloaded_error", ErrorKind.OVERLOADED, True),
        ("rate_limit_error", ErrorKind.RATE_LIMIT, True),
        ("api_error", ErrorKind.API, True),
        ("authentication_error", ErrorKind.API, False),
        ("invalid_request_error", ErrorKind.API, False),
    ],
)
def test_b27_an_error_in_the_stream_is_what_it_says_it_is(name: str, kind: ErrorKind, *, retryable: bool) -> None:
    *before, failed = read(*said(0, "Hm"), {"type": "error", "error": {"type": name, "message": "It broke."}})

    assert [TextDelta("Hm")] == before
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, ProviderError)
    assert (kind, name, retryable) == (failed.error.kind, failed.error.code, failed.error.retryable)


@pytest.mark.parametrize("error", [None, "Overloaded", {"message": None}, []], ids=repr)
def test_an_error_without_a_type_is_still_an_error(error: object) -> None:
    (failed,) = read({"type": "error", "error": error})

    assert isinstance(failed, Failed)


def test_a_stream_that_stops_after_its_reason_has_ended_for_that_reason() -> None:
    events = [*said(0, "Hi."), {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}]

    assert [TextDelta("Hi."), Finished("length")] == read(*events)


def test_a_stream_that_says_no_reason_has_just_ended() -> None:
    assert [TextDelta("Hi."), Finished("stop")] == read(*said(0, "Hi."), {"type": "message_stop"})
    assert [TextDelta("Hi."), Finished("end_of_stream")] == read(*said(0, "Hi."))


def test_nothing_but_nonsense_is_a_failure() -> None:
    (failed,) = read(b"<html>", b"nothing")

    assert isinstance(failed, Failed)


def test_a_broken_event_is_passed_over_and_counted() -> None:
    decoder = AnthropicDecoder("anthropic", "m", "anthropic:anthropic")
    text, *_ = said(0, "Hi.")[1:]

    heard = [
        *decoder.feed(RawEvent("", b'{"type":"content_bl')),
        *decoder.feed(RawEvent("", json.dumps(text).encode())),
    ]

    assert [TextDelta("Hi.")] == heard
    assert decoder.skipped == 1


# --- calls -------------------------------------------------------------------------


def test_a_call_that_was_never_closed_is_not_to_be_run_even_if_it_looks_whole() -> None:
    opened = block(0, {"type": "input_json_delta", "partial_json": '{"a": 1}'}, type="tool_use", id="t1", name="look")[
        :-1
    ]

    assert [ToolCall("t1", "look", '{"a": 1}', is_truncated=True), Finished("end_of_stream")] == read(*opened)


def test_a_call_that_was_never_closed_before_the_message_was_is_not_lost() -> None:
    opened = block(0, type="tool_use", id="t1", name="look", input={})[:-1]

    assert [ToolCall("t1", "look", "{}", is_truncated=True), Finished("tool_calls")] == read(
        *opened, *ended("tool_use")
    )


def test_arguments_may_come_with_the_name() -> None:
    call = block(0, type="tool_use", id="t1", name="look", input={"at": "月"})

    assert [ToolCall("t1", "look", '{"at": "月"}'), Finished("tool_calls")] == read(*call, *ended("tool_use"))


def test_a_call_without_an_id_gets_the_same_one_every_time() -> None:
    call = block(3, type="tool_use", name="look")

    assert ToolCall("look-0", "look", "{}") == read(*call)[0] == read(*call)[0]


def test_made_ids_go_on_where_the_conversation_is() -> None:
    decoder = AnthropicDecoder("anthropic", "a-model", "anthropic:anthropic", first=2)
    events = [*block(0, type="tool_use", name="look"), *block(1, type="tool_use", name="look")]

    chunks = [
        *(chunk for event in events for chunk in decoder.feed(RawEvent("", json.dumps(event).encode()))),
        *decoder.flush(Ending.FINAL),
    ]

    assert [ToolCall("look-2", "look", "{}"), ToolCall("look-3", "look", "{}")] == chunks


def test_a_call_of_nothing_is_none() -> None:
    assert [Finished("stop")] == read(*block(0, type="tool_use", id="t0"), *ended("end_turn"))


def test_a_call_that_was_cut_off_before_its_arguments_is_not_one_without_any() -> None:
    first, last = (block(index, type="tool_use", id=f"t{index}", name="look") for index in (0, 1))

    calls = [chunk for chunk in read(*first, *last, *ended("max_tokens")) if isinstance(chunk, ToolCall)]

    assert [("t0", False), ("t1", True)] == [(call.id, call.is_truncated) for call in calls]


def test_what_was_thought_before_each_call_goes_with_that_call() -> None:
    first, second = (
        block(index, {"type": "thinking_delta", "thinking": text}, {"type": "signature_delta", "signature": f"s{index}"},
              type="thinking", thinking="", signature="")
        for index, text in ((0, "One."), (3, "Two."))
    )  # fmt: skip
    calls = [block(index, type="tool_use", id=f"t{index}", name="look") for index in (2, 4, 5)]

    chunks = read(*first, *said(1, "So:"), *calls[0], *second, *calls[1], *calls[2], *ended("tool_use"))

    states = [json.loads(call.state.data) if call.state else None for call in chunks if isinstance(call, ToolCall)]
    thought = {"type": "thinking"}
    assert [
        {
            "model": "claude-sonnet-4-6",
            "blocks": [{**thought, "thinking": "One.", "signature": "s0"}, {"type": "text"}],
        },
        {"model": "claude-sonnet-4-6", "blocks": [{**thought, "thinking": "Two.", "signature": "s3"}]},
        None,
    ] == states


# --- words and thoughts ---------------------------------------------------------------


def test_words_and_thoughts_that_come_with_the_start_of_a_block_count() -> None:
    events = [*block(0, type="thinking", thinking="Hm.", signature="s"), *block(1, type="text", text="Hi.")]

    assert [ThoughtDelta("Hm."), TextDelta("Hi."), Finished("end_of_stream")] == read(*events)


def test_a_piece_of_a_block_that_was_never_begun_is_not_lost_if_it_can_be_heard() -> None:
    kinds = {"thinking_delta": "thinking", "signature_delta": "signature", "input_json_delta": "partial_json"}
    deltas = [{"type": kind, field: "Hm."} for kind, field in kinds.items()]

    chunks = read(*block(7, *deltas)[1:-1])

    assert [ThoughtDelta("Hm."), Finished("end_of_stream")] == chunks


@pytest.mark.parametrize(
    ("before", "after", "whole"),
    [
        ("One.", "Two.", "One.\n\nTwo."),
        ("One.\n", "Two.", "One.\nTwo."),
        ("One.", " Two.", "One. Two."),
    ],
)
def test_words_on_both_sides_of_something_else_are_two_paragraphs(before: str, after: str, whole: str) -> None:
    search = block(1, type="server_tool_use", id="s1", name="web_search", input={})

    assert [TextDelta(whole), Finished("end_of_stream")] == read(*said(0, before), *search, *said(2, after))


def test_blocks_of_words_that_follow_each_other_are_one_text() -> None:
    assert [TextDelta("The tram runs."), Finished("end_of_stream")] == read(*said(0, "The tram"), *said(1, " runs."))


def test_an_answer_without_a_thought_has_no_state() -> None:
    call, _ = read(*block(1, type="tool_use", id="t1", name="look"))

    assert isinstance(call, ToolCall)
    assert call.state is None


# --- counts ------------------------------------------------------------------------------


def test_all_that_was_read_counts_cached_or_not() -> None:
    usage = {"input_tokens": 3, "cache_creation_input_tokens": 40, "cache_read_input_tokens": 500, "output_tokens": 1}

    chunks = read({"type": "message_start", "message": {"usage": usage}})

    assert [Usage(543, 1, 500), Finished("end_of_stream")] == chunks


def test_a_later_count_replaces_an_earlier_one_and_keeps_what_it_does_not_say() -> None:
    start: dict[str, object] = {"type": "message_start", "message": {"usage": {"input_tokens": 3, "output_tokens": 1}}}
    more = {"output_tokens": 9, "output_tokens_details": {"thinking_tokens": 4}}

    chunks = read(
        start, {"type": "message_delta", "delta": {}, "usage": more}, {"type": "message_delta", "usage": None}
    )

    assert [Usage(3, 1), Usage(3, 9, 0, 4), Finished("end_of_stream")] == chunks


# --- whatever comes -----------------------------------------------------------------------

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)
EVENTS = st.fixed_dictionaries(
    {"type": st.sampled_from(("content_block_start", "content_block_delta", "content_block_stop", "message_start", "message_delta", "message_stop", "error", "ping"))},
    optional={
        "index": st.integers(0, 2) | VALUES,
        "delta": st.fixed_dictionaries(
            {"type": st.sampled_from(("text_delta", "thinking_delta", "signature_delta", "input_json_delta"))},
            optional=dict.fromkeys(("text", "thinking", "signature", "partial_json", "stop_reason"), VALUES),
        ) | VALUES,
        "content_block": st.fixed_dictionaries(
            {"type": st.sampled_from(("text", "thinking", "redacted_thinking", "tool_use", "image"))},
            optional=dict.fromkeys(("text", "thinking", "signature", "data", "id", "name", "input"), VALUES),
        ) | VALUES,
        "message": VALUES,
        "usage": VALUES,
        "error": VALUES,
    },
)  # fmt: skip


@given(st.lists(EVENTS, max_size=8))
def test_no_event_whatever_it_holds_raises(events: list[dict[str, object]]) -> None:
    *before, end = read(*events)

    assert isinstance(end, Finished | Failed)
    assert not any(isinstance(chunk, Finished | Failed) for chunk in before)
