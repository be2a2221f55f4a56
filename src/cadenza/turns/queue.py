"""Who is answered when: one turn a channel at a time, and what becomes of messages that come meanwhile.

The rules of this place
1. In a channel one turn is running at most; what comes meanwhile waits, interrupts or stops it, and is never lost
   without a word: ``heard`` says what became of a message, and ``on_dropped`` if that changes.
2. Whoever is being answered and says more interrupts the reply, from its first moment on: while the model is still
   being asked nothing has been said, so to begin anew costs nobody anything, and the answer is to all of it. After
   ``interrupts`` times in a row it waits, so that somebody who cannot stop writing is answered in the end, and others
   are answered too.
3. Whatever happens is decided at once, without waiting: only the turns themselves are tasks. The task that attends to
   a turn gives way to the next one when it ends, and ``close`` waits for all of them.
4. A turn that was asked to stop has ``stop_grace`` seconds to end by itself; then it is cancelled, and if it ignores
   that too, it is left behind. It never keeps the channel.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum
from itertools import count
from secrets import token_hex
from types import TracebackType
from typing import ParamSpec, Self

from ..concurrency.stops import StopHandle, StopRegistry, Stops, is_cancelled
from ..settings import ChannelSettings, Settings
from ..text.stop_phrases import is_stop
from ..types import Reply, StopReason
from .channels import ChannelTurns, Running, Turn
from .waiting import Dropped, IncomingMessage, QueuedTurn, TurnReason
from .watchdog import Watchdog

logger = logging.getLogger(__name__)

P = ParamSpec("P")


class Verdict(Enum):
    """What becomes of a message."""

    STARTED = "started"
    """It is being answered."""
    GATHERED = "gathered"
    """It will be answered with what its author said just before, and says until then."""
    QUEUED = "queued"
    """It waits for its turn."""
    INTERRUPTED = "interrupted"
    """The reply to its author ends for it, and it is answered next."""
    STOPPED = "stopped"
    """It asked to stop, and that is done."""
    REPEATED = "repeated"
    """It was heard before, and nothing becomes of it again."""
    FULL = "full"
    """Too many wait already: it is not answered."""
    CLOSED = "closed"
    """Nobody is answered any more."""


@dataclass(frozen=True, slots=True)
class StopResult:
    """What a command to stop came to."""

    was_running: bool
    cleared: int
    """How many messages do not wait any more."""

    def __bool__(self) -> bool:
        return self.was_running or self.cleared > 0


@dataclass(frozen=True, slots=True)
class ShutdownResult:
    """What a shutdown came to."""

    stopped: int
    """How many replies did not end in time and were stopped."""
    left: int
    """How many of them did not even end when they were cancelled."""
    dropped: int
    """How many messages had waited."""


class Turns:
    """The desk at which all messages of a bot arrive. An async context manager: its end is a graceful shutdown.

    *answer* is called with every turn and gives back the reply, or ``None`` if there was nothing to say; it hands
    ``turn.stop`` on, so that the reply ends when it should. Whatever it raises is told to *on_failed*, and the next turn
    runs. *names* says how the bot is called where a message was written, so that ``Ren, stop!`` is understood.
    *on_dropped* is told of each message that was to be answered and is not. *stops* is where turns can be stopped from
    elsewhere, by their ids.
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
        # What was said of a turn before a restart, such as a button to stop it, must not mean another one after it.
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

    # --- what happens -----------------------------------------------------------------------

    def heard(self, message: IncomingMessage) -> Verdict:
        """Somebody wrote *message*, and it is to be answered."""
        if self._is_closed:
            return Verdict.CLOSED
        channel = self._channels.setdefault(message.channel, ChannelTurns(message.channel, self._settings))
        verdict = self._admitted(channel, message)
        self._go_on(channel)
        return verdict

    def deleted(self, channel: str, message_id: str) -> bool:
        """A message is gone: it is not answered any more. Say whether it was or would have been."""
        found = self._channels.get(channel)
        if found is None:
            return False
        waited = found.waiting.delete(message_id)
        self._drop(waited, Dropped.DELETED)
        was_running = found.lose(message_id, asyncio.get_running_loop().time())
        self._go_on(found)
        return was_running or bool(waited)

    def edited(self, message: IncomingMessage) -> bool:
        """A message was changed to *message*. Say whether that makes a difference.

        One that waits is answered as it is now. One whose answer began at most ``rerun_seconds`` ago is answered anew,
        before all others.
        """
        found = self._channels.get(message.channel)
        if found is None or self._is_closed:
            return False
        makes_difference = found.waiting.edit(message) or found.rerun(message, asyncio.get_running_loop().time())
        self._go_on(found)
        return makes_difference

    def would_rerun(self, message: IncomingMessage) -> bool:
        """Whether ``edited`` would have *message*, whose answer has begun, answered anew."""
        found = self._channels.get(message.channel)
        if found is None or self._is_closed or message.id in found.waiting.ids:
            return False
        return found.would_rerun(message, asyncio.get_running_loop().time())

    def stop(self, channel: str, *, by: str = "", author: str | None = None) -> StopResult:
        """A command asks for silence: the reply is stopped, and what waits is not answered.

        With *author* only what that person asked for is: for whoever may not stop others.
        """
        found = self._channels.get(channel)
        if found is None:
            return StopResult(was_running=False, cleared=0)
        running = found.running if author is None else found.running_for(author)
        cleared = found.waiting.take_out(lambda entry: author in (None, entry.author))
        self._drop(cleared, Dropped.STOPPED)
        if running:
            running.turn.stop.take(StopReason.USER, by)
        self._go_on(found)
        return StopResult(was_running=running is not None, cleared=len(cleared))

    def running(self) -> tuple[Turn, ...]:
        """All turns under way."""
        return tuple(channel.running.turn for channel in self._channels.values() if channel.running)

    @property
    def left_behind(self) -> int:
        """How many turns did not end even when they were cancelled; the channel went on without them."""
        return self._attendant.left_behind

    def change(self, settings: Settings) -> None:
        """From now on *settings* hold, also where somebody waits or is being answered."""
        self._settings = self._attendant.settings = settings.channel
        for channel in self._channels.values():
            channel.change(settings.channel)

    async def close(self) -> ShutdownResult:
        """Answer nobody any more. Replies under way may end, for a while; then they are stopped."""
        self._is_closed = True
        waited = [message for channel in self._channels.values() for message in channel.waiting.take_out()]
        self._drop(waited, Dropped.SHUTDOWN)
        for channel in list(self._channels.values()):
            channel.past.clear()
            self._go_on(channel)
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
        await asyncio.sleep(0)  # those who are told what was dropped have been told
        return ShutdownResult(len(unfinished), self.left_behind - left_before, len(waited))

    async def _all_ended(self, seconds: float | None = None) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)

    # --- what becomes of a message ------------------------------------------------------------

    def _admitted(self, channel: ChannelTurns, message: IncomingMessage) -> Verdict:
        if channel.knows(message.id):
            return Verdict.REPEATED
        if self._is_stop(channel, message):
            self._hush(channel, message)
            return Verdict.STOPPED
        if channel.running and channel.is_follow_up(message, channel.running):
            return self._follow_up(channel, channel.running, message)
        return self._queued(channel, message)

    def _is_stop(self, channel: ChannelTurns, message: IncomingMessage) -> bool:
        """Whether *message* is by somebody who is being answered or waits for it, and says nothing but to stop."""
        if not self._settings.stop_phrases or message.is_command:
            return False
        waits = channel.waiting.holds(lambda entry: entry.author == message.author)
        is_concerned = waits or channel.running_for(message.author) is not None
        return is_concerned and is_stop(message.text, self._names(message))

    def _hush(self, channel: ChannelTurns, message: IncomingMessage) -> None:
        """Do what *message* asks for: its author is not answered any more, but for that very message.

        Who says so to the answer to a stop means silence. Nothing more is done while an earlier one is being obeyed, or
        a turn ends for reasons that nobody here can change.
        """
        running = channel.running_for(message.author)
        ends = (None, StopReason.FOLLOW_UP, StopReason.TRIGGER_GONE)
        if channel.waiting.holds(lambda entry: entry.why is TurnReason.STOP_REPLY and entry.author == message.author):
            return
        if running and running.turn.stop.reason not in ends:
            return
        mine = channel.waiting.take_out(lambda entry: entry.author == message.author)
        self._drop(mine, Dropped.STOPPED)
        if running:
            running.turn.stop.take(StopReason.USER, message.author)
            if self._settings.answer_stops and running.turn.why is not TurnReason.STOP_REPLY:
                persona = message.persona or running.turn.persona
                entry = QueuedTurn.of(message, TurnReason.STOP_REPLY, asyncio.get_running_loop().time())
                channel.waiting.put_first(replace(entry, persona=persona))

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

    def _go_on(self, channel: ChannelTurns) -> None:
        """Begin the next turn if there is one and nothing hinders it; forget a channel in which nothing goes on."""
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
            channel.timer = loop.call_at(due, self._go_on, channel)

    def _begin(self, channel: ChannelTurns, entry: QueuedTurn, now: float) -> None:
        turn_id = f"{channel.name}/{self._mark}{next(self._numbers)}"
        stop = self._listen(turn_id)
        stop.touch()
        if entry.is_command or entry.why is TurnReason.STOP_REPLY:
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
        # Not at the end of the task itself: one that is cancelled before its first step has no end.
        task.add_done_callback(lambda task: self._end(channel, running, task))

    def _listen(self, turn_id: str) -> StopHandle:
        """A handle for a turn; nobody is left without an answer because it could not be stopped from elsewhere."""
        try:
            return self._stops.open(turn_id)
        except Exception as error:  # noqa: BLE001  # a registry may be foreign code
            logger.warning("a turn cannot be stopped from elsewhere (%s)", type(error).__name__)
            return Stops().open(turn_id)

    def _end(self, channel: ChannelTurns, running: Running, task: asyncio.Task[None]) -> None:
        """A turn is over: let the next one begin, unless somebody who cancels our tasks wants everything to end."""
        self._tasks.discard(task)
        stop, now = running.turn.stop, asyncio.get_running_loop().time()
        stop.close()
        channel.running = None
        if not channel.waiting.holds(lambda entry: entry.follows(running.turn.id)):
            channel.interrupts = 0
        said = running.reply.receipts if running.reply else ()
        owed = () if said else running.turn.supersedes  # whoever spoke has taken the place of what was there before
        channel.waiting.hand_over(running.turn.id, running.entry, owed, said)
        if task.cancelled():
            unanswered = () if running.has_begun else running.messages_left
            self._drop((*unanswered, *channel.waiting.take_out()), Dropped.SHUTDOWN)
        elif not self._is_closed:
            channel.remember(running, owed + said, now)
        self._go_on(channel)

    async def _attend(self, channel: ChannelTurns, running: Running) -> None:
        """The task of a turn."""
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
            # It is foreign code, and the text of its errors may hold secrets.
            logger.error("the answer to a message failed (%s)", type(error).__name__)  # noqa: TRY400  # likewise
            self._tell(self._on_failed, running.turn, error)

    # --- what others are told -----------------------------------------------------------------------

    def _drop(self, messages: Iterable[IncomingMessage], why: Dropped) -> None:
        for message in messages:
            # Later, so that whoever is told finds everything decided and may say something more.
            asyncio.get_running_loop().call_soon(self._tell_dropped, message, why)

    def _tell_dropped(self, message: IncomingMessage, why: Dropped) -> None:
        self._tell(self._on_dropped, message, why)

    @staticmethod
    def _tell(listener: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
        """Tell *listener*, whose own faults end nothing here."""
        try:
            listener(*args, **kwargs)
        except Exception as error:  # noqa: BLE001  # it is foreign code
            logger.error("a listener failed (%s)", type(error).__name__)  # noqa: TRY400  # its text may hold secrets
