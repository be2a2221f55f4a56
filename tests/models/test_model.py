"""Asking a model; ``[test]`` numbers are those of the specification's section 4."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from itertools import pairwise
from typing import Any

import pytest

from cadenza.errors import CadenzaError, ErrorKind, HttpError, ProviderError
from cadenza.models.connect import scripted
from cadenza.models.http import Http
from cadenza.models.keys import Keyring
from cadenza.models.model import LearnedLimits, Model, stream
from cadenza.settings import HttpSettings
from cadenza.stages.s3_chunks import NO_PROMPT
from cadenza.stages.stage import Pipe, Stage
from cadenza.types import (
    Chunk,
    Ending,
    Failed,
    Finished,
    HttpRequest,
    Prompt,
    RawEvent,
    Served,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
from tests.helpers import written_by_the_bot
from tests.tiny import CORE, KEY, Server, TinyCodec, heard, refusal, sse

pytestmark = pytest.mark.looptime

OPTIONS = {"stream_options": {"include_usage": True}}
SAMPLING = {"temperature": 1, "top_p": 0.9, "min_p": 0.1, "logit_bias": {}}
BODY = {**CORE, **OPTIONS, **SAMPLING}
HELLO = sse({"text": "Hello"}, {"end": "stop"})
SAID = [TextDelta("Hello"), Finished("stop")]
NOTHING = refusal(400, "Bad Request")


def error_of(chunks: list[Chunk]) -> ProviderError:
    last = chunks[-1]
    assert isinstance(last, Failed)
    assert isinstance(last.error, ProviderError)
    return last.error


def error_event(code: int, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}


# --- asking again with less ----------------------------------------------------------------------------


async def test_13_two_parameters_that_are_named_are_left_out_at_once() -> None:
    server = Server(refusal(400, "The min_p and logit_bias sampling parameters are not yet supported"), HELLO)

    assert SAID == await heard(codec=TinyCodec(BODY), transport=server)
    assert [BODY, {**CORE, **OPTIONS, "temperature": 1, "top_p": 0.9}] == server.bodies


async def test_14_an_error_event_before_the_answer_is_heard_by_nobody() -> None:
    broken = sse({"by": "Cheap"}, {"text": ""}, error_event(502, "Unsupported parameter: min_p"), {"text": "never"})
    server = Server(broken, sse({"by": "Good"}, {"text": "Hello"}, {"end": "stop"}))

    chunks = await heard(codec=TinyCodec(BODY, vendor="openrouter", is_router=True), transport=server)

    assert [Served("Good"), *SAID] == chunks
    assert [True, False] == ["min_p" in body for body in server.bodies]


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        pytest.param({"text": "Partial"}, TextDelta("Partial"), id="15"),
        pytest.param({"thought": "Hm"}, ThoughtDelta("Hm"), id="a thought"),
        pytest.param({"call": "dice"}, ToolCall("1", "dice", "{}"), id="a call"),
        pytest.param({"usage": 3}, Usage(output_tokens=3), id="usage"),
    ],
)
@pytest.mark.parametrize("slices", ["whole", "by event"])
async def test_an_answer_that_has_begun_is_not_asked_for_again(event: object, expected: Chunk, slices: str) -> None:
    events = [sse(event), sse(error_event(502, "Unsupported parameter: min_p"))]
    server = Server([b"".join(events)] if slices == "whole" else events)

    chunks = await heard(codec=TinyCodec(BODY, vendor="openrouter", is_router=True), transport=server)

    assert expected == chunks[0]
    assert (2, "502", 1) == (len(chunks), error_of(chunks).code, len(server.asked))


async def test_16_after_three_that_were_named_comes_the_row() -> None:
    names = ("min_p", "logit_bias", "temperature", "top_p")
    server = Server(*(refusal(400, f"Unsupported parameter: {name}") for name in names), HELLO)

    assert SAID == await heard(codec=TinyCodec(BODY), transport=server)
    assert [
        SAMPLING.keys(),
        {"logit_bias", "temperature", "top_p"},
        {"temperature", "top_p"},
        {"top_p"},
        SAMPLING.keys(),
    ] == [SAMPLING.keys() & body.keys() for body in server.bodies]


async def test_17_a_gateway_that_fails_is_asked_once_and_a_router_to_the_end() -> None:
    direct, router = (Server(otherwise=refusal(502, "Bad gateway")) for _ in range(2))

    assert "502" == error_of(await heard(codec=TinyCodec(BODY), transport=direct)).code
    routed = TinyCodec(BODY, vendor="openrouter", is_router=True)
    assert "502" == error_of(await heard(codec=routed, transport=router)).code
    assert (1, 7) == (len(direct.asked), len(router.asked))


@pytest.mark.parametrize(
    ("message", "expected"), [("Internal server error.", 2), ("Service temporarily overloaded", 1)], ids=["18a", "18b"]
)
async def test_18_only_an_error_that_says_nothing_may_be_a_parameter(message: str, expected: int) -> None:
    server = Server(sse(error_event(500, message)), HELLO)

    await heard(codec=TinyCodec(BODY, vendor="nvidia", opaque_5xx=True), transport=server)

    assert expected == len(server.asked)


@pytest.mark.parametrize("slices", ["whole", "bytes"])
async def test_21_what_was_held_back_until_the_error_is_forgotten_with_the_attempt(slices: str) -> None:
    broken = sse({"hold": "x" * 20}, error_event(400, "Unsupported parameter: min_p"))
    server = Server([broken] if slices == "whole" else [bytes([byte]) for byte in broken], HELLO)

    assert SAID == await heard(codec=TinyCodec(BODY), transport=server)
    assert 2 == len(server.asked)


async def test_21_what_was_held_back_is_said_if_there_is_no_other_attempt() -> None:
    server = Server(sse({"hold": "Wait"}, error_event(503, "Overloaded")))

    chunks = await heard(codec=TinyCodec(BODY), transport=server)

    assert (TextDelta("Wait"), "503") == (chunks[0], error_of(chunks).code)


async def test_every_attempt_starts_afresh() -> None:
    """Neither half a line, nor held text, nor who served it is left of the one before."""
    broken = sse({"by": "Old"}, {"hold": "old "}, error_event(400, "Bad Request")) + b'data: {"text": "ol'
    server = Server(broken, sse({"hold": "new "}, {"text": "words"}, {"end": "stop"}))

    chunks = await heard(codec=TinyCodec(BODY), transport=server)

    assert [TextDelta("new "), TextDelta("words"), Finished("stop")] == chunks


async def test_the_body_of_an_attempt_is_closed_before_the_next_one() -> None:
    server = Server([sse(error_event(400, "Bad Request")), HELLO], HELLO)

    await heard(codec=TinyCodec(BODY), transport=server)

    assert ([0, 0], 0) == (server.open_before, server.open)


# --- bounds ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [1, 2, 5])
async def test_no_more_requests_are_made_than_allowed(most: int) -> None:
    server = Server(otherwise=NOTHING)

    chunks = await heard(codec=TinyCodec(BODY), transport=server, settings=HttpSettings(degrade_requests=most))

    assert (most, "400") == (len(server.asked), error_of(chunks).code)


async def test_without_a_bound_that_is_reached_all_rungs_are_tried() -> None:
    server = Server(otherwise=NOTHING)

    await heard(codec=TinyCodec(BODY), transport=server, settings=HttpSettings(degrade_requests=50))

    assert 7 == len(server.asked)
    assert all(before != after for before, after in pairwise(server.bodies))


async def test_no_request_is_made_after_the_time_is_over() -> None:
    asked: list[float] = []

    async def slow(_: HttpRequest) -> AsyncIterator[bytes]:
        asked.append(asyncio.get_running_loop().time())
        await asyncio.sleep(25.0)
        raise NOTHING
        yield b""  # what makes it a generator

    chunks = await heard(codec=TinyCodec(BODY), transport=slow, settings=HttpSettings(degrade_seconds=60.0))

    assert [0.0, 25.0, 50.0] == pytest.approx([time - asked[0] for time in asked])
    assert "400" == error_of(chunks).code


async def test_a_dialect_without_attempts_asks_once() -> None:
    class Once(TinyCodec):
        def attempts(self, request: HttpRequest, /) -> None:  # type: ignore[override]  # noqa: ARG002  # as most dialects
            return None

    server = Server(NOTHING)

    assert "400" == error_of(await heard(codec=Once(BODY), transport=server)).code


@pytest.mark.parametrize("error", [CadenzaError("ours"), ProviderError("no"), RuntimeError("foreign")], ids=repr)
async def test_what_is_no_answer_of_the_interface_is_not_asked_again(error: Exception) -> None:
    server = Server(error)

    chunks = await heard(codec=TinyCodec(BODY), transport=server)

    assert (1, 1) == (len(chunks), len(server.asked))
    assert isinstance(chunks[0], Failed)


# --- what was learnt ---------------------------------------------------------------------------------------


async def test_what_was_refused_is_not_asked_for_in_the_next_turn() -> None:
    server = Server(refusal(400, "Unsupported parameter: min_p"), HELLO, HELLO)
    model = Model(TinyCodec(BODY), server)

    assert SAID == await heard(model)
    assert SAID == await heard(model)
    assert [True, False, False] == ["min_p" in body for body in server.bodies]


async def test_what_was_learnt_is_forgotten_after_a_while_even_if_it_is_used() -> None:
    server = Server(refusal(400, "Unsupported parameter: min_p"), otherwise=HELLO)
    model = Model(TinyCodec(BODY), server, settings=HttpSettings(degrade_memory=100.0))

    for _ in range(3):
        await heard(model)
        await asyncio.sleep(60.0)

    assert [True, False, False, True] == ["min_p" in body for body in server.bodies]


async def test_a_lesson_that_does_not_do_any_more_is_learnt_anew() -> None:
    server = Server(
        refusal(400, "Unsupported parameter: min_p"), HELLO, refusal(400, "Unsupported parameter: top_p"), HELLO, HELLO
    )
    model = Model(TinyCodec(BODY), server)

    for _ in range(3):
        assert SAID == await heard(model)

    assert [{"min_p", "top_p"}, {"top_p"}, {"top_p"}, set(), set()] == [
        {"min_p", "top_p"} & body.keys() for body in server.bodies
    ]


@pytest.mark.parametrize(
    "ending",
    [
        pytest.param(refusal(401, "no"), id="refused for another reason"),
        pytest.param(sse(error_event(503, "Overloaded")), id="an error event"),
        pytest.param(sse({"hold": "half"}, error_event(503, "Overloaded")), id="with text before it"),
        pytest.param(b"", id="nothing at all"),
        pytest.param(RuntimeError("x"), id="broken off"),
    ],
)
async def test_what_was_not_answered_taught_nothing(ending: bytes | Exception) -> None:
    server = Server(refusal(400, "Unsupported parameter: min_p"), ending, HELLO)
    model = Model(TinyCodec(BODY), server)

    await heard(model)
    await heard(model)

    assert [True, False, True] == ["min_p" in body for body in server.bodies]


async def test_models_with_the_same_lessons_learn_from_each_other_if_they_ask_the_same() -> None:
    lessons, server = LearnedLimits(), Server(refusal(400, "Unsupported parameter: min_p"), otherwise=HELLO)

    for _ in range(2):
        await heard(Model(TinyCodec(BODY), server, lessons=lessons))
    await heard(Model(TinyCodec(BODY), server))

    assert [True, False, False, True] == ["min_p" in body for body in server.bodies]


async def test_lessons_hold_for_their_time() -> None:
    lessons = LearnedLimits()
    lessons.note("a", "old", 10.0)
    lessons.note("a", "new", 20.0)

    assert ("new", "") == (lessons.recall("a"), lessons.recall("b"))
    await asyncio.sleep(20.0)
    assert "" == lessons.recall("a")


async def test_lessons_do_not_grow_without_end() -> None:
    lessons = LearnedLimits()
    for number in range(1000):
        lessons.note(str(number), "x", 10.0)

    assert ("", "x", 256) == (lessons.recall("743"), lessons.recall("744"), len(lessons))
    await asyncio.sleep(10.0)
    lessons.note("last", "x", 10.0)
    assert 1 == len(lessons)


# --- how an answer ends ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param(b"", [Finished("end_of_stream")], id="nothing"),
        pytest.param(sse({"text": "a"}), [TextDelta("a"), Finished("end_of_stream")], id="no end"),
        pytest.param(
            sse({"text": "a"}).rstrip(), [TextDelta("a"), Finished("end_of_stream")], id="nor an end of the last line"
        ),
        pytest.param(sse({"text": "a"}, {"end": "stop"}, {"text": "b"}), [TextDelta("a"), Finished("stop")], id="more"),
        pytest.param(sse({"hold": "a"}), [TextDelta("a"), Finished("end_of_stream")], id="something held"),
        pytest.param(
            sse({"by": "X"}, {"text": "a"}), [Served("X"), TextDelta("a"), Finished("end_of_stream")], id="by"
        ),
    ],
)
@pytest.mark.parametrize("slices", ["whole", "bytes"])
async def test_the_last_chunk_says_how_it_ended(answer: bytes, expected: list[Chunk], slices: str) -> None:
    pieces = [answer] if slices == "whole" else [bytes([byte]) for byte in answer]

    assert expected == await heard(transport=Server(pieces))


@pytest.mark.parametrize("held", ["text", "hold"])
async def test_what_was_said_before_the_stream_broke_is_kept(held: str) -> None:
    server = Server([sse({held: "Hello"}), b'data: {"text": " there"}', RuntimeError("gone")])

    chunks = await heard(transport=server)

    assert [TextDelta("Hello"), TextDelta(" there")] == chunks[:-1]
    assert error_of(chunks).retryable


async def test_a_status_is_read_by_the_dialect() -> None:
    chunks = await heard(transport=Server(refusal(429, "Slow down", retry_after="9")))

    error = error_of(chunks)
    assert (ErrorKind.RATE_LIMIT, 9.0, "Slow down") == (error.kind, error.retry_after, error.detail)


async def test_media_are_fetched_before_anything_is_written_down() -> None:
    seen: list[Prompt] = []

    class Noting(TinyCodec):
        def encode(self, prompt: Prompt, /) -> HttpRequest:
            seen.append(prompt)
            return super().encode(prompt)

    async def media(_: Prompt) -> Prompt:
        return Prompt("with pictures", ())

    await heard(codec=Noting(), transport=Server(HELLO), media=media)

    assert ["with pictures"] == [prompt.system for prompt in seen]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        pytest.param([[{"text": "a"}], [{"text": "b"}]], [TextDelta("a"), TextDelta("b")], id="one after the other"),
        pytest.param([[{"text": "a"}, {"text": "b"}]], [TextDelta("ab")], id="together"),
        pytest.param(
            [[{"text": "a"}, {"text": "b"}, {"thought": "c"}, {"text": "d"}, {"text": "e"}]],
            [TextDelta("ab"), ThoughtDelta("c"), TextDelta("de")],
            id="with something else among them",
        ),
        pytest.param([[{"text": "a"}, {"text": ""}], [{"text": "b"}]], [TextDelta("a"), TextDelta("b")], id="nothing"),
    ],
)
async def test_texts_that_arrive_together_are_one(pieces: list[list[object]], expected: list[Chunk]) -> None:
    server = Server([*(sse(*events) for events in pieces), sse({"end": "stop"})])

    assert [*expected, Finished("stop")] == await heard(codec=TinyCodec(), transport=server)


async def test_what_was_said_before_a_decoder_fails_is_heard_although_it_arrived_together_with_that(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Fails(TinyCodec):
        def decoder(self, prompt: Prompt = NO_PROMPT, /) -> Stage[RawEvent, Chunk]:
            decoder = super().decoder(prompt)

            class Decoder:
                def feed(self, event: RawEvent, /) -> Any:
                    if b"never" in event.data:
                        raise ZeroDivisionError
                    return decoder.feed(event)

                def flush(self, why: Ending, /) -> Any:
                    return decoder.flush(why)

            return Decoder()

    chunks = await heard(codec=Fails(), transport=Server(sse({"text": "a"}, {"text": "b"}, {"text": "never"})))

    assert TextDelta("ab") == chunks[0]
    error = error_of(chunks)
    assert "the model's stream broke off (ZeroDivisionError); try again" == str(error)
    assert isinstance(error.__cause__, ZeroDivisionError)
    assert ["ZeroDivisionError"] == [one.exc_text.splitlines()[-1] for one in caplog.records if one.exc_text]


async def test_hanging_up_closes_the_body() -> None:
    server = Server([sse({"text": "a"}), sse({"text": "b"})])
    async with aclosing(stream(Model(TinyCodec(), server), NO_PROMPT)) as chunks:  # type: ignore[type-var]  # a generator
        assert TextDelta("a") == await anext(chunks)
        assert 1 == server.open

    assert 0 == server.open


async def test_being_cancelled_closes_the_body_and_is_no_failure() -> None:
    closed = asyncio.Event()

    async def silent(_: HttpRequest) -> AsyncIterator[bytes]:
        try:
            yield sse({"text": "a"})
            await asyncio.sleep(3600.0)
        finally:
            closed.set()

    task = asyncio.create_task(heard(codec=TinyCodec(BODY), transport=silent))
    await asyncio.sleep(1.0)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert closed.is_set()


async def test_a_model_closes_what_was_opened_for_it() -> None:
    closed: list[str] = []

    async def close() -> None:
        closed.append("closed")

    async with Model(TinyCodec(), Server(), on_close=close) as model:
        assert [] == closed
    async with Model(model.codec, model.transport):
        pass

    assert ["closed"] == closed


# --- other keys -----------------------------------------------------------------------------------------------------

ANOTHER = "another-key-77"


def asked_with(server: Server) -> list[str]:
    return [request.headers["authorization"].removeprefix("Bearer ") for request in server.asked]


async def test_a_model_is_asked_with_another_key_and_all_else_is_the_same() -> None:
    server, ring = Server(otherwise=HELLO), Keyring([KEY, ANOTHER])
    model = Model(TinyCodec(BODY), server, name="tiny:m", keyring=ring)
    keyed = model.keyed(ANOTHER)

    assert SAID == await heard(model) == await heard(keyed) == await heard(model)
    assert [KEY, ANOTHER, KEY] == asked_with(server)
    assert server.bodies[0] == server.bodies[1]
    assert (model.transport, model.lessons, model.settings, "tiny:m", ring) == (
        keyed.transport, keyed.lessons, keyed.settings, keyed.name, keyed.keyring,
    )  # fmt: skip


async def test_what_was_learnt_with_one_key_holds_for_the_others_and_holds_no_key() -> None:
    server, lessons = Server(refusal(400, "Unsupported parameter: min_p"), otherwise=HELLO), LearnedLimits()
    model = Model(TinyCodec(BODY), server, lessons=lessons, keyring=Keyring([KEY, ANOTHER]))

    await heard(model)
    await heard(model.keyed(ANOTHER))

    assert [KEY, KEY, ANOTHER] == asked_with(server)
    assert [True, False, False] == ["min_p" in body for body in server.bodies]
    assert 1 == len(lessons)
    assert not any(key in str(vars(lessons)) for key in (KEY, ANOTHER))


async def test_who_is_asked_with_another_key_does_not_close_the_way_for_all() -> None:
    closed: list[str] = []

    async def close() -> None:
        closed.append("closed")

    async with Model(TinyCodec(), Server(), on_close=close, keyring=Keyring([KEY, ANOTHER])) as model:
        async with model.keyed(ANOTHER):
            pass
        assert [] == closed
    assert ["closed"] == closed


class Keyless:
    """A dialect of somebody's own, which knows nothing of endpoints."""

    def __init__(self) -> None:
        tiny = TinyCodec()
        self.encode, self.framing, self.decoder = tiny.encode, tiny.framing, tiny.decoder
        self.refused, self.attempts = tiny.refused, tiny.attempts


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(Model(TinyCodec(), Server()), id="no ring"),
        pytest.param(scripted(lambda _: ["hi"]), id="a function"),
        pytest.param(Model(Keyless(), Server(), keyring=Keyring("a")), id="no endpoint"),
    ],
)
def test_a_model_that_needs_no_key_is_asked_as_it_is(model: Model) -> None:
    assert model is model.keyed(ANOTHER)


def test_no_key_is_shown_with_a_model() -> None:
    model = Model(TinyCodec(), Server(), keyring=Keyring([KEY, ANOTHER]))

    assert not any(key in f"{model!r} {model.keyed(ANOTHER)!r}" for key in (KEY, ANOTHER))


# --- what operators read -----------------------------------------------------------------------------------------


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.DEBUG, "cadenza.models.model"):
        yield caplog


def lines(log: pytest.LogCaptureFixture, level: int) -> list[str]:
    return [record.getMessage() for record in log.records if record.levelno == level]


async def test_a_recovery_is_noted_with_what_was_left_out(log: pytest.LogCaptureFixture) -> None:
    await heard(codec=TinyCodec(BODY), transport=Server(refusal(400, "Unsupported parameter: min_p"), HELLO))

    assert ["answered after 2 requests, the last one: targeted_drop_min_p"] == lines(log, logging.INFO)


async def test_an_answer_at_the_first_try_is_nothing_to_note(log: pytest.LogCaptureFixture) -> None:
    await heard(codec=TinyCodec(BODY), transport=Server(HELLO))

    assert [] == lines(log, logging.INFO) + lines(log, logging.WARNING)


@pytest.mark.parametrize(
    "answer",
    [refusal(503, "Too busy"), sse(error_event(503, "Too busy")), sse({"text": "a"}, error_event(503, "Too busy"))],
    ids=["status", "event", "event after text"],
)
async def test_a_failure_is_noted_once_with_what_the_provider_said(
    log: pytest.LogCaptureFixture, answer: bytes | HttpError
) -> None:
    await heard(transport=Server(answer))

    (line,) = lines(log, logging.WARNING)
    assert line.endswith("[provider_overloaded, 503] Too busy")


async def test_every_request_is_noted_without_headers_and_pictures(log: pytest.LogCaptureFixture) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "iVBORw0K" * 100}}
    body = {**BODY, "messages": [{"role": "user", "content": [picture]}]}

    await heard(codec=TinyCodec(body), transport=Server(NOTHING, HELLO))

    noted = [line for line in lines(log, logging.DEBUG) if line.startswith("request to https://tiny.example/v1: ")]
    assert 2 == len(noted)
    assert all("image/png" in line and "iVBORw0K" not in line and len(line) < 600 for line in noted)
    assert "authorization" not in log.text


def _echoes() -> dict[str, bytes | Exception]:
    body = json.dumps({"error": {"message": f"you sent {KEY}", "type": KEY, "code": KEY, "param": KEY}}).encode()
    return {
        "body": HttpError(401, {"x-echo": KEY, "retry-after": KEY}, body),
        "plain body": HttpError(500, {}, f"Authorization: Bearer {KEY}".encode()),
        "address": HttpError(404, {}, f"https://tiny.example/?key={KEY}".encode()),
        "event": sse({"error": {"message": f"bad key {KEY}", "code": 401}}),
        "event after text": sse({"text": "a"}, {"error": f"bad key {KEY}"}),
        "exception": RuntimeError(f"cannot connect with {KEY}"),
        "our exception": ProviderError("no", detail=f"sent {KEY}"),
        "nonsense": f"data: {KEY}\n\n".encode(),
    }


@pytest.mark.parametrize("place", _echoes())
async def test_the_key_is_never_noted_nor_told(log: pytest.LogCaptureFixture, place: str) -> None:
    body = {**BODY, "metadata": {"key": KEY}}

    chunks = await heard(codec=TinyCodec(body), transport=Server(_echoes()[place], otherwise=_echoes()[place]))

    error = error_of(chunks)
    assert log.records
    assert KEY not in written_by_the_bot(log.records, KEY) + str(vars(error)) + str(error) + repr(error)
    assert KEY not in "".join(record.getMessage() for record in log.records)


async def test_nor_is_another_key_that_is_in_use(log: pytest.LogCaptureFixture) -> None:
    model = Model(TinyCodec(), Server(refusal(401, f"you sent {ANOTHER}")), keyring=Keyring([KEY, ANOTHER]))

    error = error_of(await heard(model.keyed(ANOTHER)))

    assert "you sent ***" == error.detail
    assert ANOTHER not in log.text + str(vars(error)) + repr(error)


@pytest.mark.parametrize("name", ["authorization", "x-corp"])
async def test_a_key_that_stands_in_the_settings_is_never_noted_nor_told(
    log: pytest.LogCaptureFixture, name: str
) -> None:
    settings = HttpSettings(headers={name: f"Bearer {KEY}s"}, proxy=f"http://me:{KEY}@proxy.example")
    echo = sse({"error": {"message": f"you sent {KEY}s", "code": 401}})
    async with Http(settings) as http:
        shown = repr(Model(TinyCodec(BODY), http.transport(), settings=settings))

    error = error_of(await heard(codec=TinyCodec(BODY), transport=Server(echo), settings=settings))

    assert KEY not in shown + log.text + str(vars(error)) + str(error) + repr(error)


async def test_events_that_cannot_be_read_are_counted_and_noted_once(log: pytest.LogCaptureFixture) -> None:
    server = Server(sse({"text": "a"}, b"data: {nonsense\n\n", b"data: 7\n\n", {"text": "b"}, {"end": "stop"}))

    chunks = await heard(transport=server)

    assert [TextDelta("a"), TextDelta("b"), Finished("stop")] == chunks
    assert ["skipped unreadable events of a stream: 2"] == lines(log, logging.WARNING)


async def test_they_are_counted_behind_guards_too(log: pytest.LogCaptureFixture) -> None:
    class Guard:
        def feed(self, chunk: Chunk, /) -> list[Chunk]:
            return [chunk]

        def flush(self, why: Ending, /) -> list[Chunk]:  # noqa: ARG002  # nothing is held
            return []

    class Guarded(TinyCodec):
        def decoder(self, prompt: Prompt = NO_PROMPT, /) -> Stage[RawEvent, Chunk]:  # type: ignore[override]
            return Pipe(super().decoder(prompt), Guard())

    await heard(codec=Guarded(), transport=Server(sse({"text": "a"}, b"data: {nonsense\n\n")))

    assert ["skipped unreadable events of a stream: 1"] == lines(log, logging.WARNING)


async def test_a_stream_of_nothing_but_nonsense_has_failed() -> None:
    error = error_of(await heard(transport=Server(b"data: <html>\n\n")))

    assert ("unreadable", True) == (error.code, error.retryable)


async def test_hanging_up_early_notes_what_could_not_be_read_so_far(log: pytest.LogCaptureFixture) -> None:
    server = Server([sse(b"data: {nonsense\n\n", {"text": "a"}), HELLO])
    async with aclosing(stream(Model(TinyCodec(), server), NO_PROMPT)) as chunks:  # type: ignore[type-var]  # a generator
        await anext(chunks)

    assert 1 == len(lines(log, logging.WARNING))
