"""The models of a bot by their names, connected when they are first asked, with the right keys."""

from __future__ import annotations

from collections.abc import Sequence

from ..casting import ModelSource
from ..config.current import Current
from ..store.api import Store
from ..store.sealing import Seal


class ModelShelf:
    """One for a bot. A server may have keys of its own, which are asked before the operator's."""

    def __init__(self, current: Current, store: Store, seal: Seal) -> None:
        self._current = current
        self._store = store
        self._seal = seal

    def names(self) -> tuple[str, ...]:
        """What can be chosen: the named ones, the default and its fallbacks."""
        raise NotImplementedError

    async def sources(self, name: str, server: str = "") -> Sequence[ModelSource]:
        """Who is asked for *name* (empty is the default) and who then, for ``reply``; ``SettingsError`` if nobody."""
        raise NotImplementedError

    async def close(self) -> None:
        """Close every way to a model."""
        raise NotImplementedError
