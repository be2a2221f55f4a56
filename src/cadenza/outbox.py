"""The outbox: messages on their way to a target, in order, by one task of their own.

Sends are never cancelled half-way; what was sent is always known.
What waits belongs to a *part*: the messages of one answer of a model. A part that came to nothing can be taken out
again, and what of it was sent already is taken back once something better is there.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from .backstage import Backstage
from .errors import CadenzaError, DeliveryError
from .stages.s4_round import Keep
from .stages.s7_delivery import Noticing, Removing, Target, as_post, farewell
from .stops import StopHandle, is_cancelled
from .tasks import end_task
from .types import Identity, Notice, Post, Receipt, Roster

logger = logging.getLogger(__name__)

_INSTANT = 1e-6
"""Less than this is no time: adding up floats leaves crumbs, and nobody should wait for those."""

_TYPING_LASTS = 8.0
"""Seconds after which the typing indicator is shown again; Discord's goes out after ten."""


_NOTICE_SECONDS = 10.0
"""How long the last notice may take."""


@dataclass(frozen=True, slots=True, eq=False)
class _Parcel:
    """A message that waits, and the part that it belongs to."""

    post: Post
    part: int
    is_ready: bool = False
    """Whether it has been prepared."""
    notice: Notice | None = None
    """What it tells, if it is a notice; the post is then how it looks where there is no place for notices."""


class Outbox:
    """Posts on their way to a target, in order. An async context manager: its end waits for the last one."""

    def __init__(
        self,
        target: Target,
        *,
        room: int = 8,
        stop: StopHandle | None = None,
        limit: int | None = None,
        backstage: Backstage | None = None,
        roster: Roster | None = None,
        place: str = "",
    ) -> None:
        self.receipts: list[Receipt] = []
        """What arrived, and was not taken back."""
        self.notices: list[Notice] = []
        """What people were told besides."""
        self.failed: asyncio.Future[CadenzaError] = asyncio.get_running_loop().create_future()
        self._target = target
        self._room = room
        self._limit = target.limits.length if limit is None else limit
        self._stop = stop
        self._waiting: deque[_Parcel] = deque()
        self._superseded: deque[Receipt] = deque()
        self._repeated: deque[str] = deque()
        self._part = 0
        self._parts: dict[int, list[Receipt]] = {}
        self._changed = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._at_rest = asyncio.Event()  # whether nothing is being sent just now
        self._at_rest.set()
        self._sealed = False
        self._decided = False  # whether a stop has already been acted upon
        self._last_sent = asyncio.get_running_loop().time()
        self._backstage = backstage or Backstage(painter=None)
        self._roster = roster or Roster()
        self._place = place
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
            self._waiting.extend(_Parcel(post, self._part) for post in posts if not self._is_repeated(post))
            self._note_change()

    def _is_repeated(self, post: Post) -> bool:
        if self._repeated and post.said == self._repeated[0]:
            self._repeated.popleft()
            return True
        self._repeated.clear()
        return False

    def notify(self, notice: Notice) -> None:
        """Put *notice* behind what waits."""
        if not self._sealed:
            self._waiting.append(_Parcel(as_post(notice), 0, is_ready=True, notice=notice))
            self._note_change()

    async def tell(self, notice: Notice) -> None:
        """Show *notice* now, behind everything that was sent; somebody who takes too long for it is not waited for."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_NOTICE_SECONDS):
                await self._tell(notice, as_post(notice))

    @property
    def standing(self) -> int:
        """How many messages there are, sent or not, that are not to be taken back."""
        waiting = sum(parcel.notice is None for parcel in self._waiting)
        return len(self.receipts) + waiting - len(self._superseded)

    async def room(self) -> None:
        """Wait until there is room for more."""
        await self._has_room.wait()

    def cut(self, keep: Keep, last: Sequence[Post] = ()) -> None:
        """The reply has ended: *last* is all that comes, and of what waits only as much is sent as *keep* says."""
        match keep:
            case Keep.EVERYTHING | Keep.DECIDED:
                self._waiting.extend(_Parcel(post, self._part) for post in last)
            case Keep.CLAUSE:
                waiting = [parcel.post for parcel in self._waiting if parcel.notice is None]
                goodbye = farewell([*waiting, *last], self._limit)
                self._waiting.clear()
                if goodbye:  # there is no time to prepare it
                    self._waiting.append(_Parcel(goodbye, self._part, is_ready=True))
            case Keep.NOTHING:
                self._waiting.clear()
        self._decided = True
        self.close()

    def close(self) -> None:
        """Take nothing more; what waits is still sent, and nobody is shown typing after it."""
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
        withdrawn = [parcel.post for parcel in self._waiting if parcel.part == part]
        self._waiting = deque(parcel for parcel in self._waiting if parcel.part != part)
        self._note_change()
        return withdrawn

    async def rest(self) -> None:
        """Wait for what is just being sent. A caller may give up waiting."""
        await self._at_rest.wait()

    def sent_of(self, part: int) -> list[Receipt]:
        """What of *part* has arrived."""
        return list(self._parts.get(part, ()))

    def supersede(self, receipts: Iterable[Receipt]) -> None:
        """Take *receipts* back as soon as something else is to be sent; until then they stay."""
        self._superseded.extend(receipts)

    def spare(self, receipts: Iterable[Receipt]) -> None:
        """Do not take *receipts* back after all."""
        spared = [*receipts]
        self._superseded = deque(receipt for receipt in self._superseded if receipt not in spared)

    def _note_change(self) -> None:
        self._changed.set()
        if len(self._waiting) < self._room or self._sealed:
            self._has_room.set()
        else:
            self._has_room.clear()

    async def _drained(self) -> None:
        """Wait for the sender even if we are cancelled meanwhile: a send under way ends, its receipt is kept."""
        sender = self._sender
        cancelled: asyncio.CancelledError | None = None
        while sender and not sender.done():
            try:
                await asyncio.shield(sender)
            except asyncio.CancelledError as error:
                cancelled = error
                self.cut(Keep.NOTHING)
        if cancelled:
            raise cancelled

    # --- the sender's own task ------------------------------------------------------------

    async def _send_all(self) -> None:
        try:
            while parcel := await self._next():
                if parcel.notice:
                    await self._tell(parcel.notice, parcel.post)
                else:
                    await self._deliver(parcel)
                self._come_to_rest()
        except CadenzaError as error:
            self._fail(error)
        except (Exception, asyncio.CancelledError) as error:
            if is_cancelled(error):
                raise
            # A target is foreign code, and the text of its errors may hold secrets.
            self._fail(DeliveryError(f"a message could not be sent ({type(error).__name__})"))
        finally:
            self._at_rest.set()

    async def _deliver(self, parcel: _Parcel) -> None:
        receipt = await self._backstage.sent(parcel.post, self._target)
        self.receipts.append(receipt)
        self._parts.setdefault(parcel.part, []).append(receipt)
        self._last_sent = asyncio.get_running_loop().time()

    async def _tell(self, notice: Notice, post: Post) -> None:
        """Show *notice*. If that fails, so be it: it is not a word of the reply."""
        try:
            if isinstance(self._target, Noticing):
                await self._target.notify(notice)
            else:
                await self._target.send(post)
            self.notices.append(notice)
        except (Exception, asyncio.CancelledError) as error:
            if is_cancelled(error):
                raise
            logger.warning("a notice could not be shown (%s): %s", type(error).__name__, notice.text)

    async def _take_back(self, receipt: Receipt) -> None:
        """Take *receipt* back; if that fails it stays, and is still a part of what was said."""
        try:
            if isinstance(self._target, Removing):
                await self._target.remove(receipt)
                if receipt in self.receipts:  # it may be of a reply before
                    self.receipts.remove(receipt)
        except (Exception, asyncio.CancelledError) as error:
            if is_cancelled(error):
                raise
            logger.warning("a message that was superseded could not be taken back (%s)", type(error).__name__)

    def _come_to_rest(self) -> None:
        self._at_rest.set()
        if self._stop is not None:
            self._stop.touch()

    def _fail(self, error: CadenzaError) -> None:
        self.failed.set_result(error)
        self.cut(Keep.NOTHING)

    async def _next(self) -> _Parcel | None:
        """Wait until a post is due, take it and give it back; ``None`` when there is nothing left to do."""
        while True:
            self._changed.clear()
            if not self._waiting:
                if self._sealed:
                    return None
                await self._wait(None, _TYPING_LASTS)
                continue
            parcel = self._waiting[0]
            due = self._last_sent + parcel.post.pause - asyncio.get_running_loop().time()
            if self._is_stopping():
                await self._changed.wait()  # what is still to be sent is being decided
            elif not parcel.is_ready:
                await self._prepare(parcel)
            elif due > _INSTANT:
                await self._wait(parcel.post, min(due, _TYPING_LASTS))
            elif self._superseded and not parcel.notice:
                self._at_rest.clear()
                await self._take_back(self._superseded.popleft())
                self._come_to_rest()
            else:
                self._at_rest.clear()
                self._waiting.popleft()
                self._note_change()
                return parcel

    async def _prepare(self, parcel: _Parcel) -> None:
        """Have *parcel*, the first that waits, prepared; if it is cut meanwhile, that is not waited for."""
        post = parcel.post
        if not self._backstage.helps(post):
            self._waiting[0] = _Parcel(post, parcel.part, is_ready=True)
            return
        preparing = self._backstage.prepared(post, roster=self._roster, limit=self._limit, place=self._place)
        work = asyncio.create_task(_otherwise(post, preparing), name="cadenza backstage")
        work.add_done_callback(lambda _: self._changed.set())
        try:
            await asyncio.sleep(0)  # nearly always there is nothing to wait for
            while not work.done() and self._is_first(parcel):
                self._changed.clear()
                await self._wait(post, _TYPING_LASTS)
            if work.done() and self._is_first(parcel):
                self._waiting.popleft()
                first, *rest = work.result()
                self._waiting.extendleft(_Parcel(post, parcel.part) for post in reversed(rest))
                self._waiting.appendleft(_Parcel(first, parcel.part, is_ready=True))
        finally:
            await end_task(work)

    def _is_first(self, parcel: _Parcel) -> bool:
        return bool(self._waiting) and self._waiting[0] is parcel

    def _is_stopping(self) -> bool:
        return self._stop is not None and self._stop.reason is not None and not self._decided

    async def _wait(self, post: Post | None, seconds: float) -> None:
        """Show that something is being written until the time is over or something changes."""
        typing = asyncio.create_task(self._show_typing(post.identity if post else None), name="cadenza typing")
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._changed.wait()
        finally:
            await end_task(typing)

    async def _show_typing(self, identity: Identity | None) -> None:
        """A courtesy: whatever goes wrong with it must not hold up or end the reply."""
        with suppress(Exception):
            await self._target.typing(identity)


async def _otherwise(post: Post, preparing: Awaitable[list[Post]]) -> list[Post]:
    """What *preparing* comes to; if it fails, *post* as it was planned."""
    try:
        return await preparing
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        if is_cancelled(error):
            raise
        return list(post.instead) or [post]
