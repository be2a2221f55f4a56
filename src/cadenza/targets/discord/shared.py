"""What all Discord targets of one bot share: its webhooks, where it may not speak, and whether it may speak at all."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import NamedTuple
from weakref import WeakValueDictionary

from ...errors import DeliveryError, DeliveryKind
from .api import ApiError
from .policies import OTHERWISE, Policy, Step
from .throttle import Throttle
from .webhooks import Webhooks

logger = logging.getLogger(__name__)

_MOST_CHANNELS = 2000
_MOST_MESSAGES = 4096


class _Refusal(NamedTuple):
    reason: str
    until: float


class DiscordState:
    """One for each bot. It holds no task and nothing that has to be closed."""

    def __init__(
        self,
        webhooks: Webhooks,
        *,
        clock: Callable[[], float] = time.monotonic,
        blocked_seconds: float = 900.0,
        complaint_seconds: float = 600.0,
    ) -> None:
        self.webhooks = webhooks
        self._clock = clock
        self.blocked_seconds = blocked_seconds
        """How long nothing is tried in a channel after a refusal that is remembered."""
        self._complaint_seconds = complaint_seconds
        self._refusals: dict[str, _Refusal] = {}  # the one that was noted longest ago is first, here and below
        self._complaints: dict[str, float] = {}
        self._messages: dict[str, None] = {}
        self._broken: Policy | None = None
        self._locks: WeakValueDictionary[tuple[str, str, str], asyncio.Lock] = WeakValueDictionary()

    @property
    def throttle(self) -> Throttle:
        """How often the bot asks anything of Discord, over all its channels."""
        return self.webhooks.throttle

    # --- where nothing may be said ------------------------------------------------------

    def blocked(self, channel: str, /) -> str | None:
        """Why nothing could be said in *channel* a while ago, such as ``missing_permissions``; ``None`` if it may be tried.

        Ask before a model is asked: its answer could not be sent. A message that arrives, or a quarter of an hour, ends it.
        """
        refusal = self._refusals.get(channel)
        if refusal is None:
            return None
        if refusal.until <= self._clock():
            del self._refusals[channel]
            return None
        return refusal.reason

    def refused(self, channel: str, policy: Policy, error: ApiError, /) -> DeliveryError:
        """A message to *channel* was refused for good: remember what *policy* says, and give back what is to be raised."""
        match policy.step:
            case Step.BREAK:
                self.shut(policy)
            case Step.SKIP:
                logger.info("a message to channel %s was left out (%s)", channel, policy.name)
            case _:
                self._log(channel, policy, error)
        if policy.is_remembered:
            self._refusals.pop(channel, None)
            _make_room(self._refusals, _MOST_CHANNELS)
            self._refusals[channel] = _Refusal(policy.name, self._clock() + self.blocked_seconds)
        return policy.error(error)

    def _log(self, channel: str, policy: Policy, error: ApiError) -> None:
        """Only the first refusal of a channel is an error to operators; that a channel is gone is none at all."""
        is_quiet = policy.kind in (DeliveryKind.CHANNEL_GONE, DeliveryKind.MISSING_ACCESS) or self.blocked(channel)
        level = logging.WARNING if is_quiet else logging.ERROR
        told = error if policy is OTHERWISE else policy.told  # people are told to look here for what it answered
        logger.log(level, "a message to channel %s was refused (%s): %s", channel, policy.name, told)

    def unremoved(self, policy: Policy, error: ApiError, /) -> DeliveryError:
        """A message could not be taken back; that says nothing of whether another can be sent, unless none can."""
        if policy.step is Step.BREAK:
            self.shut(policy)
        return policy.error(error)

    def note_success(self, channel: str, message: str, /) -> None:
        """*message* arrived in *channel*: it is not looked for again, and the channel is open."""
        self._refusals.pop(channel, None)
        _make_room(self._messages, _MOST_MESSAGES)
        self._messages[message] = None

    def alone(self, channel: str, name: str, content: str, /) -> asyncio.Lock:
        """To be held by whoever says *content* as *name* in *channel*, until it is known what became of it."""
        return self._locks.setdefault((channel, name, content), asyncio.Lock())

    def is_known(self, message: str, /) -> bool:
        """Whether *message* is one that was noted: whoever looks for another one must not take it for theirs."""
        return message in self._messages

    def may_complain(self, channel: str, /) -> bool:
        """Whether people in *channel* may be told that a name cannot be shown; if so, not again for ten minutes."""
        now = self._clock()
        last = self._complaints.get(channel)
        if last is not None and now - last < self._complaint_seconds:
            return False
        self._complaints.pop(channel, None)
        _make_room(self._complaints, _MOST_CHANNELS)
        self._complaints[channel] = now
        return True

    # --- whether anything may be said ----------------------------------------------------

    @property
    def broken(self) -> str | None:
        """Why nothing is sent at all, such as ``banned``; ``None`` if all is well."""
        return None if self._broken is None else self._broken.name

    def check(self) -> None:
        """Raise a ``DeliveryError`` if nothing is to be sent at all."""
        if self._broken is not None:
            raise self._broken.error()

    def shut(self, policy: Policy, /) -> None:
        """Send nothing more: each further request would make it worse."""
        if self._broken is None:
            logger.critical("nothing more is sent to Discord (%s): %s", policy.name, policy.told)
        self._broken = policy

    def reset(self) -> None:
        """Send again: the operator has seen to it."""
        self._broken = None


def _make_room(entries: dict[str, _Refusal] | dict[str, float] | dict[str, None], most: int) -> None:
    """Forget the oldest of *entries*, so that there is room for one more."""
    while len(entries) >= most:
        del entries[next(iter(entries))]
