from __future__ import annotations

import pytest

from cadenza.errors import ErrorKind, ProviderError
from cadenza.models.chunk_builder import ChunkBuilder
from cadenza.types import Chunk, Failed, Finished, TextDelta, ThoughtDelta, ToolCall, Usage


def ended(heard: ChunkBuilder) -> list[Chunk]:
    heard.end()
    return heard.fresh


def test_what_is_no_text_is_not_said() -> None:
    heard = ChunkBuilder()
    for value in (None, "", 3, ["a"], {}):
        heard.text(value)
        heard.thought(value)

    assert [Finished("end_of_stream")] == ended(heard)


@pytest.mark.parametrize(
    ("reason", "ending"),
    [
        pytest.param("stop", "stop", id="stop"),
        pytest.param("end_turn", "stop", id="anthropic"),
        pytest.param("MAX_TOKENS", "length", id="google"),
        pytest.param("COMPLETE", "stop", id="cohere"),
        pytest.param("tool_use", "tool_calls", id="a tool"),
        pytest.param("something new", "stop", id="unknown"),
        pytest.param("", "end_of_stream", id="empty"),
        pytest.param(None, "end_of_stream", id="none"),
        pytest.param(3, "end_of_stream", id="no word"),
    ],
)
def test_an_end_has_one_of_our_names(reason: object, ending: str) -> None:
    heard = ChunkBuilder()
    heard.finish(reason)

    assert [Finished(ending)] == ended(heard)


@pytest.mark.parametrize(
    ("reason", "kind"), [("refusal", ErrorKind.CONTENT_BLOCKED), ("MALFORMED_FUNCTION_CALL", ErrorKind.API)]
)
def test_some_ends_are_failures_whatever_is_said_behind_them(reason: str, kind: ErrorKind) -> None:
    heard = ChunkBuilder()
    heard.finish(reason)
    heard.finish("stop")

    (last,) = ended(heard)
    assert isinstance(last, Failed)
    assert isinstance(last.error, ProviderError)
    assert (kind, reason) == (last.error.kind, last.error.code)


def test_calls_come_out_in_the_order_in_which_they_began() -> None:
    heard = ChunkBuilder()
    heard.call(1, identity="b", name="second", arguments="{")
    heard.call(0, identity="a", name="first", arguments={"x": "é"})
    heard.call(1, arguments="}")
    heard.finish("stop")

    assert [
        ToolCall("b", "second", "{}"),
        ToolCall("a", "first", '{"x": "é"}'),
        Finished("tool_calls"),
    ] == ended(heard)


def test_a_call_without_a_name_is_none() -> None:
    heard = ChunkBuilder()
    heard.call(0, identity="a", arguments="{}")

    assert [Finished("end_of_stream")] == ended(heard)


def test_a_call_that_is_run_elsewhere_is_not_ours() -> None:
    heard = ChunkBuilder()
    heard.call(0, identity="a", name="theirs")
    heard.call(1, identity="b", name="ours")
    heard.run_elsewhere("a")

    assert [ToolCall("b", "ours", "{}"), Finished("end_of_stream")] == ended(heard)


@pytest.mark.parametrize(("first", "between"), [("a", "\n"), ("a\n", ""), ("", "")], ids=["text", "a line", "nothing"])
def test_another_response_is_another_line_if_there_was_one(first: str, between: str) -> None:
    heard = ChunkBuilder()
    heard.text(first)
    heard.next_response()
    heard.thought("hm")
    heard.text("b")

    said = "".join(chunk.text for chunk in heard.fresh if isinstance(chunk, TextDelta))
    assert first + between + "b" == said
    assert ThoughtDelta("hm") in heard.fresh


def test_responses_add_up_and_within_one_the_last_word_counts() -> None:
    heard = ChunkBuilder()
    heard.usage(Usage(10, 1))
    heard.output_tokens(5)
    heard.output_tokens(0)
    heard.next_response()
    heard.usage(Usage(20, 2))
    heard.more_usage(Usage(0, 1))

    assert [Usage(10, 1), Usage(10, 5), Usage(30, 7), Usage(30, 8)] == heard.fresh
    heard.total_usage(Usage(31, 8))
    assert Usage(31, 8) == heard.fresh[-1]
