"""Stage 7: how a reply stays within the rate limit of a chat.

While more is to come, one message is kept for the end. When few are left, they are spread over the time until the limit
resets, and what is written meanwhile is merged instead of queued. When the model is done, the rest leaves at once, in as
many messages as are left.

Everything here is arithmetic; the clock and the waiting are the outbox's.
"""

from __future__ import annotations

from math import ceil, isfinite
from typing import NamedTuple

from ..targets.target import Allowance

_LONGEST = 30.0
"""Seconds after which a chat is asked again, whatever it said."""


class Ration(NamedTuple):
    """When the next message may leave, and how many posts it should hold."""

    wait: float = 0.0
    """Seconds from now."""
    share: int = 1
    """How many queued posts to merge into it, if they fit; 1 is as planned."""
    is_forced: bool = False
    """Whether the limit forces the wait; if not, the wait only collects more text."""


def ration(allowance: Allowance, due: int, *, is_last: bool, since: float, was_short: bool) -> Ration:
    """The ration for the next message under *allowance*.

    *due* posts would leave now without a limit; *is_last* says that no more will come. The last message was sent *since*
    seconds ago, and *was_short* says that the reply had to wait before.
    """
    limit = max(1, allowance.limit)
    seconds = min(allowance.seconds, _LONGEST) if isfinite(allowance.seconds) else _LONGEST
    left = limit if seconds <= 0.0 else max(0, min(allowance.left, limit))
    seconds = max(0.0, seconds) if left < limit else 0.0
    spare = left if is_last else max(left - 1, int(left == limit))
    if spare <= 0:
        return Ration(seconds, due, is_forced=True)
    if is_last or not (was_short or 2 * left <= limit):
        return Ration(0.0, ceil(due / spare))
    even = (seconds + since) / (spare + 1) if seconds else 0.0
    return Ration(max(0.0, even - since), due)
