"""Ask a model: send a request, read its stream, and retry with a smaller request if it is refused.

An answer that has begun is never requested again: what arrived is kept, and the error follows it. Before that, a
dialect may offer a smaller request. The number and duration of such retries are limited here. What an API refused is
remembered for a while, so that the next turn does not repeat the refused request.
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
from ..explain.tracebacks import get_logger
from ..settings import HttpSettings
from ..stages.s2_generation import Framing, Transport
from ..stages.s3_chunks import Chunks, Codec
from ..stages.s3_reading import ALIVE, Reader
from ..stages.stage import skipped
from ..text.redaction import secrets_of, without_payloads, without_secrets
from ..types import Chunk, Ending, Failed, Finished, HttpRequest, Prompt, Served, TextDelta, ThoughtDelta
from .error_kind import broken_off
from .keys import Keyring

if TYPE_CHECKING:
    from ..explain.recorder import Trace

logger = get_logger(__name__)

T = TypeVar("T")

_GRACE = 3.0
"""Seconds to wait after the finish reason for token counts and the end of the stream, which some servers never send."""
_DRAIN = 0.1
"""Seconds to wait for the end of a body after the last event; only a cleanly ended connection can be reused."""
_DRAIN_READS = 64
"""Most reads while waiting for that end: a body that always has data would never let the timeout fire."""
_MOST_LESSONS = 256
"""Most entries of APIs and models; the oldest are dropped."""
_NO_ANSWER = Finished("end_of_stream")


class LearnedLimits:
    """What APIs refused, each remembered for a while."""

    def __init__(self) -> None:
        self._lessons: dict[str, tuple[float, str]] = {}

    def __len__(self) -> int:
        return len(self._lessons)

    def recall(self, key: str) -> str:
        """The lesson about *key*, if it has not expired."""
        until, lesson = self._lessons.get(key, (0.0, ""))
        return lesson if until > asyncio.get_running_loop().time() else ""

    def note(self, key: str, lesson: str, seconds: float) -> None:
        """Remember *lesson* and drop expired ones."""
        now = asyncio.get_running_loop().time()
        held = {name: noted for name, noted in self._lessons.items() if noted[0] > now and name != key}
        held[key] = (now + seconds, lesson)
        self._lessons = dict(list(held.items())[-_MOST_LESSONS:])


@dataclass(frozen=True, slots=True)
class Model:
    """A dialect and a transport. ``async with`` closes the transport."""

    codec: Codec
    transport: Transport = field(repr=False)  # may hold the password of a proxy
    media: Callable[[Prompt], Awaitable[Prompt]] | None = None
    """Loads the media that a prompt links to; without it, they stay links."""
    settings: HttpSettings = field(default_factory=HttpSettings, repr=False)  # may hold keys
    lessons: LearnedLimits = field(default_factory=LearnedLimits, repr=False)
    on_close: Callable[[], Awaitable[None]] | None = None
    name: str = ""
    """Its name in notices and traces, as given to ``connect``."""
    keyring: Keyring | None = None
    """The keys to choose from; ``None`` if it needs none, or has a fixed one."""

    def keyed(self, secret: str) -> Model:
        """The same model with another key. Everything else is shared; close the original, not this one.

        A model without a keyring is returned unchanged.
        """
        from .dialects.dialect import Dialect  # noqa: PLC0415  # imports msgspec

        if self.keyring is None or not isinstance(self.codec, Dialect):
            return self
        return replace(self, codec=self.codec.keyed(secret), on_close=None)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close what was opened for this model only."""
        if self.on_close is not None:
            await self.on_close()


# --- requests and retries -------------------------------------------------------------


async def stream(model: Model, prompt: Prompt, *, trace: Trace | None = None) -> AsyncIterator[Chunk]:
    """Ask *model* and yield its chunks; the last one says how it ended. Close the generator to cancel the request.

    *trace* records every request.
    """
    if model.media is not None:
        prompt = await model.media(prompt)
    retries = _Retries(model, model.codec.encode(prompt))
    has_begun = False
    failure: CadenzaError | None = None
    while not has_begun:
        if trace:
            trace.hide(_secrets(model, retries.request))
            retries.tell(trace, prompt, failure)
        early: list[Chunk] = []  # chunks before the answer, dropped if the request is retried
        async with aclosing(_answer(model, retries.request, prompt)) as answer:
            async for chunks in answer:
                if chunks is ALIVE:
                    yield chunks[0]  # also before the answer has begun: a retry does not contradict it
                    continue
                last = chunks[-1]
                if type(last) is Failed:
                    _log_error(last.error, _secrets(model, retries.request))
                    if not has_begun and retries.degrade(last.error):
                        failure = last.error
                        break  # drop what the decoder held back until the failure
                if not has_begun:
                    early += chunks
                    if not any(map(_begins, chunks)):
                        continue
                    has_begun = True
                    retries.learn(chunks)
                    chunks = early  # noqa: PLW2901  # from here on there is one list
                for chunk in chunks:
                    yield chunk


def _begins(chunk: Chunk) -> bool:
    """Whether *chunk* is part of the answer or its end, after which no retry is possible."""
    if isinstance(chunk, TextDelta | ThoughtDelta):
        return bool(chunk.text)
    return not isinstance(chunk, Served)


class _Retries:
    """Limits how often and how long a request is retried."""

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
        """The request to send now."""
        return self._first if self._attempts is None else self._attempts.request

    def tell(self, trace: Trace, prompt: Prompt, error: CadenzaError | None) -> None:
        """Record the present request in *trace*, with the *error* that led to it."""
        rung, size = self._attempts.label if self._attempts else "", len(self.request.body)
        trace.requests(prompt, size, rung, remembered=self._remembers, error=error)

    def degrade(self, error: CadenzaError) -> bool:
        """Switch to a smaller request after *error*, if there is one and the limits allow it."""
        if self._attempts is None or not isinstance(error, ProviderError):
            return False
        if self._requests >= self._settings.degrade_requests or asyncio.get_running_loop().time() >= self._until:
            return False
        is_smaller = self._attempts.degrade(error)
        self._requests += is_smaller
        return is_smaller

    def learn(self, chunks: Sequence[Chunk]) -> None:
        """Remember the present request as accepted, unless *chunks*, the first of the answer, are an error or empty."""
        if self._attempts is None or self._requests == 1 or type(chunks[-1]) is Failed or chunks[0] == _NO_ANSWER:
            return
        logger.info("answered after %d requests, the last one: %s", self._requests, self._attempts.label)
        if lesson := self._attempts.lesson:
            self._lessons.note(self._attempts.key, lesson, self._settings.degrade_memory)


# --- one request -----------------------------------------------------------------------


async def _answer(model: Model, request: HttpRequest, prompt: Prompt) -> AsyncGenerator[Sequence[Chunk], None]:
    """Send one request and yield the chunks of the answer. The last chunk says how it ended, whatever happens."""
    framing, chunks = model.codec.framing(), Chunks(model.codec.decoder(prompt))
    reader = Reader(framing, chunks)
    failure: CadenzaError | None = None
    until: float | None = None  # deadline for what may follow the finish reason
    _log_request(request, _secrets(model, request))
    with _logging_skipped(framing, chunks):
        try:
            async with _body(model, request, chunks) as body:
                while True:
                    try:
                        data = await (anext(body) if until is None else _in_time(body, until))
                    except StopAsyncIteration:
                        break
                    for heard in reader.read(data):
                        until = None  # text after the finish reason: the stream goes on
                        yield heard
                    if chunks.has_ended:
                        return
                    if until is None and chunks.is_ending:
                        until = asyncio.get_running_loop().time() + _GRACE
        except (Exception, asyncio.CancelledError) as error:
            if is_cancelled(error):
                raise
            if not chunks.is_ending:  # otherwise the answer is complete, however the connection ended
                failure = _failure(model.codec, error)
        for heard in _remaining(framing, chunks, failure):
            yield heard


@asynccontextmanager
async def _body(model: Model, request: HttpRequest, chunks: Chunks) -> AsyncIterator[AsyncIterator[bytes]]:
    """The body for *request*, closed on every way out.

    Once the last chunk was yielded, the rest of the body is read first, so that the connection can be reused.
    """
    body = aiter(model.transport(request))
    try:
        yield body
    finally:
        try:
            if chunks.has_ended:
                await _drain(body)
        finally:
            await close_quietly(body)


async def _drain(body: AsyncIterator[bytes]) -> None:
    """Read the rest of a body after its last event, within limits."""
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
        logger.debug("a body did not end after its last event", exc_info=error)


async def _in_time(body: AsyncIterator[bytes], until: float) -> bytes:
    """The next piece of *body*; a timeout ends the body."""
    with suppress(TimeoutError):
        async with asyncio.timeout_at(until):
            return await anext(body)
    raise StopAsyncIteration


def _remaining(framing: Framing, chunks: Chunks, failure: CadenzaError | None) -> Iterator[Sequence[Chunk]]:
    """The remaining chunks at the end of the stream, or after *failure*."""
    for event in framing.flush(Ending.FINAL):
        if heard := chunks.feed(event):
            yield heard
    if last := chunks.flush(Ending.FINAL) if failure is None else chunks.fail(failure):
        yield last


def _failure(codec: Codec, error: BaseException) -> CadenzaError:
    return codec.refused(error) if isinstance(error, HttpError) else stream_error(error)


# --- logging -----------------------------------------------------------------------


@contextmanager
def _logging_skipped(framing: Framing, chunks: Chunks) -> Iterator[None]:
    """Log the number of unreadable events, once per stream."""
    try:
        yield
    finally:
        if unread := skipped(framing) + chunks.skipped:
            logger.warning("skipped unreadable events of a stream: %d", unread)


def _secrets(model: Model, request: HttpRequest) -> Collection[str]:
    """The secrets in *request* and the settings."""
    return secrets_of(request, model.settings.headers or {})


def _log_request(request: HttpRequest, secrets: Collection[str]) -> None:
    """Log the request at debug level, without headers, pictures and keys."""
    if logger.isEnabledFor(logging.DEBUG):
        body = without_payloads(request.body.decode("utf-8", "replace"))
        logger.debug("request to %s: %s", without_secrets(request.url, *secrets), without_secrets(body, *secrets))


def _log_error(error: CadenzaError, secrets: Collection[str]) -> None:
    """Log *error* without secrets; the provider's own words may repeat the request."""
    words = without_secrets(str(error), *secrets)
    if isinstance(error, ProviderError):
        error.detail = without_secrets(error.detail, *secrets)
        words = f"{words} [{error.kind.value}, {error.code or 'no code'}] {error.detail}".rstrip()
    logger.warning("%s", words)


# --- foreign streams ----------------------------------------------------------------


def stream_error(error: BaseException) -> CadenzaError:
    """The error for a model whose transport or codec raised *error*; the log has its traceback."""
    if isinstance(error, CadenzaError):
        return error
    logger.warning("the model's stream raised an exception", exc_info=error)
    return broken_off(error)


async def closing(source: AsyncIterable[T]) -> AsyncGenerator[T, None]:
    """Iterate *source* and close it, if it can be closed, on every way out."""
    iterator = aiter(source)
    try:
        async for item in iterator:
            yield item
    finally:
        await close_quietly(iterator)


async def close_quietly(source: object) -> None:
    """Close *source*, if it can be closed. A failure of foreign code here must not hide another error."""
    close = getattr(source, "aclose", None) or getattr(source, "close", None)
    try:
        closed = close() if callable(close) else None
        if isawaitable(closed):
            await closed
    except (Exception, asyncio.CancelledError) as error:
        if is_cancelled(error):
            raise
        logger.debug("closing a stream failed", exc_info=error)
