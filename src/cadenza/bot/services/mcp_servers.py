"""The MCP servers of a bot: each is connected once, on first use, and shared by all replies."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...concurrency.tasks import must_rise, outlast
from ...errors import CadenzaError, SettingsError
from ...explain.tracebacks import get_logger
from ...tools.mcp import McpServer
from ...tools.tool import Tool

logger = get_logger(__name__)

_CONNECT_WAIT = 5.0
"""Seconds that a reply waits for servers that are connecting; then it goes on without them."""
_RETRY_AFTER = 60.0
"""Seconds after which a server that could not be reached is tried again."""


@dataclass(slots=True)
class _Connection:
    """A server and the state of its connection."""

    name: str
    server: McpServer
    connecting: asyncio.Task[bool] | None = None
    retry_at: float = 0.0

    @property
    def is_ready(self) -> bool:
        return self.connecting is not None and self.connecting.done() and not self.retry_at


class McpServers:
    """The servers of *entries*, by name; ``close`` disconnects them. A server that fails is logged."""

    def __init__(self, entries: Mapping[str, Mapping[str, object]]) -> None:
        self._connections: list[_Connection] = []
        for name, entry in entries.items():
            try:
                self._connections.append(_Connection(name, McpServer.from_config(entry, prefix=prefix_of(name))))
            except SettingsError as error:
                logger.warning("the MCP server %r cannot be used: %s", name, error)

    async def tools(self) -> list[Tool]:
        """The tools of all connected servers, after a short wait for those that are connecting."""
        now = asyncio.get_running_loop().time()
        for one in self._connections:
            if one.connecting is None or (one.retry_at and one.retry_at <= now):
                one.retry_at = 0.0
                one.connecting = asyncio.create_task(_connect(one), name=f"cadenza mcp {one.name}")
        pending = [one.connecting for one in self._connections if one.connecting and not one.connecting.done()]
        if pending:
            await asyncio.wait(pending, timeout=_CONNECT_WAIT)
        return [tool for one in self._connections if one.is_ready for tool in one.server.tools]

    async def close(self) -> None:
        """Disconnect all servers."""
        connections, self._connections = self._connections, []
        if connections:
            await outlast(asyncio.create_task(_close_all(connections)))  # a cancellation leaves no process running


async def _close_all(connections: Sequence[_Connection]) -> None:
    await asyncio.gather(*map(_close, connections))


async def _connect(connection: _Connection) -> bool:
    try:
        await connection.server.__aenter__()  # another task may exit it
    except BaseException as error:
        if must_rise(error):
            raise
        connection.retry_at = asyncio.get_running_loop().time() + _RETRY_AFTER
        why = str(error) if isinstance(error, CadenzaError) else type(error).__name__
        logger.warning(
            "the MCP server %r cannot be reached, next attempt in a minute: %s", connection.name, why, exc_info=error
        )
        return False
    return True


async def _close(connection: _Connection) -> None:
    try:
        if connection.connecting:
            connection.connecting.cancel()
            await asyncio.wait([connection.connecting])
        await connection.server.close()
    except BaseException as error:
        if must_rise(error):
            raise
        logger.warning("the MCP server %r could not be closed", connection.name, exc_info=error)


def prefix_of(name: str) -> str:
    """The prefix of the names of the tools of the server *name*."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:30]
    return f"{plain}_" if re.match(r"[A-Za-z_]", plain) else f"_{plain}_"
