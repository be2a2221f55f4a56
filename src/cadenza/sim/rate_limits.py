"""How often the simulated Discord may be asked.

Discord counts in windows: the first request opens one, it takes so many, and when its time is over the next request opens
another. There is a bucket for every kind of request and channel, server or webhook, and headers tell of it; a limit over
everything; one for all webhooks of a channel, of which no header tells; and whoever is refused too often is banned.
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
"""Seconds. Clocks are not exact: a window is over when so little of it is left."""
_MANY = 4096
"""As many windows are kept before those that are over are swept out."""


class Rate(NamedTuple):
    """So many in so many seconds."""

    limit: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Quota:
    """How often a kind of request is taken, for each channel, server or webhook."""

    match: str
    """A method and a path: ``POST /channels/*/messages``."""
    limit: int
    seconds: float

    @property
    def rate(self) -> Rate:
        """Without what it is about."""
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
"""What has been seen of Discord; it promises none of it."""
OVERALL: Final = Rate(50, 1.0)
"""Of everything, for each bot; and for all who speak through webhooks."""
WEBHOOK_CHANNEL: Final = Rate(30, 60.0)
"""Of what all webhooks of a channel say together."""
INVALID: Final = Rate(10_000, 600.0)
"""Of refusals, until there is a ban."""


class Scope(Enum):
    """Whose limit it was: the value is what ``X-RateLimit-Scope`` says."""

    USER = "user"
    SHARED = "shared"
    """Of everybody who asks for the same thing; it does not count towards a ban."""
    GLOBAL = "global"


class Denial(NamedTuple):
    """Not now."""

    retry_after: float
    scope: Scope


@dataclass(frozen=True, slots=True)
class Taken:
    """What the limits say to a request."""

    denial: Denial | None = None
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """What is told of the bucket, if there is one."""


@dataclass(slots=True)
class _Window:
    """One stretch of time."""

    ends: float
    used: int = 0


class _Windows:
    """The windows of many buckets, by their names."""

    def __init__(self) -> None:
        self._windows: dict[tuple[str, ...], _Window] = {}

    def at(self, name: tuple[str, ...], rate: Rate, now: float) -> _Window:
        """The window that is open, or a new one."""
        window = self._windows.get(name)
        if window is None or window.ends - now < _INSTANT:
            self._sweep(now)
            window = self._windows[name] = _Window(now + rate.seconds)
        return window

    def take(self, name: tuple[str, ...], rate: Rate, now: float) -> float:
        """Take one; seconds to wait if there is none left, 0 if there was."""
        window = self.at(name, rate, now)
        if window.used >= rate.limit:
            return window.ends - now
        window.used += 1
        return 0.0

    def _sweep(self, now: float) -> None:
        if len(self._windows) >= _MANY:
            self._windows = {name: window for name, window in self._windows.items() if window.ends > now}


class RateLimits:
    """All limits of one simulated Discord. *quotas* go before those that are known; the first that fits holds.

    Times are seconds on whatever clock the caller has.
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
        """Seconds until somebody who was banned may ask again; 0 if nobody is."""
        return max(0.0, self._banned_until - now)

    def take(
        self, method: str, path: str, *, who: str, now: float, webhook_channel: str = "", is_exempt: bool = False
    ) -> Taken:
        """Count a request of *who*; a webhook that is to speak in *webhook_channel* shares that channel's limit.

        One that *is_exempt* does not count towards the limit over everything: answers to interactions do not.
        """
        if self._overall and not is_exempt and (wait := self._windows.take(("all", who), self._overall, now)):
            return Taken(Denial(wait, Scope.GLOBAL), {"X-RateLimit-Global": "true"})
        denial, headers = self._take_of_bucket(method, path, who, now)
        if denial is None and self._webhook_channel and webhook_channel:
            wait = self._windows.take(("webhooks of", webhook_channel), self._webhook_channel, now)
            denial = Denial(wait, Scope.SHARED) if wait else None
        return Taken(denial, headers)

    def note(self, status: int, scope: Scope | None, now: float) -> None:
        """Count an answer that was a refusal; too many of them are a ban."""
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
    """In whole thousandths, and never too early."""
    return ceil((seconds - _INSTANT / 10) * 1000) / 1000


def _resource(path: str) -> tuple[str, ...]:
    """What a path is about, at the top: a channel, a server, or a webhook with its token."""
    kind, *rest = split(path)
    return (kind, *rest[: 2 if kind == "webhooks" else 1])


def _told(quota: Quota, window: _Window, now: float) -> Mapping[str, str]:
    """What the headers say of a bucket. Its name is that of the kind of request, not of the channel."""
    return {
        "X-RateLimit-Limit": str(quota.limit),
        "X-RateLimit-Remaining": str(quota.limit - window.used),
        "X-RateLimit-Reset": f"{round_up(window.ends):.3f}",
        "X-RateLimit-Reset-After": f"{round_up(window.ends - now):.3f}",
        "X-RateLimit-Bucket": hashlib.blake2s(quota.match.encode(), digest_size=16).hexdigest(),
    }
