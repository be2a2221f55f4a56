from __future__ import annotations

import json

import pytest

from cadenza.errors import ErrorKind, ProviderError
from cadenza.models.dialects.dialect import EventReader
from cadenza.models.dialects.novelai_events import CompletionDecoder, TokenDecoder
from cadenza.stages.s3_chunks import Chunks
from cadenza.types import Chunk, Ending, Failed, Finished, RawEvent, TextDelta, Usage
from tests.models.recorded import written


def heard(decoder: EventReader[object], *events: object, name: str = "") -> list[Chunk]:
    """What *events* come to, with the end of the stream behind them."""
    chunks = Chunks(decoder)
    data = [event if isinstance(event, bytes) else json.dumps(event).encode() for event in events]
    return [*chunks.feed_all(RawEvent(name, one) for one in data), *chunks.flush(Ending.FINAL)]


def tokens(*events: object) -> list[Chunk]:
    return heard(TokenDecoder("novelai"), *events)  # type: ignore[arg-type]  # whatever it reads


def completions(*events: object) -> list[Chunk]:
    return heard(CompletionDecoder("novelai"), *events)  # type: ignore[arg-type]  # likewise


def choice(text: str | None, reason: str | None = None) -> dict[str, object]:
    return {"choices": [{"index": 0, "text": text, "finish_reason": reason}]}


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param(
            [{"token": "a", "ptr": 0, "final": False}, {"token": "b", "ptr": 1, "final": True}],
            [TextDelta("a"), TextDelta("b"), Finished("stop")],
            id="words",
        ),
        pytest.param(
            [{"token": "a"}, {"token": "", "final": True}], [TextDelta("a"), Finished("stop")], id="an empty end"
        ),
        pytest.param([{"token": "a"}], [TextDelta("a"), Finished("end_of_stream")], id="no end"),
        pytest.param([{"token": None, "final": None}], [Finished("end_of_stream")], id="nothing"),
        pytest.param(
            [{"token": "a", "final": True}, {"token": "b"}], [TextDelta("a"), Finished("stop")], id="behind the end"
        ),
        pytest.param([b"{", {"token": "a"}], [TextDelta("a"), Finished("end_of_stream")], id="something unreadable"),
        pytest.param([b'{"token": "\\ud83d"}'], [TextDelta("\ud83d"), Finished("end_of_stream")], id="half an emoji"),
    ],
)
def test_tokens_are_words(events: list[object], expected: list[Chunk]) -> None:
    assert expected == tokens(*events)


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param(
            [choice("a"), choice("b", "stop"), b"[DONE]"],
            [TextDelta("a"), TextDelta("b"), Finished("stop")],
            id="words",
        ),
        pytest.param([choice("a", "length")], [TextDelta("a"), Finished("length")], id="too long"),
        pytest.param([choice("a"), b"[DONE]"], [TextDelta("a"), Finished("stop")], id="no reason"),
        pytest.param([choice("a")], [TextDelta("a"), Finished("end_of_stream")], id="no end"),
        pytest.param([choice(None), {"choices": None}, {}], [Finished("end_of_stream")], id="nothing"),
        pytest.param([choice("a", "eos"), b" [DONE] "], [TextDelta("a"), Finished("stop")], id="another reason"),
        pytest.param(
            [choice("a", "stop"), {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}, b"[DONE]"],
            [TextDelta("a"), Usage(3, 4), Finished("stop")],
            id="counts behind the end",
        ),
        pytest.param(
            [{**choice("a", "stop"), "usage": {"prompt_tokens": 3, "completion_tokens": None}}],
            [TextDelta("a"), Usage(3, 0), Finished("stop")],
            id="counts with it",
        ),
        pytest.param([b"oops", choice("a"), b"[DONE]"], [TextDelta("a"), Finished("stop")], id="something unreadable"),
    ],
)
def test_completions_are_words(events: list[object], expected: list[Chunk]) -> None:
    assert expected == completions(*events)


@pytest.mark.parametrize(
    ("error", "kind", "code"),
    [
        pytest.param({"error": "Generation failed"}, ErrorKind.UNKNOWN, "unknown", id="a text"),
        pytest.param({"error": {"message": "Slow down", "code": 429}}, ErrorKind.RATE_LIMIT, "429", id="an object"),
        pytest.param({"statusCode": 503, "message": "busy"}, ErrorKind.OVERLOADED, "503", id="as a refusal says it"),
        pytest.param({"error": "x", "statusCode": 402}, ErrorKind.API, "402", id="with a status beside it"),
        pytest.param({"error": "HTTP 500: 40012 tokens"}, ErrorKind.API, "500", id="a status in its words"),
        pytest.param({"error": "40012 tokens failed to generate"}, ErrorKind.UNKNOWN, "unknown", id="other numbers"),
    ],
)
@pytest.mark.parametrize("read", [tokens, completions])
def test_an_error_is_a_failure_behind_what_was_said(read: object, error: object, kind: ErrorKind, code: str) -> None:
    said = {"token": "a", **choice("a")}
    with_words = {**said, **(error if isinstance(error, dict) else {})}

    for event in (error, with_words):  # what comes with an error is not shown
        text, failed = tokens(said, event) if read is tokens else completions(said, event)
        assert TextDelta("a") == text
        assert isinstance(failed, Failed)
        assert isinstance(failed.error, ProviderError)
        assert (kind, code) == (failed.error.kind, failed.error.code)


@pytest.mark.parametrize("decoder", [TokenDecoder, CompletionDecoder])
def test_an_event_that_is_called_an_error_is_one_whatever_it_says(decoder: type) -> None:
    (failed,) = heard(decoder("novelai"), b"upstream timed out", name="error")

    assert [{"chunk": "Failed", "kind": "timeout", "code": "unknown", "retryable": True}] == written([failed])


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("content_filter", ErrorKind.CONTENT_BLOCKED),
        ("abort", ErrorKind.OVERLOADED),
        ("error", ErrorKind.API),
    ],
)
def test_an_end_that_is_none_is_a_failure(reason: str, kind: ErrorKind) -> None:
    text, failed = completions(choice("a", reason), b"[DONE]")

    assert TextDelta("a") == text
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, ProviderError)
    assert (kind, reason) == (failed.error.kind, failed.error.code)


@pytest.mark.parametrize("decoder", [TokenDecoder, CompletionDecoder])
def test_a_stream_of_nonsense_is_a_failure(decoder: type) -> None:
    (failed,) = heard(decoder("novelai"), b"<html>", b"</html>")

    assert isinstance(failed, Failed)
    assert isinstance(failed.error, ProviderError)
    assert "unreadable" == failed.error.code
