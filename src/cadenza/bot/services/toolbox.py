"""The tools of a bot: built-in ones, the owner's functions, and MCP servers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Self, TypeVar, cast

from ...concurrency.tasks import must_rise
from ...explain.tracebacks import get_logger
from ...tools.threads import in_thread
from ...tools.tool import Tool
from ..config.config import Config
from ..config.current import Current
from .builtin_tools import builtin_tools
from .mcp_servers import McpServers
from .owner_tools import Loaded, Problem, load

T = TypeVar("T")

logger = get_logger(__name__)

_FILE_TAKES = 10.0
"""Seconds that a file of the owner may run."""


class Toolbox:
    """The tools of one bot; an async context manager that closes the MCP servers. A tool that fails to load is logged.

    Tools are loaded on first use, and again after the configuration has changed.
    """

    def __init__(
        self, current: Current, *, clock: Callable[[], float] = time.time, random: Random | None = None
    ) -> None:
        self._current = current
        self._builtin = builtin_tools(clock=clock, random=Random() if random is None else random)
        self._is_stale = True
        self._is_closed = False
        self._own: tuple[Tool, ...] = ()
        self._files: dict[Path, Loaded] = {}
        self._entries: Mapping[str, Mapping[str, object]] = {}
        self._servers = McpServers({})
        self._duplicates: set[str] = set()  # duplicate names that were logged
        self._lock = asyncio.Lock()  # held while tools are loaded
        current.listen(self._note_change)

    async def tools(self) -> Sequence[Tool]:
        """All tools, for ``reply(tools=…)``. Never raises; a server that is slow to connect is left out."""
        if self._is_closed:
            return ()
        try:
            async with self._lock:
                if self._is_stale and not self._is_closed:
                    self._is_stale = False
                    await self._load(self._current.now)
            return self._unique([*self._own, *await self._servers.tools()])
        except BaseException as error:
            if must_rise(error):
                self._is_stale = True  # the next reply loads again
                raise
            logger.exception("tools could not be loaded; the reply has only those loaded before")
            return self._unique(self._own)

    async def close(self) -> None:
        """Close the MCP servers."""
        self._is_closed = True
        async with self._lock:
            await self._servers.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _note_change(self, before: Config, after: Config) -> None:  # noqa: ARG002  # a file may have changed under the same name
        self._is_stale = True

    async def _load(self, config: Config) -> None:
        """Load the tools of *config*: unchanged files are not run again, and servers stay if none changed."""
        unknown = [name for name in config.tools.builtin if name not in self._builtin]
        if unknown:
            logger.warning("there is no built-in tool %r; there are: %s", unknown[0], ", ".join(self._builtin))
        files = {path: self._files.get(path) for path in map(config.place, config.tools.files)}
        self._files = {path: await self._loaded(path, before) for path, before in files.items()}
        self._own = (
            *(self._builtin[name] for name in dict.fromkeys(config.tools.builtin) if name in self._builtin),
            *(tool for loaded in self._files.values() for tool in loaded.tools),
        )
        self._duplicates.clear()
        if config.tools.mcp != self._entries:
            self._entries = config.tools.mcp
            before, self._servers = self._servers, McpServers(config.tools.mcp)
            await before.close()

    async def _loaded(self, path: Path, before: Loaded | None) -> Loaded:
        loaded = await _within(_FILE_TAKES, partial(load, path, before))
        if loaded is None:
            text = f"the tools in {path.name!r} cannot be used: the file did not finish within {_FILE_TAKES:g} seconds"
            loaded = Loaded(problems=(Problem(text),))
        if loaded is not before:
            for problem in loaded.problems:
                logger.warning("%s", problem.text, exc_info=problem.error)
        return loaded

    def _unique(self, tools: Iterable[Tool]) -> Sequence[Tool]:
        """*tools* without duplicate names, which ``reply`` refuses."""
        named: dict[str, Tool] = {}
        for tool in tools:
            name = tool.spec.name
            if named.setdefault(name, tool) is not tool and name not in self._duplicates:
                self._duplicates.add(name)
                logger.warning("there are two tools named %r; the first one is used", name)
        return tuple(named.values())


async def _within(seconds: float, call: Callable[[], T]) -> T | None:
    """Run *call* on a thread of its own; ``None`` if it takes too long, and then it is cancelled as far as possible."""
    task = asyncio.create_task(in_thread(call, name="cadenza tool file"))
    try:
        await asyncio.wait([task], timeout=seconds)
    finally:
        for grace in (1.0, None):  # the second cancellation abandons it
            if not task.done():
                task.cancel()
                await asyncio.wait([task], timeout=grace)
    return None if task.cancelled() else cast("T", task.result())
