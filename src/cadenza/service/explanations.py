"""Why a message is as it is: the trace of a reply, kept for a while by the ids of its messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..config.config import StoreConfig
from ..store.api import Store
from ..trace import Hook
from ..types import Reply


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is known of one message."""

    lines: tuple[str, ...]
    """Its story, as ``cadenza explain`` tells it."""
    source: str = ""
    """The Markdown of a table that it shows as a picture."""
    turn: str = ""
    author: str = ""
    """The id of whoever was answered."""


class Explanations:
    """One for a bot."""

    def __init__(self, store: Store, config: Callable[[], StoreConfig]) -> None:
        self._store = store
        self._config = config

    def listen(self, turn: str) -> Hook:
        """What to give to ``reply`` as its trace, for the turn with this id."""
        raise NotImplementedError

    async def keep(self, turn: str, reply: Reply, *, server: str, author: str) -> None:
        """The turn is over: its messages can be asked about. Of direct messages nothing is written down. Never raises."""
        raise NotImplementedError

    def drop(self, turn: str) -> None:
        """The turn came to nothing."""
        raise NotImplementedError

    async def about(self, message: str) -> Explanation | None:
        """What is known of the message with this id."""
        raise NotImplementedError
