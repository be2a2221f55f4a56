"""The MCP servers of a bot: each connected once, when its tools are first wanted, and shared by all replies."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...concurrency.tasks import must_rise, outlast
from ...errors import CadenzaError, SettingsError
from ...tools.mcp import McpServer
from ...tools.tool import Tool

logger = logging.getLogger(__name__)

_PATIENCE = 5.0
"""Seconds for which a reply waits for servers that are being connected; after that it does without them."""
_RESTS = 60.0
"""Seconds after which one that could not be reached is tried again."""


@dataclass(slots=True)
class _Guest:
    """A server, and how far one is with it."""

    name: str
    server: McpServer
    entering: asyncio.Task[bool] | None = None
    rests_until: float = 0.0

    @property
    def is_here(self) -> bool:
        return self.entering is not None and self.entering.done() and not self.rests_until


class McpServers:
    """The servers of *entries*, by their names; ``close`` lets them go. One that fails is a line in the log."""

    def __init__(self, entries: Mapping[str, Mapping[str, object]]) -> None:
        self._guests: list[_Guest] = []
        for name, entry in entries.items():
            try:
                self._guests.append(_Guest(name, McpServer.from_config(entry, prefix=prefix_of(name))))
            except SettingsError as error:  # its words are ours
                logger.warning("the MCP server %r cannot be used: %s", name, error)

    async def tools(self) -> list[Tool]:
        """What those offer that are there, after a short wait for those that are just coming."""
        now = asyncio.get_running_loop().time()
        for guest in self._guests:
            if guest.entering is None or (guest.rests_until and guest.rests_until <= now):
                guest.rests_until = 0.0
                guest.entering = asyncio.create_task(_enter(guest), name=f"cadenza mcp {guest.name}")
        coming = [guest.entering for guest in self._guests if guest.entering and not guest.entering.done()]
        if coming:
            await asyncio.wait(coming, timeout=_PATIENCE)
        return [tool for guest in self._guests if guest.is_here for tool in guest.server.tools]

    async def close(self) -> None:
        """Let all of them go."""
        guests, self._guests = self._guests, []
        if guests:
            await outlast(asyncio.create_task(_part(guests)))  # who is cancelled meanwhile leaves no program behind


async def _part(guests: Sequence[_Guest]) -> None:
    await asyncio.gather(*map(_leave, guests))


async def _enter(guest: _Guest) -> bool:
    try:
        await guest.server.__aenter__()  # it may be left by another task
    except BaseException as error:
        if must_rise(error):
            raise
        guest.rests_until = asyncio.get_running_loop().time() + _RESTS
        told = str(error) if isinstance(error, CadenzaError) else type(error).__name__
        logger.warning("the MCP server %r cannot be reached, and is tried again in a minute: %s", guest.name, told)
        return False
    return True


async def _leave(guest: _Guest) -> None:
    try:
        if guest.entering:
            guest.entering.cancel()
            await asyncio.wait([guest.entering])
        await guest.server.close()
    except BaseException as error:
        if must_rise(error):
            raise
        logger.warning("the MCP server %r did not end well (%s)", guest.name, type(error).__name__)


def prefix_of(name: str) -> str:
    """What stands before the names of the tools of the server *name*."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:30]
    return f"{plain}_" if re.match(r"[A-Za-z_]", plain) else f"_{plain}_"
