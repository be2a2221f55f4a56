"""How many messages a target takes, and what that means for those that wait."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from ...stages.s7_allowance import Ration, ration
from ...stages.s7_delivery import Allowance, Target
from ...stages.s7_merging import joinable
from ...types import Post

_INSTANT = 1e-6
"""Less than this is no time."""

_PATIENCE = 60.0
"""Seconds for which a target is believed that it takes nothing. Then it is sent something: it knows what to do with it."""


class SendPermit(NamedTuple):
    """What may leave, and when."""

    wait: float = 0.0
    """Seconds for which nothing may."""
    posts: int = 1
    """How many of the posts that wait should then be one message."""


class AllowanceMeter:
    """Asks a target what it takes. One that does not say takes everything, as it is.

    It belongs to one reply, and remembers whether that was short of messages before.
    """

    def __init__(self, target: Target, limit: int) -> None:
        ask = getattr(target, "allowance", None)  # isinstance of a protocol takes long, and every reply asks
        self._ask = ask if callable(ask) else None
        self._limit = limit
        self._was_short = False
        self._waited = 0.0  # seconds, since it last took something

    def __bool__(self) -> bool:
        """Whether the target says anything."""
        return self._ask is not None

    def leave(self, posts: Sequence[Post], due: int, *, is_last: bool, since: float) -> SendPermit:
        """What may leave of *posts*, the first of those that are *due* and may be put together.

        *is_last* says whether no more will come, *since* how long ago the last message was sent.
        """
        found = self._ration(posts[0], due, is_last=is_last, since=since)
        if found is None:
            return SendPermit()
        wait, share, is_forced = found
        count = joinable(posts[:share], self._limit)
        if wait <= _INSTANT:
            self._waited = 0.0
            return SendPermit(0.0, count)
        if self._waited >= _PATIENCE or not (is_forced or count == due):  # one that is full need not wait for more
            return SendPermit(0.0, count)
        self._was_short = self._was_short or is_forced
        return SendPermit(wait, count)

    def waited(self, seconds: float) -> None:
        """Nothing left for *seconds*, because the target said so."""
        self._waited += seconds

    def _ration(self, post: Post, due: int, *, is_last: bool, since: float) -> Ration | None:
        """What the target has to say of *post*: it is foreign code, and if that makes no sense it has said nothing."""
        with suppress(Exception, CancelledError):  # nothing is awaited here: that cannot be our own
            found = self._ask(post.identity) if self._ask else None
            if isinstance(found, Allowance):
                return ration(found, due, is_last=is_last, since=since, was_short=self._was_short)
        return None
