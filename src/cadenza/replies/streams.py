"""Streams from other clients: open, read and close whatever holds a model's answer.

``say(target, client.chat.completions.create(..., stream=True))`` just works. Coroutines are awaited, context managers
entered, and everything that can be closed is closed on every way out. What may block is read in a thread.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Coroutine, Iterable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, AsyncExitStack
from inspect import isawaitable
from typing import Any, TypeAlias

from ..concurrency.stops import is_cancelled
from ..errors import CadenzaError, InputError, Sentence
from ..models.model import close_quietly
from ..models.sdk_items import Shapes, of_exception
from ..types import Chunk, TextDelta
from .blocking import read_in_thread
from .misuse import check_fresh, check_stream, is_single

Opened: TypeAlias = str | Iterable[Any] | AsyncIterable[Any] | AbstractContextManager[Iterable[Any]]
ModelStream: TypeAlias = (
    Opened | AbstractAsyncContextManager[Opened] | Awaitable[Opened | AbstractAsyncContextManager[Opened]]
)
"""A model's answer in any form that a client returns."""


def from_stream(stream: ModelStream) -> AsyncGenerator[Chunk, None]:
    """The chunks of any stream: of texts, of chunks, or of what another client yields.

    Items of openai, anthropic, google-genai, pydantic-ai, LangChain, litellm, mistral, cohere and ollama are recognised
    by their shape. A response that was not streamed counts as one item. The last chunk says how the stream ended. Close
    the generator to cancel the request. The code of a synchronous generator or client runs in a thread of its own.
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
    """The error for *error*, which is its cause: an exception of a client or the network, or of the author's own code."""
    if isinstance(error, CadenzaError):
        return error
    known = of_exception(error) if isinstance(error, Exception) else None
    told = Sentence("the stream raised {error_type}; the log has its traceback", error_type=type(error).__name__)
    failure = known or CadenzaError(told)
    failure.__cause__ = error
    return failure


async def _opened(stream: ModelStream, stack: AsyncExitStack) -> AsyncIterator[object]:
    """Open *stream*, whatever it is, and return its items; *stack* closes it again."""
    opened: Any = stream
    check_fresh(opened)
    if isawaitable(opened):
        opened = await opened
        check_fresh(opened)
    if not isinstance(opened, AsyncIterable) and isinstance(opened, AbstractAsyncContextManager):
        opened = await _entered(opened, stack)
    if callable(as_text := getattr(opened, "stream_text", None)):
        opened = as_text(delta=True)  # pydantic-ai offers its text in several forms
    if isinstance(opened, AsyncIterable):
        stack.push_async_callback(close_quietly, opened)
    items = aiter(opened if isinstance(opened, AsyncIterable) else _items(opened))
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


_HOLDERS: tuple[type[Iterable[object]], ...] = (list, tuple, deque, set, frozenset, str)
_AT_HAND = (*_HOLDERS, *(type(iter(kind())) for kind in _HOLDERS))
"""Types whose items are there, so that reading them cannot block."""


def _items(opened: Any) -> AsyncGenerator[object, None]:
    """The items of *opened*; a text or a response that was not streamed is a single item."""
    if is_single(opened):
        return _as_async((opened,))
    check_stream(opened)
    if isinstance(opened, _AT_HAND):
        return _as_async(opened)
    return read_in_thread(opened)


async def _as_async(items: Iterable[object]) -> AsyncGenerator[object, None]:
    for item in items:
        yield item
