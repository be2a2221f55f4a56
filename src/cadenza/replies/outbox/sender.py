"""The outbox: a queue of posts that one task sends to a target, in order.

A send is never cancelled half-way, so it is always known what was sent. A stop during a send lets it finish, and no
other follows.
A target with a rate limit (``Metered``) is never sent more than it takes: posts that would have to wait are merged with
those that arrive meanwhile.
Each queued post belongs to a *part*: the posts of one answer of a model. The part of a failed answer can be removed,
and its sent messages are deleted once a better answer is there.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Iterable, Sequence
from contextlib import nullcontext, suppress
from itertools import islice, takewhile
from math import inf
from types import TracebackType
from typing import NamedTuple, Self

from ...concurrency.stops import StopHandle
from ...concurrency.tasks import end_task, must_rise, outlast
from ...errors import CadenzaError, DeliveryError
from ...explain.recorder import Trace
from ...explain.tracebacks import get_logger
from ...settings import Settings
from ...stages.s4_round import Keep
from ...stages.s7_delivery import as_post, rendered
from ...stages.s7_merging import farewell, merged
from ...targets.target import SupportsConclude, SupportsHurry, SupportsNotify, SupportsRemove, Target
from ...text.units import units
from ...types import Boundary, Identity, Notice, Post, Receipt, Roster, Scene, Urgency
from .prepare import PostPreparer
from .rate_limit import AllowanceMeter
from .typing_indicator import TypingIndicator

logger = get_logger(__name__)

_INSTANT = 1e-6
"""Shorter waits are rounding errors of floats."""

_NOTICE_SECONDS = 10.0
"""Timeout of a notice."""


class _Parcel(NamedTuple):
    """A queued post and its part."""

    post: Post
    part: int
    is_ready: bool = False
    """Whether it is prepared, or needs no preparation."""
    is_joined: bool = False
    """Whether it was merged from as many posts as needed."""
    is_goodbye: bool = False
    """Whether it is the last message after a stop: the rate limit was checked then, and is not checked again."""
    notice: Notice | None = None
    """The notice, if it is one; its post is for targets that cannot show notices."""

    def may_join(self, other: _Parcel) -> bool:
        """Return whether *other* may be merged with this one."""
        return other is self or (self.part == other.part and self.notice is None and other.notice is None)


class Outbox:
    """A queue of posts to a target. An async context manager: its end waits for the last one."""

    def __init__(
        self,
        target: Target,
        *,
        settings: Settings | None = None,
        stop: StopHandle | None = None,
        preparer: PostPreparer | None = None,
        scene: Scene | None = None,
        trace: Trace | None = None,
    ) -> None:
        """Send to *target*; without *settings* typing has no budget and the target alone limits the length."""
        self.receipts: list[Receipt] = []
        """The messages that arrived and were not deleted."""
        self.notices: list[Notice] = []
        """The notices that were shown."""
        self._loop = asyncio.get_running_loop()
        self.failed: asyncio.Future[DeliveryError] = self._loop.create_future()
        self._target = target
        self._typing_left = settings.delivery.typing_budget if settings else inf
        self._typing_tail = settings.delivery.typing_tail if settings else inf
        self._haste = 1.0  # by what every pause is multiplied; less once the queue is full or the model has finished
        self._room = (settings or Settings()).turn.queue
        self._limit = (settings.delivery.limit if settings else None) or target.limits.length
        self.markup = target.limits.markup
        """How the target writes messages."""
        self._meter = AllowanceMeter(target, self._limit)
        self._stop = stop
        self._waiting: deque[_Parcel] = deque()
        self._held: list[Post] = []
        self._to_delete: deque[Receipt] = deque()
        self._repeated: deque[str] = deque()
        self._part = 0
        self._parts: dict[int, list[Receipt]] = {}
        self._changed = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._under_way = 0  # messages of the reply that are being sent: one or none
        self._at_rest = asyncio.Event()  # set while nothing is being sent or deleted
        self._at_rest.set()
        self._sealed = False
        self._decided = False  # whether a stop has already been acted upon
        self.is_whole = True
        """Whether no post was dropped because the reply had to end."""
        self._is_hurried = False  # whether the reply has ended, so a refused post is no loss to report
        self._last_sent = self._loop.time()
        self._indicator = TypingIndicator(target)
        self._preparer = preparer or PostPreparer(painter=None)
        self._roster = scene.roster if scene else Roster()
        self._place = scene.channel if scene else ""
        self.trace = trace
        """Records what becomes of each post, if there is a trace."""
        self._sender: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._sender = asyncio.create_task(self._send_all(), name="cadenza sender")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.cut(Keep.NOTHING)
        self._decided = True  # no one is left to act upon a stop
        self.close()
        await self._drained()

    # --- the queue ---------------------------------------------------------------------

    def begin_part(self, *, repeated: Sequence[str] = ()) -> int:
        """Begin a new part and return its number.

        Posts at its beginning that equal those in *repeated* are left out: they were sent before.
        """
        self._part += 1
        self._repeated = deque(repeated)
        return self._part

    def add(self, posts: Sequence[Post]) -> None:
        """Queue *posts*. After ``close`` or ``cut`` nothing more is taken."""
        if posts and not self._sealed:  # most tokens make no post and need not wake the sender
            self._append(posts)
            self._note_change()

    def hold(self, posts: Iterable[Post]) -> None:
        """Hold *posts*, the end of a failed answer, until it is known whether another attempt follows.

        They are removed with the rest of their part, or sent when something is added or the outbox closes.
        """
        self._held.extend(posts)

    def _append(self, posts: Iterable[Post]) -> None:
        held, self._held = self._held, []
        posts = [] if self._sealed else [*held, *posts]
        self._waiting.extend(self._parcel(post, self._part) for post in posts if not self._is_repeated(post))

    def _parcel(self, post: Post, part: int) -> _Parcel:
        return _Parcel(post, part, is_ready=not self._preparer.helps(post))

    def _is_repeated(self, post: Post) -> bool:
        if self._repeated and post.said == self._repeated[0]:
            self._repeated.popleft()
            if self.trace:
                self.trace.leaves_out(post, "repeated")
            return True
        self._repeated.clear()
        return False

    def notify(self, notice: Notice) -> None:
        """Queue *notice*."""
        if not self._sealed:
            self._waiting.append(_Parcel(as_post(notice, self.markup), 0, is_ready=True, notice=notice))
            self._note_change()

    async def tell(self, notice: Notice) -> None:
        """Show *notice* now, after everything that was sent."""
        await self._tell(notice, as_post(notice, self.markup))

    @property
    def standing(self) -> int:
        """The number of messages, sent or queued, that are not to be deleted."""
        waiting = sum(parcel.notice is None for parcel in self._waiting)
        return waiting + self._under_way + sum(receipt not in self._to_delete for receipt in self.receipts)

    @property
    def has_room(self) -> bool:
        """Whether the queue has room for more."""
        return self._has_room.is_set()

    async def room(self) -> None:
        """Wait until the queue has room."""
        begun = self._loop.time()
        with self._stop.unwatched() if self._stop else nullcontext():  # this wait has no timeout
            await self._has_room.wait()
        if self.trace:
            self.trace.pressed_back(self._loop.time() - begun)

    def cut(self, keep: Keep, last: Sequence[Post] = ()) -> None:
        """End the reply: queue *last*, then drop what *keep* does not keep."""
        self._append(last)
        before = self._words_waiting()
        match keep:
            case Keep.EVERYTHING | Keep.DECIDED:
                pass
            case Keep.CLAUSE:
                waiting = [parcel.post for parcel in self._waiting if parcel.notice is None]
                goodbye = farewell(waiting, self._limit, self.markup) if self._may_begin else None
                self._waiting.clear()
                if goodbye:  # it is sent unprepared
                    self._waiting.append(_Parcel(goodbye, self._part, is_ready=True, is_goodbye=True))
            case Keep.NOTHING:
                self._waiting.clear()
        self.is_whole = self.is_whole and before == self._words_waiting()
        if self.trace:
            self.trace.cuts(keep.name.lower(), [parcel.post for parcel in self._waiting if parcel.notice is None])
        self._decided = True
        self.close()
        if keep in (Keep.CLAUSE, Keep.NOTHING):
            self._hurry()

    def _words_waiting(self) -> list[object]:
        """The words, files and pictures in the queue, however they are merged."""
        posts = [parcel.post for parcel in self._waiting if parcel.notice is None]
        return [item for post in posts for item in (*post.text.split(), *filter(None, (post.attachment, post.instead)))]

    def _hurry(self) -> None:
        """Tell the target that the reply has ended, so a send under way should not wait for long."""
        self._is_hurried = True
        if isinstance(self._target, SupportsHurry):
            try:
                self._target.hurry()
            except Exception as error:  # a target is foreign code
                logger.warning("hurrying the target failed", exc_info=error)

    @property
    def _may_begin(self) -> bool:
        """Whether a message could be sent now: nothing is being sent, waits to be deleted or is held by the rate limit."""
        return self._at_rest.is_set() and not self._to_delete and not self._held_back_as_last()

    def close(self) -> None:
        """Take nothing more; queued posts are still sent, without a typing indicator after them.

        The model has finished, so people know that there is more: the pauses left are shortened to ``typing_tail``.
        """
        self._append(())
        if not self._sealed:
            self._hasten()
        self._sealed = True
        self._note_change()

    def _hasten(self) -> None:
        """Shorten the pauses of the queued posts to ``typing_tail`` seconds together."""
        pauses = sum(parcel.post.pause for parcel in self._waiting)
        self._haste = min(1.0, self._typing_tail / pauses) if pauses else 1.0

    async def finished(self) -> None:
        """Close and wait until all queued posts are sent. The caller may be cancelled meanwhile."""
        self.close()
        if self._sender:
            await asyncio.shield(self._sender)

    # --- removing and deleting ----------------------------------------------------------

    @property
    def can_remove(self) -> bool:
        """Whether the target can delete messages."""
        return isinstance(self._target, SupportsRemove)

    def remove_queued(self, part: int) -> list[Post]:
        """Remove the queued posts of *part*. One that is already being sent still arrives; await ``rest()`` for it."""
        self._append(())
        removed = [parcel.post for parcel in self._waiting if parcel.part == part]
        self._waiting = deque(parcel for parcel in self._waiting if parcel.part != part)
        self._note_change()
        if self.trace:
            self.trace.withdraws(removed)
        return removed

    async def rest(self) -> None:
        """Wait for the send under way. The caller may be cancelled meanwhile."""
        await self._at_rest.wait()

    def sent_of(self, part: int) -> list[Receipt]:
        """Return the messages of *part* that have arrived."""
        return list(self._parts.get(part, ()))

    def delete_later(self, receipts: Iterable[Receipt]) -> None:
        """Delete *receipts* as soon as something else is sent, if the target can."""
        unwanted = [*receipts]
        if unwanted and self.can_remove:
            self._to_delete.extend(unwanted)
            if self.trace:
                self.trace.supersedes(unwanted)

    def spare(self, receipts: Iterable[Receipt]) -> None:
        """Keep *receipts* after all."""
        spared = [*receipts]
        self._to_delete = deque(receipt for receipt in self._to_delete if receipt not in spared)
        if self.trace and spared:
            self.trace.spares(spared)

    def _note_change(self) -> None:
        self._changed.set()
        if self._sealed:
            self._has_room.set()
        elif self._is_full():
            self._has_room.clear()
            self._hasten()  # the model must not wait for the typing
        else:
            self._has_room.set()
            self._haste = 1.0

    def _is_full(self) -> bool:
        """Return whether the queue is full; where posts can be merged, only their size counts."""
        if len(self._waiting) < self._room or not self._meter:
            return len(self._waiting) >= self._room
        return sum(units(parcel.post.text) + 1 for parcel in self._waiting) >= self._room * self._limit

    async def _drained(self) -> None:
        """Wait for the sender, also while cancelled: a send under way finishes, and its receipt is kept."""
        if self._sender:
            await outlast(self._sender, hurry=lambda: self.cut(Keep.NOTHING))

    # --- the sender ------------------------------------------------------------------------

    async def _send_all(self) -> None:
        try:
            while parcel := await self._next():
                if parcel.notice:
                    await self._tell(parcel.notice, parcel.post)
                else:
                    await self._deliver(parcel)
                self._come_to_rest()
        except BaseException as error:
            if must_rise(error):
                raise
            self._fail(_undelivered(error))
        finally:
            self._at_rest.set()

    async def _conclude(self, post: Post) -> None:
        """Tell the target if *post* is the last one."""
        is_last = not self._waiting and (self._sealed or post.boundary is Boundary.FINAL)
        if is_last and isinstance(self._target, SupportsConclude):
            try:
                await self._target.conclude()
            except BaseException as error:
                if must_rise(error):
                    raise
                logger.warning("telling the target that a reply ends failed", exc_info=error)

    async def _deliver(self, parcel: _Parcel) -> None:
        await self._conclude(parcel.post)
        if self.trace:
            self.trace.sends(parcel.post)
        try:
            receipt = await self._preparer.sent(rendered(parcel.post, self.markup), self._target)
        except DeliveryError as error:
            if error.kind.ends_reply:
                raise
            await self._skip(parcel.post, error)
            return
        self.receipts.append(receipt)  # first of all: a receipt is never lost
        self._parts.setdefault(parcel.part, []).append(receipt)
        if self.trace:
            self.trace.sent(receipt)
        self._last_sent = self._loop.time()
        self._indicator.is_out()  # a message ends the typing

    async def _skip(self, post: Post, error: DeliveryError) -> None:
        """Leave out *post*, which the target refused, and show a notice about it, once."""
        if self.trace:
            self.trace.leaves_out(post, error.kind.value)
        self.is_whole = self.is_whole and not self._is_hurried
        notice = Notice(str(error), Urgency.WARNING)
        if notice not in self.notices and not self._is_hurried:
            await self._tell(notice, as_post(notice, self.markup))

    async def _tell(self, notice: Notice, post: Post) -> None:
        """Show *notice*. A failure is only logged, for it is no part of the reply."""
        try:
            if isinstance(self._target, SupportsNotify):
                async with asyncio.timeout(_NOTICE_SECONDS):
                    await self._target.notify(notice)
            else:
                await outlast(asyncio.create_task(self._sent(post), name="cadenza notice"))
            self.notices.append(notice)
            self._indicator.is_out()  # a chat may show it as a message
            if self.trace:
                self.trace.notified(notice, is_shown=True)
        except BaseException as error:
            if must_rise(error):
                raise
            logger.warning("a notice could not be shown: %s", notice.text, exc_info=error)
            if self.trace:
                self.trace.notified(notice, is_shown=False)

    async def _sent(self, post: Post) -> Receipt:
        return await self._target.send(post)

    async def _delete(self, receipt: Receipt) -> None:
        """Delete *receipt*; if that fails, it stays part of the reply."""
        failure: BaseException | None = None
        if self.trace:
            self.trace.deletes()
        try:
            if isinstance(self._target, SupportsRemove):
                await self._target.remove(receipt)
                if receipt in self.receipts:  # it may belong to an earlier reply
                    self.receipts.remove(receipt)
        except BaseException as error:
            if must_rise(error):
                raise
            logger.warning("a message could not be deleted", exc_info=error)
            failure = error
        if self.trace:
            self.trace.deleted(receipt, failure)

    def _come_to_rest(self) -> None:
        self._under_way = 0
        self._at_rest.set()
        if self._stop is not None:
            self._stop.touch()

    def _fail(self, error: DeliveryError) -> None:
        self.failed.set_result(error)
        self.is_whole = False
        if self.trace:
            self.trace.unsent(error)
        self.cut(Keep.NOTHING)

    async def _next(self) -> _Parcel | None:
        """Wait for the next post that is due and return it; ``None`` at the end."""
        while True:
            self._changed.clear()
            if not self._waiting:
                if self._sealed:
                    return None
                await self._wait(None)
                continue
            parcel = self._waiting[0]
            if self._is_stopping():
                await self._changed.wait()  # a stop is being decided
            elif parcel.post.instead and not parcel.is_ready:
                await self._prepare(parcel)  # a picture is never merged, so it can be painted during a rate limit
            elif wait := self._held_back():
                await self._type(parcel.post, wait, "rate_limit")
            elif not self._is_first(parcel):
                continue  # it was merged
            elif not parcel.is_ready:
                await self._prepare(parcel)
            elif (due := self._typing(parcel.post)) > _INSTANT:
                await self._type(parcel.post, due)
            elif self._to_delete and not parcel.notice:
                self._at_rest.clear()
                await self._delete(self._to_delete.pop())  # the last one first: what remains is a beginning
                self._come_to_rest()
            else:
                self._at_rest.clear()
                self._waiting.popleft()
                self._under_way = int(parcel.notice is None)
                self._note_change()
                return parcel

    # --- pauses and rate limit --------------------------------------------------------------

    def _typing(self, post: Post) -> float:
        """The seconds of typing left for *post*, the first in the queue, within the budget."""
        return min(self._last_sent + post.pause * self._haste - self._loop.time(), self._typing_left)

    async def _type(self, post: Post, seconds: float, reason: str = "typing") -> None:
        """Wait for *seconds*; the part that is typing counts against the budget."""
        begun, typed = self._loop.time(), self._last_sent + post.pause * self._haste
        if self.trace:
            self.trace.waits(post, reason)
        await self._wait(post.identity, seconds)
        if reason == "rate_limit":
            self._meter.waited(self._loop.time() - begun)
        self._typing_left = max(0.0, self._typing_left - max(0.0, min(self._loop.time(), typed) - begun))

    def _held_back(self) -> float:
        """Return the seconds to wait for the rate limit; 0 if a post may be sent.

        Before that, merge as many queued posts as the limit demands.
        """
        if not self._meter or self._waiting[0].is_goodbye or self._is_beside(self._waiting[0]):
            return 0.0
        due = self._due()
        together = list(islice(takewhile(self._waiting[0].may_join, self._waiting), len(due)))
        since = self._loop.time() - self._last_sent
        wait, count = self._meter.leave(
            [parcel.post for parcel in together], len(due), is_last=self._sealed, since=since
        )
        if not wait and count > 1 and not self._waiting[0].is_joined:
            self._merge([parcel.post for parcel in together[:count]])
        return wait

    def _held_back_as_last(self) -> float:
        """Do the same as if the first queued post of the reply were the last."""
        first = next((parcel.post for parcel in self._waiting if parcel.notice is None), None)
        if not self._meter or first is None:
            return 0.0
        return self._meter.leave([first], 1, is_last=True, since=0.0).wait

    def _is_beside(self, parcel: _Parcel) -> bool:
        """Return whether *parcel* is a notice that is no message of the chat."""
        return parcel.notice is not None and isinstance(self._target, SupportsNotify)

    def _due(self) -> list[_Parcel]:
        """The posts that could be sent now: the first, and those after it whose typing would be over.

        At the end these are all whose typing will be over before the limit resets: they share what is left.
        """
        typed = 0.0
        since = self._loop.time() - self._last_sent if self._typing_left > _INSTANT else inf
        if self._sealed:
            since += self._meter.resets_in(self._waiting[0].post)
        due: list[_Parcel] = []
        for parcel in self._waiting:
            typed += parcel.post.pause * self._haste
            if due and typed > since + _INSTANT:
                break
            if not self._is_beside(parcel):
                due.append(parcel)
        return due

    def _merge(self, posts: Sequence[Post]) -> None:
        """Merge *posts*, the first in the queue."""
        post, part = merged(posts, self._limit, self.markup), self._waiting[0].part
        if post is None:
            return
        if self.trace:
            self.trace.merges(post, posts, "rate_limit")
        for _ in posts:
            self._waiting.popleft()
        self._waiting.appendleft(self._parcel(post, part)._replace(is_joined=True))
        self._note_change()

    async def _prepare(self, parcel: _Parcel) -> None:
        """Prepare *parcel*, the first in the queue; give up if it is removed meanwhile."""
        post = parcel.post
        if self.trace:
            self.trace.waits(post, "picture" if post.instead else "names")
        preparing = self._preparer.prepared(
            post, roster=self._roster, limit=self._limit, markup=self.markup, place=self._place
        )
        work = asyncio.create_task(_otherwise(post, preparing), name="cadenza backstage")
        work.add_done_callback(lambda _: self._changed.set())
        try:
            await asyncio.sleep(0)  # it is nearly always done by then
            while not work.done() and self._is_first(parcel):
                self._changed.clear()
                await self._wait(post.identity)
            if work.done() and self._is_first(parcel):
                self._waiting.popleft()
                first, *rest = work.result()
                if self.trace:
                    self.trace.became(post, [first, *rest])
                self._waiting.extendleft(self._parcel(post, parcel.part) for post in reversed(rest))
                self._waiting.appendleft(parcel._replace(post=first, is_ready=True))
        finally:
            await end_task(work)

    def _is_first(self, parcel: _Parcel) -> bool:
        return bool(self._waiting) and self._waiting[0] is parcel

    def _is_stopping(self) -> bool:
        return self._stop is not None and self._stop.reason is not None and not self._decided

    async def _wait(self, identity: Identity | None, seconds: float | None = None) -> None:
        """Show the typing indicator until the time is over or the queue changes."""
        self._indicator.begin(identity)
        try:
            if seconds is None:
                await self._changed.wait()
            else:
                with suppress(TimeoutError):
                    async with asyncio.timeout(seconds):
                        await self._changed.wait()
        finally:
            await self._indicator.end()


def _undelivered(error: BaseException) -> DeliveryError:
    """*error* as a ``DeliveryError``: a target is foreign code, and the text of its errors may hold secrets."""
    if isinstance(error, DeliveryError):
        return error
    reason = str(error)
    if not isinstance(error, CadenzaError):
        logger.warning("a message could not be sent", exc_info=error)
        reason = f"a message could not be sent ({type(error).__name__})"
    failure = DeliveryError(reason)
    failure.__cause__ = error
    return failure


async def _otherwise(post: Post, preparing: Awaitable[list[Post]]) -> list[Post]:
    """Return the result of *preparing*; if it fails, *post* as planned."""
    try:
        return await preparing
    except BaseException as error:
        if must_rise(error):
            raise
        logger.warning("preparing a message failed; it is sent as planned", exc_info=error)
        return list(post.instead) or [post]
