"""Asking a model: a dialect, the way to whoever speaks it, and what is done when it does not like the question.

An answer that has begun is never asked for again: what was heard is kept, and the failure comes behind it.
Before that, a dialect may know a smaller request that is worth a try; how many and for how long is bounded here,
and what an interface refused is remembered for a while, so that the next turn does not pay for it again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Self, TypeAlias, TypeVar

from .errors import CadenzaError, ErrorKind, HttpError, InputError, ProviderError
from .settings import HttpSettings
from .stages.s2_generation import Transport
from .stages.s3_chunks import Attempts, Chunks, Codec
from .stops import is_cancelled
from .types import Chunk, Ending, Failed, HttpRequest, Prompt, Served, TextDelta, ThoughtDelta

logger = logging.getLogger(__name__)

T = TypeVar("T")

_DRAIN = 0.1
"""Seconds for a server to end a body whose last word has been said; a connection that ended cleanly is used again."""
_DRAIN_READS = 64
"""And how often it is listened to for that: one that is always ready would never let the time run out."""


class Lessons:
    """What interfaces refused, each remembered for a while."""

    def __init__(self) -> None:
        self._lessons: dict[str, tuple[float, str]] = {}

    def recall(self, key: str) -> str:
        """What was learnt about *key* and still holds."""
        until, lesson = self._lessons.get(key, (0.0, ""))
        return lesson if until > asyncio.get_running_loop().time() else ""

    def note(self, key: str, lesson: str, seconds: float) -> None:
        """Remember *lesson*."""
        self._lessons[key] = (asyncio.get_running_loop().time() + seconds, lesson)


@dataclass(frozen=True, slots=True)
class Model:
    """A dialect and the way to whoever speaks it. ``async with`` closes the way behind it."""

    codec: Codec
    transport: Transport
    media: Callable[[Prompt], Awaitable[Prompt]] | None = None
    """Fetches what a prompt only links to; without it, links are all there is."""
    settings: HttpSettings = field(default_factory=HttpSettings)
    lessons: Lessons = field(default_factory=Lessons, repr=False)
    on_close: Callable[[], Awaitable[None]] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close what was opened for this model alone."""
        if self.on_close is not None:
            await self.on_close()


async def stream(model: Model, prompt: Prompt) -> AsyncIterator[Chunk]:
    """Ask *model*; yield its chunks, the last of which says how it ended. Close it to hang up."""
    if model.media is not None:
        prompt = await model.media(prompt)
    request = model.codec.encode(prompt)
    patience = _Patience(model, model.codec.attempts(request))
    while True:
        early: list[Chunk] = []  # what came before the answer: it is forgotten if the model is asked again
        has_begun = False
        async with aclosing(_answer(model, patience.request or request, prompt)) as chunks:
            async for chunk in chunks:
                if has_begun:
                    yield chunk
                elif type(chunk) is Failed and patience.degrade(chunk.error):
                    break
                else:
                    early.append(chunk)
                    has_begun = _begins(chunk)
                    if has_begun:
                        if type(chunk) is not Failed:
                            patience.learn()
                        for waiting in early:
                            yield waiting
        if has_begun:
            return


def _begins(chunk: Chunk) -> bool:
    """Whether *chunk* is a part of the answer or its end, so that there is no way back."""
    if isinstance(chunk, TextDelta | ThoughtDelta):
        return bool(chunk.text)
    return not isinstance(chunk, Served)


class _Patience:
    """How often and how long a model is asked again."""

    def __init__(self, model: Model, attempts: Attempts | None) -> None:
        self._attempts = attempts
        self._settings = model.settings
        self._lessons = model.lessons
        self._requests = 1
        self._until = asyncio.get_running_loop().time() + model.settings.degrade_seconds
        if attempts is not None and (lesson := model.lessons.recall(attempts.key)):
            attempts.recall(lesson)

    @property
    def request(self) -> HttpRequest | None:
        return self._attempts.request if self._attempts is not None else None

    def degrade(self, error: CadenzaError) -> bool:
        """Whether there is a smaller request that is worth a try after *error*."""
        if self._attempts is None or not isinstance(error, ProviderError):
            return False
        if self._requests >= self._settings.degrade_requests or asyncio.get_running_loop().time() >= self._until:
            return False
        self._requests += 1
        return self._attempts.degrade(error)

    def learn(self) -> None:
        """The present request was taken."""
        if self._attempts is not None and (lesson := self._attempts.lesson):
            logger.info("asked with a smaller request: %s", lesson)
            self._lessons.note(self._attempts.key, lesson, self._settings.degrade_memory)


async def _answer(model: Model, request: HttpRequest, prompt: Prompt) -> AsyncGenerator[Chunk, None]:
    """One request, and what comes back: whatever happens, the last chunk says how it ended."""
    framing, chunks = model.codec.framing(), Chunks(model.codec.decoder(prompt))
    try:
        async with aclosing(closing(model.transport(request))) as body:
            async for data in body:
                heard = chunks.feed_all(framing.feed(data))
                try:
                    for chunk in heard:
                        yield chunk
                finally:  # whoever has heard the last word hangs up, and need not wait for this before
                    if chunks.has_ended:
                        await _drain(body)
                if chunks.has_ended:
                    return
    except (Exception, asyncio.CancelledError) as error:
        if is_cancelled(error):
            raise
        failure = _failure(model.codec, error)
        logger.warning("%s (%s)", failure, getattr(failure, "detail", "") or type(error).__name__)
        for chunk in [*chunks.feed_all(framing.flush(Ending.FINAL)), *chunks.fail(failure)]:
            yield chunk
        return
    for chunk in [*chunks.feed_all(framing.flush(Ending.FINAL)), *chunks.flush(Ending.FINAL)]:
        yield chunk


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


def _failure(codec: Codec, error: BaseException) -> CadenzaError:
    """What went wrong, in our words: a stream is foreign code, and the text of its errors may hold secrets."""
    if isinstance(error, HttpError):
        return codec.refused(error)
    if isinstance(error, CadenzaError):
        return error
    return ProviderError(
        f"the model's stream broke off ({type(error).__name__})", kind=ErrorKind.UNKNOWN, retryable=True
    )


Speech: TypeAlias = str | Iterable[str | Chunk] | AsyncIterable[str | Chunk]
"""What a model says, as whoever has it may have it."""


async def chunks_of(speech: Speech) -> AsyncIterator[Chunk]:
    """Make chunks of whatever a model's words come in."""
    if isinstance(speech, AsyncIterable):
        async with aclosing(closing(speech)) as items:
            async for item in items:
                yield _chunk(item)
        return
    for item in [speech] if isinstance(speech, str) else speech:
        yield _chunk(item)


def _chunk(item: object) -> Chunk:
    if isinstance(item, str):
        return TextDelta(item)
    if isinstance(item, Chunk):
        return item
    msg = f"a stream must yield texts or chunks, not {type(item).__name__}"
    raise InputError(msg)


async def closing(source: AsyncIterable[T]) -> AsyncGenerator[T, None]:
    """Iterate *source* and close it, if it can be closed, on every way out."""
    iterator = aiter(source)
    try:
        async for item in iterator:
            yield item
    finally:
        close = getattr(iterator, "aclose", None)
        if close is not None:
            await _closed(close)


async def _closed(close: Callable[[], Awaitable[None]]) -> None:
    """Close something foreign: what was to be heard has been heard, and a failure in this must not hide another one."""
    try:
        await close()
    except (Exception, asyncio.CancelledError) as error:
        if is_cancelled(error):
            raise
        logger.debug("a stream could not be closed (%s)", type(error).__name__)
