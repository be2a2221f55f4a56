"""Sends queued posts to a target, in order.

A send is never cancelled half-way, so it is always known what was sent. A stop during a send lets it finish, and no
other follows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import assert_never

from ...concurrency.tasks import end_task, must_rise
from ...errors import DeliveryError
from ...explain.recorder import Trace
from ...types import Boundary, Identity, Notice, Post, Receipt, Urgency
from ..channel_queue import QueuedReply
from .calls import TargetCalls, undelivered
from .pacing import Act, Join, Pacing, Wait
from .queue import Parcel, PostQueue
from .signals import Signals


class Sender:
    """Takes the posts from the queue, when the pacing says so, and reports to the queue what became of them."""

    def __init__(
        self,
        target: TargetCalls,
        queue: PostQueue,
        pacing: Pacing,
        signals: Signals,
        trace: Trace | None,
        *,
        queued: QueuedReply | None = None,
        outer: Sequence[asyncio.Event] = (),
        shows_errors: bool = True,
    ) -> None:
        """*outer* are set once everything that the replies around this one have queued is sent: it comes before."""
        self._target = target
        self._queue = queue
        self._pacing = pacing
        self._signals = signals
        self._trace = trace
        self._outer = outer
        self._shows_errors = shows_errors
        self._queued = queued if queued and queued.ahead else None
        self._now = asyncio.get_running_loop().time

    async def run(self) -> DeliveryError | None:
        """Send until the queue takes nothing more and is empty; return the failure of a send, which ends it before."""
        try:
            for outer in self._outer:
                await outer.wait()
            while parcel := await self._next():
                if parcel.notice:
                    await self._target.show(parcel.notice)
                    self._queue.shown()
                else:
                    await self._deliver(parcel.post)
                self._signals.rest()
        except BaseException as error:
            if must_rise(error):
                raise
            return undelivered(error)
        finally:
            self._signals.at_rest.set()
            self._signals.idle.set()
        return None

    async def _next(self) -> Parcel | None:
        """Do what is due, until the first post can be sent; return it, or ``None`` at the end."""
        queue = self._queue
        while queue.waiting or not queue.is_sealed:
            self._signals.changed.clear()
            if self._queued:
                await self._wait_behind(self._queued)
                continue
            if not queue.waiting:
                self._signals.idle.set()
                await self._pause(None)
                continue
            if self._signals.is_stopping:
                await self._signals.changed.wait()  # it is being decided what is still to be sent
                continue
            first, now = queue.waiting.first, self._now()
            allowance = self._target.allowance(first.post.identity) if self._pacing.is_limited(first) else None
            is_ready = first.is_prepared or not self._target.helps(first.post)
            match self._pacing.step(queue.waiting, now, allowance, is_last=queue.is_sealed, is_ready=is_ready):
                case Wait() as wait:
                    if self._trace:
                        self._trace.waits(first.post, wait.reason, wait.shortened)
                    await self._pause(first.post.identity, wait.seconds)
                    self._pacing.waited(wait, now, self._now())
                case Join(count):
                    merged = queue.merge(count)
                    if merged and self._trace:
                        self._trace.merges(*merged, "rate_limit")
                    self._signals.wake()
                case Act.PREPARE:
                    await self._prepare(first)
                case Act.SEND if queue.has_unwanted and not first.notice:
                    await self._delete(queue.take_unwanted())
                case Act.SEND:
                    self._signals.at_rest.clear()
                    parcel = queue.take()
                    self._signals.wake()
                    return parcel
                case step:
                    assert_never(step)
        return None

    async def _wait_behind(self, queued: QueuedReply) -> None:
        """Show the typing indicator until it is the turn of *queued*, or the queue changes."""
        if queued.is_first:
            self._queued = None
            if self._trace and not queued.is_told:
                self._trace.queued(queued.ahead, queued.seconds)
            queued.is_told = True
            return
        waiting = self._queue.waiting
        if waiting and self._trace:
            self._trace.waits(waiting.first.post, "reply_before")
        await self._pause(waiting.first.post.identity if waiting else None)

    async def _deliver(self, post: Post) -> None:
        if not self._queue.waiting and (self._queue.is_sealed or post.boundary is Boundary.FINAL):
            await self._target.conclude()
        try:
            receipt = await self._target.send(post)
        except DeliveryError as error:
            if error.kind.ends_reply:
                raise
            if self._trace:
                self._trace.leaves_out(post, error.kind.value, error)
            self._queue.refused()
            if self._shows_errors and not self._queue.is_ended:
                await self._target.show_once(Notice(error.sentence, Urgency.WARNING))
            return
        self._queue.sent(receipt)  # first of all: a receipt is never lost
        if self._trace:
            self._trace.sent(receipt)
        self._pacing.sent(self._now())

    async def _delete(self, receipt: Receipt) -> None:
        """Delete *receipt*; if that fails, it stays part of the reply."""
        self._signals.at_rest.clear()
        if await self._target.remove(receipt):
            self._queue.deleted(receipt)
        self._signals.rest()

    async def _prepare(self, parcel: Parcel) -> None:
        """Prepare *parcel*, the first in the queue; give up if it is removed meanwhile."""
        post, queue = parcel.post, self._queue
        if self._trace:
            self._trace.waits(post, "picture" if post.instead else "names")
        work = asyncio.create_task(self._target.prepared(post), name="cadenza backstage")
        work.add_done_callback(lambda _: self._signals.changed.set())
        try:
            await asyncio.sleep(0)  # it is nearly always done by then
            while not work.done() and queue.is_first(parcel):
                self._signals.changed.clear()
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
        with suppress(TimeoutError):
            async with self._target.indicator.shown(identity), asyncio.timeout(seconds):
                await self._signals.changed.wait()
