"""Everything that can go wrong between a model and a chat, on a real network, as far as this machine goes.

Whatever happens: what was said until then arrives, the outcome says what it was, the connection is closed, and no task
is left behind. Each fault is tried with every dialect in ``SPOKEN``; a new one needs a codec and a good answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from itertools import accumulate
from types import MappingProxyType

import pytest

from cadenza.concurrency.stops import Stops
from cadenza.errors import ErrorKind, ProviderError
from cadenza.models.dialects.anthropic import AnthropicCodec
from cadenza.models.dialects.dialect import Endpoint
from cadenza.models.dialects.google import GoogleCodec
from cadenza.models.dialects.novelai import NovelAICodec
from cadenza.models.dialects.ollama import OllamaCodec
from cadenza.models.dialects.openai import OpenAICodec
from cadenza.models.dialects.openai_responses import ResponsesCodec
from cadenza.models.http import Http
from cadenza.models.model import Model, stream
from cadenza.replies.pipeline import end_task
from cadenza.replies.reply import reply, say
from cadenza.settings import Settings
from cadenza.stages.s2_generation import ServerSentEvents
from cadenza.stages.s3_chunks import Codec
from cadenza.targets.memory import MemoryTarget
from cadenza.types import (
    Broke,
    Chunk,
    Completed,
    Finished,
    HttpRequest,
    Persona,
    Prompt,
    Reply,
    Scene,
    Stalled,
    Stopped,
    StopReason,
    TextDelta,
)
from tests.leaps import leaping
from tests.loopback import Act, Answer, Loopback, Pause, Step, serving
from tests.models.recorded import STREAMS, decoded
from tests.timing import now
from tests.tiny import TinyCodec, sse

SETTINGS = Settings.of(degree=1, model_retries=0, empty_retries=0)
HASTY = Settings.of(degree=1, model_retries=0, empty_retries=0, first_timeout=0.1, idle_timeout=0.1)
SCENE = Scene("general", Persona("Ren"))
PROMPT = Prompt("", ())
NO_HEADERS: Mapping[str, str] = MappingProxyType({})


# --- dialects ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Spoken:
    """A dialect, and a good answer in it: some words, each in events of its own, and an end."""

    codec: Callable[[Endpoint], Codec]
    good: bytes
    error: bytes = b""
    """An event that says that the model's side is overloaded, where there is one."""

    def model(self, url: str, http: Http) -> Model:
        """The model behind *url*."""
        return Model(self.codec(Endpoint("test", "model", url, "sk-test")), http.transport(private=True))

    @property
    def said(self) -> str:
        """All the words of the good answer."""
        return self._words(self.good)

    @property
    def first(self) -> bytes:
        """The good answer up to and with its first words."""
        return next(begun for begun in self._beginnings() if self._words(begun))

    @property
    def first_said(self) -> str:
        """Its first words."""
        return self._words(self.first)

    @property
    def rest(self) -> bytes:
        """The good answer behind its first words."""
        return self.good.removeprefix(self.first)

    @property
    def unfinished(self) -> bytes:
        """The good answer as far as nothing in it says that it is over."""
        return [begun for begun in self._beginnings() if self._is_cut(begun)][-1]

    @property
    def unfinished_said(self) -> str:
        """The words of that."""
        return self._words(self.unfinished)

    @property
    def whole(self) -> bytes:
        """The good answer up to and with the reason why the model stopped."""
        return next(
            begun for begun in self._beginnings() if self._words(begun) == self.said and not self._is_cut(begun)
        )

    def _is_cut(self, body: bytes) -> bool:
        return Finished("end_of_stream") in self._chunks(body)

    def _beginnings(self) -> Iterable[bytes]:
        """The good answer, event by event, longer and longer."""
        mark = next(mark for mark in (b"\r\n\r\n", b"\n\n", b"\n") if mark in self.good)
        return accumulate(part + mark for part in self.good.split(mark) if part)

    def _words(self, body: bytes) -> str:
        """What is said in *body*, as it arrives: without the blank that some begin with."""
        return "".join(chunk.text for chunk in self._chunks(body) if isinstance(chunk, TextDelta)).lstrip()

    def _chunks(self, body: bytes) -> list[Chunk]:
        return decoded(self.codec(Endpoint("test", "model", "http://test.invalid")), [body])


PLAIN = Spoken(
    lambda endpoint: TinyCodec(endpoint=endpoint),
    sse(b": hello\n\n", {}, {"text": "One."}, {"text": " Two. 好"}, {"end": "stop"}),
    sse({"error": {"code": 503, "message": "Overloaded"}}),
)


def recording(path: str) -> bytes:
    """A recorded body."""
    return (STREAMS / path).read_bytes()


SPOKEN = [
    pytest.param(PLAIN, id="plain"),
    pytest.param(
        Spoken(OpenAICodec, recording("openai/text.sse"), b'data: {"error":{"code":503,"message":"Overloaded"}}\n\n'),
        id="openai",
    ),
    pytest.param(
        Spoken(
            ResponsesCodec,
            recording("openai-responses/text.sse"),
            b'event: error\ndata: {"type":"error","code":"server_error","message":"Sorry about that!"}\n\n',
        ),
        id="openai-responses",
    ),
    pytest.param(
        Spoken(
            AnthropicCodec,
            recording("anthropic/text.sse"),
            b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
        ),
        id="anthropic",
    ),
    pytest.param(
        Spoken(
            GoogleCodec,
            recording("google/plain.sse"),
            b'data: {"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}\n\n',
        ),
        id="google",
    ),
    pytest.param(
        Spoken(OllamaCodec, recording("ollama/plain.ndjson"), b'{"error":"the server is overloaded"}\n'),
        id="ollama",
    ),
    pytest.param(
        Spoken(
            NovelAICodec,
            recording("novelai/glm-text.sse"),
            b'data: {"error":{"code":503,"message":"Overloaded"}}\n\n',
        ),
        id="novelai",
    ),
]


@pytest.fixture(params=SPOKEN)
def spoken(request: pytest.FixtureRequest) -> Spoken:
    """A dialect, and a good answer in it."""
    assert isinstance(request.param, Spoken)
    return request.param


# --- a reply, watched ---------------------------------------------------------------------------


@asynccontextmanager
async def watched(answers: Answer | Iterable[Answer]) -> AsyncIterator[tuple[Loopback, Http]]:
    """A server and the way to it; behind it, nobody is connected, and no task is left."""
    others = asyncio.all_tasks()
    async with asyncio.timeout(30):
        async with serving(answers) as loopback:
            async with Http() as http:
                yield loopback, http
                assert {"cadenza"} & {task.get_name().split()[0] for task in asyncio.all_tasks() - others} == set()
            if loopback.accepted:
                await loopback.quiet()
        while asyncio.all_tasks() - others:  # noqa: ASYNC110  # those of the server, which know already that it is over
            await asyncio.sleep(0)


async def replied(
    spoken: Spoken,
    *steps: Step,
    status: int = 200,
    settings: Settings = SETTINGS,
    headers: Mapping[str, str] = NO_HEADERS,
) -> tuple[Reply, list[str]]:
    """The reply of a model that answers so, and the messages that people saw."""
    target = MemoryTarget()
    async with watched(Answer(steps, status, {"content-type": "text/event-stream", **headers})) as (loopback, http):
        with leaping():  # only who says nothing is late
            result = await reply(SCENE, spoken.model(loopback.url, http), target, settings=settings)
    return result, target.texts


async def seen(text: str) -> list[str]:
    """The messages that people see of *text*, said by somebody with whom nothing goes wrong."""
    target = MemoryTarget()
    await say(target, text, settings=SETTINGS)
    return target.texts


def failure(result: Reply) -> ProviderError:
    assert isinstance(result.outcome, Broke), result.outcome
    assert isinstance(result.outcome.error, ProviderError)
    return result.outcome.error


def told(error: ProviderError) -> tuple[ErrorKind, str, bool]:
    return error.kind, error.code, error.retryable


# --- good answers -------------------------------------------------------------------------------


async def test_a_good_answer_arrives(spoken: Spoken) -> None:
    result, texts = await replied(spoken, spoken.good)

    assert isinstance(result.outcome, Completed)
    assert await seen(spoken.said) == texts


async def test_a_good_answer_arrives_byte_by_byte(spoken: Spoken) -> None:
    _, texts = await replied(spoken, *(spoken.good[index : index + 1] for index in range(len(spoken.good))))

    assert await seen(spoken.said) == texts


async def test_one_connection_serves_one_answer_after_another(spoken: Spoken) -> None:
    async with watched(Answer((spoken.good,))) as (loopback, http):
        for _ in range(3):
            await reply(SCENE, spoken.model(loopback.url, http), MemoryTarget(), settings=SETTINGS)

        assert (3, 1) == (len(loopback.asked), loopback.accepted)


async def test_a_body_that_ends_late_keeps_its_connection(spoken: Spoken) -> None:
    """Some say their last word, and end the body a moment later, with a comment or two in between."""
    late = Answer((spoken.good, Pause(0.005), b": bye\n\n", Pause(0.005), b": bye\n\n"))
    async with watched(late) as (loopback, http):
        for _ in range(2):
            await reply(SCENE, spoken.model(loopback.url, http), MemoryTarget(), settings=SETTINGS)

        assert 1 == loopback.accepted


# --- connections that break ---------------------------------------------------------------------


async def test_nobody_listens(spoken: Spoken) -> None:
    async with serving(Answer()) as loopback:
        url = loopback.url
    target = MemoryTarget()
    async with Http() as http:
        result = await reply(SCENE, spoken.model(url, http), target, settings=SETTINGS)

    assert (ErrorKind.API, "ECONNREFUSED", False) == told(failure(result))
    assert [] == target.texts


@pytest.mark.parametrize("end", [Act.RESET, Act.DROP])
async def test_the_line_breaks_inside_a_line(spoken: Spoken, end: Act) -> None:
    half = spoken.rest[: spoken.rest.index(b"\n") // 2]

    result, texts = await replied(spoken, spoken.first, half, end)

    assert (ErrorKind.UNKNOWN, "ECONNRESET", True) == told(failure(result))
    assert [spoken.first_said] == texts


@pytest.mark.parametrize("end", [Act.RESET, Act.DROP])
async def test_the_line_breaks_before_the_first_word(spoken: Spoken, end: Act) -> None:
    result, texts = await replied(spoken, end)

    assert (ErrorKind.UNKNOWN, "ECONNRESET", True) == told(failure(result))
    assert [] == texts


async def test_a_body_ends_before_the_answer_does(spoken: Spoken) -> None:
    result, texts = await replied(spoken, spoken.unfinished)

    assert Completed("end_of_stream") == result.outcome
    assert texts
    assert await seen(spoken.unfinished_said) == texts


async def test_a_body_never_ends_after_the_answer_has(spoken: Spoken, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cadenza.models.model._GRACE", 0.05)  # Gemini has no other last word than the end
    started = now()
    result, texts = await replied(spoken, spoken.good, Act.STALL)

    assert isinstance(result.outcome, Completed)
    assert await seen(spoken.said) == texts
    assert now() - started < 5


@pytest.mark.parametrize("end", [Act.STALL, Act.RESET, Act.DROP])
async def test_an_answer_is_whole_once_the_model_has_said_why_it_stopped(
    spoken: Spoken, end: Act, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some never send the end behind it, and some cut the line."""
    monkeypatch.setattr("cadenza.models.model._GRACE", 0.05)

    result, texts = await replied(spoken, spoken.whole, end)

    assert Completed("stop") == result.outcome
    assert await seen(spoken.said) == texts


async def test_comments_behind_the_reason_why_it_stopped_keep_nobody_waiting(
    spoken: Spoken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cadenza.models.model._GRACE", 0.05)
    ticking = (_keep_alive(spoken), Pause(0.01)) * 1000  # longer than it may take
    started = now()

    result, texts = await replied(spoken, spoken.whole, *ticking)

    assert Completed("stop") == result.outcome
    assert await seen(spoken.said) == texts
    assert now() - started < 5


# --- silence ------------------------------------------------------------------------------------


async def test_a_model_says_nothing(spoken: Spoken) -> None:
    result, texts = await replied(spoken, Act.STALL, settings=HASTY)

    assert Stalled(has_begun=False) == result.outcome
    assert [] == texts


async def test_a_model_says_nothing_more(spoken: Spoken) -> None:
    result, texts = await replied(spoken, spoken.first, Act.STALL, settings=HASTY)

    assert Stalled(has_begun=True) == result.outcome
    assert [spoken.first_said] == texts


async def test_the_first_word_may_be_waited_for_longer_than_the_next(spoken: Spoken) -> None:
    patient = Settings.of(degree=1, first_timeout=20.0, idle_timeout=0.05)

    result, texts = await replied(spoken, Pause(0.15), spoken.first, Act.STALL, settings=patient)

    assert Stalled(has_begun=True) == result.outcome
    assert [spoken.first_said] == texts


async def test_a_server_does_not_even_begin_to_answer(spoken: Spoken) -> None:
    """It takes the request, but its headers do not come."""
    asked = asyncio.Event()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.set()
        with suppress(ConnectionError):
            while await reader.read(1000):
                pass
        writer.close()

    async with await asyncio.start_server(connected, "127.0.0.1", 0) as server, Http() as http:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        with leaping():
            result = await reply(SCENE, spoken.model(url, http), MemoryTarget(), settings=HASTY)

    assert asked.is_set()
    assert Stalled(has_begun=False) == result.outcome


async def test_keep_alive_comments_are_no_words(spoken: Spoken) -> None:
    """However many of them come, a model that says nothing has stalled."""
    ticking = (_keep_alive(spoken), Pause(0.01)) * 100

    result, texts = await replied(spoken, spoken.first, *ticking, spoken.rest, settings=HASTY)

    assert Stalled(has_begun=True) == result.outcome
    assert [spoken.first_said] == texts


async def test_a_megabyte_of_keep_alive_comments_does_no_harm(spoken: Spoken) -> None:
    comments = b": OPENROUTER PROCESSING\n\n" * 40_000 if _takes_comments(spoken) else b"\n" * 1_000_000

    result, texts = await replied(spoken, comments, spoken.first, comments, spoken.rest)

    assert len(comments) == 1_000_000
    assert isinstance(result.outcome, Completed)
    assert await seen(spoken.said) == texts


def _keep_alive(spoken: Spoken) -> bytes:
    return b": processing\n\n" if _takes_comments(spoken) else b"\n"


def _takes_comments(spoken: Spoken) -> bool:
    return isinstance(spoken.codec(Endpoint("test", "model", "")).framing(), ServerSentEvents)


# --- nonsense -----------------------------------------------------------------------------------


async def test_garbage_instead_of_an_answer_is_a_failure(spoken: Spoken) -> None:
    result, texts = await replied(spoken, b"data: <html>\xff\xfe\x00\n\ndata: {[\n\n<html>\n")

    assert (ErrorKind.API, "unreadable", True) == told(failure(result))
    assert [] == texts


async def test_garbage_among_an_answer_is_passed_over(spoken: Spoken) -> None:
    garbage = b"data: {[\xff\n\n" if _takes_comments(spoken) else b"{[\xff\n"

    result, texts = await replied(spoken, spoken.first, garbage, spoken.rest)

    assert isinstance(result.outcome, Completed)
    assert await seen(spoken.said) == texts


# --- refusals -----------------------------------------------------------------------------------


LIMITED = b'{"error": {"code": 429, "message": "Rate limit reached", "type": "rate_limit_error"}}'
DATES = {"date": "Mon, 06 May 2030 07:08:09 GMT", "retry-after": "Mon, 06 May 2030 07:08:39 GMT"}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        pytest.param({}, None, id="without a time to wait"),
        pytest.param({"retry-after": "7"}, 7.0, id="with seconds"),
        pytest.param(DATES, 30.0, id="with a date"),
        pytest.param({**DATES, "retry-after": format_datetime(datetime(2020, 1, 1, tzinfo=UTC), usegmt=True)}, 0.0, id="with a date of yesterday"),
    ],
)  # fmt: skip
async def test_too_many_requests(spoken: Spoken, headers: dict[str, str], seconds: float | None) -> None:
    result, texts = await replied(spoken, LIMITED, status=429, headers=headers)

    assert (ErrorKind.RATE_LIMIT, "429", True) == told(failure(result))
    assert seconds == failure(result).retry_after
    assert [] == texts


@pytest.mark.parametrize("status", [500, 503])
async def test_a_server_that_has_trouble_of_its_own(spoken: Spoken, status: int) -> None:
    result, _ = await replied(spoken, b"<html>Service Unavailable</html>", status=status)

    assert (str(status), True) == (failure(result).code, failure(result).retryable)


async def test_a_refusal_whose_body_does_not_come_is_still_one(spoken: Spoken) -> None:
    result, _ = await replied(spoken, b'{"err', Act.DROP, status=503)

    assert 503 == failure(result).status


async def test_an_error_inside_an_answer_comes_after_the_words_before_it(spoken: Spoken) -> None:
    if not spoken.error:
        pytest.skip("the dialect has no such event")
    result, texts = await replied(spoken, spoken.first, spoken.error, spoken.rest)

    assert ErrorKind.OVERLOADED is failure(result).kind
    assert [spoken.first_said] == texts


async def test_an_error_instead_of_an_answer(spoken: Spoken) -> None:
    if not spoken.error:
        pytest.skip("the dialect has no such event")
    result, texts = await replied(spoken, spoken.error)

    assert ErrorKind.OVERLOADED is failure(result).kind
    assert [] == texts


# --- listeners who leave ------------------------------------------------------------------------


async def test_somebody_hears_one_word_and_leaves(spoken: Spoken) -> None:
    async with watched(Answer((spoken.first, Act.STALL))) as (loopback, http):
        async with aclosing(stream(spoken.model(loopback.url, http), PROMPT)) as chunks:  # type: ignore[type-var]
            async for chunk in chunks:
                if isinstance(chunk, TextDelta):
                    assert spoken.first_said == chunk.text.lstrip()
                    break
        await loopback.quiet()


async def test_somebody_leaves_without_a_word(spoken: Spoken) -> None:
    """Who does not close what they listened to has it closed for them."""
    async with watched(Answer((spoken.first, Act.STALL))) as (loopback, http):
        async for _ in stream(spoken.model(loopback.url, http), PROMPT):
            break
        await loopback.quiet()


@pytest.mark.parametrize("how", ["cancelled", "stopped", "closed"])
async def test_a_reply_may_end_at_any_moment(how: str) -> None:
    """Wherever it is just waiting: one outcome comes, at once, and nothing is left behind."""
    steps = [step for begun in PLAIN.good.split(b"\n\n") if begun for step in (begun + b"\n\n", Pause(0))]
    was_done, moment = False, 0
    while not was_done:
        async with watched(Answer(steps)) as (loopback, http):
            stops = Stops()
            with stops.open("turn") as handle:
                model, target = PLAIN.model(loopback.url, http), MemoryTarget()
                task = asyncio.create_task(reply(SCENE, model, target, settings=SETTINGS, stop=handle))
                for _ in range(moment):
                    await asyncio.sleep(0)
                was_done = task.done()
                match how:
                    case "cancelled":
                        task.cancel()
                    case "stopped":
                        stops.request("turn")
                    case _:
                        await http.close()
                async with asyncio.timeout(30):
                    outcome = (await asyncio.gather(task, return_exceptions=True))[0]
        assert _is_end(how, outcome), (moment, outcome)
        assert PLAIN.said.startswith("".join(target.texts))
        moment += 1
    assert moment > 10


def _is_end(how: str, outcome: Reply | BaseException) -> bool:
    match how, outcome:
        case "cancelled", asyncio.CancelledError():
            return True
        case _, Reply(Completed()):
            return True  # it was over before
        case "stopped", Reply(Stopped(StopReason.USER)):
            return True
        case "closed", Reply(Broke(ProviderError(code="closed"))):
            return True
        case _:
            return False


async def test_many_replies_share_a_model(spoken: Spoken) -> None:
    targets = [MemoryTarget() for _ in range(100)]
    async with watched(Answer((spoken.good,))) as (loopback, http):
        model = spoken.model(loopback.url, http)
        await asyncio.gather(*(reply(SCENE, model, target, settings=SETTINGS) for target in targets))

    assert [await seen(spoken.said)] * len(targets) == [target.texts for target in targets]


@pytest.mark.parametrize("begun", [True, False], ids=["in the middle", "before the first word"])
async def test_a_reply_is_cancelled(spoken: Spoken, *, begun: bool) -> None:
    target = MemoryTarget()
    answer = Answer((spoken.first, Act.STALL) if begun else (Act.STALL,))
    async with watched(answer) as (loopback, http):
        chunks = _Noted(stream(spoken.model(loopback.url, http), PROMPT))
        task = asyncio.create_task(say(target, chunks, settings=SETTINGS))
        while not (chunks.seen if begun else loopback.asked):  # noqa: ASYNC110  # nobody is there to set an event
            await asyncio.sleep(0)
        with suppress(asyncio.CancelledError):
            await end_task(task)
        await loopback.quiet()

    assert task.cancelled()


class _Noted:
    """A stream that notes what has been heard of it."""

    def __init__(self, chunks: AsyncIterator[Chunk]) -> None:
        self._chunks = chunks
        self.seen: list[Chunk] = []

    async def __aiter__(self) -> AsyncIterator[Chunk]:
        async with aclosing(self._chunks) as chunks:  # type: ignore[type-var]
            async for chunk in chunks:
                self.seen.append(chunk)
                yield chunk


# --- a way that is foreign code -----------------------------------------------------------------


class Awkward:
    """A body that goes on and on when it should be over, or fails when it is closed."""

    def __init__(self, *data: bytes, goes_on: bool = False, closing: BaseException | None = None) -> None:
        self._data = list(data)
        self._goes_on = goes_on
        self._closing = closing
        self.reads = 0
        self.is_closed = False

    def __call__(self, _: HttpRequest) -> Awkward:
        return self

    def __aiter__(self) -> Awkward:
        return self

    async def __anext__(self) -> bytes:
        self.reads += 1
        if self._data:
            return self._data.pop(0)
        if self._goes_on:
            return b": and on\n\n"
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Close it, or fail to."""
        self.is_closed = True
        if self._closing is not None:
            raise self._closing


async def test_a_body_that_is_always_ready_and_never_ends_is_left() -> None:
    way = Awkward(PLAIN.good, goes_on=True)
    async with asyncio.timeout(30):
        chunks = [chunk async for chunk in stream(Model(TinyCodec(), way), PROMPT)]

    assert Finished() == chunks[-1]
    assert way.is_closed
    assert way.reads < 100


async def test_the_last_word_does_not_wait_for_the_end_of_the_body() -> None:
    way = Awkward(PLAIN.good, goes_on=True)
    reads = {type(chunk): way.reads async for chunk in stream(Model(TinyCodec(), way), PROMPT)}

    assert {TextDelta: 1, Finished: 1} == reads
    assert way.reads > 1


@pytest.mark.parametrize("trouble", [RuntimeError("sk-test"), asyncio.CancelledError()], ids=["an error", "cancelled"])
async def test_a_body_that_cannot_be_closed_hides_nothing(trouble: BaseException) -> None:
    way = Awkward(PLAIN.good, goes_on=True, closing=trouble)
    chunks = [chunk async for chunk in stream(Model(TinyCodec(), way), PROMPT)]

    assert [TextDelta("One. Two. 好"), Finished()] == chunks


async def test_a_body_that_cannot_be_closed_can_still_be_left() -> None:
    way = Awkward(PLAIN.first, goes_on=True, closing=RuntimeError("sk-test"))
    async with aclosing(stream(Model(TinyCodec(), way), PROMPT)) as chunks:  # type: ignore[type-var]
        assert TextDelta("One.") == await anext(chunks)

    assert way.is_closed
