"""Somebody else's stream: whatever a model's words come in is opened, read and closed here.

``say(target, client.chat.completions.create(..., stream=True))`` just works: what must be awaited is awaited, what must
be entered is entered, and whatever can be closed is closed on every way out.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Coroutine, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from inspect import isawaitable
from typing import Any, TypeAlias

from ..concurrency.stops import is_cancelled
from ..errors import CadenzaError, InputError
from ..models.model import broken_off, hang_up
from ..models.sdk_items import Shapes, of_exception
from ..types import Chunk, TextDelta

Opened: TypeAlias = str | Iterable[Any] | AsyncIterable[Any]
Speech: TypeAlias = (
    Opened | AbstractAsyncContextManager[Opened] | Awaitable[Opened | AbstractAsyncContextManager[Opened]]
)
"""What a model says, as whoever has it may have it."""


def from_stream(stream: Speech) -> AsyncGenerator[Chunk, None]:
    """The chunks of any stream: of texts, of chunks, or of what the clients of others yield.

    Those of openai, anthropic, google-genai, pydantic-ai, LangChain, litellm, mistral, cohere and ollama are known, by
    the shape of what they yield; an answer that was not streamed is one such thing. The last chunk says how it ended.
    Close it to hang up. A client that blocks keeps everybody waiting while it does: take its asynchronous twin.
    """
    return _Chunks(stream)


class _Chunks(AsyncGenerator[Chunk, None]):
    """The chunks of a stream. Closed before it was begun, it still closes the stream."""

    def __init__(self, stream: Speech) -> None:
        self._stream = stream
        self._has_begun = False
        self._chunks = self._read()

    def __anext__(self) -> Coroutine[Any, Any, Chunk]:
        return self._chunks.__anext__()

    def asend(self, value: None, /) -> Coroutine[Any, Any, Chunk]:
        """Go on to the next chunk."""
        return self._chunks.asend(value)

    def athrow(self, *error: Any) -> Coroutine[Any, Any, Chunk]:
        """Raise *error* where the stream is read."""
        return self._chunks.athrow(*error)

    async def aclose(self) -> None:
        """Hang up."""
        await self._chunks.aclose()
        if not self._has_begun:
            self._has_begun = True
            await hang_up(self._stream)

    async def _read(self) -> AsyncGenerator[Chunk, None]:
        self._has_begun = True
        shapes = Shapes()
        try:
            async with AsyncExitStack() as doors:
                async for item in await _opened(self._stream, doors):
                    if type(item) is str:  # plain texts take the shortest way
                        if item:
                            yield TextDelta(item)
                        continue
                    for chunk in shapes.feed(item):
                        yield chunk
                    if shapes.has_ended:
                        return
        except InputError:
            raise  # it is no model's fault
        except (Exception, asyncio.CancelledError) as error:
            if is_cancelled(error):
                raise
            rest = shapes.fail(_failure(error))
        else:
            rest = shapes.flush()
        for chunk in rest:
            yield chunk


def _failure(error: BaseException) -> CadenzaError:
    """What went wrong; the exceptions of clients may tell the status of an answer."""
    known = of_exception(error) if isinstance(error, Exception) and not isinstance(error, CadenzaError) else None
    return known or broken_off(error)


async def _opened(stream: Speech, doors: AsyncExitStack) -> AsyncIterator[object]:
    """What *stream* yields, however it has to be opened; *doors* closes it again."""
    opened: Any = stream
    if _is_spent(opened):
        msg = "this stream has been read already; ask the model again for a new one"
        raise InputError(msg)
    if isawaitable(opened):
        opened = await opened
    if not isinstance(opened, AsyncIterable) and isinstance(opened, AbstractAsyncContextManager):
        opened = await _entered(opened, doors)
    if callable(as_text := getattr(opened, "stream_text", None)):
        opened = as_text(delta=True)  # a run of pydantic-ai, which has its text in several forms
    doors.push_async_callback(hang_up, opened)
    items = aiter(opened if isinstance(opened, AsyncIterable) else _each(_row(opened)))
    if items is not opened:
        doors.push_async_callback(hang_up, items)
    return items


async def _entered(door: AbstractAsyncContextManager[Opened], doors: AsyncExitStack) -> Opened:
    """What is behind *door*, which may keep its own errors to itself, but not ours, nor whoever hangs up."""

    async def leave(*error: Any) -> bool:
        is_kept = await door.__aexit__(*error)
        return bool(is_kept) and not isinstance(error[1], GeneratorExit | InputError)

    inside = await door.__aenter__()
    doors.push_async_exit(leave)
    return inside


async def _each(items: Iterable[object]) -> AsyncGenerator[object, None]:
    for item in items:
        yield item


def _row(opened: Any) -> Iterable[object]:
    """The items of *opened*, which is itself one if it is a text, or an answer that was not streamed."""
    if _is_one(opened):
        return (opened,)
    if isinstance(opened, Iterable):
        return opened
    advice = "call it first" if callable(opened) else "let the client stream, and give what it gives back"
    msg = f"a model's stream must be a text, an iterable or an async iterable, not {type(opened).__name__}; {advice}"
    raise InputError(msg)


def _is_spent(stream: object) -> bool:
    """Whether *stream* is a coroutine or a generator of which nothing more can come: it would look like silence."""
    return any(getattr(stream, frame, ...) is None for frame in ("cr_frame", "ag_frame", "gi_frame"))


def _is_one(opened: object) -> bool:
    """Whether *opened* is a thing by itself, though one could iterate it: a text, or an answer that was not streamed."""
    return isinstance(opened, str | bytes | bytearray | Mapping) or hasattr(type(opened), "model_dump")
