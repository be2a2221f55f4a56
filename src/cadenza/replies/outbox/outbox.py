"""The outbox of a reply: where posts come in, and where the reply asks what became of them.

``PostQueue`` holds the posts, ``Pacing`` decides when each is sent, ``Sender`` does it in a task of its own, and
``TargetCalls`` calls the target. Every change of the queue is told here, and wakes the sender.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from types import TracebackType
from typing import Self

from ...concurrency.stops import StopHandle
from ...concurrency.tasks import outlast
from ...errors import DeliveryError
from ...explain.recorder import Trace
from ...settings import Settings
from ...stages.s4_round import Keep
from ...targets.target import Markup, Target
from ...types import Notice, Post, Receipt, Scene
from ..channel_queue import QueuedReply
from .calls import TargetCalls
from .pacing import Pacing
from .prepare import PostPreparer
from .queue import DroppedPost, DropReason, PostQueue
from .sender import Sender
from .signals import Signals


class Outbox:
    """Sends posts to a target, in order. An async context manager: its end waits for the last one."""

    def __init__(
        self,
        target: Target,
        *,
        settings: Settings | None = None,
        stop: StopHandle | None = None,
        preparer: PostPreparer | None = None,
        scene: Scene | None = None,
        trace: Trace | None = None,
        queued: QueuedReply | None = None,
    ) -> None:
        """Send to *target*; without *settings* typing has no budget and the target alone limits the length.

        Nothing is sent before it is the turn of *queued* in its channel.
        """
        self._loop = asyncio.get_running_loop()
        limits = target.limits
        limit = (settings.delivery.limit if settings else None) or limits.length
        self._target = TargetCalls(target, limit, preparer, scene, trace)
        self._queue = PostQueue(limit, limits.markup)
        self._pacing = Pacing(
            settings,
            self._loop.time(),
            limit=limit,
            markup=limits.markup,
            is_metered=self._target.is_metered,
            shows_notices=self._target.shows_notices,
        )
        self._stop = stop
        self._trace = trace
        self._signals = Signals(self._queue, self._pacing, stop)
        self._queued = queued
        self._outer: Sequence[asyncio.Event] = ()
        self._shows_errors = settings is None or settings.turn.show_errors != "off"
        if queued:
            queued.when_first(self._signals.changed.set)
        self._sending: asyncio.Task[None] | None = None
        self._keep: Keep | None = None  # how the reply was cut
        self.failed: asyncio.Future[DeliveryError] = self._loop.create_future()
        """The failure of a send, which ends the reply."""

    async def __aenter__(self) -> Self:
        if self._queued:
            self._outer = tuple(self._queued.idle)
            self._queued.idle.append(self._signals.idle)
        self._sending = asyncio.create_task(self._send_all(), name="cadenza sender")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.cut(Keep.NOTHING)
        if self._queued:
            self._queued.idle.remove(self._signals.idle)
        self._signals.heeds_stop = False  # no one is left to act upon a stop
        self.close()
        if self._sending:  # also while cancelled: a send under way finishes, and its receipt is kept
            await outlast(self._sending, hurry=lambda: self.cut(Keep.NOTHING))

    async def _send_all(self) -> None:
        sender = Sender(
            self._target,
            self._queue,
            self._pacing,
            self._signals,
            self._trace,
            queued=self._queued,
            outer=self._outer,
            shows_errors=self._shows_errors,
        )
        failure = await sender.run()
        if failure is not None:
            self.failed.set_result(failure)
            dropped = self._queue.failed()
            if self._trace:
                self._trace.unsent(failure, [one.post for one in dropped])
            self.cut(Keep.NOTHING)

    # --- what is there ---------------------------------------------------------------------

    @property
    def markup(self) -> Markup:
        """How the target writes messages."""
        return self._queue.markup

    @property
    def receipts(self) -> list[Receipt]:
        """The messages that arrived and were not deleted."""
        return self._queue.receipts

    @property
    def notices(self) -> list[Notice]:
        """The notices that were shown."""
        return self._target.notices

    @property
    def is_whole(self) -> bool:
        """Whether no post was dropped because the reply had to end."""
        return self._queue.is_whole

    @property
    def standing(self) -> int:
        """The number of messages, sent or queued, that are not to be deleted."""
        return self._queue.standing

    @property
    def can_remove(self) -> bool:
        """Whether the target can delete messages."""
        return self._target.can_remove

    @property
    def is_sealed(self) -> bool:
        """Whether nothing more is taken."""
        return self._queue.is_sealed

    @property
    def has_room(self) -> bool:
        """Whether the queue has room for more."""
        return self._signals.has_room.is_set()

    def sent_of(self, part: int) -> list[Receipt]:
        """Return the messages of *part* that have arrived."""
        return self._queue.sent_of(part)

    # --- what comes in -----------------------------------------------------------------------

    def begin_part(self, *, repeated: Sequence[str] = ()) -> int:
        """Begin a new part, without the posts at its beginning that are *repeated*; return its number."""
        return self._queue.begin_part(repeated=repeated)

    def add(self, posts: Sequence[Post]) -> None:
        """Queue *posts*. After ``close`` or ``cut`` nothing more is taken."""
        if posts:  # most tokens make no post and need not wake the sender
            self._note(self._queue.add(posts))
            self._signals.wake()

    def hold(self, posts: Iterable[Post]) -> None:
        """Hold *posts*, the end of a failed answer, until it is known whether another attempt follows.

        They are removed with the rest of their part, or sent when something is added or the outbox closes.
        """
        self._note(self._queue.hold(posts))

    def notify(self, notice: Notice) -> None:
        """Queue *notice*."""
        self._note(self._queue.notify(notice))
        self._signals.wake()

    async def tell(self, notice: Notice) -> None:
        """Show *notice* now, after everything that was sent."""
        if self._queued and not await self._queued.first(self._stop):
            return  # it was stopped before its turn in the channel
        await self._target.show(notice)

    def remove_queued(self, part: int) -> list[Post]:
        """Remove the queued posts of *part*. One that is already being sent still arrives; await ``rest()`` for it."""
        dropped = self._queue.remove(part)
        self._note(dropped)
        self._signals.wake()
        removed = [one.post for one in dropped if one.why is DropReason.REMOVED]
        if self._trace:
            self._trace.withdraws(removed)
        return removed

    def delete_later(self, receipts: Iterable[Receipt]) -> None:
        """Delete *receipts* as soon as something else is sent, if the target can."""
        unwanted = [*receipts]
        if unwanted and self.can_remove:
            self._queue.delete_later(unwanted)
            if self._trace:
                self._trace.supersedes(unwanted)

    def spare(self, receipts: Iterable[Receipt]) -> None:
        """Keep *receipts* after all."""
        spared = [*receipts]
        self._queue.spare(spared)
        if self._trace and spared:
            self._trace.spares(spared)

    def cut(self, keep: Keep, last: Sequence[Post] = ()) -> None:
        """End the reply: queue *last*, then drop what *keep* does not keep, unless that was done before."""
        self._note(self._queue.add(last))
        if self._keep in (keep, Keep.NOTHING):
            return
        was_sealed, self._keep = self._queue.is_sealed, keep
        dropped = self._queue.cut(keep, has_goodbye=keep is Keep.CLAUSE and self._may_begin)
        self._note(dropped)
        if self._trace:
            cut = [one.post for one in dropped if one.why is DropReason.CUT and one.notice is None]
            self._trace.cuts(keep.name.lower(), self._queue.posts, cut)
        self._signals.heeds_stop = False  # it is acted upon
        self._sealed(was_sealed=was_sealed)
        if keep in (Keep.CLAUSE, Keep.NOTHING):
            self._target.hurry()

    @property
    def _may_begin(self) -> bool:
        """Whether a message could be sent now: nothing waits or is done before it, and the rate limit takes it."""
        if self._queued and not self._queued.is_first:
            return False
        if not self._signals.at_rest.is_set() or self._queue.has_unwanted:
            return False
        first = next(iter(self._queue.posts), None)
        return first is None or self._pacing.can_leave(self._target.allowance(first.identity))

    def close(self) -> None:
        """Take nothing more; queued posts are still sent, without a typing indicator after them.

        The model has finished, so people know that there is more: the pauses left are shortened to ``typing_tail``.
        """
        was_sealed = self._queue.is_sealed
        self._note(self._queue.close())
        self._sealed(was_sealed=was_sealed)

    def _sealed(self, *, was_sealed: bool) -> None:
        if not was_sealed:
            self._pacing.hasten(self._queue.waiting)
        self._signals.wake()

    def _note(self, dropped: Iterable[DroppedPost]) -> None:
        """Trace what was *dropped*, unless the cut, the removal or the failed send of a post is traced already."""
        if self._trace:
            for post, why, notice in dropped:
                if notice is not None:
                    self._trace.notified(notice, is_shown=False)
                elif why in (DropReason.REPEATED, DropReason.CLOSED):
                    self._trace.leaves_out(post, why.value)

    # --- waiting for it ------------------------------------------------------------------------

    async def room(self) -> None:
        """Wait until the queue has room."""
        begun = self._loop.time()
        with self._stop.unwatched() if self._stop else nullcontext():  # this wait has no timeout
            await self._signals.has_room.wait()
        if self._trace:
            self._trace.pressed_back(self._loop.time() - begun)

    async def rest(self) -> None:
        """Wait for the send under way. The caller may be cancelled meanwhile."""
        await self._signals.at_rest.wait()

    async def finished(self) -> None:
        """Close and wait until all queued posts are sent. The caller may be cancelled meanwhile."""
        self.close()
        if self._sending:
            await asyncio.shield(self._sending)
