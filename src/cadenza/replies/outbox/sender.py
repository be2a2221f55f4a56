"""The outbox: one task that sends queued posts to a target, in order.

``PostQueue`` holds the posts, ``Pacing`` decides what is next, ``TargetCalls`` calls the target, and ``PostIntake`` is what
the rest of the reply uses.
A send is never cancelled half-way, so it is always known what was sent. A stop during a send lets it finish, and no
other follows.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from types import TracebackType
from typing import Self, assert_never

from ...concurrency.tasks import end_task, must_rise, outlast
from ...errors import DeliveryError
from ...stages.s4_round import Keep
from ...types import Boundary, Identity, Notice, Post, Receipt, Urgency
from .calls import undelivered
from .intake import PostIntake, loop_time
from .pacing import Act, Join, Wait
from .queue import Parcel


class Outbox(PostIntake):
    """Sends posts to a target. An async context manager: its end waits for the last one."""

    async def __aenter__(self) -> Self:
        self._sender = asyncio.create_task(self._send_all(), name="cadenza sender")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.cut(Keep.NOTHING)
        self._is_decided = True  # no one is left to act upon a stop
        self.close()
        if self._sender:  # also while cancelled: a send under way finishes, and its receipt is kept
            await outlast(self._sender, hurry=lambda: self.cut(Keep.NOTHING))

    # --- the task --------------------------------------------------------------------------------

    async def _send_all(self) -> None:
        try:
            while parcel := await self._next():
                if parcel.notice:
                    await self.tell(parcel.notice)
                    self._queue.shown()
                else:
                    await self._deliver(parcel.post)
                self._come_to_rest()
        except BaseException as error:
            if must_rise(error):
                raise
            self._fail(undelivered(error))
        finally:
            self._at_rest.set()

    async def _next(self) -> Parcel | None:
        """Do what is due, until the first post can be sent; return it, or ``None`` at the end."""
        queue = self._queue
        while queue.waiting or not queue.is_sealed:
            self._changed.clear()
            if not queue.waiting:
                await self._pause(None)
                continue
            if self._stop is not None and self._stop.reason is not None and not self._is_decided:
                await self._changed.wait()  # a stop is being decided
                continue
            first, now = queue.waiting.first, loop_time()
            allowance = self._target.allowance(first.post.identity) if self._pacing.is_limited(first) else None
            is_ready = first.is_prepared or not self._target.helps(first.post)
            match self._pacing.step(queue.waiting, now, allowance, is_last=queue.is_sealed, is_ready=is_ready):
                case Wait() as wait:
                    if self._trace:
                        self._trace.waits(first.post, wait.reason)
                    await self._pause(first.post.identity, wait.seconds)
                    self._pacing.waited(wait, now, loop_time())
                case Join(count):
                    self._merge(count)
                case Act.PREPARE:
                    await self._prepare(first)
                case Act.SEND if queue.has_unwanted and not first.notice:
                    await self._delete(queue.take_unwanted())
                case Act.SEND:
                    self._at_rest.clear()
                    parcel = queue.take()
                    self._wake()
                    return parcel
                case step:
                    assert_never(step)
        return None

    async def _deliver(self, post: Post) -> None:
        if not self._queue.waiting and (self._queue.is_sealed or post.boundary is Boundary.FINAL):
            await self._target.conclude()
        if self._trace:
            self._trace.sends(post)
        try:
            receipt = await self._target.send(post)
        except DeliveryError as error:
            if error.kind.ends_reply:
                raise
            await self._skip(post, error)
            return
        self._queue.sent(receipt)  # first of all: a receipt is never lost
        if self._trace:
            self._trace.sent(receipt)
        self._pacing.sent(loop_time())

    async def _skip(self, post: Post, error: DeliveryError) -> None:
        """Leave out *post*, which the target refused, and show a notice about it, once."""
        if self._trace:
            self._trace.leaves_out(post, error.kind.value)
        self._queue.refused()
        notice = Notice(error.sentence, Urgency.WARNING)
        if notice not in self.notices and not self._queue.is_ended:
            await self.tell(notice)

    def _fail(self, error: DeliveryError) -> None:
        self.failed.set_result(error)
        self._queue.failed()
        if self._trace:
            self._trace.unsent(error)
        self.cut(Keep.NOTHING)

    async def _delete(self, receipt: Receipt) -> None:
        """Delete *receipt*; if that fails, it stays part of the reply."""
        self._at_rest.clear()
        if self._trace:
            self._trace.deletes()
        failure = await self._target.remove(receipt)
        if failure is None:
            self._queue.deleted(receipt)
        if self._trace:
            self._trace.deleted(receipt, failure)
        self._come_to_rest()

    def _come_to_rest(self) -> None:
        self._at_rest.set()
        if self._stop is not None:
            self._stop.touch()

    def _merge(self, count: int) -> None:
        made = self._queue.merge(count)
        if made and self._trace:
            self._trace.merges(*made, "rate_limit")
        self._wake()

    async def _prepare(self, parcel: Parcel) -> None:
        """Prepare *parcel*, the first in the queue; give up if it is removed meanwhile."""
        post, queue = parcel.post, self._queue
        if self._trace:
            self._trace.waits(post, "picture" if post.instead else "names")
        work = asyncio.create_task(self._target.prepared(post), name="cadenza backstage")
        work.add_done_callback(lambda _: self._changed.set())
        try:
            await asyncio.sleep(0)  # it is nearly always done by then
            while not work.done() and queue.is_first(parcel):
                self._changed.clear()
                await self._pause(post.identity)
            if work.done() and queue.is_first(parcel):
                posts = work.result()
                queue.prepared(posts)
                if self._trace:
                    self._trace.became(post, posts)
        finally:
            await end_task(work)

    async def _pause(self, identity: Identity | None, seconds: float | None = None) -> None:
        """Show the typing indicator until the time is over or the queue changes."""
        self._target.indicator.begin(identity)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._changed.wait()
        finally:
            await self._target.indicator.end()
