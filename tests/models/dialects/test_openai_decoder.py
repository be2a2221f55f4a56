from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, strategies as st

from cadenza.errors import ErrorKind, ProviderError
from cadenza.models.dialects.openai_decoder import OpenAIDecoder
from cadenza.models.vendors import codec
from cadenza.stages.s3_chunks import Chunks
from cadenza.types import (
    Chunk,
    Ending,
    Failed,
    Finished,
    RawEvent,
    Served,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
from tests.models.recorded import decoded, every_slicing, expected, joined, recorded, written

VENDORS = ("openai", "openrouter", "deepseek", "mistral", "groq", "vllm", "llamacpp", "custom")
STREAMS = [pytest.param(stream, id=f"{vendor}-{stream.stem}") for vendor in VENDORS for stream in recorded(vendor)]


def heard(*events: object) -> list[Chunk]:
    """What events come to; a text is an event as it stands, anything else is written as JSON."""
    chunks = Chunks(OpenAIDecoder("openai", "openai:openai", replays_reasoning=True))
    out: list[Chunk] = []
    for event in events:
        data = event if isinstance(event, bytes) else json.dumps(event).encode()
        out += chunks.feed(RawEvent("", data))
    return joined([*out, *chunks.flush(Ending.FINAL)])


def delta(finish: str | None = None, **said: object) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": said, "finish_reason": finish}]}


def call(index: int, name: str | None = None, arguments: str = "", identity: str | None = None) -> dict[str, object]:
    function = {"arguments": arguments} if name is None else {"name": name, "arguments": arguments}
    piece = {"index": index, "type": "function", "function": function}
    return delta(tool_calls=[piece if identity is None else {**piece, "id": identity}])


def failures(chunks: Sequence[Chunk]) -> list[tuple[ErrorKind, str, bool]]:
    errors = [chunk.error for chunk in chunks if isinstance(chunk, Failed)]
    return [(error.kind, error.code, error.retryable) for error in errors if isinstance(error, ProviderError)]


@pytest.mark.parametrize("stream", STREAMS)
def test_a_recorded_stream_comes_to_the_same_however_it_is_sliced(stream: Path) -> None:
    vendor = stream.parent.name
    asked = codec(vendor, "a-model", url="http://localhost:1/v1" if vendor == "custom" else "")
    for slices in every_slicing(stream.read_bytes()):
        assert expected(stream) == written(decoded(asked, slices))


@pytest.mark.parametrize("stream", STREAMS)
def test_a_recorded_stream_has_one_end_and_nothing_behind_it(stream: Path) -> None:
    ends = [chunk["chunk"] in ("Finished", "Failed") for chunk in expected(stream)]

    assert [False] * (len(ends) - 1) + [True] == ends


class TestWordsAndThoughts:
    @pytest.mark.parametrize(
        ("said", "chunks"),
        [
            pytest.param({"content": "Hi"}, [TextDelta("Hi")], id="text"),
            pytest.param({"role": "assistant", "content": ""}, [], id="role only"),
            pytest.param({"content": None, "reasoning": "hm"}, [ThoughtDelta("hm")], id="reasoning"),
            pytest.param({"reasoning_content": "hm"}, [ThoughtDelta("hm")], id="reasoning_content"),
            pytest.param(
                {"reasoning": "hm", "reasoning_content": "hm", "reasoning_details": [{"text": "hm"}]},
                [ThoughtDelta("hm")],
                id="the same thought in every field",
            ),
            pytest.param(
                {"reasoning_details": [{"type": "reasoning.summary", "summary": "A"}, {"text": "b"}], "content": "C"},
                [ThoughtDelta("Ab"), TextDelta("C")],
                id="B24: details and words in one event",
            ),
            pytest.param({"reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}]}, [], id="encrypted"),
            pytest.param({"reasoning": {"text": "hm"}}, [ThoughtDelta("hm")], id="an object"),
            pytest.param({"refusal": "No."}, [TextDelta("No.")], id="refusal"),
            pytest.param(
                {"content": [{"type": "text", "text": "a"}, {"type": "reference", "reference_ids": [1]}, "b"]},
                [TextDelta("ab")],
                id="parts",
            ),
            pytest.param(
                {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]},
                [ThoughtDelta("hm")],
                id="a thought among parts",
            ),
            pytest.param({"content": {"type": "text", "text": "a"}}, [TextDelta("a")], id="one part"),
            pytest.param({"content": 7}, [], id="a number"),
        ],
    )
    def test_what_is_said_is_heard(self, said: dict[str, object], chunks: list[Chunk]) -> None:
        assert [*chunks, Finished("stop")] == heard(delta(**said), delta("stop"), b"[DONE]")

    def test_half_an_emoji_is_not_lost(self) -> None:
        events = (b'{"choices":[{"delta":{"content":"\\ud83d"}}]}', b'{"choices":[{"delta":{"content":"\\ude00"}}]}')

        assert [TextDelta("\ud83d\ude00"), Finished("stop")] == heard(*events, b"[DONE]")

    def test_who_serves_is_said_once(self) -> None:
        events = [{**delta(content=text), "provider": "Novita"} for text in "ab"]

        assert [Served("Novita"), TextDelta("ab"), Finished("stop")] == heard(*events, delta("stop"))


class TestTheEnd:
    @pytest.mark.parametrize(
        ("finish", "reason"),
        [
            ("stop", "stop"),
            ("STOP", "stop"),
            ("eos", "stop"),
            ("end_turn", "stop"),
            ("length", "length"),
            ("max_tokens", "length"),
            ("model_context_window_exceeded", "length"),
            ("tool_calls", "stop"),
        ],
    )
    def test_a_finish_reason_has_one_name(self, finish: str, reason: str) -> None:
        assert [TextDelta("a"), Finished(reason)] == heard(delta(content="a"), delta(finish), b"[DONE]")

    def test_b22_words_in_the_event_of_a_length_stop_are_heard(self) -> None:
        assert [TextDelta("end"), Finished("length")] == heard(delta("length", content="end"))

    def test_13_words_in_the_event_of_a_stop_are_heard(self) -> None:
        assert [TextDelta("end"), Finished("stop")] == heard(delta("stop", content="end"))

    def test_13_tokens_that_are_counted_behind_the_end_are_not_lost(self) -> None:
        counts = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}

        assert [TextDelta("a"), Usage(3, 2), Finished("stop")] == heard(delta("stop", content="a"), counts, b"[DONE]")

    def test_a_stream_that_never_says_done_ends_when_its_tokens_are_counted(self) -> None:
        decoder = OpenAIDecoder("openai", "openai:openai")
        decoder.feed(RawEvent("", json.dumps(delta("stop", content="a")).encode()))

        chunks = decoder.feed(RawEvent("", b'{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}'))

        assert [Usage(3, 2), Finished("stop")] == list(chunks)

    def test_one_that_counts_as_it_goes_may_go_on_after_a_finish_reason(self) -> None:
        events = [
            {**delta("stop", content=text), "usage": {"prompt_tokens": 3, "completion_tokens": number}}
            for number, text in enumerate("bc", start=1)
        ]

        first = {**delta(content="a"), "usage": {"prompt_tokens": 3, "completion_tokens": 0}}

        assert [TextDelta("abc"), Usage(3, 2), Finished("stop")] == heard(first, *events, b"[DONE]")

    @pytest.mark.parametrize("finish", ["null", "none", ""])
    def test_a_word_for_nothing_is_no_finish_reason(self, finish: str) -> None:
        assert [TextDelta("a"), Finished("end_of_stream")] == heard(delta(finish, content="a"))

    @pytest.mark.parametrize(
        ("finish", "failure"),
        [
            pytest.param("content_filter", (ErrorKind.CONTENT_BLOCKED, "content_filter", False), id="B23"),
            pytest.param("sensitive", (ErrorKind.CONTENT_BLOCKED, "sensitive", False), id="sensitive"),
            pytest.param("error", (ErrorKind.API, "error", False), id="error"),
            pytest.param("network_error", (ErrorKind.OVERLOADED, "network_error", True), id="network"),
        ],
    )
    def test_some_finish_reasons_are_failures(self, finish: str, failure: tuple[ErrorKind, str, bool]) -> None:
        chunks = heard(delta(content="a"), call(0, "f", "{}"), delta(finish), b"[DONE]")

        assert (TextDelta("a"), [failure], 2) == (chunks[0], failures(chunks), len(chunks))

    def test_an_error_is_called_one_whatever_a_router_was_told(self) -> None:
        """What people are told goes by this code; it was no refusal."""
        ending = delta("error")
        ending["choices"][0]["native_finish_reason"] = "MALFORMED"
        *_, last = heard(delta(content="a"), ending, b"[DONE]")

        assert isinstance(last, Failed)
        assert isinstance(last.error, ProviderError)
        assert ("error", "the model broke off with an error (MALFORMED)") == (last.error.code, last.error.detail)
        assert "had an internal error; try again" in str(last.error)

    def test_nothing_is_heard_after_the_end(self) -> None:
        assert [TextDelta("a"), Finished("stop")] == heard(delta("stop", content="a"), b"[DONE]", delta(content="b"))


class TestCalls:
    def test_11_arguments_in_pieces_are_put_together(self) -> None:
        events = [call(0, "f", '{"a":', "c1"), call(0, None, "1}"), delta("tool_calls")]

        assert [ToolCall("c1", "f", '{"a":1}'), Finished("tool_calls")] == heard(*events)

    def test_12_arguments_that_are_cut_off_are_marked(self) -> None:
        (made, finished) = heard(call(0, "f", '{"a":1,"b":"tru', "c1"), delta("tool_calls"))

        assert isinstance(made, ToolCall)
        assert (True, {"a": 1}, Finished("tool_calls")) == (made.is_truncated, json.loads(made.arguments), finished)

    def test_b25_calls_that_end_with_a_stop_are_made(self) -> None:
        assert [ToolCall("c1", "f", "{}"), Finished("tool_calls")] == heard(call(0, "f", "{}", "c1"), delta("stop"))

    def test_b26_all_calls_are_made_in_the_order_of_their_index(self) -> None:
        events = [call(1, "g", "{}", "c2"), call(0, "f", "{}", "c1"), delta("tool_calls")]

        assert [ToolCall("c1", "f", "{}"), ToolCall("c2", "g", "{}"), Finished("tool_calls")] == heard(*events)

    def test_a_call_without_a_name_is_none(self) -> None:
        assert [TextDelta("a"), Finished("stop")] == heard(delta(content="a"), call(0, None, "{}"), delta("tool_calls"))

    def test_words_and_a_call_in_one_event_are_both_heard(self) -> None:
        event = delta("tool_calls", content="Let me see", tool_calls=[{"function": {"name": "f", "arguments": "{}"}}])

        assert [TextDelta("Let me see"), ToolCall("f-0", "f", "{}"), Finished("tool_calls")] == heard(event)

    def test_a_malformed_call_is_forgotten_and_what_was_said_counts(self) -> None:
        error = {"error": {"code": "invalid_type", "message": "Expected string, received undefined"}}

        assert [TextDelta("a"), Finished("stop")] == heard(delta(content="a"), call(0, "f", '{"'), error)

    def test_the_same_complaint_without_a_call_is_an_error(self) -> None:
        chunks = heard(delta(content="a"), {"error": {"code": "invalid_type", "message": "Expected string"}})

        assert 1 == len(failures(chunks))

    @given(
        st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=5) | st.integers(), max_size=3), max_size=3),
        st.randoms(use_true_random=False),
    )
    def test_pieces_that_are_mixed_come_out_whole(self, arguments: list[dict[str, object]], dice: Random) -> None:
        texts = [json.dumps(value, ensure_ascii=False) for value in arguments]
        events = [call(index, f"f{index}", "", f"c{index}") for index in range(len(texts))]
        left = dict(enumerate(texts))
        while left:
            index = dice.choice(list(left))
            size = dice.randint(1, 4)
            events.append(call(index, None, left[index][:size]))
            left[index] = left[index][size:]
            if not left[index]:
                del left[index]

        made = [chunk for chunk in heard(*events, delta("tool_calls")) if isinstance(chunk, ToolCall)]

        assert [ToolCall(f"c{index}", f"f{index}", text) for index, text in enumerate(texts)] == made


class TestErrors:
    @pytest.mark.parametrize(
        "event",
        [
            pytest.param({"error": {"code": 429, "message": "Rate limit"}}, id="15: an object"),
            pytest.param({"choices": [{"delta": {}, "error": {"code": 429, "message": "slow"}}]}, id="inside a choice"),
            pytest.param({"message": "slow down", "code": 429}, id="bare"),
            pytest.param({"object": "error", "message": "slow down", "code": 429}, id="bare, with a name"),
            pytest.param({"data": {"error": {"code": 429, "message": "slow"}}}, id="wrapped"),
            pytest.param({"data": '{"error": {"code": 429, "message": "slow"}}'}, id="wrapped as a text"),
            pytest.param([{"error": {"code": 429, "message": "slow"}}], id="in a list"),
            pytest.param({"error": {"code": "429", "message": "slow"}, "choices": []}, id="a number as a text"),
        ],
    )
    def test_an_error_is_found_wherever_it_stands(self, event: object) -> None:
        chunks = heard(delta(content="a"), event)

        assert (TextDelta("a"), [(ErrorKind.RATE_LIMIT, "429", True)]) == (chunks[0], failures(chunks))

    def test_words_beside_an_error_are_heard_first(self) -> None:
        chunks = heard({**delta(content="a"), "error": {"code": 503, "message": "busy"}})

        assert (TextDelta("a"), [(ErrorKind.OVERLOADED, "503", True)]) == (chunks[0], failures(chunks))

    def test_an_error_event_in_plain_words_is_one(self) -> None:
        chunks = OpenAIDecoder("custom", "openai:custom").feed(RawEvent("error", b"out of memory"))

        assert 1 == len(failures(chunks))

    def test_groqs_own_error_is_one(self) -> None:
        assert 1 == len(failures(heard({**delta(), "x_groq": {"id": "r", "error": "over capacity"}})))

    def test_an_event_that_cannot_be_read_is_passed_over_and_counted(self) -> None:
        decoder = OpenAIDecoder("custom", "openai:custom")
        events = [b"nonsense", b"7", b'{"choices": "none"}', json.dumps(delta(content="a")).encode()]

        chunks = [chunk for event in events for chunk in decoder.feed(RawEvent("", event))]

        assert ([TextDelta("a")], 3) == (chunks, decoder.skipped)

    def test_a_stream_of_nothing_but_nonsense_has_failed(self) -> None:
        assert [(ErrorKind.API, "unreadable", True)] == failures(heard(b"<html>", b"nonsense"))


class TestTokens:
    @pytest.mark.parametrize(
        ("counts", "usage"),
        [
            pytest.param({"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8}, Usage(5, 3), id="plain"),
            pytest.param({"input_tokens": 5, "output_tokens": 3}, Usage(5, 3), id="other names"),
            pytest.param(
                {
                    "prompt_tokens": 5,
                    "completion_tokens": 30,
                    "total_tokens": 35,
                    "prompt_tokens_details": {"cached_tokens": 4},
                    "completion_tokens_details": {"reasoning_tokens": 20},
                },
                Usage(5, 30, 4, 20),
                id="with details",
            ),
            pytest.param(
                {"prompt_tokens": 5, "completion_tokens": 3, "prompt_cache_hit_tokens": 4},
                Usage(5, 3, 4),
                id="deepseek",
            ),
            pytest.param(
                {
                    "prompt_tokens": 5,
                    "completion_tokens": 3,
                    "total_tokens": 28,
                    "completion_tokens_details": {"reasoning_tokens": 20},
                },
                Usage(5, 23, 0, 20),
                id="thoughts counted apart",
            ),
            pytest.param(
                {"prompt_tokens": 5.0, "completion_tokens": None, "prompt_tokens_details": None}, Usage(5), id="odd"
            ),
        ],
    )
    def test_tokens_are_counted(self, counts: dict[str, object], usage: Usage) -> None:
        assert [usage, Finished("stop")] == heard({**delta("stop"), "usage": counts})

    def test_the_last_count_wins(self) -> None:
        events = [{**delta(content="a"), "usage": {"prompt_tokens": 5, "completion_tokens": n}} for n in (1, 2)]

        assert [TextDelta("aa"), Usage(5, 2), Finished("stop")] == heard(*events, delta("stop"), b"[DONE]")

    def test_tokens_are_counted_even_if_the_stream_breaks(self) -> None:
        chunks = Chunks(OpenAIDecoder("openai", "openai:openai"))
        chunks.feed(RawEvent("", b'{"choices":[{"delta":{}}],"usage":{"prompt_tokens":3,"completion_tokens":2}}'))

        assert Usage(3, 2) in chunks.fail(ProviderError("broken"))


_NAMES = (
    "choices delta message content error usage tool_calls function arguments data code finish_reason finishReason "
    "reasoning_details x_groq provider index id name type text"
)
_KEYS = st.sampled_from(_NAMES.split())
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(_JSON, max_size=4))
def test_whatever_is_sent_nothing_is_raised_and_there_is_one_end(events: list[object]) -> None:
    chunks = heard(*events, b"[DONE]")

    assert [True] == [isinstance(chunk, Finished | Failed) for chunk in chunks if isinstance(chunk, Finished | Failed)]


@given(st.lists(st.text(min_size=1, max_size=4), max_size=10), st.data())
def test_every_word_is_heard_once(words: list[str], data: st.DataObject) -> None:
    field = st.sampled_from(["content", "reasoning"])
    pieces = [(data.draw(field), word) for word in words]

    chunks = heard(*(delta(**{name: word}) for name, word in pieces), b"[DONE]")

    assert "".join(word for name, word in pieces if name == "content") == "".join(
        chunk.text for chunk in chunks if isinstance(chunk, TextDelta)
    )
    assert "".join(word for name, word in pieces if name == "reasoning") == "".join(
        chunk.text for chunk in chunks if isinstance(chunk, ThoughtDelta)
    )
