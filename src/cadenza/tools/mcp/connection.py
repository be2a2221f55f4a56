"""One session with an MCP server, kept by its own task.

Rules of this module
1. The SDK consists of cancel scopes that must be left in the task that entered them, innermost first. So one task, the
   keeper, enters and leaves them all. Requests may come from any task.
2. The keeper is never cancelled, because the SDK could then leave a child process running. It is asked to end, and has
   a deadline.
3. A session that has ended is not reopened; make a new one.
4. Our messages name only the type of a foreign exception; the log has the traceback. What a server answers to a call
   goes to the model, without our keys.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import TypeAlias, TypeVar

import anyio
import httpx2
import mcp_types
from mcp import Client, MCPError
from mcp.client.subscriptions import SubscriptionLost
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from ...concurrency.stops import is_cancelled
from ...errors import Sentence, ToolError
from ...explain.tracebacks import get_logger
from ...text.redaction import without_secrets
from ...types import ToolResult
from .results import tool_result
from .server_address import Place, ServerProgram, ServerUrl
from .transports import transport

logger = get_logger(__name__)

T = TypeVar("T")
Progress: TypeAlias = Callable[[float, float | None, str | None], Awaitable[None]]
Listing: TypeAlias = tuple[mcp_types.Tool, ...]

_PAGES = 100
"""Pages of tools that are read, in case a list never ends."""
_END_SECONDS = 5.0
"""Seconds to say goodbye over HTTP; for a process the SDK decides."""
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0
"""Seconds before we subscribe to changes again after a server has hung up."""
_FOR_EVER = 7 * 86400.0
"""No timeout; the SDK needs a number."""
_WORDS = 500
"""Characters of a server's error message."""

GONE = (
    "The tool server has gone away before it answered; it may or may not have done what was asked. "
    "The next call starts a new session with it."
)
_SLOW = "The tool server did not answer in time, so the call was cancelled. It may or may not have done something."
_LEFT = "the session with the MCP server was closed before it was open"
_CLOSED = (mcp_types.CONNECTION_CLOSED, "Connection closed")
"""How the SDK reports a closed session; servers use the same number for other errors."""


class Connection:
    """A session with a server. Creating it starts it; ``opened`` waits until it can be used."""

    def __init__(self, place: Place, *, seconds: float, on_list: Callable[[Listing], None]) -> None:
        """Open it within *seconds*; *on_list* gets the tools, first and after every change."""
        self.instructions = ""
        """The server's instructions for the model."""
        self._place = place
        self._seconds = seconds
        self._on_list = on_list
        self._client: Client | None = None
        self._failure = ""
        self._opened = asyncio.Event()
        self._woken = asyncio.Event()
        self._has_changed = False
        self._is_heard = asyncio.Event()
        self._has_begun = False
        self._is_ending = False
        self._is_left = False
        self._scope = anyio.CancelScope()
        self._started = anyio.current_time()
        self._keeper = asyncio.create_task(self._keep(), name="cadenza mcp")

    @property
    def is_over(self) -> bool:
        """Whether it accepts no more calls."""
        return self.has_ended or (self._opened.is_set() and self._is_ending)

    @property
    def has_ended(self) -> bool:
        """Whether its task has ended."""
        return self._keeper.done()

    async def opened(self) -> None:
        """Wait until it can be used, or raise a ``ToolError``. Cancelling this does not end the session."""
        await self._opened.wait()
        if self._failure:
            raise ToolError(self._failure)

    def end(self) -> None:
        """Ask it to end."""
        if self._is_left:
            return
        self._is_left = True
        if self._opened.is_set():
            self._scope.deadline = anyio.current_time() + _END_SECONDS
        else:
            self._failure = _LEFT
            if self._has_begun:
                self._scope.cancel()
        self._note_end()

    async def call(
        self, name: str, arguments: Mapping[str, object], *, idle: float, longest: float | None
    ) -> ToolResult:
        """Call the tool *name*. The server is told of a cancellation or a timeout.

        The call may take *idle* seconds without a sign of progress, and *longest* in all.
        """
        if self._client is None or self.is_over:
            raise ToolError(GONE)
        ask = partial(self._client.call_tool, name, dict(arguments), longest or _FOR_EVER)
        try:
            return tool_result(await patiently(ask, idle))
        except MCPError as error:
            raise self._refusal(error) from error
        except TimeoutError as error:
            raise ToolError(_SLOW) from error
        except (Exception, asyncio.CancelledError) as error:
            if is_cancelled(error):
                raise
            msg = Sentence(
                "The answer of the tool server could not be read ({error_type}).", error_type=type(error).__name__
            )
            raise ToolError(msg) from error

    def _refusal(self, error: MCPError) -> ToolError:
        """The error for the model; ends the session if *error* means that it is lost."""
        over_http = isinstance(self._place, ServerUrl)
        # Over HTTP both also mean that the server does not know the session, for instance after a restart.
        if over_http and error.code in (mcp_types.CONNECTION_CLOSED, mcp_types.INVALID_REQUEST):
            self.end()
        if self.is_over or (error.code, error.message) == _CLOSED:
            self.end()
            return ToolError(GONE)
        if error.code == mcp_types.REQUEST_TIMEOUT:
            return ToolError(_SLOW)
        words = " ".join(without_secrets(error.message, *self._place.secrets).split())[:_WORDS]
        return ToolError(
            Sentence("The tool server refused the call (error {code}): {words}", code=error.code, words=words)
        )

    # --- the keeper ------------------------------------------------------------

    async def _keep(self) -> None:
        try:
            with self._scope:
                await self._negotiate()
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            if is_cancelled(error):
                raise
            self._failure = self._failure or _explained(self._place, error)
            logger.debug("the session with the MCP server %s broke", self._place.label, exc_info=error)
        finally:
            if not self._opened.is_set() and not self._failure:
                self._failure = f"the MCP server {self._place.label!r} did not answer within {self._seconds:g} seconds"
            self._is_ending = True
            self._client = None
            self._opened.set()

    async def _negotiate(self) -> None:
        """Use the newest protocol; a process that exits on it is old, and is restarted with the old one."""
        try:
            await self._live("auto")
        except* MCPError as errors:
            if self._opened.is_set() or isinstance(self._place, ServerUrl) or not errors.subgroup(_is_closed):
                raise
        else:
            return
        await self._live("legacy")

    async def _live(self, mode: str) -> None:
        self._has_begun = self._is_ending = False
        self._scope.deadline = math.inf  # cancelling the start of a process would lose it
        client = Client(
            transport(self._place, seconds=self._seconds, on_begin=self._note_begin, on_end=self._note_end),
            mode=mode,
            message_handler=self._hear,
            client_info=mcp_types.Implementation(name="cadenza", version=""),
            read_timeout_seconds=self._seconds,
            cache=None,
        )
        async with client:
            self.instructions = client.instructions or ""
            async with anyio.create_task_group() as beside:
                if _announces_changes(client):
                    beside.start_soon(self._listen, client)
                    await self._is_heard.wait()  # subscribe first, so that no change is missed
                self._has_changed = False
                self._on_list(await _listing(client))
                self._scope.deadline = math.inf
                self._client = client
                self._opened.set()
                await self._attend(client)
                beside.cancel_scope.cancel()

    async def _attend(self, client: Client) -> None:
        """Keep the list of tools up to date until the session ends."""
        while not self._is_ending:
            await self._woken.wait()
            self._woken.clear()
            if self._has_changed and not self._is_ending:
                self._has_changed = False
                try:
                    self._on_list(await _listing(client))
                except (MCPError, ValidationError, TimeoutError) as error:
                    logger.warning("%s did not list its tools", self._place.label, exc_info=error)

    async def _listen(self, client: Client) -> None:
        """Subscribe to changes of the tools (new protocol)."""
        pause = _FIRST_PAUSE
        while True:
            with suppress(SubscriptionLost, MCPError, TimeoutError):
                async with client.listen(tools_list_changed=True) as changes:
                    self._note_change()  # something may have changed before
                    self._is_heard.set()
                    async for _ in changes:
                        self._note_change()
            self._is_heard.set()  # also when subscribing failed
            await anyio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _hear(self, message: object) -> None:
        """Receive changes that the server broadcasts (old protocol)."""
        if isinstance(message, mcp_types.ToolListChangedNotification):
            self._note_change()

    def _note_change(self) -> None:
        self._has_changed = True
        self._woken.set()

    def _note_begin(self) -> None:
        self._has_begun = True
        self._scope.deadline = self._started + self._seconds
        if self._is_left:
            self._scope.cancel()

    def _note_end(self) -> None:
        self._is_ending = True
        self._woken.set()


async def patiently(ask: Callable[[Progress], Awaitable[T]], idle: float) -> T:
    """Await *ask*; it is cancelled after *idle* seconds without progress."""
    limit = asyncio.timeout(idle)

    async def go_on(progress: float, total: float | None, message: str | None) -> None:  # noqa: ARG001  # the shape is the SDK's
        with suppress(RuntimeError):  # the timeout has passed
            limit.reschedule(asyncio.get_running_loop().time() + idle)

    async with limit:
        return await ask(go_on)


async def ended(connections: Iterable[Connection]) -> None:
    """Wait until all *connections* have ended, also when cancelled."""
    keepers = [connection._keeper for connection in connections]  # noqa: SLF001  # same module
    cancelled: asyncio.CancelledError | None = None
    while running := [keeper for keeper in keepers if not keeper.done()]:
        try:
            await asyncio.wait(running)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled:
        raise cancelled


async def _listing(client: Client) -> Listing:
    """All tools of a server, page by page."""
    if client.server_capabilities.tools is None:
        return ()
    tools: list[mcp_types.Tool] = []
    cursor: str | None = None
    for _ in range(_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        if page.next_cursor is None or page.next_cursor == cursor:
            break
        cursor = page.next_cursor
    return tuple(tools)


def _announces_changes(client: Client) -> bool:
    tools = client.server_capabilities.tools
    return client.protocol_version in MODERN_PROTOCOL_VERSIONS and bool(tools and tools.list_changed)


def _is_closed(error: BaseException) -> bool:
    return isinstance(error, MCPError) and (error.code, error.message) == _CLOSED


def _explained(place: Place, error: BaseException) -> str:
    """A sentence about why there is no session with *place*."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    who, kind = f"the MCP server {place.label!r}", type(error).__name__
    match place, error:
        case ServerProgram(), OSError() | ValueError():
            return f"{who} could not be started ({kind}); check its command and its folder"
        case ServerProgram(), MCPError() if _is_closed(error):
            return f"{who} exited before it answered; see its output in the log"
        case ServerUrl(), httpx2.HTTPError() | httpx2.InvalidURL():
            return f"{who} could not be reached ({kind}); check its address"
        case _, MCPError():
            return f"{who} refused the session (error {error.code}); check its address and its headers"
        case _:
            return f"{who} does not speak MCP ({kind}); check its address or command"
