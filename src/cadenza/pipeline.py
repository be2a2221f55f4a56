"""The shell around the pure half: here is what waits, races and is interrupted.

Two tasks work for a reply. The *reader* takes chunks from the model and gives them to the round, which answers with
posts. The *sender* in the outbox delivers posts, with their pauses. Between them is a short queue, so that typing does
not look like a silent model and a slow chat slows the model down rather than filling the memory.

A stop, a stall or a failed send does not wait for the next chunk: it overtakes the reader and is the round's next event.
Sends are never cancelled half-way; what was sent is always known.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Iterable, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from itertools import count, groupby
from operator import attrgetter
from types import TracebackType
from typing import Any, Self, TypeVar

from .backstage import Backstage
from .errors import CadenzaError, DeliveryError
from .models import broken_off, closing, hang_up
from .rules import RULES
from .rules.repeated_emoji import recent_emoji
from .rules.rule import Rule, RuleContext
from .settings import BufferSettings, Settings
from .stages.s4_round import Keep, Round, kept
from .stages.s5_buffer import Buffer
from .stages.s6_rules import rule_row
from .stages.s7_delivery import Chance, Composer, Target, farewell
from .stages.stage import Pipe, Stage
from .stops import StopHandle, is_cancelled
from .text.units import WHITESPACE
from .types import (
    Broke,
    Chunk,
    Ending,
    Failed,
    FellSilent,
    Finished,
    Identity,
    Kind,
    NeedsTools,
    Outcome,
    Persona,
    Post,
    Receipt,
    Roster,
    RoundEvent,
    Scene,
    Segment,
    SendFailed,
    Served,
    Stopped,
    StopRequested,
    Usage,
)

T = TypeVar("T")

_BREATH = 256
"""Chunks after which the reader lets others have a turn, however fast the model is."""

_INSTANT = 1e-6
"""Less than this is no time: adding up floats leaves crumbs, and nobody should wait for those."""

_TYPING_LASTS = 8.0
"""Seconds after which the typing indicator is shown again; Discord's goes out after ten."""

_UNBOUND = BufferSettings(overflow=sys.maxsize // 2, code_overflow=sys.maxsize // 2)
"""For a text that is known as a whole: it is not cut because it is long."""

_LINE_ENDS = re.compile("\n{3,}")


def text_row(
    scene: Scene,
    settings: Settings,
    chance: Chance,
    *,
    rules: Iterable[type[Rule]] = RULES,
    tap: Stage[Segment, Segment] | None = None,
    pictures: bool = False,
) -> Pipe:
    """The stages from text to posts, for one reply.

    *tap* sees the segments between stages 5 and 6; with *pictures*, tables are planned as pictures.
    """
    delivery = settings.delivery
    return Pipe(
        Buffer(settings.buffer, sentences=delivery.degree == 3, speaker=scene.persona.name),
        *((tap,) if tap else ()),
        rule_row(rule_context(scene, settings), rules),
        Composer(delivery, chance, reply_to=scene.reply_to, pictures=pictures),
    )


def rule_context(scene: Scene, settings: Settings) -> RuleContext:
    """What the rules of a reply to *scene* are built with."""
    roster = scene.roster
    if not roster.recent_emoji and settings.rules.emoji_lookback:
        roster = replace(roster, recent_emoji=recent_emoji(scene.history, settings.rules.emoji_lookback))
    return RuleContext(scene.persona, roster, settings.rules, prefill=scene.prefill)


def clean(
    text: str, scene: Scene | None = None, *, settings: Settings | None = None, rules: Iterable[type[Rule]] = RULES
) -> str:
    """Make of *text*, which a tool or a command wrote in the persona's name, what people should see.

    It passes the very rules that a model's stream passes; an opening label of any persona in the channel goes too.
    """
    scene = scene or Scene("", Persona(""))
    context = rule_context(replace(scene, prefill=""), settings or Settings())
    row = Pipe(Buffer(_UNBOUND), rule_row(replace(context, openers=tuple(context.roster.personas)), rules))
    items = row.feed(text) + row.flush(Ending.FINAL)
    return _with_fewer_line_ends(item for item in items if isinstance(item, Segment)).strip(WHITESPACE)


def _with_fewer_line_ends(segments: Iterable[Segment]) -> str:
    """The text of *segments*, in which at most one empty line stands between two others, but for those of code."""
    parts: list[str] = []
    ends = ""  # the line ends behind a block are not a part of it
    for kind, group in groupby(segments, attrgetter("kind")):
        text = ends + "".join(segment.text for segment in group)
        if kind is Kind.PROSE:
            parts.append(_LINE_ENDS.sub("\n\n", text))
            ends = ""
        else:
            block = text.rstrip("\n")
            parts.append(block)
            ends = text[len(block) :]
    return "".join(parts) + ends


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
        self.failed: asyncio.Future[CadenzaError] = asyncio.get_running_loop().create_future()
        self._target = target
        self._room = room
        self._limit = target.limits.length if limit is None else limit
        self._stop = stop
        self._waiting: deque[Post] = deque()
        self._changed = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._sealed = False
        self._decided = False  # whether a stop has already been acted upon
        self._last_sent = asyncio.get_running_loop().time()
        self._backstage = backstage or Backstage(painter=None)
        self._roster = roster or Roster()
        self._place = place
        self._ready: Post | None = None  # the first of those that wait, once it has been prepared
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

    def add(self, posts: Sequence[Post]) -> None:
        """Put *posts* behind what waits. After ``cut`` nothing more is taken."""
        if posts and not self._sealed:  # most tokens make no post, and the sender should sleep through them
            self._waiting.extend(posts)
            self._note_change()

    async def room(self) -> None:
        """Wait until there is room for more."""
        await self._has_room.wait()

    def cut(self, keep: Keep, last: Sequence[Post] = ()) -> None:
        """The reply has ended: *last* is all that comes, and of what waits only as much is sent as *keep* says."""
        match keep:
            case Keep.EVERYTHING | Keep.DECIDED:
                self._waiting.extend(last)
            case Keep.CLAUSE:
                goodbye = farewell([*self._waiting, *last], self._limit)
                self._waiting.clear()
                self._waiting.extend([goodbye] if goodbye else [])
                self._ready = goodbye  # there is no time to prepare it
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
            while post := await self._next():
                self.receipts.append(await self._backstage.sent(post, self._target))
                self._last_sent = asyncio.get_running_loop().time()
        except CadenzaError as error:
            self._fail(error)
        except (Exception, asyncio.CancelledError) as error:
            if is_cancelled(error):
                raise
            # A target is foreign code, and the text of its errors may hold secrets.
            self._fail(DeliveryError(f"a message could not be sent ({type(error).__name__})"))

    def _fail(self, error: CadenzaError) -> None:
        self.failed.set_result(error)
        self.cut(Keep.NOTHING)

    async def _next(self) -> Post | None:
        """Wait until a post is due, take it and give it back; ``None`` when there is nothing left to do."""
        while True:
            self._changed.clear()
            if not self._waiting:
                if self._sealed:
                    return None
                await self._wait(None, _TYPING_LASTS)
                continue
            post = self._waiting[0]
            due = self._last_sent + post.pause - asyncio.get_running_loop().time()
            if self._is_stopping():
                await self._changed.wait()  # what is still to be sent is being decided
            elif post is not self._ready:
                await self._prepare(post)
            elif due > _INSTANT:
                await self._wait(post, min(due, _TYPING_LASTS))
            else:
                self._waiting.popleft()
                self._note_change()
                return post

    async def _prepare(self, post: Post) -> None:
        """Have *post*, the first that waits, prepared; if it is cut meanwhile, that is not waited for."""
        if not self._backstage.helps(post):
            self._ready = post
            return
        preparing = self._backstage.prepared(post, roster=self._roster, limit=self._limit, place=self._place)
        work = asyncio.create_task(_otherwise(post, preparing), name="cadenza backstage")
        work.add_done_callback(lambda _: self._changed.set())
        try:
            await asyncio.sleep(0)  # nearly always there is nothing to wait for
            while not work.done() and self._is_first(post):
                self._changed.clear()
                await self._wait(post, _TYPING_LASTS)
            if work.done() and self._is_first(post):
                self._waiting.popleft()
                self._waiting.extendleft(reversed(work.result()))
                self._ready = self._waiting[0]
        finally:
            await end_task(work)

    def _is_first(self, post: Post) -> bool:
        return bool(self._waiting) and self._waiting[0] is post

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


class _Watch:
    """Notices when a model has been silent for too long: before its first word, or between two words.

    Every chunk only writes down the time; one timer looks at it when it might matter.
    """

    def __init__(self, first: float, idle: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._idle = idle
        self._timeout = first
        self.has_begun = False
        """Whether the model has said anything."""
        self._since: float | None = self._loop.time()
        self.expired: asyncio.Future[None] = self._loop.create_future()
        self._timer = self._loop.call_later(first, self._look)

    def note(self, chunk: Chunk) -> None:
        """The model spoke; some count tokens or say who answers before the first word."""
        self._since = self._loop.time()
        if not self.has_begun and not isinstance(chunk, Usage | Served):
            self.has_begun, self._timeout = True, self._idle
            self._timer.cancel()  # the first word may be waited for much longer than the next
            self._timer = self._loop.call_later(self._idle, self._look)

    def rest(self) -> None:
        """It is not the model that we wait for."""
        self._since = None

    def close(self) -> None:
        """Look no more."""
        self._timer.cancel()
        self.expired.cancel()

    def _look(self) -> None:
        now = self._loop.time()
        due = (now if self._since is None else self._since) + self._timeout
        if due > now:
            self._timer = self._loop.call_at(due, self._look)
        elif not self.expired.done():
            self.expired.set_result(None)


async def run_round(
    round_: Round,
    chunks: AsyncIterable[Chunk],
    outbox: Outbox,
    *,
    settings: Settings | None = None,
    stop: StopHandle | None = None,
) -> Outcome:
    """Pump *chunks* through *round_* into *outbox* until the round has its outcome.

    Returns when the model is done, not when everything is sent: see ``settle``.
    """
    turn = (settings or Settings()).turn
    event = _pending(outbox, stop)
    if event:  # it was over before it began: the model is not even asked
        await hang_up(chunks)
        return conclude(event, round_, outbox, turn.on_stop)
    watch = _Watch(turn.first_timeout, turn.idle_timeout)
    reader = asyncio.create_task(_read(round_, chunks, outbox, watch), name="cadenza reader")
    try:
        event = await overtaking(reader, outbox=outbox, stop=stop, watch=watch)
        if event:  # decided now: however long the stream takes to hang up, and whatever it says meanwhile
            conclude(event, round_, outbox, turn.on_stop)
    finally:
        watch.close()
        await end_task(reader)
    return conclude(None, round_, outbox, turn.on_stop)


async def settle(
    round_: Round, outbox: Outbox, *, settings: Settings | None = None, stop: StopHandle | None = None
) -> Outcome:
    """Wait until everything is sent; a stop or a failed send still counts, and may change the outcome."""
    turn = (settings or Settings()).turn
    sending = asyncio.create_task(outbox.finished(), name="cadenza settle")
    try:
        event = await overtaking(sending, outbox=outbox, stop=stop)
    finally:
        await end_task(sending)
    return conclude(event, round_, outbox, turn.on_stop)


async def _read(round_: Round, chunks: AsyncIterable[Chunk], outbox: Outbox, watch: _Watch) -> None:
    async with aclosing(closing(chunks)) as source:
        for number in count(1):
            chunk = await _next_chunk(source)
            watch.rest()
            _hand_over(chunk, round_, outbox)
            if round_.outcome is not None:
                return
            await outbox.room()
            if not number % _BREATH:
                await asyncio.sleep(0)  # a stream that is always ready must not keep everybody else waiting
            watch.note(chunk)


async def _next_chunk(source: AsyncIterator[Chunk]) -> Chunk:
    """The next chunk; a stream that ends or breaks off without a word gets one."""
    try:
        return await anext(source)
    except StopAsyncIteration:
        return Finished("end_of_stream")
    except (Exception, asyncio.CancelledError) as error:
        if is_cancelled(error):
            raise
        return Failed(broken_off(error))


def _hand_over(chunk: Chunk, round_: Round, outbox: Outbox) -> None:
    """Give *chunk* to *round_* and what becomes of it to *outbox*, which should know when that was the last."""
    outbox.add(_received(round_, chunk))
    if round_.outcome is not None and not isinstance(round_.outcome, NeedsTools):
        outbox.close()


def _received(round_: Round, event: RoundEvent) -> list[Post]:
    """What *round_* makes of *event*; if a rule or another stage of it fails, that is the end of the round."""
    try:
        return round_.receive(event)
    except Exception as error:  # noqa: BLE001  # a rule may be foreign code
        failure = CadenzaError(f"a rule or another stage failed ({type(error).__name__})")
        failure.__cause__ = error  # for whoever has to mend it
        round_.outcome = Broke(failure)
        return []


async def overtaking(
    work: asyncio.Task[Any], *, outbox: Outbox, stop: StopHandle | None, watch: _Watch | None = None
) -> RoundEvent | None:
    """Wait for *work* or for what overtakes it; give back the event that did."""
    stopped = asyncio.create_task(stop.wait(), name="cadenza stop") if stop else None
    awaited: set[asyncio.Future[Any]] = {work, outbox.failed}
    if watch:
        awaited.add(watch.expired)
    if stopped:
        awaited.add(stopped)
    try:
        await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
    finally:
        if stopped:
            await end_task(stopped)
    if event := _pending(outbox, stop):
        return event
    if watch and watch.expired.done() and not work.done():
        return FellSilent(watch.has_begun)
    return None


def _pending(outbox: Outbox, stop: StopHandle | None) -> RoundEvent | None:
    """What has already happened that ends a reply."""
    if stop and stop.reason:
        return StopRequested(stop.reason)
    if outbox.failed.done():
        return SendFailed(outbox.failed.result())
    return None


def conclude(event: RoundEvent | None, round_: Round, outbox: Outbox, on_stop: str) -> Outcome:
    """Tell *round_* of the event that overtook it, if there was one, and *outbox* what is still to be sent."""
    posts = _received(round_, event) if event else []
    if round_.outcome is None:
        msg = "a round ended without an outcome"
        raise AssertionError(msg)
    if event:
        # A stop counts for what waits even if the round has ended for another reason.
        why = Stopped(event.reason) if isinstance(event, StopRequested) else round_.outcome
        outbox.cut(kept(why, on_stop=on_stop), posts)
    return round_.outcome


async def end_task(task: asyncio.Task[Any]) -> None:
    """Cancel *task* if it still runs, and wait until it has cleaned up; what it raised is raised here.

    If we are cancelled meanwhile, we still wait: nothing is left running behind our back.
    """
    cancelled: asyncio.CancelledError | None = None
    if not task.done():
        task.cancel()
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled:
        raise cancelled
    if not task.cancelled():
        task.result()
