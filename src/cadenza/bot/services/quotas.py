"""How much anybody may have: active turns, turns an hour and a day, tokens a day.

Windows slide: an hour is the last sixty minutes, counted in bins of five, and a day the last 24 hours, counted in bins of
one. So nobody can have two days' worth around midnight, in whatever time zone that is. What is not limited is not counted.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from ...types import Usage
from ..config.config import LimitsConfig
from ..store.store import Record, Shelf, Store, StoreError

logger = logging.getLogger(__name__)

_HOUR, _DAY = 3600.0, 86400.0
_QUIET = 600.0
"""Seconds in which nobody is told the same twice, even if they were answered in between."""
_EPISODES = 10_000
"""Of how many people it is remembered that they were told."""


class Excess(Enum):
    """What somebody has had enough of."""

    USER_ACTIVE = "user_active"
    SERVER_ACTIVE = "server_active"
    USER_PER_HOUR = "user_per_hour"
    USER_PER_DAY = "user_per_day"
    SERVER_PER_HOUR = "server_per_hour"
    SERVER_PER_DAY = "server_per_day"
    SERVER_TOKENS = "server_tokens_per_day"


@dataclass(frozen=True, slots=True)
class _Window:
    """What is counted over some time, under a name of its own in the record of whoever it is about."""

    name: str
    seconds: float
    bin: float

    def added(self, value: Mapping[str, object], amount: int, now: float) -> dict[str, int]:
        """The bins of *value* with *amount* more, and without those that are over."""
        bins = self._live(value, now)
        at = str(int(now // self.bin * self.bin))
        bins[at] = max(0, bins.get(at, 0) + amount)
        return bins

    def total(self, value: Mapping[str, object], now: float) -> int:
        """How much there was in the time before *now*."""
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
            # What lies ahead was counted by a clock that was wrong; nobody has to wait until it comes true.
            and float(at) <= now + self.seconds
        }


_TURNS_AN_HOUR = _Window("hour", _HOUR, 300.0)
_TURNS_A_DAY = _Window("day", _DAY, _HOUR)
_TOKENS_A_DAY = _Window("tokens", _DAY, _HOUR)


@dataclass(frozen=True, slots=True)
class _Cap:
    """A window that may not be fuller than *most*; 0 is no limit."""

    window: _Window
    most: int
    excess: Excess
    is_counted: bool = True
    """Whether a turn adds one to it."""


class Quotas:
    """Counts what people and servers use. One for a bot; what is of an hour or a day outlives a restart.

    A store that fails keeps nobody from being answered: what is active is counted in memory, and that always holds.
    """

    def __init__(
        self, store: Store, config: Callable[[], LimitsConfig], *, clock: Callable[[], float] = time.time
    ) -> None:
        self._store = store
        self._config = config
        self._clock = clock
        self._people: Counter[str] = Counter()
        self._servers: Counter[str] = Counter()
        self._told: dict[tuple[str, Excess], float] = {}
        self._is_failing = False

    async def admit(self, person: str, server: str) -> Excess | None:
        """Count a turn for *person* in *server* (empty in direct messages) as active, unless that is too much."""
        config = self._config()
        if self._people[person] >= max(1, config.user_active):
            return Excess.USER_ACTIVE
        if server and self._servers[server] >= max(1, config.server_active):
            return Excess.SERVER_ACTIVE
        self._enter(person, server)  # before anything is waited for: nobody comes in meanwhile
        admitted = False
        try:
            excess = await self._count(person, server, config)
            admitted = excess is None
        finally:
            if not admitted:
                self.leave(person, server)
        return excess

    async def admit_again(self, person: str, server: str) -> Excess | None:
        """Count a turn that comes in the place of one that was admitted: over time only, unless that is too much."""
        return await self._count(person, server, self._config())

    def leave(self, person: str, server: str) -> None:
        """A turn that was admitted is over, or was dropped."""
        _less(self._people, person)
        if server:
            _less(self._servers, server)

    async def spent(self, person: str, server: str, usage: Usage) -> None:  # noqa: ARG002  # there is no quota of a person's yet
        """A turn has used so many tokens."""
        tokens = max(0, usage.input_tokens) + max(0, usage.output_tokens)
        if server and tokens and self._config().server_tokens_per_day:
            await self._add(_record_of_server(server), [_TOKENS_A_DAY], tokens)

    async def may_warn(self, person: str, excess: Excess) -> bool:
        """Whether to tell *person* of this: once an episode, not each time.

        An episode lasts until they have been quiet about it for ten minutes.
        """
        now = self._clock()
        before = self._told.pop((person, excess), None)
        if len(self._told) >= _EPISODES:
            self._told = {key: at for key, at in self._told.items() if at > now - _QUIET}
        if len(self._told) < _EPISODES:
            self._told[person, excess] = now
        return before is None or not now - _QUIET < before <= now

    async def left(self, person: str, server: str) -> Mapping[Excess, int]:
        """How much of each limit is left for *person* in *server*; what is not limited is not named."""
        config, now, left = self._config(), self._clock(), dict[Excess, int]()
        records = [(_record_of_person(person), _of_person(config))]
        records += [(_record_of_server(server), _of_server(config))] if server else []
        for blank, caps in records:
            try:
                record = await self._store.get(blank.shelf, blank.key)
            except StoreError as error:
                self._complain(error)
                continue
            value = {} if record is None else record.value
            left |= {cap.excess: max(0, cap.most - cap.window.total(value, now)) for cap in caps if cap.most}
        return left

    @property
    def active(self) -> int:
        """How many turns run or wait, over all servers."""
        return sum(self._people.values())

    def _enter(self, person: str, server: str) -> None:
        self._people[person] += 1
        if server:
            self._servers[server] += 1

    async def _count(self, person: str, server: str, config: LimitsConfig) -> Excess | None:
        """Count a turn over time; if the server has had enough, it is not the person's either."""
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
        """Count a turn in every window that has a limit, unless one of them is full already: then say which."""
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
        """Have *change* make a new value of what was counted; a record of nothing is not kept."""
        now = self._clock()

        def changed(record: Record | None) -> Record | None:
            value = change({} if record is None else record.value, now)
            return replace(blank, value=value, expires=now + _DAY + _HOUR) if value else None

        try:
            await self._store.change(blank.shelf, blank.key, changed)
        except StoreError as error:
            self._complain(error)
        else:
            self._is_failing = False

    def _complain(self, error: StoreError) -> None:
        if not self._is_failing:
            self._is_failing = True
            logger.warning("what people use cannot be counted over time, and only what is active is limited: %s", error)


def _record_of_person(person: str) -> Record:
    return Record(Shelf.COUNTS, f"person:{person}", owner=person)


def _record_of_server(server: str) -> Record:
    return Record(Shelf.COUNTS, f"server:{server}", server=server)


def _less(counts: Counter[str], key: str) -> None:
    """One less of *key*, of which nothing is kept when there is none left."""
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
