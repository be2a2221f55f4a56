"""One session with an MCP server, kept by a task of its own.

The rules of this place
1. The SDK is made of cancel scopes that must be left in the task that entered them, the innermost first. So one task,
   the keeper, enters them all and leaves them all; nobody else ever does. To ask something, any task will do.
2. The keeper is never cancelled, for that could make the SDK leave a child process behind. It is asked to end, and what
   it does then has a limit.
3. A session that is over stays so; who wants to go on makes another.
4. Of what goes wrong in foreign code only the type is named. What a server says to a call is for the model, like any
   answer of it, without our keys.
"""

from __future__ import annotations

import asyncio
import logging
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
from ...errors import ToolError
from ...text.redaction import without_secrets
from ...types import ToolResult
from .results import tool_result
from .server_address import Place, ServerProgram, ServerUrl
from .transports import transport

logger = logging.getLogger(__name__)

T = TypeVar("T")
Progress: TypeAlias = Callable[[float, float | None, str | None], Awaitable[None]]
Listing: TypeAlias = tuple[mcp_types.Tool, ...]

_PAGES = 100
"""How many pages of tools are read: a list that never ends must not keep anybody waiting."""
_END_SECONDS = 5.0
"""How long a server over HTTP is given to hear that we are gone; a process gets as long as the SDK says."""
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0
"""Seconds before we listen again for changes, when a server has hung up."""
_FOR_EVER = 7 * 86400.0
"""The SDK has no word for it."""
_WORDS = 500
"""Characters of what a server says when it refuses a call."""

GONE = (
    "The tool server has gone away before it answered, and whether it did what was asked is not known. "
    "The next call starts a new session with it."
)
_SLOW = "The tool server did not answer in time, so the call was cancelled. Whether it did anything is not known."
_LEFT = "the session with the MCP server was ended before it had begun"
_CLOSED = (mcp_types.CONNECTION_CLOSED, "Connection closed")
"""How the SDK says that there is no session any more; servers use the number for other things."""


class Connection:
    """A session with a server. It begins when it is made; ``opened`` waits until it can be used."""

    def __init__(self, place: Place, *, seconds: float, on_list: Callable[[Listing], None]) -> None:
        """It must come about within *seconds*; *on_list* is told the tools, at first and whenever they change."""
        self.instructions = ""
        """What the server says about how to use it."""
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
        """Whether nothing can be asked any more."""
        return self.has_ended or (self._opened.is_set() and self._is_ending)

    @property
    def has_ended(self) -> bool:
        """Whether nothing of it is left."""
        return self._keeper.done()

    async def opened(self) -> None:
        """Wait until it can be used; say why, if it cannot. Who gives up waiting does not end it for others."""
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
        """Call the tool *name*; if we are cancelled or it takes too long, the server is told so.

        It may be silent for *idle* seconds, every sign of progress counts, and take *longest* in all.
        """
        if self._client is None or self.is_over:
            raise ToolError(GONE)
        ask = partial(self._client.call_tool, name, dict(arguments), longest or _FOR_EVER)
        try:
            return tool_result(await patiently(ask, idle))
        except MCPError as error:
            raise self._refusal(error) from None
        except TimeoutError:
            raise ToolError(_SLOW) from None
        except (Exception, asyncio.CancelledError) as error:
            if is_cancelled(error):
                raise
            msg = f"The answer of the tool server could not be read ({type(error).__name__})."
            raise ToolError(msg) from None

    def _refusal(self, error: MCPError) -> ToolError:
        """What the model is told of *error*; if it means that the session is lost, that is the end of it."""
        over_http = isinstance(self._place, ServerUrl)
        # Over HTTP both also mean that the server does not know the session, as when it was started anew.
        if over_http and error.code in (mcp_types.CONNECTION_CLOSED, mcp_types.INVALID_REQUEST):
            self.end()
        if self.is_over or (error.code, error.message) == _CLOSED:
            self.end()
            return ToolError(GONE)
        if error.code == mcp_types.REQUEST_TIMEOUT:
            return ToolError(_SLOW)
        words = " ".join(without_secrets(error.message, *self._place.secrets).split())[:_WORDS]
        return ToolError(f"The tool server refused the call (error {error.code}): {words}")

    # --- the keeper's own task ------------------------------------------------------------

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
            logger.debug("the session with the MCP server %s broke (%s)", self._place.label, type(error).__name__)
        finally:
            if not self._opened.is_set() and not self._failure:
                self._failure = f"the MCP server {self._place.label!r} did not answer within {self._seconds:g} seconds"
            self._is_ending = True
            self._client = None
            self._opened.set()

    async def _negotiate(self) -> None:
        """Ask in the newest way; a process that ends at that is an old one, and is started again and asked in its way."""
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
        self._scope.deadline = math.inf  # to cancel the start of a process is to lose it
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
                    await self._is_heard.wait()  # a change between the list and this would be missed
                self._has_changed = False
                self._on_list(await _listing(client))
                self._scope.deadline = math.inf
                self._client = client
                self._opened.set()
                await self._attend(client)
                beside.cancel_scope.cancel()

    async def _attend(self, client: Client) -> None:
        """Keep the list of tools up to date until the end."""
        while not self._is_ending:
            await self._woken.wait()
            self._woken.clear()
            if self._has_changed and not self._is_ending:
                self._has_changed = False
                try:
                    self._on_list(await _listing(client))
                except (MCPError, ValidationError, TimeoutError) as error:
                    logger.warning("%s did not list its tools (%s)", self._place.label, type(error).__name__)

    async def _listen(self, client: Client) -> None:
        """Hear of changes from a server that only tells who has asked to be told."""
        pause = _FIRST_PAUSE
        while True:
            with suppress(SubscriptionLost, MCPError, TimeoutError):
                async with client.listen(tools_list_changed=True) as changes:
                    self._note_change()  # what happened before was not heard
                    self._is_heard.set()
                    async for _ in changes:
                        self._note_change()
            self._is_heard.set()  # or nobody will ever be
            await anyio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _hear(self, message: object) -> None:
        """Hear of changes from a server that tells everybody."""
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
    """What *ask* comes to; it is cancelled when *idle* seconds have passed in which it did not tell of any progress."""
    limit = asyncio.timeout(idle)

    async def go_on(progress: float, total: float | None, message: str | None) -> None:  # noqa: ARG001  # the shape is the SDK's
        with suppress(RuntimeError):  # it is too late
            limit.reschedule(asyncio.get_running_loop().time() + idle)

    async with limit:
        return await ask(go_on)


async def ended(connections: Iterable[Connection]) -> None:
    """Wait until nothing of *connections* is left, even if we are cancelled meanwhile."""
    keepers = [connection._keeper for connection in connections]  # noqa: SLF001  # it is theirs, and this is its home
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
    """Why there is no session with *place*."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    who, kind = f"the MCP server {place.label!r}", type(error).__name__
    match place, error:
        case ServerProgram(), OSError() | ValueError():
            return f"{who} could not be started ({kind}); check its command and its folder"
        case ServerProgram(), MCPError() if _is_closed(error):
            return f"{who} ended before it answered; what it said stands in the log"
        case ServerUrl(), httpx2.HTTPError() | httpx2.InvalidURL():
            return f"{who} could not be reached ({kind}); check its address"
        case _, MCPError():
            return f"{who} refused to talk (error {error.code}); check its address, its headers and what it can"
        case _:
            return f"{who} does not speak as it should ({kind}); check that it is one"
