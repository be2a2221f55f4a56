"""Streams from other clients: open, read and close whatever holds a model's answer.

``say(target, client.chat.completions.create(..., stream=True))`` just works. Coroutines are awaited, context managers
entered, and everything that can be closed is closed on every way out.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Coroutine, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from inspect import isawaitable
from typing import Any, TypeAlias

from ..concurrency.stops import is_cancelled
from ..errors import CadenzaError, InputError, Sentence
from ..explain.tracebacks import get_logger
from ..models.model import close_quietly, stream_error
from ..models.sdk_items import Shapes, of_exception
from ..types import Chunk, TextDelta

logger = get_logger(__name__)

Opened: TypeAlias = str | Iterable[Any] | AsyncIterable[Any]
ModelStream: TypeAlias = (
    Opened | AbstractAsyncContextManager[Opened] | Awaitable[Opened | AbstractAsyncContextManager[Opened]]
)
"""A model's answer in any form that a client returns."""


def from_stream(stream: ModelStream) -> AsyncGenerator[Chunk, None]:
    """The chunks of any stream: of texts, of chunks, or of what another client yields.

    Items of openai, anthropic, google-genai, pydantic-ai, LangChain, litellm, mistral, cohere and ollama are recognised
    by their shape. A response that was not streamed counts as one item. The last chunk says how the stream ended. Close
    the generator to cancel the request. A blocking client blocks the event loop: use its async version.
    """
    return _Chunks(stream)


class _Chunks(AsyncGenerator[Chunk, None]):
    """The chunks of a stream. Closing it closes the stream, even before the first chunk was read."""

    def __init__(self, stream: ModelStream) -> None:
        self._stream = stream
        self._has_begun = False
        self._chunks = self._read()

    def __anext__(self) -> Coroutine[Any, Any, Chunk]:
        return self._chunks.__anext__()

    def asend(self, value: None, /) -> Coroutine[Any, Any, Chunk]:
        """Return the next chunk."""
        return self._chunks.asend(value)

    def athrow(self, *error: Any) -> Coroutine[Any, Any, Chunk]:
        """Raise *error* where the stream is read."""
        return self._chunks.athrow(*error)

    async def aclose(self) -> None:
        """Cancel the request."""
        await self._chunks.aclose()
        if not self._has_begun:
            self._has_begun = True
            await close_quietly(self._stream)

    async def _read(self) -> AsyncGenerator[Chunk, None]:
        self._has_begun = True
        shapes = Shapes()
        try:
            async with AsyncExitStack() as stack:
                async for item in await _opened(self._stream, stack):
                    if type(item) is str:  # fast path for plain text
                        if item:
                            yield TextDelta(item)
                        continue
                    for chunk in shapes.feed(item):
                        yield chunk
                    if shapes.has_ended:
                        return
        except InputError:
            raise  # the caller's mistake, not the model's
        except (Exception, asyncio.CancelledError) as error:
            if is_cancelled(error):
                raise
            rest = shapes.fail(_failure(error))
        else:
            rest = shapes.flush()
        for chunk in rest:
            yield chunk


def _failure(error: BaseException) -> CadenzaError:
    """The error for *error*; an exception of a known client may hold the status of an answer."""
    known = of_exception(error) if isinstance(error, Exception) and not isinstance(error, CadenzaError) else None
    if known is None:
        return stream_error(error)
    logger.warning("the model's client raised an exception", exc_info=error)
    known.__cause__ = error
    return known


async def _opened(stream: ModelStream, stack: AsyncExitStack) -> AsyncIterator[object]:
    """Open *stream*, whatever it is, and return its items; *stack* closes it again."""
    opened: Any = stream
    if _is_exhausted(opened):
        msg = "this stream has been read already; ask the model again for a new one"
        raise InputError(msg)
    if isawaitable(opened):
        opened = await opened
    if not isinstance(opened, AsyncIterable) and isinstance(opened, AbstractAsyncContextManager):
        opened = await _entered(opened, stack)
    if callable(as_text := getattr(opened, "stream_text", None)):
        opened = as_text(delta=True)  # pydantic-ai offers its text in several forms
    stack.push_async_callback(close_quietly, opened)
    items = aiter(opened if isinstance(opened, AsyncIterable) else _as_async(_items(opened)))
    if items is not opened:
        stack.push_async_callback(close_quietly, items)
    return items


async def _entered(manager: AbstractAsyncContextManager[Opened], stack: AsyncExitStack) -> Opened:
    """Enter *manager*. It may suppress its own errors, but neither ours nor a cancellation."""

    async def leave(*error: Any) -> bool:
        is_kept = await manager.__aexit__(*error)
        return bool(is_kept) and not isinstance(error[1], GeneratorExit | InputError)

    entered = await manager.__aenter__()
    stack.push_async_exit(leave)
    return entered


async def _as_async(items: Iterable[object]) -> AsyncGenerator[object, None]:
    for item in items:
        yield item


def _items(opened: Any) -> Iterable[object]:
    """The items of *opened*; a text or a response that was not streamed is a single item."""
    if _is_single(opened):
        return (opened,)
    if isinstance(opened, Iterable):
        return opened
    advice = "call it first" if callable(opened) else "pass what the client returns"
    msg = Sentence(
        "a model's stream must be a text, an iterable or an async iterable, not {opened_type}; {advice}",
        opened_type=type(opened).__name__,
        advice=advice,
    )
    raise InputError(msg)


def _is_exhausted(stream: object) -> bool:
    """Whether *stream* is an exhausted coroutine or generator, which would look like an empty answer."""
    return any(getattr(stream, frame, ...) is None for frame in ("cr_frame", "ag_frame", "gi_frame"))


def _is_single(opened: object) -> bool:
    """Whether *opened* is a single item although it is iterable: a text, or a response that was not streamed."""
    return isinstance(opened, str | bytes | bytearray | Mapping) or hasattr(type(opened), "model_dump")
