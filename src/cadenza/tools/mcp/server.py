"""MCP servers as a source of tools for a reply.

::

    async with McpServer.stdio("uvx", ["mcp-server-time"]) as clock:
        await reply(scene, model, target, tools=[*clock.tools, roll])

The MCP SDK is an extra, ``cadenza[mcp]``; it is imported when a server is entered.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Self, TypedDict, Unpack

from ...errors import Sentence, SettingsError, ToolError
from ...types import ToolResult
from ..tool import Tool, ToolContext
from .listed_tools import offers
from .server_address import Place, from_entry, program, site

if TYPE_CHECKING:
    from .connection import Connection, Listing

_NONE: Mapping[str, str] = MappingProxyType({})
_PREFIX = re.compile(r"([A-Za-z_][A-Za-z0-9_-]{0,31})?")

_NO_SDK = "MCP servers need the MCP SDK; try: pip install 'cadenza[mcp]'"
_CLOSED = "The tool server is closed; do without its tools."
_UNREACHABLE = "The tool server has gone away and could not be reached again; do without its tools for now."


class McpOptions(TypedDict, total=False):
    """Options of every server."""

    prefix: str
    """A prefix for the names of its tools."""
    consent: bool
    """Whether tools that may destroy something need consent: all that the server does not call read-only or additive.
    Off by default.
    """
    connect_seconds: float
    """Timeout for opening a session; 60 by default."""
    idle_seconds: float
    """Timeout for a call without a sign of progress; 60 by default."""
    call_seconds: float | None
    """Timeout for a whole call; ``None``, the default, means the settings."""


class McpServer:
    """An MCP server and its tools, inside an ``async with``; made by ``stdio``, ``http`` or ``from_config``.

    If the server goes away, the current call fails; the next one opens a new session.
    """

    def __init__(
        self,
        place: Place,
        *,
        prefix: str = "",
        consent: bool = False,
        connect_seconds: float = 60.0,
        idle_seconds: float = 60.0,
        call_seconds: float | None = None,
    ) -> None:
        if not _PREFIX.fullmatch(prefix):
            msg = Sentence(
                "the prefix {prefix} must be up to 32 letters, digits, _ and -, and begin with a letter or _",
                prefix=repr(prefix),
            )
            raise SettingsError(msg)
        if not (connect_seconds > 0 and idle_seconds > 0 and (call_seconds is None or call_seconds > 0)):
            msg = Sentence("the timeouts of an MCP server must be more than 0 seconds")
            raise SettingsError(msg)
        self._place = place
        self._prefix = prefix
        self._consent = consent
        self._connect_seconds = connect_seconds
        self._idle_seconds = idle_seconds
        self._call_seconds = call_seconds
        self._listing: Listing = ()
        self._tools: tuple[Tool, ...] = ()
        self._changed = asyncio.Event()
        self._connections: list[Connection] = []  # the last one is in use, the others are ending

    @classmethod
    def stdio(
        cls,
        command: str,
        args: Sequence[str] = (),
        *,
        env: Mapping[str, str] = _NONE,
        cwd: str | None = None,
        **options: Unpack[McpOptions],
    ) -> Self:
        """A server that is the program *command*, which runs while this context is open.

        Of our environment it sees only a safe minimum (path, home), and *env*. Its standard error goes to the log.
        """
        return cls(program(command, args, env, cwd), **options)

    @classmethod
    def http(cls, url: str, *, headers: Mapping[str, str] = _NONE, **options: Unpack[McpOptions]) -> Self:
        """A server at *url*, over streamable HTTP. Put keys into *headers*, which are never shown."""
        return cls(site(url, headers), **options)

    @classmethod
    def from_config(cls, entry: Mapping[str, object], **options: Unpack[McpOptions]) -> Self:
        """A server from an ``mcpServers`` entry: ``command``, ``args``, ``env`` and ``cwd``, or ``url`` and ``headers``."""
        return cls(from_entry(entry), **options)

    def __repr__(self) -> str:
        return f"<McpServer {self._place.label!r}>"

    async def __aenter__(self) -> Self:
        if find_spec("mcp") is None:
            raise SettingsError(_NO_SDK)
        if self._connections:
            msg = Sentence("the MCP server {label} is in use already; make another one", label=repr(self._place.label))
            raise SettingsError(msg)
        try:
            await self._connected().opened()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End the session and the program. Running calls fail."""
        if not self._connections:
            return
        from .connection import ended  # noqa: PLC0415  # it was imported to make them

        connections, self._connections = self._connections, []
        for connection in connections:
            connection.end()
        await ended(connections)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools that the server offers now. They may change at any time; see ``changed``."""
        return self._tools

    @property
    def instructions(self) -> str:
        """The server's instructions: something for a persona's prompt, if you trust the server."""
        return self._connections[-1].instructions if self._connections else ""

    async def changed(self) -> tuple[Tool, ...]:
        """Wait until the tools change; return the new ones."""
        await self._changed.wait()
        return self._tools

    # --- the session ----------------------------------------------

    def _connected(self) -> Connection:
        """The current session, or a new one, which may not be open yet."""
        if not self._connections or self._connections[-1].is_over:
            from .connection import Connection  # noqa: PLC0415  # what it needs may not be there, and is slow to load

            connection = Connection(self._place, seconds=self._connect_seconds, on_list=self._note_tools)
            self._connections = [old for old in self._connections if not old.has_ended] + [connection]
        return self._connections[-1]

    def _note_tools(self, listing: Listing) -> None:
        if listing == self._listing:
            return
        self._listing = listing
        self._tools = tuple(
            Tool(
                offer.spec,
                partial(self._run, offer.name),
                seconds=self._call_seconds,
                needs_answer=True,
                repeatable=offer.repeatable,
                needs_consent=self._consent and offer.destroys,
            )
            for offer in offers(listing, self._prefix)
        )
        self._changed.set()
        self._changed = asyncio.Event()

    async def _run(self, name: str, arguments: Mapping[str, object], context: ToolContext) -> ToolResult:  # noqa: ARG002  # a server knows nothing of the scene
        if not self._connections:
            raise ToolError(_CLOSED)
        connection = self._connected()
        try:
            await connection.opened()
        except ToolError as error:
            raise ToolError(_UNREACHABLE) from error
        return await connection.call(name, arguments, idle=self._idle_seconds, longest=self._call_seconds)
