"""The ``Store`` protocol: records in collections (shelves), found by key, owner or server.

There are few methods and no query language, so that anything that keeps a table of texts can be a store.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType, TracebackType
from typing import Protocol, Self, TypeAlias

from ...errors import CadenzaError

Value: TypeAlias = Mapping[str, object]
"""The content of a record: a JSON object."""


class StoreError(CadenzaError):
    """The store could not be opened, read or written; the message is one sentence that says what to do."""


class Namespace(StrEnum):
    """The collections of a store. The values are part of the file format and of exports, and never change."""

    SERVERS = "servers"
    """The choices of a server; the key is its id."""
    CHANNELS = "channels"
    """The choices of a channel; the key is its id."""
    PEOPLE = "people"
    """The choices of a person, such as their privacy level; the key is their id."""
    PERSONAS = "personas"
    SPRITES = "sprites"
    SPRITE_MESSAGES = "sprite_messages"
    """The sprite and speaker of a message; the key is the message's id."""
    SHORT_TERM = "short_term"
    NOTES = "notes"
    WEBHOOKS = "webhooks"
    """Webhooks with their sealed tokens; the key is the channel's id."""
    KEYS = "keys"
    """Sealed API keys of servers."""
    TURNS = "turns"
    """Turns that are running or waiting, for recovery after a crash."""
    EXPLANATIONS = "explanations"
    """Explanations of messages."""
    COUNTS = "counts"
    """Usage counts of people and servers."""
    BOT = "bot"
    """State of the bot itself, such as the commands it has registered at Discord."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a store."""

    namespace: Namespace
    key: str
    value: Value = field(default_factory=lambda: MappingProxyType({}))
    owner: str = ""
    """The id of the person it is about, who can have it deleted. Empty if it is about no person."""
    server: str = ""
    """The id of the server it belongs to; it is deleted with the server. Empty outside of servers."""
    expires: float | None = None
    """When it expires, in seconds since 1970; ``None`` is never."""


class Store(Protocol):
    """Keeps records. Methods raise only ``StoreError``. Expired records are never returned."""

    async def get(self, namespace: Namespace, key: str, /) -> Record | None:
        """The record with this key."""

    async def put(self, *records: Record) -> None:
        """Insert or replace *records*, all of them or none. They are durable when it returns."""

    async def delete(self, namespace: Namespace, *keys: str) -> int:
        """Delete the records with these keys; return how many there were."""

    async def find(
        self, namespace: Namespace, /, *, prefix: str = "", owner: str | None = None, server: str | None = None
    ) -> list[Record]:
        """All records whose key begins with *prefix*, of this owner and server if given, ordered by key."""

    async def change(
        self, namespace: Namespace, key: str, change: Callable[[Record | None], Record | None], /
    ) -> Record | None:
        """Atomically replace a record by what *change* makes of it, and return that; ``None`` deletes.

        *change* must be pure: it may be called on another thread, and more than once. If it raises, nothing changes and
        the exception propagates. The new record is stored under *key*, whatever its own key is.
        """

    async def forget(self, *, owner: str | None = None, server: str | None = None) -> int:
        """Delete the records of this owner or this server in every collection; of both if both are given.

        Returns how many there were. An empty owner or server alone deletes nothing.
        """

    async def sweep(self) -> int:
        """Delete expired records for good; return how many."""

    async def close(self) -> None:
        """Close the store."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
