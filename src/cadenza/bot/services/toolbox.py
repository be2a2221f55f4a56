"""What models may do besides talking: built-in tools, an owner's own functions, and servers of MCP."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Self, TypeVar, cast

from ...concurrency.tasks import must_rise
from ...tools.threads import in_thread
from ...tools.tool import Tool
from ..config.config import Config
from ..config.current import Current
from .builtin_tools import builtin_tools
from .mcp_servers import McpServers
from .owner_tools import Loaded, load

T = TypeVar("T")

logger = logging.getLogger(__name__)

_FILE_TAKES = 10.0
"""Seconds in which a file of the owner must have been run."""


class Toolbox:
    """One for a bot; an async context manager whose end lets the servers go. A tool that cannot be had is a line in the log.

    What is in it is looked for when it is first wanted, and again after the configuration has changed.
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
        self._doubles: set[str] = set()  # names of which it was said that there are two
        self._lock = asyncio.Lock()  # held while it is seen what there is
        current.listen(self._note_change)

    async def tools(self) -> Sequence[Tool]:
        """All tools at present, for ``reply(tools=…)``. Never raises; a server that is slow to come is done without."""
        if self._is_closed:
            return ()
        try:
            async with self._lock:
                if self._is_stale and not self._is_closed:
                    self._is_stale = False
                    await self._look(self._current.now)
            return self._different([*self._own, *await self._servers.tools()])
        except BaseException as error:
            if must_rise(error):
                self._is_stale = True  # whoever comes next looks again
                raise
            logger.error("the tools could not be looked for (%s); the reply does without", type(error).__name__)  # noqa: TRY400  # its text may hold a secret
            return self._different(self._own)

    async def close(self) -> None:
        """Let everything go that was opened."""
        self._is_closed = True
        async with self._lock:
            await self._servers.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _note_change(self, before: Config, after: Config) -> None:  # noqa: ARG002  # a file may have changed though its name did not
        self._is_stale = True

    async def _look(self, config: Config) -> None:
        """See what *config* wants: files that are as they were are not run again, and servers stay if none changed."""
        unknown = [name for name in config.tools.builtin if name not in self._builtin]
        if unknown:
            logger.warning("there is no built-in tool %r; there are: %s", unknown[0], ", ".join(self._builtin))
        files = {path: self._files.get(path) for path in map(config.place, config.tools.files)}
        self._files = {path: await self._loaded(path, before) for path, before in files.items()}
        self._own = (
            *(self._builtin[name] for name in dict.fromkeys(config.tools.builtin) if name in self._builtin),
            *(tool for loaded in self._files.values() for tool in loaded.tools),
        )
        self._doubles.clear()
        if config.tools.mcp != self._entries:
            self._entries = config.tools.mcp
            before, self._servers = self._servers, McpServers(config.tools.mcp)
            await before.close()

    async def _loaded(self, path: Path, before: Loaded | None) -> Loaded:
        loaded = await _within(_FILE_TAKES, partial(load, path, before))
        if loaded is None:
            loaded = Loaded(
                complaints=(f"the tools in {path.name!r} cannot be used: the file does not come to its end",)
            )
        if loaded is not before:
            for complaint in loaded.complaints:
                logger.warning("%s", complaint)
        return loaded

    def _different(self, tools: Iterable[Tool]) -> Sequence[Tool]:
        """*tools* without those whose name another one has already: a reply would take none of them."""
        named: dict[str, Tool] = {}
        for tool in tools:
            name = tool.spec.name
            if named.setdefault(name, tool) is not tool and name not in self._doubles:
                self._doubles.add(name)
                logger.warning("there are two tools named %r; the first one is used", name)
        return tuple(named.values())


async def _within(seconds: float, call: Callable[[], T]) -> T | None:
    """What *call* comes to on a thread of its own; ``None`` if that takes too long. It is stopped then, as far as it can be."""
    task = asyncio.create_task(in_thread(call, name="cadenza tool file"))
    try:
        await asyncio.wait([task], timeout=seconds)
    finally:
        for grace in (1.0, None):  # told a second time, it is left behind
            if not task.done():
                task.cancel()
                await asyncio.wait([task], timeout=grace)
    return None if task.cancelled() else cast("T", task.result())
