"""What is being answered, written down before it is, so that a process that dies is followed by one that knows."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from ..store.api import Store


@dataclass(frozen=True, slots=True)
class Entry:
    """A message that is to be answered; no words of anybody's."""

    key: str
    """Of the desk: the id of the message, or what was made up for a command."""
    message: str
    """The id of the message that is answered."""
    channel: str
    author: str
    server: str = ""
    persona: str = ""
    has_begun: bool = False
    """Whether it was being answered, and did not only wait."""
    at: float = 0.0
    """When it was heard, in seconds since 1970."""


class Journal:
    """The book of all turns. Its methods never raise: a bot that cannot write it answers all the same."""

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock

    async def heard(self, entry: Entry) -> None:
        """*entry* is going to be answered."""
        raise NotImplementedError

    async def began(self, *keys: str) -> None:
        """They are being answered."""
        raise NotImplementedError

    async def over(self, *keys: str) -> None:
        """They were answered, or will not be."""
        raise NotImplementedError

    async def left(self) -> list[Entry]:
        """What a process before this one left unfinished, the oldest first; it is struck out when it is asked for."""
        raise NotImplementedError
