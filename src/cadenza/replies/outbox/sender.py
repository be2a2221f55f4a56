"""The outbox: messages on their way to a target, in order, by one task of their own.

Sends are never cancelled half-way; what was sent is always known. A stop that comes in the middle of one lets it end,
and nothing follows it.
A target that says how many messages it takes (``Metered``) is never sent more: what would have to wait goes out together
with what arrives meanwhile.
What waits belongs to a *part*: the messages of one answer of a model. A part that came to nothing can be taken out
again, and what of it was sent already is taken back once something better is there.
"""

from __future__ import annotations

import asyncio
import logging
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
from ...stages.s4_round import Keep
from ...stages.s7_delivery import Concluding, Hurrying, Noticing, Removing, Target, as_post
from ...stages.s7_merging import farewell, merged
from ...text.units import units
from ...types import Boundary, Identity, Notice, Post, Receipt, Roster, Urgency
from .prepare import PostPreparer
from .rate_limit import AllowanceMeter
from .typing_indicator import TypingIndicator

logger = logging.getLogger(__name__)

_INSTANT = 1e-6
"""Less than this is no time: adding up floats leaves crumbs, and nobody should wait for those."""

_NOTICE_SECONDS = 10.0
"""How long a notice may take."""


class _Parcel(NamedTuple):
    """A message that waits, and the part that it belongs to."""

    post: Post
    part: int
    is_ready: bool = False
    """Whether it has been prepared, or need not be."""
    is_joined: bool = False
    """Whether it was put together of others, as many as should be."""
    is_goodbye: bool = False
    """Whether it is all that is left after a stop: the chat took it at that moment, and is not asked again."""
    notice: Notice | None = None
    """What it tells, if it is a notice; the post is then how it looks where there is no place for notices."""

    def may_join(self, other: _Parcel) -> bool:
        """Whether *other* may be put together with this one, if it can be."""
        return other is self or (self.part == other.part and self.notice is None and other.notice is None)


class Outbox:
    """Posts on their way to a target, in order. An async context manager: its end waits for the last one."""

    def __init__(
        self,
        target: Target,
        *,
        room: int = 8,
        stop: StopHandle | None = None,
        limit: int | None = None,
        typing_budget: float = inf,
        preparer: PostPreparer | None = None,
        roster: Roster | None = None,
        place: str = "",
        trace: Trace | None = None,
    ) -> None:
        self.receipts: list[Receipt] = []
        """What arrived, and was not taken back."""
        self.notices: list[Notice] = []
        """What people were told besides."""
        self._loop = asyncio.get_running_loop()
        self.failed: asyncio.Future[DeliveryError] = self._loop.create_future()
        self._target = target
        self._typing_left = typing_budget
        self._room = room
        self._limit = target.limits.length if limit is None else limit
        self._meter = AllowanceMeter(target, self._limit)
        self._stop = stop
        self._waiting: deque[_Parcel] = deque()
        self._held: list[Post] = []
        self._superseded: deque[Receipt] = deque()
        self._repeated: deque[str] = deque()
        self._part = 0
        self._parts: dict[int, list[Receipt]] = {}
        self._changed = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._under_way = 0  # messages of the reply that are being sent just now: one, or none
        self._at_rest = asyncio.Event()  # whether nothing is being sent or taken back
        self._at_rest.set()
        self._sealed = False
        self._decided = False  # whether a stop has already been acted upon
        self.is_whole = True
        """Whether nothing was left out because the reply had to end."""
        self._is_hurried = False  # whether what is left out now is left out because nobody wants it any more
        self._last_sent = self._loop.time()
        self._indicator = TypingIndicator(target)
        self._backstage = preparer or PostPreparer(painter=None)
        self._roster = roster or Roster()
        self._place = place
        self.trace = trace
        """Who is told what becomes of each message; ``None`` if nobody looks."""
        self._sender: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._sender = asyncio.create_task(self._send_all(), name="cadenza sender")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.cut(Keep.NOTHING)
        self._decided = True  # nobody is left to act upon a stop
        self.close()
        await self._drained()

    # --- what is to be sent ------------------------------------------------------------

    def begin_part(self, *, repeated: Sequence[str] = ()) -> int:
        """What is added from now on belongs together; give back what it is called.

        If it begins with what is *repeated*, that is left out: it was sent before.
        """
        self._part += 1
        self._repeated = deque(repeated)
        return self._part

    def add(self, posts: Sequence[Post]) -> None:
        """Put *posts* behind what waits. After ``close`` or ``cut`` nothing more is taken."""
        if posts and not self._sealed:  # most tokens make no post, and the sender should sleep through them
            self._append(posts)
            self._note_change()

    def hold(self, posts: Iterable[Post]) -> None:
        """Keep *posts*, the last words of an answer that failed, until it is known whether somebody does better.

        They are taken out with the rest of their part, or sent when something is added or nothing more comes.
        """
        self._held.extend(posts)

    def _append(self, posts: Iterable[Post]) -> None:
        held, self._held = self._held, []
        posts = [] if self._sealed else [*held, *posts]
        self._waiting.extend(self._parcel(post, self._part) for post in posts if not self._is_repeated(post))

    def _parcel(self, post: Post, part: int) -> _Parcel:
        return _Parcel(post, part, is_ready=not self._backstage.helps(post))

    def _is_repeated(self, post: Post) -> bool:
        if self._repeated and post.said == self._repeated[0]:
            self._repeated.popleft()
            if self.trace:
                self.trace.leaves_out(post, "repeated")
            return True
        self._repeated.clear()
        return False

    def notify(self, notice: Notice) -> None:
        """Put *notice* behind what waits."""
        if not self._sealed:
            self._waiting.append(_Parcel(as_post(notice), 0, is_ready=True, notice=notice))
            self._note_change()

    async def tell(self, notice: Notice) -> None:
        """Show *notice* now, behind everything that was sent."""
        await self._tell(notice, as_post(notice))

    @property
    def standing(self) -> int:
        """How many messages there are, sent, under way or waiting, that are not to be taken back."""
        waiting = sum(parcel.notice is None for parcel in self._waiting)
        return waiting + self._under_way + sum(receipt not in self._superseded for receipt in self.receipts)

    @property
    def has_room(self) -> bool:
        """Whether there is room for more, as there nearly always is."""
        return self._has_room.is_set()

    async def room(self) -> None:
        """Wait until there is room for more."""
        begun = self._loop.time()
        with self._stop.unwatched() if self._stop else nullcontext():  # nothing but the chat limits this
            await self._has_room.wait()
        if self.trace:
            self.trace.pressed_back(self._loop.time() - begun)

    def cut(self, keep: Keep, last: Sequence[Post] = ()) -> None:
        """The reply has ended: *last* is all that comes, and of what waits only as much is sent as *keep* says."""
        self._append(last)
        before = self._words_waiting()
        match keep:
            case Keep.EVERYTHING | Keep.DECIDED:
                pass
            case Keep.CLAUSE:
                waiting = [parcel.post for parcel in self._waiting if parcel.notice is None]
                goodbye = farewell(waiting, self._limit) if self._may_begin else None
                self._waiting.clear()
                if goodbye:  # there is no time to prepare it
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
        """What would be missed if it were not sent: words, however they are put together, and files and pictures."""
        posts = [parcel.post for parcel in self._waiting if parcel.notice is None]
        return [item for post in posts for item in (*post.text.split(), *filter(None, (post.attachment, post.instead)))]

    def _hurry(self) -> None:
        """Nobody wants what is under way any more: let it not wait for long."""
        self._is_hurried = True
        if isinstance(self._target, Hurrying):
            with suppress(Exception):  # a target is foreign code
                self._target.hurry()

    @property
    def _may_begin(self) -> bool:
        """Whether a message could leave this very moment: the way is free, and nothing must be taken back first."""
        return self._at_rest.is_set() and not self._superseded and not self._held_back_as_last()

    def close(self) -> None:
        """Take nothing more; what waits is still sent, and nobody is shown typing after it."""
        self._append(())
        self._sealed = True
        self._note_change()

    async def finished(self) -> None:
        """Wait until everything that was taken is sent; nothing more is taken. A caller may give up waiting."""
        self.close()
        if self._sender:
            await asyncio.shield(self._sender)

    # --- what is to be taken back --------------------------------------------------------

    @property
    def can_remove(self) -> bool:
        """Whether what was sent can be taken back."""
        return isinstance(self._target, Removing)

    def withdraw(self, part: int) -> list[Post]:
        """Take what waits of *part* out again; what of it is just being sent still arrives: see ``rest``."""
        self._append(())
        withdrawn = [parcel.post for parcel in self._waiting if parcel.part == part]
        self._waiting = deque(parcel for parcel in self._waiting if parcel.part != part)
        self._note_change()
        if self.trace:
            self.trace.withdraws(withdrawn)
        return withdrawn

    async def rest(self) -> None:
        """Wait for what is just being sent. A caller may give up waiting."""
        await self._at_rest.wait()

    def sent_of(self, part: int) -> list[Receipt]:
        """What of *part* has arrived."""
        return list(self._parts.get(part, ()))

    def supersede(self, receipts: Iterable[Receipt]) -> None:
        """Take *receipts* back as soon as something else is to be sent; until then, or where nothing can be, they stay."""
        superseded = [*receipts]
        if superseded and self.can_remove:
            self._superseded.extend(superseded)
            if self.trace:
                self.trace.supersedes(superseded)

    def spare(self, receipts: Iterable[Receipt]) -> None:
        """Do not take *receipts* back after all."""
        spared = [*receipts]
        self._superseded = deque(receipt for receipt in self._superseded if receipt not in spared)
        if self.trace and spared:
            self.trace.spares(spared)

    def _note_change(self) -> None:
        self._changed.set()
        if self._sealed or not self._is_full():
            self._has_room.set()
        else:
            self._has_room.clear()

    def _is_full(self) -> bool:
        """Whether so many messages wait that the model should; where they can be put together, only their size counts."""
        if len(self._waiting) < self._room or not self._meter:
            return len(self._waiting) >= self._room
        return sum(units(parcel.post.text) + 1 for parcel in self._waiting) >= self._room * self._limit

    async def _drained(self) -> None:
        """Wait for the sender even if we are cancelled meanwhile: a send under way ends, its receipt is kept."""
        if self._sender:
            await outlast(self._sender, hurry=lambda: self.cut(Keep.NOTHING))

    # --- the sender's own task ------------------------------------------------------------

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
        """Let the target know if *post* is the last one, whatever it makes of that."""
        is_last = not self._waiting and (self._sealed or post.boundary is Boundary.FINAL)
        if is_last and isinstance(self._target, Concluding):
            try:
                await self._target.conclude()
            except BaseException as error:
                if must_rise(error):
                    raise
                logger.warning("a target did not want to know of a reply's end (%s)", type(error).__name__)

    async def _deliver(self, parcel: _Parcel) -> None:
        await self._conclude(parcel.post)
        if self.trace:
            self.trace.sends(parcel.post)
        try:
            receipt = await self._backstage.sent(parcel.post, self._target)
        except DeliveryError as error:
            if error.kind.ends_reply:
                raise
            await self._skip(parcel.post, error)
            return
        self.receipts.append(receipt)  # before anything else: what arrived is never forgotten
        self._parts.setdefault(parcel.part, []).append(receipt)
        if self.trace:
            self.trace.sent(receipt)
        self._last_sent = self._loop.time()
        self._indicator.is_out()  # a message ends the typing

    async def _skip(self, post: Post, error: DeliveryError) -> None:
        """Leave *post* out, as the target wants it, and tell people why, once; there is no receipt of it."""
        if self.trace:
            self.trace.leaves_out(post, error.kind.value)
        self.is_whole = self.is_whole and not self._is_hurried
        notice = Notice(str(error), Urgency.WARNING)
        if notice not in self.notices and not self._is_hurried:
            await self._tell(notice, as_post(notice))

    async def _tell(self, notice: Notice, post: Post) -> None:
        """Show *notice*. If that fails, so be it: it is not a word of the reply."""
        try:
            if isinstance(self._target, Noticing):
                async with asyncio.timeout(_NOTICE_SECONDS):
                    await self._target.notify(notice)
            else:
                await outlast(asyncio.create_task(self._sent(post), name="cadenza notice"))
            self.notices.append(notice)
            self._indicator.is_out()  # to a chat it may be a message as any other
            if self.trace:
                self.trace.notified(notice, is_shown=True)
        except BaseException as error:
            if must_rise(error):
                raise
            logger.warning("a notice could not be shown (%s): %s", type(error).__name__, notice.text)
            if self.trace:
                self.trace.notified(notice, is_shown=False)

    async def _sent(self, post: Post) -> Receipt:
        return await self._target.send(post)

    async def _take_back(self, receipt: Receipt) -> None:
        """Take *receipt* back; if that fails it stays, and is still a part of what was said."""
        failure: BaseException | None = None
        if self.trace:
            self.trace.takes_back()
        try:
            if isinstance(self._target, Removing):
                await self._target.remove(receipt)
                if receipt in self.receipts:  # it may be of a reply before
                    self.receipts.remove(receipt)
        except BaseException as error:
            if must_rise(error):
                raise
            logger.warning("a message that was superseded could not be taken back (%s)", type(error).__name__)
            failure = error
        if self.trace:
            self.trace.took_back(receipt, failure)

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
        """Wait until a post is due, take it and give it back; ``None`` when there is nothing left to do."""
        while True:
            self._changed.clear()
            if not self._waiting:
                if self._sealed:
                    return None
                await self._wait(None)
                continue
            parcel = self._waiting[0]
            if self._is_stopping():
                await self._changed.wait()  # what is still to be sent is being decided
            elif parcel.post.instead and not parcel.is_ready:
                await self._prepare(parcel)  # a picture stands alone, and can be painted while the chat takes nothing
            elif wait := self._held_back():
                await self._type(parcel.post, wait, "rate_limit")
            elif not self._is_first(parcel):
                continue  # it was put together with others
            elif not parcel.is_ready:
                await self._prepare(parcel)
            elif (due := self._typing(parcel.post)) > _INSTANT:
                await self._type(parcel.post, due)
            elif self._superseded and not parcel.notice:
                self._at_rest.clear()
                await self._take_back(self._superseded.pop())  # from the last: what stands still is a beginning
                self._come_to_rest()
            else:
                self._at_rest.clear()
                self._waiting.popleft()
                self._under_way = int(parcel.notice is None)
                self._note_change()
                return parcel

    # --- pauses and limits ------------------------------------------------------------------

    def _typing(self, post: Post) -> float:
        """The seconds for which *post*, the first that waits, is still being typed, as far as the budget goes."""
        return min(self._last_sent + post.pause - self._loop.time(), self._typing_left)

    async def _type(self, post: Post, seconds: float, reason: str = "typing") -> None:
        """Wait for *seconds*, and let the budget pay for what of them is typing."""
        begun, typed = self._loop.time(), self._last_sent + post.pause
        if self.trace:
            self.trace.waits(post, reason)
        await self._wait(post.identity, seconds)
        if reason == "rate_limit":
            self._meter.waited(self._loop.time() - begun)
        self._typing_left = max(0.0, self._typing_left - max(0.0, min(self._loop.time(), typed) - begun))

    def _held_back(self) -> float:
        """The seconds for which nothing may leave, because the chat takes only so many messages; 0 if something may.

        Then what waits is put together as far as it must be.
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
        """The same if the first message of the reply that waits were the last of all."""
        first = next((parcel.post for parcel in self._waiting if parcel.notice is None), None)
        if not self._meter or first is None:
            return 0.0
        return self._meter.leave([first], 1, is_last=True, since=0.0).wait

    def _is_beside(self, parcel: _Parcel) -> bool:
        """Whether *parcel* is none of the chat's messages."""
        return parcel.notice is not None and isinstance(self._target, Noticing)

    def _due(self) -> list[_Parcel]:
        """What could leave now: the first, and what stands behind it and would have been typed by now."""
        typed = 0.0
        since = self._loop.time() - self._last_sent if self._typing_left > _INSTANT else inf
        due: list[_Parcel] = []
        for parcel in self._waiting:
            typed += parcel.post.pause
            if due and typed > since + _INSTANT:
                break
            if not self._is_beside(parcel):
                due.append(parcel)
        return due

    def _merge(self, posts: Sequence[Post]) -> None:
        """Put *posts*, the first that wait, together."""
        post, part = merged(posts, self._limit), self._waiting[0].part
        if post is None:
            return
        if self.trace:
            self.trace.merges(post, posts, "rate_limit")
        for _ in posts:
            self._waiting.popleft()
        self._waiting.appendleft(self._parcel(post, part)._replace(is_joined=True))
        self._note_change()

    async def _prepare(self, parcel: _Parcel) -> None:
        """Have *parcel*, the first that waits, prepared; if it is cut meanwhile, that is not waited for."""
        post = parcel.post
        if self.trace:
            self.trace.waits(post, "picture" if post.instead else "names")
        preparing = self._backstage.prepared(post, roster=self._roster, limit=self._limit, place=self._place)
        work = asyncio.create_task(_otherwise(post, preparing), name="cadenza backstage")
        work.add_done_callback(lambda _: self._changed.set())
        try:
            await asyncio.sleep(0)  # nearly always there is nothing to wait for
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
        """Show that something is being written until the time is over or something changes."""
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
    """What went wrong, in our words: a target is foreign code, and the text of its errors may hold secrets."""
    if isinstance(error, DeliveryError):
        return error
    reason = str(error) if isinstance(error, CadenzaError) else f"a message could not be sent ({type(error).__name__})"
    return DeliveryError(reason)


async def _otherwise(post: Post, preparing: Awaitable[list[Post]]) -> list[Post]:
    """What *preparing* comes to; if it fails, *post* as it was planned."""
    try:
        return await preparing
    except BaseException as error:
        if must_rise(error):
            raise
        return list(post.instead) or [post]
