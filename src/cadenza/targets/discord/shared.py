"""State that all Discord targets of one bot share: webhooks, blocked channels, and the cooldown of the bot."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import NamedTuple
from weakref import WeakValueDictionary

from ...errors import DeliveryError, DeliveryKind
from ...explain.tracebacks import get_logger
from .api import ApiError
from .cooldown import Cooldown
from .policies import OTHERWISE, Policy, Step
from .throttle import Throttle
from .webhooks import Webhooks

logger = get_logger(__name__)

_MOST_CHANNELS = 2000
_MOST_MESSAGES = 4096


class _Refusal(NamedTuple):
    reason: str
    until: float


class DiscordState:
    """One for each bot. It has no tasks and nothing to close."""

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
        """How long a channel stays blocked."""
        self._complaint_seconds = complaint_seconds
        self._refusals: dict[str, _Refusal] = {}  # the oldest first, here and below
        self._complaints: dict[str, float] = {}
        self._messages: dict[str, None] = {}
        self._locks: WeakValueDictionary[tuple[str, str, str], asyncio.Lock] = WeakValueDictionary()

    @property
    def throttle(self) -> Throttle:
        """The bot's global rate limit."""
        return self.webhooks.throttle

    @property
    def cooldown(self) -> Cooldown:
        """Whether Discord shuts the bot out."""
        return self.throttle.cooldown

    # --- blocked channels ---------------------------------------------------------------

    def blocked(self, channel: str, /) -> str | None:
        """Why *channel* is blocked, such as ``missing_permissions``; ``None`` if it is not.

        Check it before a model is asked: its answer could not be sent. A message that arrives, or 15 minutes, unblocks it.
        A long cooldown of the bot blocks all channels; what is left of it at its end is waited for.
        """
        if self.cooldown.is_long:
            return self.cooldown.reason
        refusal = self._refusals.get(channel)
        if refusal is None:
            return None
        if refusal.until <= self._clock():
            del self._refusals[channel]
            return None
        return refusal.reason

    def refused(self, channel: str, policy: Policy, error: ApiError, /) -> DeliveryError:
        """Log and remember that a message to *channel* was refused for good; returns the error to raise."""
        match policy.step:
            case Step.SKIP | Step.COOLDOWN:  # the cooldown has a line of its own
                logger.info("a message to channel %s was not sent (%s)", channel, policy.name)
            case _:
                self._log(channel, policy, error)
        if policy.is_remembered:
            self._refusals.pop(channel, None)
            _make_room(self._refusals, _MOST_CHANNELS)
            self._refusals[channel] = _Refusal(policy.name, self._clock() + self.blocked_seconds)
        return policy.error(error, wait=self.cooldown.left)

    def _log(self, channel: str, policy: Policy, error: ApiError) -> None:
        """Log at level ERROR only the first refusal of a channel; a deleted channel is a warning."""
        is_quiet = policy.kind in (DeliveryKind.CHANNEL_GONE, DeliveryKind.MISSING_ACCESS) or self.blocked(channel)
        level = logging.WARNING if is_quiet else logging.ERROR
        told = error if policy is OTHERWISE else policy.told  # the notice sends people here for Discord's answer
        logger.log(level, "a message to channel %s was refused (%s): %s", channel, policy.name, told)

    def note_success(self, channel: str, message: str, /) -> None:
        """Note that *message* arrived: the channel is not blocked, and a search for another message skips this one."""
        self._refusals.pop(channel, None)
        _make_room(self._messages, _MOST_MESSAGES)
        self._messages[message] = None

    def alone(self, channel: str, name: str, content: str, /) -> asyncio.Lock:
        """Lock for sending *content* as *name* in *channel*: two equal messages in flight could not be told apart."""
        return self._locks.setdefault((channel, name, content), asyncio.Lock())

    def is_known(self, message: str, /) -> bool:
        """Whether *message* was noted as arrived: a search for another message must skip it."""
        return message in self._messages

    def may_complain(self, channel: str, /) -> bool:
        """Whether *channel* may get the notice that a name cannot be shown; at most once in ten minutes."""
        now = self._clock()
        last = self._complaints.get(channel)
        if last is not None and now - last < self._complaint_seconds:
            return False
        self._complaints.pop(channel, None)
        _make_room(self._complaints, _MOST_CHANNELS)
        self._complaints[channel] = now
        return True

    def reset(self) -> None:
        """End the cooldown of the bot by hand."""
        self.cooldown.reset()


def _make_room(entries: dict[str, _Refusal] | dict[str, float] | dict[str, None], most: int) -> None:
    """Drop the oldest of *entries* to make room for one more."""
    while len(entries) >= most:
        del entries[next(iter(entries))]
