"""Stage 7: how few messages there may be. A chat takes only so many in a while, and a reply should not run into that.

While more is to come, one message is always left for the end, and once there are few left they are spread over the time
until there are more: what is written meanwhile goes out together, instead of standing in a queue. The last words need
no such care; they leave at once, in as many messages as there are.

Everything here is arithmetic; the clock and the waiting are the outbox's.
"""

from __future__ import annotations

from math import ceil, isfinite
from typing import NamedTuple

from .s7_delivery import Allowance

_LONGEST = 30.0
"""Seconds after which a chat is asked again, however long it says that it takes nothing."""


class Ration(NamedTuple):
    """When the next message may leave, and how much should be in it."""

    wait: float = 0.0
    """Seconds from now."""
    share: int = 1
    """Of how many of the posts that wait it should be made, if they can be one message; 1 is as planned."""
    is_forced: bool = False
    """Whether it could not leave earlier: if not, the wait is only for the sake of what may yet be put behind it."""


def ration(allowance: Allowance, due: int, *, is_last: bool, since: float, was_short: bool) -> Ration:
    """What *allowance* leaves for the next message.

    *due* posts would leave now if there were no limit; *is_last* says whether those are all there will be. The last
    message was sent *since* seconds ago, and the reply *was_short* of messages before.
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
