"""The rate limit of a target, applied to the queued posts."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from ...explain.tracebacks import get_logger
from ...stages.s7_allowance import Ration, ration
from ...stages.s7_merging import joinable
from ...targets.target import Allowance, Target
from ...types import Post

logger = get_logger(__name__)

T = TypeVar("T")

_INSTANT = 1e-6
"""Shorter waits are rounding errors of floats."""

_PATIENCE = 60.0
"""Seconds for which a target may report that it takes nothing. Then it is sent a post anyway, and handles the limit."""


class SendPermit(NamedTuple):
    """What may be sent, and when."""

    wait: float = 0.0
    """Seconds until something may."""
    posts: int = 1
    """Number of queued posts to merge into the next message."""


class AllowanceMeter:
    """Asks a target for its allowance. A target without one has no limit.

    It belongs to one reply and remembers whether the reply was limited before.
    """

    def __init__(self, target: Target, limit: int) -> None:
        ask = getattr(target, "allowance", None)  # isinstance of a protocol is slow
        self._ask = ask if callable(ask) else None
        self._limit = limit
        self._markup = target.limits.markup
        self._was_short = False
        self._waited = 0.0  # seconds since the target last took a post

    def __bool__(self) -> bool:
        """Whether the target has an allowance."""
        return self._ask is not None

    def leave(self, posts: Sequence[Post], due: int, *, is_last: bool, since: float) -> SendPermit:
        """Return what may be sent of *posts*: those at the front of the *due* ones that may be merged.

        With *is_last* no more will come; *since* is the time since the last message.
        """
        found = self._ration(posts[0], due, is_last=is_last, since=since)
        if found is None:
            return SendPermit()
        wait, share, is_forced = found
        count = joinable(posts[:share], self._limit, self._markup)
        if wait <= _INSTANT:
            self._waited = 0.0
            return SendPermit(0.0, count)
        if self._waited >= _PATIENCE or not (is_forced or count == due):  # a full message need not wait for more text
            return SendPermit(0.0, count)
        self._was_short = self._was_short or is_forced
        return SendPermit(wait, count)

    def waited(self, seconds: float) -> None:
        """Note that nothing was sent for *seconds* because of the limit."""
        self._waited += seconds

    def resets_in(self, post: Post) -> float:
        """Return the seconds until the limit for *post* resets."""
        return self._asked(post, lambda found: max(0.0, float(found.seconds))) or 0.0

    def _ration(self, post: Post, due: int, *, is_last: bool, since: float) -> Ration | None:
        """Return the share of *post*; ``None`` without a valid allowance."""
        return self._asked(
            post, lambda found: ration(found, due, is_last=is_last, since=since, was_short=self._was_short)
        )

    def _asked(self, post: Post, work: Callable[[Allowance], T]) -> T | None:
        """Apply *work* to the allowance for *post*; ``None`` if the target, which is foreign code, has no valid one."""
        try:
            found = self._ask(post.identity) if self._ask else None
            if isinstance(found, Allowance):
                return work(found)
        except (Exception, CancelledError) as error:  # nothing is awaited here, so the cancellation is not ours
            logger.warning("asking the target for its allowance failed", exc_info=error)
        return None
