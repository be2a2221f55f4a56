"""Asking a model: a dialect, the way to whoever speaks it, and what is done when it does not like the question.

An answer that has begun is never asked for again: what was heard is kept, and the failure comes behind it.
Before that, a dialect may know a smaller request that is worth a try; how many and for how long is bounded here,
and what an interface refused is remembered for a while, so that the next turn does not pay for it again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterator,
    Sequence,
)
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from inspect import isawaitable
from typing import TYPE_CHECKING, Self, TypeVar

from ..concurrency.stops import is_cancelled
from ..errors import CadenzaError, HttpError, ProviderError
from ..settings import HttpSettings
from ..stages.s2_generation import Framing, Transport
from ..stages.s3_chunks import Chunks, Codec
from ..stages.s3_reading import ALIVE, Reader
from ..stages.stage import skipped
from ..text.redaction import secrets_of, without_payloads, without_secrets
from ..types import Chunk, Ending, Failed, Finished, HttpRequest, Prompt, Served, TextDelta, ThoughtDelta
from .keys import Keyring

if TYPE_CHECKING:
    from ..explain.recorder import Trace

logger = logging.getLogger(__name__)

T = TypeVar("T")

_GRACE = 3.0
"""Seconds for what may follow the reason why a model stopped: the counts and the end, which some servers never send."""
_DRAIN = 0.1
"""Seconds for a server to end a body whose last word has been said; a connection that ended cleanly is used again."""
_DRAIN_READS = 64
"""And how often it is listened to for that: one that is always ready would never let the time run out."""
_MOST_LESSONS = 256
"""How many interfaces and models are remembered; whoever asks more of them forgets the oldest."""
_NO_ANSWER = Finished("end_of_stream")


class LearnedLimits:
    """What interfaces refused, each remembered for a while."""

    def __init__(self) -> None:
        self._lessons: dict[str, tuple[float, str]] = {}

    def __len__(self) -> int:
        return len(self._lessons)

    def recall(self, key: str) -> str:
        """What was learnt about *key* and still holds."""
        until, lesson = self._lessons.get(key, (0.0, ""))
        return lesson if until > asyncio.get_running_loop().time() else ""

    def note(self, key: str, lesson: str, seconds: float) -> None:
        """Remember *lesson*, and forget what no longer holds."""
        now = asyncio.get_running_loop().time()
        held = {name: noted for name, noted in self._lessons.items() if noted[0] > now and name != key}
        held[key] = (now + seconds, lesson)
        self._lessons = dict(list(held.items())[-_MOST_LESSONS:])


@dataclass(frozen=True, slots=True)
class Model:
    """A dialect and the way to whoever speaks it. ``async with`` closes the way behind it."""

    codec: Codec
    transport: Transport = field(repr=False)  # the password of a proxy may be among it
    media: Callable[[Prompt], Awaitable[Prompt]] | None = None
    """Fetches what a prompt only links to; without it, links are all there is."""
    settings: HttpSettings = field(default_factory=HttpSettings, repr=False)  # and keys among these
    lessons: LearnedLimits = field(default_factory=LearnedLimits, repr=False)
    on_close: Callable[[], Awaitable[None]] | None = None
    name: str = ""
    """What it is called in notices and traces: as ``connect`` was given it."""
    keyring: Keyring | None = None
    """The keys that it may be asked with; ``None`` if it needs none, or has one of its own."""

    def keyed(self, secret: str) -> Model:
        """The same model, asked with another key: it shares all else with this one, which is still the one to close.

        One without a ring is asked as it is.
        """
        from .dialects.dialect import Dialect  # noqa: PLC0415  # it brings along what reads JSON

        if self.keyring is None or not isinstance(self.codec, Dialect):
            return self
        return replace(self, codec=self.codec.keyed(secret), on_close=None)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close what was opened for this model alone."""
        if self.on_close is not None:
            await self.on_close()


# --- asking, and asking again ---------------------------------------------------------


async def stream(model: Model, prompt: Prompt, *, trace: Trace | None = None) -> AsyncIterator[Chunk]:
    """Ask *model*; yield its chunks, the last of which says how it ended. Close it to hang up.

    *trace* is told of every request.
    """
    if model.media is not None:
        prompt = await model.media(prompt)
    patience = _Patience(model, model.codec.encode(prompt))
    has_begun = False
    failure: CadenzaError | None = None
    while not has_begun:
        if trace:
            trace.hide(_secrets(model, patience.request))
            patience.tell(trace, prompt, failure)
        early: list[Chunk] = []  # what came before the answer: it is forgotten if the model is asked again
        async with aclosing(_answer(model, patience.request, prompt)) as answer:
            async for chunks in answer:
                if chunks is ALIVE:
                    yield chunks[0]  # even before the answer has begun: it takes nothing back
                    continue
                last = chunks[-1]
                if type(last) is Failed:
                    _report(last.error, _secrets(model, patience.request))
                    if not has_begun and patience.degrade(last.error):
                        failure = last.error
                        break  # what a decoder held back until this failure has been heard by nobody
                if not has_begun:
                    early += chunks
                    if not any(map(_begins, chunks)):
                        continue
                    has_begun = True
                    patience.learn(chunks)
                    chunks = early  # noqa: PLW2901  # from here on they are one
                for chunk in chunks:
                    yield chunk


def _begins(chunk: Chunk) -> bool:
    """Whether *chunk* is a part of the answer or its end, so that there is no way back."""
    if isinstance(chunk, TextDelta | ThoughtDelta):
        return bool(chunk.text)
    return not isinstance(chunk, Served)


class _Patience:
    """How often and how long a model is asked again."""

    def __init__(self, model: Model, request: HttpRequest) -> None:
        self._first = request
        self._attempts = attempts = model.codec.attempts(request)
        self._settings = model.settings
        self._lessons = model.lessons
        self._requests = 1
        self._until = asyncio.get_running_loop().time() + model.settings.degrade_seconds
        self._remembers = False
        if attempts is not None and (lesson := model.lessons.recall(attempts.key)):
            attempts.recall(lesson)
            self._remembers = True

    @property
    def request(self) -> HttpRequest:
        """What is to be asked now."""
        return self._first if self._attempts is None else self._attempts.request

    def tell(self, trace: Trace, prompt: Prompt, error: CadenzaError | None) -> None:
        """Tell *trace* what is asked now, because of *error* if there was one."""
        rung, size = self._attempts.label if self._attempts else "", len(self.request.body)
        trace.requests(prompt, size, rung, remembered=self._remembers, error=error)

    def degrade(self, error: CadenzaError) -> bool:
        """Whether there is a smaller request that is worth a try after *error*; it is then the present one."""
        if self._attempts is None or not isinstance(error, ProviderError):
            return False
        if self._requests >= self._settings.degrade_requests or asyncio.get_running_loop().time() >= self._until:
            return False
        is_smaller = self._attempts.degrade(error)
        self._requests += is_smaller
        return is_smaller

    def learn(self, chunks: Sequence[Chunk]) -> None:
        """The present request was taken, if *chunks*, the first of the answer, are not its failure or nothing at all."""
        if self._attempts is None or self._requests == 1 or type(chunks[-1]) is Failed or chunks[0] == _NO_ANSWER:
            return
        logger.info("answered after %d requests, the last one %s", self._requests, self._attempts.label)
        if lesson := self._attempts.lesson:
            self._lessons.note(self._attempts.key, lesson, self._settings.degrade_memory)


# --- one request -----------------------------------------------------------------------


async def _answer(model: Model, request: HttpRequest, prompt: Prompt) -> AsyncGenerator[Sequence[Chunk], None]:
    """One request, and what comes back, bit by bit: whatever happens, the last chunk says how it ended."""
    framing, chunks = model.codec.framing(), Chunks(model.codec.decoder(prompt))
    reader = Reader(framing, chunks)
    failure: CadenzaError | None = None
    until: float | None = None  # when it is too late for what may follow the reason why the model stopped
    _show(request, _secrets(model, request))
    with _counting_unread(framing, chunks):
        try:
            async with _body(model, request, chunks) as body:
                while True:
                    try:
                        data = await (anext(body) if until is None else _in_time(body, until))
                    except StopAsyncIteration:
                        break
                    for heard in reader.read(data):
                        until = None  # a word behind the reason: it was not the last one
                        yield heard
                    if chunks.has_ended:
                        return
                    if until is None and chunks.is_ending:
                        until = asyncio.get_running_loop().time() + _GRACE
        except (Exception, asyncio.CancelledError) as error:
            if is_cancelled(error):
                raise
            if not chunks.is_ending:  # else it is whole, whatever became of the line behind it
                failure = _failure(model.codec, error)
        for heard in _rest(framing, chunks, failure):
            yield heard


@asynccontextmanager
async def _body(model: Model, request: HttpRequest, chunks: Chunks) -> AsyncIterator[AsyncIterator[bytes]]:
    """What comes back for *request*, closed on every way out.

    Once its last word is among *chunks* it is heard out first; who was told that word did not have to wait for this.
    """
    body = aiter(model.transport(request))
    try:
        yield body
    finally:
        try:
            if chunks.has_ended:
                await _drain(body)
        finally:
            await hang_up(body)


async def _drain(body: AsyncIterator[bytes]) -> None:
    """Hear a body out whose last word has been said, unless it goes on and on."""
    reads = 0
    try:
        async with asyncio.timeout(_DRAIN):
            async for _ in body:
                reads += 1
                if reads == _DRAIN_READS:
                    break
    except (Exception, asyncio.CancelledError) as error:
        if is_cancelled(error):
            raise
        logger.debug("a body did not end after its last word (%s)", type(error).__name__)


async def _in_time(body: AsyncIterator[bytes], until: float) -> bytes:
    """The next piece of *body*, which is over if none comes in time."""
    with suppress(TimeoutError):
        async with asyncio.timeout_at(until):
            return await anext(body)
    raise StopAsyncIteration


def _rest(framing: Framing, chunks: Chunks, failure: CadenzaError | None) -> Iterator[Sequence[Chunk]]:
    """What is left when nothing more comes, because of *failure* or because it is over."""
    for event in framing.flush(Ending.FINAL):
        if heard := chunks.feed(event):
            yield heard
    if last := chunks.flush(Ending.FINAL) if failure is None else chunks.fail(failure):
        yield last


def _failure(codec: Codec, error: BaseException) -> CadenzaError:
    return codec.refused(error) if isinstance(error, HttpError) else broken_off(error)


# --- what operators see ------------------------------------------------------------


@contextmanager
def _counting_unread(framing: Framing, chunks: Chunks) -> Iterator[None]:
    """Write down for operators, once a stream, how much of it could not be read."""
    try:
        yield
    finally:
        if unread := skipped(framing) + chunks.skipped:
            logger.warning("events of a stream that could not be read and were passed over: %d", unread)


def _secrets(model: Model, request: HttpRequest) -> Collection[str]:
    """What must not be written down of what *model* is asked with."""
    return secrets_of(request, model.settings.headers or {})


def _show(request: HttpRequest, secrets: Collection[str]) -> None:
    """Write down for operators what is asked: without headers, pictures and keys."""
    if logger.isEnabledFor(logging.DEBUG):
        body = without_payloads(request.body.decode("utf-8", "replace"))
        logger.debug("asking %s: %s", without_secrets(request.url, *secrets), without_secrets(body, *secrets))


def _report(error: CadenzaError, secrets: Collection[str]) -> None:
    """Write down *error* for operators; what the provider said of it may hold what it was asked with."""
    words = without_secrets(str(error), *secrets)
    if isinstance(error, ProviderError):
        error.detail = without_secrets(error.detail, *secrets)
        words = f"{words} [{error.kind.value}, {error.code or 'no code'}] {error.detail}".rstrip()
    logger.warning("%s", words)


# --- streams that are foreign code --------------------------------------------------


def broken_off(error: BaseException) -> CadenzaError:
    """What went wrong, in our words: a stream is foreign code, and the text of its errors may hold secrets."""
    if isinstance(error, CadenzaError):
        return error
    return ProviderError(f"the model's stream broke off ({type(error).__name__}); try again", retryable=True)


async def closing(source: AsyncIterable[T]) -> AsyncGenerator[T, None]:
    """Iterate *source* and close it, if it can be closed, on every way out."""
    iterator = aiter(source)
    try:
        async for item in iterator:
            yield item
    finally:
        await hang_up(iterator)


async def hang_up(source: object) -> None:
    """Close *source*, if it can be closed. It is foreign: a failure in this must not hide what was heard, or another."""
    close = getattr(source, "aclose", None) or getattr(source, "close", None)
    try:
        closed = close() if callable(close) else None
        if isawaitable(closed):
            await closed
    except (Exception, asyncio.CancelledError) as error:
        if is_cancelled(error):
            raise
        logger.debug("a stream could not be closed (%s)", type(error).__name__)
