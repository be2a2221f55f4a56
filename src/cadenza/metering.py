"""How many messages a target takes, and what that means for those that wait."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from .stages.s7_delivery import Allowance, Target
from .stages.s7_merging import joinable
from .stages.s7_rations import ration
from .types import Identity, Post

_INSTANT = 1e-6
"""Less than this is no time."""


class Leave(NamedTuple):
    """What may leave, and when."""

    wait: float = 0.0
    """Seconds for which nothing may."""
    posts: int = 1
    """How many of the posts that wait should then be one message."""


class Meter:
    """Asks a target what it takes. One that does not say takes everything, as it is.

    It belongs to one reply, and remembers whether that was short of messages before.
    """

    def __init__(self, target: Target, limit: int) -> None:
        ask = getattr(target, "allowance", None)  # isinstance of a protocol takes long, and every reply asks
        self._ask = ask if callable(ask) else None
        self._limit = limit
        self._was_short = False

    def __bool__(self) -> bool:
        """Whether the target says anything."""
        return self._ask is not None

    def leave(self, posts: Sequence[Post], due: int, *, is_last: bool, since: float) -> Leave:
        """What may leave of *posts*, the first of those that are *due* and may be put together.

        *is_last* says whether no more will come, *since* how long ago the last message was sent.
        """
        allowance = self._allowance(posts[0].identity)
        if allowance is None:
            return Leave()
        wait, share, is_forced = ration(allowance, due, is_last=is_last, since=since, was_short=self._was_short)
        count = joinable(posts[:share], self._limit)
        if wait <= _INSTANT or not (is_forced or count == due):  # a message that is full need not wait for more
            return Leave(0.0, count)
        self._was_short = self._was_short or is_forced
        return Leave(wait, count)

    def _allowance(self, identity: Identity | None) -> Allowance | None:
        with suppress(Exception):  # a target is foreign code
            found = self._ask(identity) if self._ask else None
            return found if isinstance(found, Allowance) else None
        return None
