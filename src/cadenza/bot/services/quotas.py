"""Limits for people and servers: active turns, turns an hour and a day, tokens a day.

Windows slide: an hour is the last 60 minutes in bins of five minutes, a day the last 24 hours in bins of one hour. So
a day's quota cannot be used twice around midnight. What is not limited is not counted.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from ...explain.tracebacks import get_logger
from ...types import Usage
from ..config.config import LimitsConfig
from ..store.store import Namespace, Record, Store, StoreError
from .bounded_dict import make_room

logger = get_logger(__name__)

_HOUR, _DAY = 3600.0, 86400.0
_QUIET = 600.0
"""Seconds in which a person is not warned twice of the same limit, even if they were answered in between."""
_EPISODES = 10_000
"""How many warnings are remembered."""


class Excess(Enum):
    """A limit that was reached."""

    USER_ACTIVE = "user_active"
    SERVER_ACTIVE = "server_active"
    USER_PER_HOUR = "user_per_hour"
    USER_PER_DAY = "user_per_day"
    SERVER_PER_HOUR = "server_per_hour"
    SERVER_PER_DAY = "server_per_day"
    SERVER_TOKENS = "server_tokens_per_day"


@dataclass(frozen=True, slots=True)
class _Window:
    """A sliding window, under its own name in the record of a person or a server."""

    name: str
    seconds: float
    bin: float

    def added(self, value: Mapping[str, object], amount: int, now: float) -> dict[str, int]:
        """The bins of *value* with *amount* added, without expired ones."""
        bins = self._live(value, now)
        at = str(int(now // self.bin * self.bin))
        bins[at] = max(0, bins.get(at, 0) + amount)
        return bins

    def total(self, value: Mapping[str, object], now: float) -> int:
        """The sum over the window that ends at *now*."""
        return sum(self._live(value, now).values())

    def _live(self, value: Mapping[str, object], now: float) -> dict[str, int]:
        bins = value.get(self.name)
        if not isinstance(bins, Mapping):
            return {}
        least = now - self.seconds
        return {
            str(at): count
            for at, count in bins.items()
            if str(at).isdecimal()
            and isinstance(count, int)
            and float(at) + self.bin > least
            # Bins far in the future were counted by a wrong clock.
            and float(at) <= now + self.seconds
        }


_TURNS_AN_HOUR = _Window("hour", _HOUR, 300.0)
_TURNS_A_DAY = _Window("day", _DAY, _HOUR)
_TOKENS_A_DAY = _Window("tokens", _DAY, _HOUR)


@dataclass(frozen=True, slots=True)
class _Cap:
    """A window whose sum must stay below *most*; 0 is no limit."""

    window: _Window
    most: int
    excess: Excess
    is_counted: bool = True
    """Whether a turn adds one to it."""


class Quotas:
    """Counts what people and servers use. The counts of an hour and a day survive a restart.

    If the store fails, messages are still answered: active turns are counted in memory, and that limit always holds.
    """

    def __init__(
        self, store: Store, config: Callable[[], LimitsConfig], *, clock: Callable[[], float] = time.time
    ) -> None:
        self._store = store
        self._config = config
        self._clock = clock
        self._people: Counter[str] = Counter()
        self._servers: Counter[str] = Counter()
        self._warned: dict[tuple[str, Excess], float] = {}  # the oldest first
        self._is_failing = False

    async def admit(self, person: str, server: str) -> Excess | None:
        """Count an active turn for *person* in *server* (empty in direct messages), or return the limit that is reached."""
        config = self._config()
        if self._people[person] >= max(1, config.user_active):
            return Excess.USER_ACTIVE
        if server and self._servers[server] >= max(1, config.server_active):
            return Excess.SERVER_ACTIVE
        self._enter(person, server)  # before the first await, so that no other turn slips in
        admitted = False
        try:
            excess = await self._count(person, server, config)
            admitted = excess is None
        finally:
            if not admitted:
                self.leave(person, server)
        return excess

    async def admit_again(self, person: str, server: str) -> Excess | None:
        """Count a turn that replaces an admitted one, in the hour and the day only, or return the limit that is reached."""
        return await self._count(person, server, self._config())

    def leave(self, person: str, server: str) -> None:
        """Stop counting an admitted turn as active: it ended, or was dropped."""
        _less(self._people, person)
        if server:
            _less(self._servers, server)

    async def spent(self, person: str, server: str, usage: Usage) -> None:  # noqa: ARG002  # a person has no token quota yet
        """Count the tokens of a turn."""
        tokens = max(0, usage.input_tokens) + max(0, usage.output_tokens)
        if server and tokens and self._config().server_tokens_per_day:
            await self._add(_record_of_server(server), [_TOKENS_A_DAY], tokens)

    async def may_warn(self, person: str, excess: Excess) -> bool:
        """Whether to warn *person* that *excess* is reached: once, then not until ten minutes without an attempt."""
        now = self._clock()
        before = self._warned.pop((person, excess), None)
        make_room(self._warned, _EPISODES)
        self._warned[person, excess] = now
        return before is None or not now - _QUIET < before <= now

    async def left(self, person: str, server: str) -> Mapping[Excess, int]:
        """What is left of each limit for *person* in *server*; what is not limited is left out."""
        config, now, left = self._config(), self._clock(), dict[Excess, int]()
        records = [(_record_of_person(person), _of_person(config))]
        records += [(_record_of_server(server), _of_server(config))] if server else []
        for blank, caps in records:
            try:
                record = await self._store.get(blank.namespace, blank.key)
            except StoreError as error:
                self._complain(error)
                continue
            value = {} if record is None else record.value
            left |= {cap.excess: max(0, cap.most - cap.window.total(value, now)) for cap in caps if cap.most}
        return left

    @property
    def active(self) -> int:
        """The number of running and waiting turns of all servers."""
        return sum(self._people.values())

    def _enter(self, person: str, server: str) -> None:
        self._people[person] += 1
        if server:
            self._servers[server] += 1

    async def _count(self, person: str, server: str, config: LimitsConfig) -> Excess | None:
        """Count a turn in the windows; if the server's limit is reached, the person is not charged either."""
        theirs = _of_person(config)
        excess = await self._take(_record_of_person(person), theirs)
        if excess is not None or not server:
            return excess
        excess = await self._take(_record_of_server(server), _of_server(config))
        counted = [cap.window for cap in theirs if cap.most]
        if excess is not None and counted:
            await self._add(_record_of_person(person), counted, -1)
        return excess

    async def _take(self, blank: Record, caps: list[_Cap]) -> Excess | None:
        """Count a turn in every window that has a limit, unless one is full: then return which."""
        caps = [cap for cap in caps if cap.most]
        full: list[Excess] = []

        def taken(value: Mapping[str, object], now: float) -> Mapping[str, object]:
            full[:] = [cap.excess for cap in caps if cap.window.total(value, now) >= cap.most]
            counted = [] if full else [cap.window for cap in caps if cap.is_counted]
            return {**value, **{window.name: window.added(value, 1, now) for window in counted}}

        if caps:
            await self._change(blank, taken)
        return full[0] if full else None

    async def _add(self, blank: Record, windows: list[_Window], amount: int) -> None:
        def added(value: Mapping[str, object], now: float) -> Mapping[str, object]:
            return {**value, **{window.name: window.added(value, amount, now) for window in windows}}

        await self._change(blank, added)

    async def _change(
        self, blank: Record, change: Callable[[Mapping[str, object], float], Mapping[str, object]]
    ) -> None:
        """Replace the counts by what *change* makes of them; an empty record is deleted."""
        now = self._clock()

        def changed(record: Record | None) -> Record | None:
            value = change({} if record is None else record.value, now)
            return replace(blank, value=value, expires=now + _DAY + _HOUR) if value else None

        try:
            await self._store.change(blank.namespace, blank.key, changed)
        except StoreError as error:
            self._complain(error)
        else:
            self._is_failing = False

    def _complain(self, error: StoreError) -> None:
        if not self._is_failing:
            self._is_failing = True
            logger.warning("limits by hour and day are off, active turns are still limited: %s", error, exc_info=error)


def _record_of_person(person: str) -> Record:
    return Record(Namespace.COUNTS, f"person:{person}", owner=person)


def _record_of_server(server: str) -> Record:
    return Record(Namespace.COUNTS, f"server:{server}", server=server)


def _less(counts: Counter[str], key: str) -> None:
    """Decrement *key* and remove it at zero."""
    if counts[key] > 1:
        counts[key] -= 1
    else:
        counts.pop(key, None)


def _of_person(config: LimitsConfig) -> list[_Cap]:
    return [
        _Cap(_TURNS_AN_HOUR, config.user_per_hour, Excess.USER_PER_HOUR),
        _Cap(_TURNS_A_DAY, config.user_per_day, Excess.USER_PER_DAY),
    ]


def _of_server(config: LimitsConfig) -> list[_Cap]:
    return [
        _Cap(_TURNS_AN_HOUR, config.server_per_hour, Excess.SERVER_PER_HOUR),
        _Cap(_TURNS_A_DAY, config.server_per_day, Excess.SERVER_PER_DAY),
        _Cap(_TOKENS_A_DAY, config.server_tokens_per_day, Excess.SERVER_TOKENS, is_counted=False),
    ]
