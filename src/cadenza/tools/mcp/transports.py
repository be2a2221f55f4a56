"""The two transports to an MCP server: a child process, and streamable HTTP.

Both report the end of the stream at once; the SDK alone reports it only at the next request.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, Self, TextIO, assert_never

import anyio
import httpx2
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from ...explain.tracebacks import get_logger
from ...text.redaction import without_secrets
from .server_address import Place, ServerProgram, ServerUrl

if TYPE_CHECKING:
    from contextvars import Context

    from mcp.client import Transport

logger = get_logger(__name__)

_LARGEST = 32 * 2**20
"""Bytes of one event over HTTP: an image is one event."""
_LAST_WORDS = 0.5
"""Seconds in which the output of an ended process is still read; its children may hold the pipe open."""
_LINE = 2000
"""Characters of a line that are logged."""


def transport(place: Place, *, seconds: float, on_begin: Callable[[], None], on_end: Callable[[], None]) -> Transport:
    """A transport to *place*; each connection is made within *seconds*.

    *on_begin* is called when it is connected; cancelling it earlier would lose a process that asyncio is starting.
    *on_end* is called at the end of the stream.
    """
    match place:
        case ServerProgram():
            return _watched(_process(place), on_begin, on_end)
        case ServerUrl():
            return _watched(_http(place, seconds), on_begin, on_end)
        case _:
            assert_never(place)


@asynccontextmanager
async def _watched(
    streams: AbstractAsyncContextManager[Any], on_begin: Callable[[], None], on_end: Callable[[], None]
) -> AsyncIterator[Any]:
    async with streams as (incoming, outgoing):
        on_begin()
        yield _Watched(incoming, on_end), outgoing


@asynccontextmanager
async def _process(program: ServerProgram) -> AsyncIterator[Any]:
    """A child process; it is killed at the end if necessary."""
    started = StdioServerParameters(
        command=program.command,
        args=list(program.args),
        env=dict(program.env),
        cwd=program.cwd,
        encoding_error_handler="replace",
    )
    async with _complaints(program.label, program.secrets) as stderr, stdio_client(started, errlog=stderr) as streams:
        stderr.close()  # the child has it; our copy would keep the pipe open
        yield streams


@asynccontextmanager
async def _http(site: ServerUrl, seconds: float) -> AsyncIterator[Any]:
    """An HTTP client without a read timeout, which is the caller's; redirects to other hosts are not followed."""
    limits = httpx2.Timeout(seconds, read=None)
    async with (
        httpx2.AsyncClient(headers=dict(site.headers), timeout=limits) as client,
        streamable_http_client(site.url, http_client=client, max_sse_event_size=_LARGEST) as streams,
    ):
        yield streams


class _Watched:
    """A stream of messages that reports its end."""

    def __init__(self, incoming: Any, on_end: Callable[[], None]) -> None:
        self._incoming = incoming
        self._on_end = on_end

    @property
    def last_context(self) -> Context | None:
        """The context of the last message; the SDK reads it."""
        found: Context | None = getattr(self._incoming, "last_context", None)
        return found

    async def receive(self) -> Any:
        """The next message."""
        try:
            return await self._incoming.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            self._on_end()
            raise

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def aclose(self) -> None:
        """Close the stream."""
        await self._incoming.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


# --- the standard error of a process ---------------------------------------------------------


@asynccontextmanager
async def _complaints(label: str, secrets: Collection[str]) -> AsyncIterator[TextIO]:
    """A standard error that is logged line by line, without *secrets*."""
    if os.name == "nt":  # asyncio cannot watch such a pipe there
        with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: ASYNC230, PTH123  # it never blocks
            yield nowhere
        return
    ear, mouth = os.pipe()
    reading: BinaryIO = os.fdopen(ear, "rb", buffering=0)
    with os.fdopen(mouth, "w", encoding="utf-8") as writing:
        listener = _Listener(label, secrets)
        listening, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: listener, reading)
        try:
            yield writing
        finally:
            writing.close()
            with anyio.move_on_after(_LAST_WORDS, shield=True):
                await listener.ended.wait()
            listening.close()


class _Listener(asyncio.Protocol):
    """Logs the lines of a pipe."""

    def __init__(self, label: str, secrets: Collection[str]) -> None:
        self.ended = asyncio.Event()
        self._label = label
        self._secrets = secrets
        self._rest = b""

    def data_received(self, data: bytes) -> None:
        """Log complete lines; an endless line is logged in pieces."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LINE:
            lines.append(self._rest)
            self._rest = b""
        for line in lines:
            self._log(line)

    def eof_received(self) -> None:
        """Log the last line."""
        self._log(self._rest)
        self._rest = b""

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002  # the shape is asyncio's
        """Note the end of the pipe."""
        self.ended.set()

    def _log(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace").rstrip()
        if text:
            logger.info("%s: %s", self._label, without_secrets(text, *self._secrets)[:_LINE])
