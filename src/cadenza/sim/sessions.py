"""Sessions of the gateway: the numbered events of a bot, and how it resumes after a broken connection."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from .intents import PRIVILEGED, Intent, as_seen, hears
from .wire import GatewayEvent, Json
from .world import Bot


@dataclass(frozen=True, slots=True)
class GatewayRules:
    """How the gateway behaves; the defaults are Discord's."""

    heartbeat: float = 41.25
    """Seconds between two heartbeats of a client."""
    patience: float = 2.0
    """After how many times that without a heartbeat a connection counts as dead."""
    goodbye: float = 2.0
    """Seconds that a client has to close its side of a closed connection."""
    sends: int = 120
    """How many messages a client may send in a ``window``."""
    window: float = 60.0
    backlog: int = 1000
    """How many events are kept for resuming."""
    resumable: float = 180.0
    """Seconds that a session without a connection is kept."""
    privileged: Intent = PRIVILEGED
    """The privileged intents that are enabled for the application."""
    shards: int = 1
    """How many shards ``GET /gateway/bot`` recommends."""
    guilds_per_shard: int = 2500
    """With more guilds on a shard than this, sharding is required."""


class Shard(NamedTuple):
    """The part of a bot's guilds that a session receives."""

    number: int = 0
    total: int = 1

    def has(self, guild: str | None) -> bool:
        """Whether it receives events of *guild*; the first shard receives those of direct messages."""
        return self.number == (0 if guild is None else (int(guild) >> 22) % self.total)


class IdentifyQuota:
    """A sliding window rate limit."""

    def __init__(self, times: int, seconds: float) -> None:
        self._times = times
        self._seconds = seconds
        self._done: deque[float] = deque()

    def take(self, now: float) -> bool:
        """Count one more; returns whether it is allowed."""
        while self._done and self._done[0] <= now - self._seconds:
            self._done.popleft()
        self._done.append(now)
        return len(self._done) <= self._times


class Session:
    """The events of one shard of a bot. It outlives the connection, so that a bot that resumes misses nothing."""

    def __init__(self, session_id: str, bot: Bot, intents: Intent, shard: Shard, *, backlog: int = 1000) -> None:
        self.id = session_id
        self.bot = bot
        self.intents = intents
        self.shard = shard
        self.sequence = 0
        """The number of the last event."""
        self.resumed = 0
        """How often it was resumed."""
        self.left_at: float | None = None
        """Since when it has no connection; ``None`` while it has one."""
        self._backlog: deque[tuple[int, bytes]] = deque(maxlen=backlog)
        self._deliver: Callable[[bytes], None] | None = None

    def attach(self, deliver: Callable[[bytes], None]) -> None:
        """Pass events to *deliver* from now on."""
        self._deliver = deliver
        self.left_at = None

    def detach(self, now: float) -> None:
        """Only keep events from now on: the connection broke."""
        self._deliver = None
        self.left_at = now

    def hears(self, event: GatewayEvent, guilds: Iterable[str]) -> bool:
        """Whether *event* is for this session, of a bot that is in *guilds*."""
        if event.bots and self.bot.id not in event.bots:
            return False
        if not event.bots and event.guild is not None and event.guild not in guilds:
            return False
        return self.shard.has(event.guild) and hears(event, self.intents, self.bot.id)

    def tell(self, event: GatewayEvent) -> None:
        """Number, keep and deliver *event*, as the bot may see it."""
        self.sequence += 1
        data = as_seen(event, self.intents, self.bot.id)
        # Encoded at once: the data may change before it is sent.
        message = as_message(0, data, name=event.name, sequence=self.sequence)
        self._backlog.append((self.sequence, message))
        if self._deliver:
            self._deliver(message)

    def since(self, sequence: int) -> list[bytes] | None:
        """All messages after the event with that number; ``None`` if some are no longer kept."""
        oldest = self._backlog[0][0] if self._backlog else self.sequence + 1
        if sequence + 1 < oldest:
            return None
        return [message for number, message in self._backlog if number > sequence]


def as_message(op: int, data: object, *, name: str | None = None, sequence: int | None = None) -> bytes:
    """One message of the gateway, as JSON."""
    envelope: Json = {"t": name, "s": sequence, "op": op, "d": data}
    return msgspec.json.encode(envelope)
