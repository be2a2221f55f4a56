"""The pace of a reply: what is to be done with the first queued post, and when.

Everything here is arithmetic. The sender passes in the time and what the target allows, and does the waiting. A target
with a rate limit is never sent more than it takes: posts that would have to wait are merged with those that arrive
meanwhile.
"""

from __future__ import annotations

from enum import Enum, auto
from itertools import takewhile
from math import inf
from typing import NamedTuple, TypeAlias

from ...settings import Settings
from ...stages.s7_allowance import ration
from ...stages.s7_merging import joinable
from ...targets.target import MARKDOWN, Allowance, Markup
from .queue import Parcel, Waiting

_INSTANT = 1e-6
"""Shorter waits are rounding errors of floats."""

_PATIENCE = 60.0
"""Seconds for which a target may report that it takes nothing. Then it is sent a post anyway, and handles the limit."""


class Wait(NamedTuple):
    """Nothing is sent for a while."""

    seconds: float
    reason: str
    """``typing`` or ``rate_limit``."""
    typed_at: float
    """When the typing of the first post is over."""
    shortened: str = ""
    """Why the typing is shortened: ``finished`` or ``queue``; empty if it is not."""


class Join(NamedTuple):
    """The first *posts* are merged."""

    posts: int


class Act(Enum):
    """What is done at once with the first post."""

    PREPARE = auto()
    SEND = auto()


Step: TypeAlias = Wait | Join | Act


class Pacing:
    """Decides when a post is sent, and with how many others. It belongs to one reply."""

    def __init__(
        self,
        settings: Settings | None,
        now: float,
        *,
        limit: int,
        markup: Markup = MARKDOWN,
        is_metered: bool = False,
        shows_notices: bool = True,
    ) -> None:
        """Begin at *now*. Without *settings* typing has no budget.

        *is_metered* says whether the target has a rate limit, *shows_notices* whether notices are no messages there.
        """
        self._typing_left = settings.delivery.typing_budget if settings else inf
        self._typing_tail = settings.delivery.typing_tail if settings else inf
        self._room = (settings or Settings()).turn.queue
        self._limit = limit
        self._markup = markup
        self._is_metered = is_metered
        self._shows_notices = shows_notices
        self._haste = 1.0  # by what every pause is multiplied; less once the queue is full or the model has finished
        self._hurry = ""  # why
        self._last_sent = now
        self._was_short = False  # whether the rate limit delayed the reply before
        self._waited = 0.0  # seconds since the target last took a post

    # --- what happened ---------------------------------------------------------------------

    def changed(self, waiting: Waiting) -> bool:
        """Note what is *waiting* and return whether there is room for more. A full queue shortens the typing."""
        if self._is_full(waiting):
            self.hasten(waiting, "queue")  # the model must not wait for the typing
            return False
        self._haste = 1.0
        return True

    def _is_full(self, waiting: Waiting) -> bool:
        """Return whether the queue is full; where posts can be merged, only their size counts."""
        if len(waiting) < self._room or not self._is_metered:
            return len(waiting) >= self._room
        return waiting.size >= self._room * self._limit

    def hasten(self, waiting: Waiting, why: str = "finished") -> None:
        """Shorten the pauses of the queued posts to ``typing_tail`` seconds together, because of *why*."""
        self._hurry = why
        self._haste = min(1.0, self._typing_tail / waiting.pauses) if waiting.pauses > 0.0 else 1.0

    def waited(self, wait: Wait, begun: float, now: float) -> None:
        """Note the time from *begun* to *now*, of which only the typing counts against the budget."""
        if wait.reason == "rate_limit":
            self._waited += now - begun
        self._typing_left = max(0.0, self._typing_left - max(0.0, min(now, wait.typed_at) - begun))

    def sent(self, now: float) -> None:
        """Note that a message was sent."""
        self._last_sent = now

    # --- what is next ------------------------------------------------------------------------

    def is_limited(self, first: Parcel) -> bool:
        """Return whether the target must be asked what it takes before *first* is dealt with."""
        return self._is_metered and not (first.is_goodbye or self._is_beside(first) or _is_unpainted(first))

    def step(self, waiting: Waiting, now: float, allowance: Allowance | None, *, is_last: bool, is_ready: bool) -> Step:
        """Return what to do next with the first of *waiting*.

        *allowance* is what the target takes now, ``None`` without a limit. With *is_last* no more posts will come;
        *is_ready* says that the first needs no preparation.
        """
        first = waiting.first
        typed_at = self._last_sent + first.post.pause * self._haste
        if _is_unpainted(first):
            return Act.PREPARE  # a picture is never merged, so it can be painted during a rate limit
        if allowance is not None:
            together = joinable((one.post for one in takewhile(first.may_join, waiting)), self._limit, self._markup)
            most = together * max(1, allowance.limit) + 1  # with more of them nothing would be decided otherwise
            due = self._due(waiting, now, most=most, resets_in=max(0.0, allowance.seconds) if is_last else 0.0)
            wait, count = self._permit(together, due, allowance, is_last=is_last, since=now - self._last_sent)
            if wait:
                return Wait(wait, "rate_limit", typed_at)
            if count > 1 and not first.is_joined:
                return Join(count)
        if not is_ready:
            return Act.PREPARE
        typing = min(typed_at - now, self._typing_left)
        if typing <= _INSTANT:
            return Act.SEND
        return Wait(typing, "typing", typed_at, self._hurry if self._haste < 1.0 else "")

    def can_leave(self, allowance: Allowance | None) -> bool:
        """Return whether one message, the last of the reply, can be sent now."""
        return allowance is None or not self._permit(1, 1, allowance, is_last=True, since=0.0)[0]

    def _permit(
        self, together: int, due: int, allowance: Allowance, *, is_last: bool, since: float
    ) -> tuple[float, int]:
        """Return the seconds to wait, and how many of the *due* posts to merge, of which *together* can be."""
        wait, share, is_forced = ration(allowance, due, is_last=is_last, since=since, was_short=self._was_short)
        count = min(together, share)
        if wait <= _INSTANT:
            self._waited = 0.0
            return 0.0, count
        if self._waited >= _PATIENCE or not (is_forced or count == due):  # a full message need not wait for more text
            return 0.0, count
        self._was_short = self._was_short or is_forced
        return wait, count

    def _due(self, waiting: Waiting, now: float, *, most: int, resets_in: float) -> int:
        """The number of posts that could be sent now: the first, and those after it whose typing would be over.

        At the end these are all whose typing will be over before the limit resets: they share what is left. It counts
        up to *most*.
        """
        typed, due = 0.0, 0
        since = (now - self._last_sent if self._typing_left > _INSTANT else inf) + resets_in
        for parcel in waiting:
            typed += parcel.post.pause * self._haste
            if due == most or (due and typed > since + _INSTANT):
                break
            due += not self._is_beside(parcel)
        return due

    def _is_beside(self, parcel: Parcel) -> bool:
        """Return whether *parcel* is a notice that is no message of the chat."""
        return parcel.notice is not None and self._shows_notices


def _is_unpainted(parcel: Parcel) -> bool:
    return bool(parcel.post.instead) and not parcel.is_prepared
