"""The store as everybody else knows it: records on shelves, found by a key, by whom they are about, or where.

One protocol, few methods, no query language: whatever can keep a table of texts can be a store.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType, TracebackType
from typing import Protocol, Self, TypeAlias

from ...errors import CadenzaError

Value: TypeAlias = Mapping[str, object]
"""What a record holds: an object of JSON."""


class StoreError(CadenzaError):
    """The store could not be opened, read or written; its text is one sentence that says what to do."""


class Shelf(StrEnum):
    """What there is in a store. The name is the same in every store and every export, for ever."""

    SERVERS = "servers"
    """What a server has chosen; the key is its id."""
    CHANNELS = "channels"
    """What a channel has chosen; likewise."""
    PEOPLE = "people"
    """What a person has chosen, such as their privacy; likewise."""
    PERSONAS = "personas"
    SPRITES = "sprites"
    SPRITE_MESSAGES = "sprite_messages"
    """Which look a message was shown with; the key is the message's id."""
    SHORT_TERM = "short_term"
    NOTES = "notes"
    WEBHOOKS = "webhooks"
    """The key is the channel's id; the token is sealed."""
    KEYS = "keys"
    """Keys of servers for providers, sealed."""
    TURNS = "turns"
    """What is being answered, so that a process that died can be followed by one that knows."""
    EXPLANATIONS = "explanations"
    """Why a message is as it is."""
    COUNTS = "counts"
    """How much somebody has used."""
    BOT = "bot"
    """What the bot knows of itself, such as which commands Discord was told of."""


@dataclass(frozen=True, slots=True)
class Record:
    """One thing that is kept."""

    shelf: Shelf
    key: str
    value: Value = field(default_factory=lambda: MappingProxyType({}))
    owner: str = ""
    """The id of the person whom it is about: what they can have forgotten. Empty if it is about nobody."""
    server: str = ""
    """The id of the server that it belongs to, with which it goes. Empty outside of servers."""
    expires: float | None = None
    """When it is to be forgotten, in seconds since 1970; ``None`` is never."""


class Store(Protocol):
    """Where records are kept. Every method may raise a ``StoreError`` and nothing else; what has expired is not there."""

    async def get(self, shelf: Shelf, key: str, /) -> Record | None:
        """The record with this key."""

    async def put(self, *records: Record) -> None:
        """Keep *records*, each instead of the one with its key: all of them or none. When it returns, they are safe."""

    async def delete(self, shelf: Shelf, *keys: str) -> int:
        """Forget the records with these keys; say how many there were."""

    async def find(
        self, shelf: Shelf, /, *, prefix: str = "", owner: str | None = None, server: str | None = None
    ) -> list[Record]:
        """All records whose key begins with *prefix*, of this owner and server if given, in the order of their keys."""

    async def change(
        self, shelf: Shelf, key: str, change: Callable[[Record | None], Record | None], /
    ) -> Record | None:
        """Put what *change* makes of a record in its place, and give it back; ``None`` deletes. Nobody comes in between.

        *change* only computes: it may be called on another thread, and more than once. What it raises is raised, and
        nothing is changed. Its record is kept under *key*, whatever it says itself.
        """

    async def forget(self, *, owner: str | None = None, server: str | None = None) -> int:
        """Forget every record of this owner, or of this server, on every shelf; of both if both are given. Say how many.

        Nobody and nowhere, which are empty texts, are no one whose records could be meant: alone they forget nothing.
        """

    async def sweep(self) -> int:
        """Remove what has expired for good; say how many."""

    async def close(self) -> None:
        """Keep nothing more."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
