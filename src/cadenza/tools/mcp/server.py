"""MCP servers as a source of tools: what they list can be handed to a reply like any other tool.

::

    async with McpServer.stdio("uvx", ["mcp-server-time"]) as clock:
        await reply(scene, model, target, tools=[*clock.tools, roll])

The SDK that speaks the protocol is an extra, ``cadenza[mcp]``, and is imported when a server is entered.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Self, TypedDict, Unpack

from ...errors import SettingsError, ToolError
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
    """What can be said of any server, wherever it is."""

    prefix: str
    """What stands before the names of its tools."""
    consent: bool
    """Whether somebody is asked before a tool is run that may destroy something: every one of which the server does
    not say that it only reads or adds. By default nobody is.
    """
    connect_seconds: float
    """In what time a session must come about; 60 by default."""
    idle_seconds: float
    """How long a tool may be silent, where every sign of progress counts; 60 by default."""
    call_seconds: float | None
    """How long a call may take in all; ``None``, the default, leaves it to the settings."""


class McpServer:
    """An MCP server and its tools, for as long as an ``async with`` lasts; ``stdio``, ``http`` or ``from_config`` make one.

    A server that goes away costs the call that it was asked; the next call starts a new session with it, if it can.
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
            msg = f"the prefix {prefix!r} must be up to 32 letters, digits, _ and -, and begin with a letter or _"
            raise SettingsError(msg)
        if not (connect_seconds > 0 and idle_seconds > 0 and (call_seconds is None or call_seconds > 0)):
            msg = "the seconds for which an MCP server is waited must be more than 0"
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
        self._connections: list[Connection] = []  # the last one is in use, the others are going away

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
        """A server that is the program *command*: started when this is entered, ended when it is left.

        Of our environment it sees the path, the home and the like, and besides only *env*. What it writes to its
        standard error goes to the log.
        """
        return cls(program(command, args, env, cwd), **options)

    @classmethod
    def http(cls, url: str, *, headers: Mapping[str, str] = _NONE, **options: Unpack[McpOptions]) -> Self:
        """A server at *url* that speaks streamable HTTP. Keys belong into *headers*, which are never shown."""
        return cls(site(url, headers), **options)

    @classmethod
    def from_config(cls, entry: Mapping[str, object], **options: Unpack[McpOptions]) -> Self:
        """A server as an entry of ``mcpServers`` in a config tells it: ``command``, ``args``, ``env`` and ``cwd``, or ``url`` and ``headers``."""
        return cls(from_entry(entry), **options)

    def __repr__(self) -> str:
        return f"<McpServer {self._place.label!r}>"

    async def __aenter__(self) -> Self:
        if find_spec("mcp") is None:
            raise SettingsError(_NO_SDK)
        if self._connections:
            msg = f"the MCP server {self._place.label!r} is in use already; make another one"
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
        """End the session, and the program if it is one. What is still being called fails."""
        if not self._connections:
            return
        from .connection import ended  # noqa: PLC0415  # it was imported to make them

        connections, self._connections = self._connections, []
        for connection in connections:
            connection.end()
        await ended(connections)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What the server offers now, in its order. A server may change that at any time; see ``changed``."""
        return self._tools

    @property
    def instructions(self) -> str:
        """What the server says about how to use it: something for a persona's prompt, if its owner is trusted."""
        return self._connections[-1].instructions if self._connections else ""

    async def changed(self) -> tuple[Tool, ...]:
        """Wait until the server offers something else than now; give that back."""
        await self._changed.wait()
        return self._tools

    # --- the session, and what is asked in it ----------------------------------------------

    def _connected(self) -> Connection:
        """The session in use, or a new one if that is over; nobody has waited for it yet."""
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
        except ToolError:
            raise ToolError(_UNREACHABLE) from None
        return await connection.call(name, arguments, idle=self._idle_seconds, longest=self._call_seconds)
