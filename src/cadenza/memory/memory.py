"""All that is remembered, in one place: what a turn is told, what it leaves, and what people can have forgotten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..config.config import MemoryConfig
from ..store.api import Store
from ..types import ContextItem, Line, Reply
from .whereabouts import Whereabouts


class Memory:
    """One for a bot. *config* gives the configuration as it is now."""

    def __init__(self, store: Store, config: Callable[[], MemoryConfig]) -> None:
        self._store = store
        self._config = config

    async def recall(self, where: Whereabouts) -> tuple[ContextItem, ...]:
        """What the model is told of earlier: short-term memory of other places, and notes. Never raises."""
        raise NotImplementedError

    async def keep(self, where: Whereabouts, history: Sequence[Line], reply: Reply) -> None:
        """A turn is over: remember it for a while, as far as whoever was answered wants that. Never raises."""
        raise NotImplementedError

    def tools(self, where: Whereabouts) -> Sequence[Any]:
        """What the model may do about its memory in this turn: functions for ``reply(tools=…)``."""
        raise NotImplementedError
