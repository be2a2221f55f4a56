"""How much anybody may have: active turns, turns an hour and a day, tokens a day."""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import Enum

from ..config.config import LimitsConfig
from ..store.api import Store
from ..types import Usage


class Excess(Enum):
    """What somebody has had enough of."""

    USER_ACTIVE = "user_active"
    SERVER_ACTIVE = "server_active"
    USER_PER_HOUR = "user_per_hour"
    USER_PER_DAY = "user_per_day"
    SERVER_PER_HOUR = "server_per_hour"
    SERVER_PER_DAY = "server_per_day"
    SERVER_TOKENS = "server_tokens_per_day"


class Limits:
    """Counts what people and servers use. One for a bot; what is of an hour or a day outlives a restart."""

    def __init__(
        self, store: Store, config: Callable[[], LimitsConfig], *, clock: Callable[[], float] = time.time
    ) -> None:
        self._store = store
        self._config = config
        self._clock = clock

    async def admit(self, person: str, server: str) -> Excess | None:
        """Count a turn for *person* in *server* (empty in direct messages) as active, unless that is too much."""
        raise NotImplementedError

    def leave(self, person: str, server: str) -> None:
        """A turn that was admitted is over, or was dropped."""
        raise NotImplementedError

    async def spent(self, person: str, server: str, usage: Usage) -> None:
        """A turn has used so many tokens."""
        raise NotImplementedError

    async def may_warn(self, person: str, excess: Excess) -> bool:
        """Whether to tell *person* of this: once an episode, not each time."""
        raise NotImplementedError
