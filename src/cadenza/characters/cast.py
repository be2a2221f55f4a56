"""Who there is in a server: the characters of the configuration, and those that the server made or changed itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..store.api import Store
from .character import Character


class Cast:
    """The characters of all servers. *shared* gives those of the configuration, the main one first."""

    def __init__(self, store: Store, shared: Callable[[], Sequence[Character]]) -> None:
        self._store = store
        self._shared = shared

    async def of(self, server: str) -> tuple[Character, ...]:
        """Everybody in *server*, exactly one of them the main one and first, then by name. Empty is outside of servers.

        One that the server keeps stands in the place of one of the configuration with the same name, whatever its case.
        """
        raise NotImplementedError

    async def find(self, server: str, name: str) -> Character | None:
        """Who is called *name* there, whatever its case."""
        raise NotImplementedError

    async def save(self, server: str, character: Character, *, by: str = "") -> Character:
        """Keep *character* (with an id, given if it has none); raises an ``InputError`` if it cannot be one there."""
        raise NotImplementedError

    async def remove(self, server: str, name: str) -> bool:
        """Forget somebody whom the server keeps; say whether there was one. One of the configuration comes back."""
        raise NotImplementedError
