"""What models may do besides talking: built-in tools, an owner's own functions, and servers of MCP."""

from __future__ import annotations

from collections.abc import Sequence

from ..config.current import Current
from ..tools.functions import Toolset


class Toolbox:
    """One for a bot; an async context manager whose end lets the servers go. A tool that cannot be had is a line in the log."""

    def __init__(self, current: Current) -> None:
        self._current = current

    async def tools(self) -> Sequence[object]:
        """All tools at present, for ``reply(tools=…)``."""
        raise NotImplementedError

    async def close(self) -> None:
        """Let everything go that was opened."""
        raise NotImplementedError


__all__ = ["Toolbox", "Toolset"]
