"""The rate limits of the simulated Discord.

Discord counts in windows: the first request opens one with a fixed quota, and the first request after its end opens the
next. There is a bucket for every kind of request and channel, guild or webhook, which headers describe; a global limit; a
limit for all webhooks of a channel, which no header describes; and a ban after too many refusals.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from http import HTTPStatus
from math import ceil
from types import MappingProxyType
from typing import Final, NamedTuple, Self

from .paths import Pattern, split

_INSTANT = 1e-4
"""Seconds. Clocks are not exact: a window with less than this left is over."""
_MANY = 4096
"""With more windows than this, those that are over are dropped."""


class Rate(NamedTuple):
    """A number of requests in a number of seconds."""

    limit: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Quota:
    """How often a kind of request is accepted, for each channel, guild or webhook."""

    match: str
    """A method and a path: ``POST /channels/*/messages``."""
    limit: int
    seconds: float

    @property
    def rate(self) -> Rate:
        """The quota without its match."""
        return Rate(self.limit, self.seconds)


QUOTAS: Final = (
    Quota("POST /channels/*/messages", 5, 5.0),
    Quota("PATCH /channels/*/messages/*", 5, 5.0),
    Quota("DELETE /channels/*/messages/*", 5, 1.0),
    Quota("POST /channels/*/messages/bulk-delete", 1, 1.0),
    Quota("GET /channels/*/messages", 5, 5.0),
    Quota("POST /channels/*/typing", 5, 5.0),
    Quota("* /channels/*/messages/*/reactions/**", 1, 0.25),
    Quota("POST /webhooks/*/*", 5, 2.0),
    Quota("* /webhooks/*/*/messages/*", 5, 2.0),
    Quota("PATCH /webhooks/*", 2, 60.0),
    Quota("PATCH /webhooks/*/*", 2, 60.0),
)
"""As observed; Discord documents none of them."""
OVERALL: Final = Rate(50, 1.0)
"""Of all requests, for each bot; and for all requests of webhooks together."""
WEBHOOK_CHANNEL: Final = Rate(30, 60.0)
"""Of the messages of all webhooks of a channel."""
INVALID: Final = Rate(10_000, 600.0)
"""Of refusals, before a ban."""


class Scope(Enum):
    """Whose limit it was; the value of ``X-RateLimit-Scope``."""

    USER = "user"
    SHARED = "shared"
    """Shared by all callers of a resource; it does not count towards a ban."""
    GLOBAL = "global"


class Denial(NamedTuple):
    """A rate-limited request."""

    retry_after: float
    scope: Scope


@dataclass(frozen=True, slots=True)
class Taken:
    """The outcome of a request against the limits."""

    denial: Denial | None = None
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The rate limit headers, if there is a bucket."""


@dataclass(slots=True)
class _Window:
    """One window of a bucket."""

    ends: float
    used: int = 0


class _Windows:
    """The windows of all buckets, by name."""

    def __init__(self) -> None:
        self._windows: dict[tuple[str, ...], _Window] = {}

    def at(self, name: tuple[str, ...], rate: Rate, now: float) -> _Window:
        """The open window, or a new one."""
        window = self._windows.get(name)
        if window is None or window.ends - now < _INSTANT:
            if len(self._windows) >= _MANY:
                self._windows = {key: window for key, window in self._windows.items() if window.ends > now}
            window = self._windows[name] = _Window(now + rate.seconds)
        return window

    def take(self, name: tuple[str, ...], rate: Rate, now: float) -> float:
        """Count one request; returns the seconds to wait if the window is full, else 0."""
        window = self.at(name, rate, now)
        if window.used >= rate.limit:
            return window.ends - now
        window.used += 1
        return 0.0


class RateLimits:
    """All limits of one simulated Discord. *quotas* go before the default ones; the first match counts.

    Times are seconds on the caller's clock.
    """

    def __init__(
        self,
        *quotas: Quota,
        others: tuple[Quota, ...] = QUOTAS,
        overall: Rate | None = OVERALL,
        webhook_channel: Rate | None = WEBHOOK_CHANNEL,
        invalid: Rate | None = INVALID,
        ban: float = 600.0,
    ) -> None:
        self._quotas = [(Pattern.read(quota.match), quota) for quota in (*quotas, *others)]
        self._overall = overall
        self._webhook_channel = webhook_channel
        self._invalid = invalid
        self._ban = ban
        self._banned_until = float("-inf")
        self._windows = _Windows()

    @classmethod
    def off(cls) -> Self:
        """No limits at all."""
        return cls(others=(), overall=None, webhook_channel=None, invalid=None)

    def ban_left(self, now: float) -> float:
        """Seconds left of a ban; 0 without one."""
        return max(0.0, self._banned_until - now)

    def take(
        self, method: str, path: str, *, who: str, now: float, webhook_channel: str = "", is_exempt: bool = False
    ) -> Taken:
        """Count a request of *who*; a webhook message counts towards the limit of its *webhook_channel*.

        Answers to interactions are *is_exempt*: they do not count towards the global limit.
        """
        if self._overall and not is_exempt and (wait := self._windows.take(("all", who), self._overall, now)):
            return Taken(Denial(wait, Scope.GLOBAL), {"X-RateLimit-Global": "true"})
        denial, headers = self._take_of_bucket(method, path, who, now)
        if denial is None and self._webhook_channel and webhook_channel:
            wait = self._windows.take(("webhooks of", webhook_channel), self._webhook_channel, now)
            denial = Denial(wait, Scope.SHARED) if wait else None
        return Taken(denial, headers)

    def note(self, status: int, scope: Scope | None, now: float) -> None:
        """Count a refusal; too many of them lead to a ban."""
        if self._invalid is None or scope is Scope.SHARED or status not in _INVALID:
            return
        window = self._windows.at(("invalid",), self._invalid, now)
        window.used += 1
        if window.used >= self._invalid.limit:
            self._banned_until = now + self._ban
            window.used = 0

    def _take_of_bucket(self, method: str, path: str, who: str, now: float) -> tuple[Denial | None, Mapping[str, str]]:
        quota = next((quota for pattern, quota in self._quotas if pattern.fits(method, path)), None)
        if quota is None:
            return None, {}
        name = (quota.match, who, *_resource(path))
        wait = self._windows.take(name, quota.rate, now)
        window = self._windows.at(name, quota.rate, now)
        return (Denial(wait, Scope.USER) if wait else None), _told(quota, window, now)


_INVALID = frozenset((HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS))


def round_up(seconds: float) -> float:
    """*seconds* rounded up to milliseconds."""
    return ceil((seconds - _INSTANT / 10) * 1000) / 1000


def _resource(path: str) -> tuple[str, ...]:
    """The main resource of a path: a channel, a guild, or a webhook with its token."""
    kind, *rest = split(path)
    return (kind, *rest[: 2 if kind == "webhooks" else 1])


def _told(quota: Quota, window: _Window, now: float) -> Mapping[str, str]:
    """The headers of a bucket. Its hash depends on the kind of request, not on the channel."""
    return {
        "X-RateLimit-Limit": str(quota.limit),
        "X-RateLimit-Remaining": str(quota.limit - window.used),
        "X-RateLimit-Reset": f"{round_up(window.ends):.3f}",
        "X-RateLimit-Reset-After": f"{round_up(window.ends - now):.3f}",
        "X-RateLimit-Bucket": hashlib.blake2s(quota.match.encode(), digest_size=16).hexdigest(),
    }
