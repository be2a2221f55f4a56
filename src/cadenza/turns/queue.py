"""The queue of turns: each channel runs one turn at a time, and messages that come meanwhile wait or interrupt it.

1. A message that comes during a turn waits, interrupts the turn or stops it. It is never lost silently: ``heard``
   returns what became of it, and ``on_dropped`` is called if that changes.
2. A follow-up of the author who is being answered interrupts the reply from its first moment on, and the new reply
   answers all of it. After ``interrupts`` times in a row it waits, so that this author and others are answered.
3. Decisions are made at once, without waiting; only the turns are tasks. When a turn ends, the next one begins.
   ``close`` waits for all of them.
4. A turn that was asked to stop has ``stop_grace`` seconds to end by itself. Then it is cancelled, and if it ignores
   that too, it is abandoned and the channel goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from itertools import count
from secrets import token_hex
from types import TracebackType
from typing import ParamSpec, Self

from ..concurrency.stops import StopHandle, StopRegistry, Stops, is_cancelled
from ..explain.tracebacks import get_logger
from ..settings import ChannelSettings, Settings
from ..text.stop_phrases import is_stop
from ..types import Reply, StopReason
from .channels import ChannelTurns, Running, Turn
from .waiting import Dropped, IncomingMessage, QueuedTurn, TurnReason
from .watchdog import Watchdog

logger = get_logger(__name__)

P = ParamSpec("P")


class Verdict(Enum):
    """What becomes of a message."""

    STARTED = "started"
    """It is being answered."""
    GATHERED = "gathered"
    """It will be answered together with other messages of its author."""
    QUEUED = "queued"
    """It waits for its turn."""
    INTERRUPTED = "interrupted"
    """It interrupts the reply to its author and is answered next."""
    STOPPED = "stopped"
    """It asked to stop, and the reply was stopped."""
    REPEATED = "repeated"
    """It was heard before and is ignored."""
    FULL = "full"
    """The queue is full: it is not answered."""
    CLOSED = "closed"
    """The queue is closed: it is not answered."""


@dataclass(frozen=True, slots=True)
class StopResult:
    """The result of a stop command."""

    was_running: bool
    cleared: int
    """Number of messages removed from the queue."""

    def __bool__(self) -> bool:
        return self.was_running or self.cleared > 0


@dataclass(frozen=True, slots=True)
class ShutdownResult:
    """The result of a shutdown."""

    stopped: int
    """Number of replies that did not end in time and were stopped."""
    left: int
    """Number of those that did not end even when cancelled."""
    dropped: int
    """Number of messages that had waited."""


class Turns:
    """The turns of all channels of a bot. An async context manager: its end is a graceful shutdown.

    *answer* is called with every turn and returns the reply, or ``None`` if there was nothing to say; it passes
    ``turn.stop`` on to the reply. If it raises, *on_failed* is called and the next turn runs. *names* returns the names
    of the bot for a message, so that ``Ren, stop!`` is understood. *on_dropped* is called with each message that was
    queued and is not answered. *stops* is the registry through which turns are stopped by their ids.
    """

    def __init__(
        self,
        answer: Callable[[Turn], Awaitable[Reply | None]],
        *,
        settings: Settings | None = None,
        stops: StopRegistry | None = None,
        names: Callable[[IncomingMessage], Iterable[str]] | None = None,
        on_dropped: Callable[[IncomingMessage, Dropped], object] | None = None,
        on_failed: Callable[[Turn, BaseException], object] | None = None,
    ) -> None:
        self._answer = answer
        self._settings: ChannelSettings = (settings or Settings()).channel
        self._stops = Stops() if stops is None else stops
        self._names = names or (lambda _: ())
        self._on_dropped = on_dropped or (lambda _, __: None)
        self._on_failed = on_failed or (lambda _, __: None)
        self._channels: dict[str, ChannelTurns] = {}
        # Ids differ after a restart, so an old stop button cannot stop a new turn.
        self._mark = f"{token_hex(4)}-"
        self._numbers = count(1)
        self._tasks: set[asyncio.Task[None]] = set()
        self._attendant = Watchdog(self._settings)
        self._is_closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # --- events -----------------------------------------------------------------------------

    def heard(self, message: IncomingMessage) -> Verdict:
        """Queue *message* or start its turn; return what becomes of it."""
        if self._is_closed:
            return Verdict.CLOSED
        channel = self._channels.setdefault(message.channel, ChannelTurns(message.channel, self._settings))
        verdict = self._admitted(channel, message)
        self._advance(channel)
        return verdict

    def deleted(self, channel: str, message_id: str) -> bool:
        """Forget a deleted message; return whether it was being answered or waited."""
        found = self._channels.get(channel)
        if found is None:
            return False
        waited = found.waiting.delete(message_id)
        self._drop(waited, Dropped.DELETED)
        was_running = found.lose(message_id, asyncio.get_running_loop().time())
        self._advance(found)
        return was_running or bool(waited)

    def edited(self, message: IncomingMessage) -> bool:
        """Update an edited message; return whether that makes a difference.

        A queued message is answered as it is now. One whose answer began at most ``rerun_seconds`` ago is answered
        again, before all others.
        """
        found = self._channels.get(message.channel)
        if found is None or self._is_closed:
            return False
        makes_difference = found.waiting.edit(message) or found.rerun(message, asyncio.get_running_loop().time())
        self._advance(found)
        return makes_difference

    def would_rerun(self, message: IncomingMessage) -> bool:
        """Return whether ``edited`` would rerun the answer to *message*."""
        found = self._channels.get(message.channel)
        if found is None or self._is_closed or message.id in found.waiting.ids:
            return False
        return found.would_rerun(message, asyncio.get_running_loop().time())

    def stop(self, channel: str, *, by: str = "", author: str | None = None) -> StopResult:
        """Stop the reply of *channel* and clear its queue.

        With *author*, only the reply to that author is stopped and only their messages are removed.
        """
        found = self._channels.get(channel)
        if found is None:
            return StopResult(was_running=False, cleared=0)
        running = found.running if author is None else found.running_for(author)
        cleared = found.waiting.take_out(lambda entry: author in (None, entry.author))
        self._drop(cleared, Dropped.STOPPED)
        if running:
            running.turn.stop.take(StopReason.USER, by)
        self._advance(found)
        return StopResult(was_running=running is not None, cleared=len(cleared))

    def running(self) -> tuple[Turn, ...]:
        """Return all running turns."""
        return tuple(channel.running.turn for channel in self._channels.values() if channel.running)

    @property
    def left_behind(self) -> int:
        """Number of turns that were abandoned because they ignored their cancellation."""
        return self._attendant.left_behind

    def change(self, settings: Settings) -> None:
        """Use *settings* from now on, also for running turns and queued messages."""
        self._settings = self._attendant.settings = settings.channel
        for channel in self._channels.values():
            channel.change(settings.channel)

    async def close(self) -> ShutdownResult:
        """Take no more messages. Running replies have ``shutdown_grace`` seconds to end; then they are stopped."""
        self._is_closed = True
        waited = [message for channel in self._channels.values() for message in channel.waiting.take_out()]
        self._drop(waited, Dropped.SHUTDOWN)
        for channel in list(self._channels.values()):
            channel.past.clear()
            self._advance(channel)
        left_before = self.left_behind
        try:
            await self._all_ended(self._settings.shutdown_grace)
            unfinished = self.running()
            for turn in unfinished:
                turn.stop.take(StopReason.SHUTDOWN)
            await self._all_ended()
        except asyncio.CancelledError:
            for task in tuple(self._tasks):
                task.cancel()
            await self._all_ended()
            raise
        await asyncio.sleep(0)  # lets the calls of on_dropped happen
        return ShutdownResult(len(unfinished), self.left_behind - left_before, len(waited))

    async def _all_ended(self, seconds: float | None = None) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)

    # --- what becomes of a message ------------------------------------------------------------

    def _admitted(self, channel: ChannelTurns, message: IncomingMessage) -> Verdict:
        if channel.knows(message.id):
            return Verdict.REPEATED
        if self._is_stop(channel, message):
            self._obey_stop(channel, message)
            return Verdict.STOPPED
        if channel.running and channel.is_follow_up(message, channel.running):
            return self._follow_up(channel, channel.running, message)
        return self._queued(channel, message)

    def _is_stop(self, channel: ChannelTurns, message: IncomingMessage) -> bool:
        """Return whether *message* says only to stop, and its author is being answered or waits."""
        if not self._settings.stop_phrases or message.is_command:
            return False
        waits = channel.waiting.holds(lambda entry: entry.author == message.author)
        is_concerned = waits or channel.running_for(message.author) is not None
        return is_concerned and is_stop(message.text, self._names(message))

    def _obey_stop(self, channel: ChannelTurns, message: IncomingMessage) -> None:
        """Stop the reply to the author of *message* and clear their queue. The silence is the answer."""
        running = channel.running_for(message.author)
        mine = channel.waiting.take_out(lambda entry: entry.author == message.author)
        self._drop(mine, Dropped.STOPPED)
        if running:
            running.turn.stop.take(StopReason.USER, message.author)

    def _follow_up(self, channel: ChannelTurns, running: Running, message: IncomingMessage) -> Verdict:
        now = asyncio.get_running_loop().time()
        turn = running.turn
        too_much = channel.waiting.join(message, turn.id, now)
        if too_much is None:
            channel.interrupts += 1
            turn.stop.take(StopReason.FOLLOW_UP, message.author)
            before = running.messages_left if turn.stop.reason is StopReason.FOLLOW_UP else ()
            channel.waiting.follow(message, before, turn=turn.id, persona=turn.persona, now=now)
        else:
            self._drop(too_much, Dropped.SUPERSEDED)
        return Verdict.INTERRUPTED if turn.stop.reason is StopReason.FOLLOW_UP else Verdict.QUEUED

    def _queued(self, channel: ChannelTurns, message: IncomingMessage) -> Verdict:
        now = asyncio.get_running_loop().time()
        waiting, is_idle = channel.waiting, channel.running is None
        self._drop(waiting.take_too_old(now), Dropped.TOO_OLD)
        if waiting.gather(message, now, is_idle=is_idle):
            return Verdict.GATHERED
        if not waiting.has_room(is_idle=is_idle):
            return Verdict.FULL
        is_first = is_idle and not waiting
        waiting.add(message, TurnReason.MESSAGE if is_first else TurnReason.QUEUED, now)
        if not is_first:
            return Verdict.QUEUED
        return Verdict.GATHERED if waiting.ripe_at and waiting.ripe_at > now else Verdict.STARTED

    # --- one turn after another -----------------------------------------------------------------

    def _advance(self, channel: ChannelTurns) -> None:
        """Begin the next turn if one is due; forget an idle channel."""
        if channel.timer:
            channel.timer.cancel()
            channel.timer = None
        if channel.running:
            return
        loop = asyncio.get_running_loop()
        now = loop.time()
        self._drop(channel.waiting.take_too_old(now), Dropped.TOO_OLD)
        if entry := channel.waiting.take_ripe(now):
            self._begin(channel, entry, now)
            return
        due = channel.due(now)
        if due is None:
            self._channels.pop(channel.name, None)
        else:
            channel.timer = loop.call_at(due, self._advance, channel)

    def _begin(self, channel: ChannelTurns, entry: QueuedTurn, now: float) -> None:
        turn_id = f"{channel.name}/{self._mark}{next(self._numbers)}"
        stop = self._listen(turn_id)
        stop.touch()
        if entry.is_command:
            stop.refuse_follow_ups()
        turn = Turn(
            turn_id,
            channel.name,
            entry.messages,
            entry.why,
            stop,
            persona=entry.persona,
            supersedes=entry.supersedes,
            queue=channel.waiting,
        )
        channel.running = running = Running(turn, entry, now)
        task = asyncio.create_task(self._attend(channel, running), name="cadenza turn")
        self._tasks.add(task)
        # A callback, because a task that is cancelled before its first step runs no code.
        task.add_done_callback(lambda task: self._end(channel, running, task))

    def _listen(self, turn_id: str) -> StopHandle:
        """Open a stop handle; if the registry fails, use one of our own, so that the turn is answered anyway."""
        try:
            return self._stops.open(turn_id)
        except Exception as error:  # a registry may be foreign code
            logger.warning("the stop registry failed; this turn cannot be stopped by its id", exc_info=error)
            return Stops().open(turn_id)

    def _end(self, channel: ChannelTurns, running: Running, task: asyncio.Task[None]) -> None:
        """Clean up after a turn and begin the next one; a cancelled task drops the queue of its channel."""
        self._tasks.discard(task)
        stop, now = running.turn.stop, asyncio.get_running_loop().time()
        stop.close()
        channel.running = None
        if not channel.waiting.holds(lambda entry: entry.follows(running.turn.id)):
            channel.interrupts = 0
        said = running.reply.receipts if running.reply else ()
        owed = () if said else running.turn.supersedes  # a reply that spoke has replaced them
        channel.waiting.hand_over(running.turn.id, running.entry, owed, said)
        if task.cancelled():
            unanswered = () if running.has_begun else running.messages_left
            self._drop((*unanswered, *channel.waiting.take_out()), Dropped.SHUTDOWN)
        elif not self._is_closed:
            channel.remember(running, owed + said, now)
        self._advance(channel)

    async def _attend(self, channel: ChannelTurns, running: Running) -> None:
        """Run a turn under the watchdog."""
        await self._attendant.attend(
            self._answered(running),
            running.turn.stop,
            on_stale=lambda: self._drop(channel.waiting.take_out(), Dropped.STALE),
        )

    async def _answered(self, running: Running) -> None:
        running.has_begun = True
        try:
            running.reply = await self._answer(running.turn)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            if is_cancelled(error):
                raise
            logger.exception("answering a message failed")
            self._tell(self._on_failed, running.turn, error)

    # --- callbacks ------------------------------------------------------------------------------

    def _drop(self, messages: Iterable[IncomingMessage], why: Dropped) -> None:
        for message in messages:
            # Later, so that the callback finds everything decided and may queue another message.
            asyncio.get_running_loop().call_soon(self._tell_dropped, message, why)

    def _tell_dropped(self, message: IncomingMessage, why: Dropped) -> None:
        self._tell(self._on_dropped, message, why)

    @staticmethod
    def _tell(listener: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
        """Call *listener*; its failures are only logged."""
        try:
            listener(*args, **kwargs)
        except Exception:
            logger.exception("a listener failed")
