from __future__ import annotations

import json

import openai
import pytest
from hypothesis import given, strategies as st

from cadenza.errors import ErrorKind, ProviderError
from cadenza.models.dialects.dialect import Endpoint
from cadenza.models.dialects.openai_responses import ResponsesCodec
from cadenza.models.dialects.openai_responses_events import ResponsesDecoder
from cadenza.stages.s3_chunks import Chunks
from cadenza.types import Chunk, Ending, Failed, Finished, RawEvent, TextDelta, ThoughtDelta, ToolCall, Usage
from tests.loopback import Answer, serving
from tests.models.recorded import decoded, every_slicing, expected, joined, recorded, written

CODEC = ResponsesCodec(Endpoint("openai", "gpt-5.1", "https://api.openai.com/v1"))
STREAMS = {path.stem: path for path in recorded("openai-responses")}
BODIES = {name: path.read_bytes() for name, path in STREAMS.items()}


def read(*events: dict[str, object] | bytes, named: bool = True) -> list[Chunk]:
    """What *events* come to, with a proper end."""
    chunks = Chunks(ResponsesDecoder("openai", "gpt-5.1", "openai-responses:openai"))
    heard: list[Chunk] = []
    for event in events:
        if isinstance(event, bytes):
            heard += chunks.feed(RawEvent("", event))
        else:
            heard += chunks.feed(RawEvent(str(event.get("type", "")) if named else "", json.dumps(event).encode()))
    return joined([*heard, *chunks.flush(Ending.FINAL)])


def added(index: int, **item: object) -> dict[str, object]:
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def done(index: int, **item: object) -> dict[str, object]:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def text(words: str) -> dict[str, object]:
    return {"type": "response.output_text.delta", "delta": words}


def arguments(index: int, words: str) -> dict[str, object]:
    return {"type": "response.function_call_arguments.delta", "output_index": index, "delta": words}


def completed(**response: object) -> dict[str, object]:
    return {"type": "response.completed", "response": response}


def incomplete(**response: object) -> dict[str, object]:
    return {"type": "response.incomplete", "response": response}


# --- recorded streams ----------------------------------------------------------------


@pytest.mark.parametrize("name", STREAMS)
def test_a_recorded_stream_comes_to_the_same_however_it_is_sliced(name: str) -> None:
    for slices in every_slicing(BODIES[name], times=10):
        assert expected(STREAMS[name]) == written(decoded(CODEC, slices))


async def heard_by_sdk(body: bytes) -> list[Chunk]:
    """What OpenAI's own client hears of *body*, in our words."""
    heard: list[Chunk] = []
    async with (
        serving(Answer((body,))) as server,
        openai.AsyncOpenAI(base_url=server.url, api_key="test", max_retries=0) as client,
    ):
        async for event in await client.responses.create(model="gpt-5.1", input="Hi", stream=True):
            match event.type:
                case "response.output_text.delta" | "response.refusal.delta":
                    heard.append(TextDelta(event.delta))
                case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                    heard.append(ThoughtDelta(event.delta))
                case "response.output_item.done" if event.item.type == "function_call":
                    heard.append(ToolCall(event.item.call_id, event.item.name, event.item.arguments))
                case "response.completed" | "response.incomplete" | "response.failed" if event.response.usage:
                    usage = event.response.usage
                    cached, thought = (
                        usage.input_tokens_details.cached_tokens,
                        usage.output_tokens_details.reasoning_tokens,
                    )
                    heard.append(Usage(usage.input_tokens, usage.output_tokens, cached, thought))
                case _:
                    pass
    return heard


def words(chunks: list[Chunk], kind: type[TextDelta | ThoughtDelta]) -> str:
    """All that was said or thought, without white space: a blank line between two paragraphs is ours."""
    return "".join("".join(chunk.text for chunk in chunks if isinstance(chunk, kind)).split())


@pytest.mark.parametrize("name", STREAMS)
async def test_openais_own_client_hears_the_same(name: str) -> None:
    theirs = await heard_by_sdk(BODIES[name])

    ours = decoded(CODEC, [BODIES[name]])

    assert words(theirs, TextDelta) == words(ours, TextDelta)
    assert words(theirs, ThoughtDelta) == words(ours, ThoughtDelta)
    assert [chunk for chunk in theirs if isinstance(chunk, Usage)] == [
        chunk for chunk in ours if isinstance(chunk, Usage)
    ]
    calls = [chunk for chunk in ours if isinstance(chunk, ToolCall) and not chunk.is_truncated]
    heard = {chunk.id: chunk for chunk in theirs if isinstance(chunk, ToolCall)}
    assert [(heard[call.id].name, heard[call.id].arguments) for call in calls] == [
        (call.name, call.arguments) for call in calls
    ]


# --- words ----------------------------------------------------------------------------


@pytest.mark.parametrize("named", [True, False], ids=["named events", "unnamed events"])
def test_events_are_known_by_their_name_or_by_their_type(*, named: bool) -> None:
    chunks = read(text("Hi."), {"type": "response.audio.delta", "delta": "UklGRg=="}, completed(), named=named)

    assert [TextDelta("Hi."), Finished("stop")] == chunks


def test_an_event_that_says_nothing_we_need_is_not_decoded() -> None:
    decoder = ResponsesDecoder("openai", "gpt-5.1", "openai-responses:openai")

    assert [] == list(decoder.feed(RawEvent("response.in_progress", b"{ this is not JSON")))
    assert decoder.skipped == 0


def test_the_mark_of_the_end_is_not_taken_for_a_broken_event() -> None:
    decoder = ResponsesDecoder("openai", "gpt-5.1", "openai-responses:openai")

    assert [] == [*decoder.feed(RawEvent("", b"[DONE]")), *decoder.flush(Ending.FINAL)]
    assert decoder.skipped == 0


def test_a_message_that_comes_only_whole_is_heard() -> None:
    parts = [{"type": "output_text", "text": "Hi "}, {"type": "refusal", "refusal": "there."}]

    assert [TextDelta("Hi there."), Finished("stop")] == read(
        added(0, type="message", content=[]), done(0, type="message", content=parts), completed()
    )


def test_a_message_that_came_in_pieces_is_not_heard_twice() -> None:
    whole = [{"type": "output_text", "text": "Hi."}]

    assert [TextDelta("Hi."), Finished("stop")] == read(
        added(0, type="message"), text("Hi."), done(0, type="message", content=whole), completed()
    )


def test_two_messages_are_two_paragraphs() -> None:
    message = added(0, type="message")

    assert [TextDelta("One.\n\nTwo."), Finished("stop")] == read(
        message, text("One."), message, text("Two."), completed()
    )


def test_items_of_other_kinds_are_passed_over() -> None:
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed"}

    assert [TextDelta("Hi."), Finished("stop")] == read(added(0, **search), done(0, **search), text("Hi."), completed())


def test_a_refusal_is_the_models_answer() -> None:
    refusal: dict[str, object] = {"type": "response.refusal.delta", "delta": "I can't do that."}

    assert [TextDelta("I can't do that."), Finished("stop")] == read(added(0, type="message"), refusal, completed())


# --- how it ends ------------------------------------------------------------------------


@pytest.mark.parametrize("details", [{"reason": "max_output_tokens"}, {"reason": "max_messages"}, {}, None], ids=repr)
def test_an_answer_that_had_to_stop_was_too_long(details: object) -> None:
    assert [TextDelta("Hi"), Finished("length")] == read(text("Hi"), incomplete(incomplete_details=details))


def failed(chunks: list[Chunk]) -> ProviderError:
    assert isinstance(chunks[-1], Failed)
    assert isinstance(chunks[-1].error, ProviderError)
    return chunks[-1].error


def test_b23_what_a_filter_took_away_is_a_failure_after_what_was_said() -> None:
    chunks = read(text("Hi"), incomplete(incomplete_details={"reason": "content_filter"}))

    assert TextDelta("Hi") == chunks[0]
    assert (ErrorKind.CONTENT_BLOCKED, "content_filter") == (failed(chunks).kind, failed(chunks).code)


@pytest.mark.parametrize(
    "event",
    [
        pytest.param({"type": "error", "code": "rate_limit_exceeded", "message": "Slow down."}, id="flat"),
        pytest.param({"type": "error", "error": {"code": "rate_limit_exceeded", "message": "Slow down."}}, id="nested"),
        pytest.param({"error": {"code": "rate_limit_exceeded", "message": "Slow down."}}, id="without a type"),
        pytest.param(
            {
                "type": "response.failed",
                "response": {"error": {"code": "rate_limit_exceeded", "message": "Slow down."}},
            },
            id="of the response",
        ),
    ],
)
def test_an_error_is_read_wherever_it_stands(event: dict[str, object]) -> None:
    error = failed(read(text("Hi"), event))

    assert (ErrorKind.RATE_LIMIT, "rate_limit_exceeded", True) == (error.kind, error.code, error.retryable)
    assert "Slow down." in error.detail


@pytest.mark.parametrize("event", [{"type": "error"}, {"type": "response.failed"}], ids=repr)
def test_an_error_without_a_word_is_still_an_error(event: dict[str, object]) -> None:
    assert isinstance(failed(read(event)), ProviderError)


def test_nothing_but_nonsense_is_a_failure() -> None:
    assert failed(read(b"<html>", b"nothing")).retryable


def test_counts_without_details_are_counts() -> None:
    usage = {"input_tokens": 5, "output_tokens": 7, "input_tokens_details": None}

    assert [Usage(5, 7), Finished("stop")] == read(completed(usage=usage))


# --- calls --------------------------------------------------------------------------------


def test_the_last_word_on_a_call_counts() -> None:
    chunks = read(
        added(0, type="function_call", call_id="c1", name="look", arguments=""),
        arguments(0, '{"a":'),
        done(0, type="function_call", call_id="c1", name="look", arguments='{"a": 2}'),
        completed(),
    )

    assert [ToolCall("c1", "look", '{"a": 2}'), Finished("tool_calls")] == chunks


def test_calls_that_grow_side_by_side_are_not_mixed_up() -> None:
    chunks = read(
        added(0, type="function_call", call_id="c1", name="look"),
        added(1, type="function_call", call_id="c2", name="hear"),
        arguments(1, '{"b"'),
        arguments(0, '{"a"'),
        arguments(1, ": 2}"),
        arguments(0, ": 1}"),
        done(0, type="function_call"),
        done(1, type="function_call"),
        completed(),
    )

    assert [ToolCall("c1", "look", '{"a": 1}'), ToolCall("c2", "hear", '{"b": 2}'), Finished("tool_calls")] == chunks


def test_a_call_whose_arguments_were_ended_is_whole_even_if_the_item_never_was() -> None:
    ended: dict[str, object] = {
        "type": "response.function_call_arguments.done",
        "output_index": 0,
        "arguments": '{"a": 1}',
    }

    chunks = read(added(0, type="function_call", call_id="c1", name="look"), arguments(0, "{"), ended, completed())

    assert [ToolCall("c1", "look", '{"a": 1}'), Finished("tool_calls")] == chunks


def test_a_call_that_was_never_ended_is_not_to_be_run_even_if_it_looks_whole() -> None:
    chunks = read(added(0, type="function_call", call_id="c1", name="look"), arguments(0, '{"a": 1}'))

    assert [ToolCall("c1", "look", '{"a": 1}', is_truncated=True), Finished("end_of_stream")] == chunks


def test_a_call_that_had_to_stop_is_not_to_be_run_even_if_it_looks_whole() -> None:
    item = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}", "status": "incomplete"}

    chunks = read(done(0, **item), incomplete(incomplete_details={"reason": "max_output_tokens"}))

    assert [ToolCall("c1", "look", "{}", is_truncated=True), Finished("length")] == chunks


def test_a_call_without_an_id_gets_the_same_one_every_time() -> None:
    call = done(2, type="function_call", name="look", arguments="{}")

    assert ToolCall("look-0", "look", "{}") == read(call)[0] == read(call)[0]


def test_made_ids_go_on_where_the_conversation_is() -> None:
    decoder = ResponsesDecoder("openai", "gpt-5.1", "openai-responses:openai", first=2)
    calls = (done(index, type="function_call", name="look", arguments="{}") for index in (0, 1))

    chunks = [chunk for call in calls for chunk in decoder.feed(RawEvent("", json.dumps(call).encode()))]

    assert [ToolCall("look-2", "look", "{}"), ToolCall("look-3", "look", "{}")] == chunks


def test_a_call_of_nothing_is_none() -> None:
    added = {"type": "response.output_item.added", "output_index": 1, "item": {"type": "function_call"}}

    assert [Finished("end_of_stream")] == read(done(0, type="function_call", arguments="{}"), added)


def test_reasoning_that_cannot_be_sent_back_is_not_kept() -> None:
    call, _ = read(
        done(0, type="reasoning", id="rs_1", summary=[]),
        done(1, type="message", content=[]),
        done(2, type="function_call", call_id="c1", name="look", arguments="{}"),
    )

    assert ToolCall("c1", "look", "{}") == call


# --- whatever comes --------------------------------------------------------------------------

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)
EVENTS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(
            (
                "response.output_text.delta",
                "response.reasoning_summary_text.delta",
                "response.reasoning_summary_part.added",
                "response.function_call_arguments.delta",
                "response.function_call_arguments.done",
                "response.output_item.added",
                "response.output_item.done",
                "response.completed",
                "response.incomplete",
                "response.failed",
                "error",
            )
        )
    },
    optional={
        "output_index": st.integers(0, 2) | VALUES,
        "delta": VALUES,
        "arguments": VALUES,
        "item": st.fixed_dictionaries(
            {"type": st.sampled_from(("message", "reasoning", "function_call", "web_search_call"))},
            optional=dict.fromkeys(("id", "call_id", "name", "arguments", "content", "summary", "encrypted_content", "phase"), VALUES),
        ) | VALUES,
        "response": st.fixed_dictionaries({}, optional=dict.fromkeys(("usage", "error", "incomplete_details"), VALUES)) | VALUES,
        "error": VALUES,
        "code": VALUES,
        "message": VALUES,
    },
)  # fmt: skip


@given(st.lists(EVENTS, max_size=8), st.booleans())
def test_no_event_whatever_it_holds_raises(events: list[dict[str, object]], named: bool) -> None:  # noqa: FBT001  # hypothesis gives it
    *before, end = read(*events, named=named)

    assert isinstance(end, Finished | Failed)
    assert not any(isinstance(chunk, Finished | Failed) for chunk in before)
