from __future__ import annotations

import json

import pytest

from cadenza.errors import Aspect, ErrorKind, HttpError, InputError, ProviderError
from cadenza.languages import rendered
from cadenza.models.dialects.scripted import (
    Beat,
    ScriptedCodec,
    ScriptedDecoder,
    parse_script,
    play_request,
    script_of,
    spoken,
    transport,
)
from cadenza.types import (
    Chunk,
    Ending,
    Failed,
    Finished,
    HttpRequest,
    Prompt,
    PromptTurn,
    RawEvent,
    Role,
    Served,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
from tests.helpers import same_every_way

REQUEST = HttpRequest("script:", b"")


def decoded(line: str | bytes) -> list[Chunk]:
    return list(ScriptedDecoder().feed(RawEvent("", line.encode() if isinstance(line, str) else line)))


@pytest.mark.parametrize(
    ("line", "chunk"),
    [
        pytest.param('{"after": 0.5, "text": "Hi "}', TextDelta("Hi "), id="text"),
        pytest.param('{"text": ""}', TextDelta(""), id="no text"),
        pytest.param('{"thought": "hm"}', ThoughtDelta("hm"), id="thought"),
        pytest.param(
            '{"tool": {"id": "1", "name": "w", "arguments": {"a": 1}}}', ToolCall("1", "w", '{"a": 1}'), id="tool"
        ),
        pytest.param('{"tool": {"id": 7, "name": "w", "arguments": "{"}}', ToolCall("7", "w", "{"), id="as written"),
        pytest.param('{"tool": {"name": "w"}}', ToolCall("w", "w", "{}"), id="bare tool"),
        pytest.param('{"usage": {"input_tokens": 10, "output_tokens": 4}}', Usage(10, 4), id="usage"),
        pytest.param(
            '{"usage": {"input_tokens": 10, "output_tokens": 4, "cached_tokens": 3, "thought_tokens": 2}}',
            Usage(10, 4, 3, 2),
            id="all of the usage",
        ),
        pytest.param('{"served": "somebody"}', Served("somebody"), id="served"),
        pytest.param('{"finish": "length"}', Finished("length"), id="finish"),
    ],
)
def test_a_line_is_a_chunk(line: str, chunk: Chunk) -> None:
    assert [chunk] == decoded(line)


def test_an_error_is_the_providers() -> None:
    (chunk,) = decoded('{"error": "the model is overloaded"}')

    assert isinstance(chunk, Failed)
    assert (ProviderError, "the model is overloaded") == (type(chunk.error), str(chunk.error))


BROKEN = [
    pytest.param("nonsense", id="no JSON"),
    pytest.param('{"text": "a', id="cut off"),
    pytest.param('{"text": 1}', id="wrong type"),
    pytest.param("{}", id="nothing in it"),
    pytest.param("[]", id="a list"),
    pytest.param("null", id="null"),
    pytest.param('{"tool": {"id": "1"}}', id="a tool without a name"),
    pytest.param('{"usage": {"input_tokens": "10", "output_tokens": 4}}', id="usage as text"),
    pytest.param("[" * 100_000, id="nested too deep to read"),
]


@pytest.mark.parametrize("line", BROKEN)
def test_a_broken_line_fails_the_stream(line: str) -> None:
    (chunk,) = decoded(line)

    assert isinstance(chunk, Failed)
    assert "cannot be read" in str(chunk.error)
    assert len(str(chunk.error)) < 300


def test_what_a_script_should_have_is_told_in_every_language() -> None:
    (chunk,) = decoded('{"sing": "la"}')

    assert isinstance(chunk, Failed)
    assert (
        "スクリプトの行を読めません：text、thought、tool、usage、served、file、finish、error のどれかが必要ですが、"
        in rendered(chunk.error.sentence, "ja")
    )


def test_bytes_that_are_no_text_fail_the_stream() -> None:
    assert isinstance(decoded(b'{"text": "\xff"}')[0], Failed)


# --- scripts ------------------------------------------------------------------------


def test_a_script_is_read_line_by_line() -> None:
    script = '{"after": 0.5, "text": "a"}\n\n  \r\n{"finish": "stop"}\r\n'

    assert [(beat.after, json.loads(beat.data)) for beat in parse_script(script)] == [
        (0.5, {"after": 0.5, "text": "a"}),
        (0.0, {"finish": "stop"}),
    ]


def test_every_beat_is_a_whole_line() -> None:
    assert all(beat.data.endswith(b"\n") for beat in parse_script('{"text": "a"}\n{"text": "b"}'))


@pytest.mark.parametrize(
    "line",
    [
        *BROKEN,
        pytest.param('{"after": "soon", "text": "a"}', id="after is no number"),
        pytest.param('{"after": -1, "text": "a"}', id="after is negative"),
        pytest.param('{"after": NaN, "text": "a"}', id="after is NaN"),
        pytest.param('{"after": null, "text": "a"}', id="after is null"),
    ],
)
def test_a_script_that_cannot_be_played_is_refused_with_its_line(line: str) -> None:
    with pytest.raises(InputError, match="line 3 of the script cannot be read"):
        parse_script('{"text": "a"}\n\n' + line)


@pytest.mark.parametrize("text", ["", "a", "Hello, world!", "naïve 😀 family 👨\u200d👩\u200d👧\n\n```x```"])
@pytest.mark.parametrize("size", [1, 4, 100])
def test_what_is_spoken_is_what_is_decoded(text: str, size: int) -> None:
    chunks = [chunk for beat in spoken(text, size=size, after=0.1) for chunk in decoded(beat.data)]

    assert text == "".join(chunk.text for chunk in chunks if isinstance(chunk, TextDelta))
    assert all(isinstance(chunk, TextDelta) and 0 < len(chunk.text) <= size for chunk in chunks)


def test_a_codec_reads_its_own_script_however_it_is_sliced() -> None:
    data = b"".join(beat.data for beat in spoken("Hello 😀")) + b'{"finish": "stop"}'

    def run(pieces: list[bytes]) -> list[Chunk]:
        codec = ScriptedCodec()
        framing, decoder = codec.framing(), codec.decoder()
        events = [event for piece in pieces for event in framing.feed(piece)]
        events += framing.flush(Ending.FINAL)
        chunks = [chunk for event in events for chunk in decoder.feed(event)]
        return [*chunks, *decoder.flush(Ending.FINAL)]

    assert [TextDelta("Hell"), TextDelta("o 😀"), Finished("stop")] == same_every_way(data, run)


def test_a_prompt_is_written_down_for_whoever_looks() -> None:
    request = ScriptedCodec().encode(Prompt("be kind", (PromptTurn.said(Role.USER, "hi"),)))

    assert json.loads(request.body) == {"system": "be kind", "turns": [["user", "hi"]]}


# --- lists and functions ----------------------------------------------------------------


def test_what_a_script_is_made_of_is_what_it_comes_to() -> None:
    said: list[Chunk] = [
        TextDelta("Hi \ud83d"),
        ThoughtDelta("hm"),
        ToolCall("1", "w", '{"a": "é"}'),
        ToolCall("2", "w", "{}", is_truncated=True),
        Usage(1, 2, 3, 4),
        Served("x"),
        Finished("length"),
    ]
    beats = script_of(["plain", *said], after=0.5)

    assert [TextDelta("plain"), *said] == [chunk for beat in beats for chunk in decoded(beat.data)]
    assert {0.5} == {beat.after for beat in beats}
    assert len(beats) == len(parse_script("".join(beat.data.decode() for beat in beats)))


def test_a_failure_keeps_all_that_is_known_of_it() -> None:
    error = ProviderError(
        "no",
        kind=ErrorKind.RATE_LIMIT,
        aspect=Aspect.CREDIT,
        code="429",
        status=429,
        retryable=True,
        retry_after=2.5,
        detail="slow down",
    )
    (chunk,) = [chunk for beat in script_of([Failed(error)]) for chunk in decoded(beat.data)]

    assert isinstance(chunk, Failed)
    assert (str(error), vars(error)) == (str(chunk.error), vars(chunk.error))


def test_a_failure_that_is_nobody_s_is_a_provider_s() -> None:
    (chunk,) = decoded(script_of([Failed(InputError("odd"))])[0].data)

    assert isinstance(chunk, Failed)
    assert str(chunk.error) == "odd"


async def test_a_model_can_be_a_function_of_its_prompt() -> None:
    codec = ScriptedCodec(lambda prompt: [prompt.system, *(turn.text for turn in prompt.turns)])
    clock = Clock()

    request = codec.encode(Prompt("be kind", (PromptTurn.said(Role.USER, "hi 😀"),)))
    chunks = [chunk async for data in play_request(clock.sleep)(request) for chunk in decoded(data)]

    assert [TextDelta("be kind"), TextDelta("hi 😀")] == chunks
    assert clock.slept == []


# --- the transport --------------------------------------------------------------------


class Clock:
    """Counts the seconds that were asked for, and waits for none of them."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


async def test_a_script_is_played_with_its_pauses() -> None:
    clock = Clock()
    play = transport([[Beat(0.5, b"a"), Beat(0.0, b"b"), Beat(2.0, b"c")]], clock.sleep)

    assert [data async for data in play(REQUEST)] == [b"a", b"b", b"c"]
    assert clock.slept == [0.5, 2.0]


async def test_every_request_is_answered_by_the_next_script() -> None:
    play = transport([[Beat(0, b"a")], [Beat(0, b"b")]], Clock().sleep)

    assert [[data async for data in play(REQUEST)] for _ in range(2)] == [[b"a"], [b"b"]]


async def test_a_request_too_many_is_an_error_of_the_provider() -> None:
    play = transport([], Clock().sleep)

    with pytest.raises(ProviderError, match="the script is over"):
        await anext(play(REQUEST))


@pytest.mark.parametrize(("pace", "slept"), [(2.0, [1.0, 4.0]), (0.5, [0.25, 1.0]), (0.0, [])])
async def test_a_script_is_played_at_another_pace(pace: float, slept: list[float]) -> None:
    clock = Clock()
    play = transport([[Beat(0.5, b"a"), Beat(0.0, b"b"), Beat(2.0, b"c")]], clock.sleep, pace=pace)

    assert [data async for data in play(REQUEST)] == [b"a", b"b", b"c"]
    assert slept == clock.slept


@pytest.mark.parametrize("error", [HttpError(500, {}, b"oops"), ProviderError("it broke")], ids=["refused", "broken"])
async def test_a_beat_may_be_what_goes_wrong(error: HttpError | ProviderError) -> None:
    clock = Clock()
    body = transport([[Beat(0.0, b"a"), Beat(1.0, b"", error), Beat(0.0, b"never")]], clock.sleep)(REQUEST)

    assert await anext(body) == b"a"
    with pytest.raises(type(error)) as caught:
        await anext(body)

    assert caught.value is error
    assert clock.slept == [1.0]


def test_a_number_among_what_is_said_is_silence_before_the_next_thing() -> None:
    script = script_of(["One.", 0.5, 0.25, "Two."])

    assert [0.0, 0.75] == [beat.after for beat in script]
    assert [0.0, 0.75] == [beat.after for beat in parse_script(b"".join(beat.data for beat in script).decode())]
