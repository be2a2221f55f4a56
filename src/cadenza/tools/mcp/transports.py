"""The two ways to an MCP server, as the SDK wants them: a child process, and streamable HTTP.

Both say when nothing more will come, which the SDK itself keeps to itself until somebody asks in vain.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, Self, TextIO, assert_never

import anyio
import httpx2
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from ...text.redaction import without_secrets
from .server_address import Place, ServerProgram, ServerUrl

if TYPE_CHECKING:
    from contextvars import Context

    from mcp.client import Transport

logger = logging.getLogger(__name__)

_LARGEST = 32 * 2**20
"""Bytes of one event over HTTP: a picture comes as one."""
_LAST_WORDS = 0.5
"""Seconds in which a process that has ended may still be heard; its children may hold the line for ever."""
_LINE = 2000
"""Characters of a line that are logged."""


def transport(place: Place, *, seconds: float, on_begin: Callable[[], None], on_end: Callable[[], None]) -> Transport:
    """The way to *place*, where each connection must come about within *seconds*.

    *on_begin* is called when it is there, before which it must not be cancelled: asyncio loses a process that it is
    just starting. *on_end* is called when nothing more will come.
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
    """A child process, which has ended when this has, if need be by force."""
    started = StdioServerParameters(
        command=program.command,
        args=list(program.args),
        env=dict(program.env),
        cwd=program.cwd,
        encoding_error_handler="replace",
    )
    async with _complaints(program.label, program.secrets) as stderr, stdio_client(started, errlog=stderr) as streams:
        stderr.close()  # the child has it; while we have it too, it never ends
        yield streams


@asynccontextmanager
async def _http(site: ServerUrl, seconds: float) -> AsyncIterator[Any]:
    """A client over HTTP. How long an answer may take is the caller's to say; redirects to elsewhere are not followed."""
    limits = httpx2.Timeout(seconds, read=None)
    async with (
        httpx2.AsyncClient(headers=dict(site.headers), timeout=limits) as client,
        streamable_http_client(site.url, http_client=client, max_sse_event_size=_LARGEST) as streams,
    ):
        yield streams


class _Watched:
    """A stream of messages that says when it has ended."""

    def __init__(self, incoming: Any, on_end: Callable[[], None]) -> None:
        self._incoming = incoming
        self._on_end = on_end

    @property
    def last_context(self) -> Context | None:
        """In what context the last message was sent, where that is known; the SDK asks for it."""
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
        """Listen no more."""
        await self._incoming.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


# --- what a process says besides ---------------------------------------------------------


@asynccontextmanager
async def _complaints(label: str, secrets: Collection[str]) -> AsyncIterator[TextIO]:
    """A standard error for a child process that ends in the log, line by line and without *secrets*."""
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
    """Logs what it hears, line by line."""

    def __init__(self, label: str, secrets: Collection[str]) -> None:
        self.ended = asyncio.Event()
        self._label = label
        self._secrets = secrets
        self._rest = b""

    def data_received(self, data: bytes) -> None:
        """Log the lines that are whole now; one that does not end is logged in pieces."""
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
        """Nobody speaks any more."""
        self.ended.set()

    def _log(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace").rstrip()
        if text:
            logger.info("%s: %s", self._label, without_secrets(text, *self._secrets)[:_LINE])
