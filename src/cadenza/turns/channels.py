"""A channel in which something goes on: the turn under way, what waits, and what may still be answered anew.

Values, and decisions about them; whoever holds a channel acts upon these. Time is handed in.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

from ..concurrency.stops import StopHandle
from ..settings import ChannelSettings
from ..types import Receipt, Reply, StopReason
from .waiting import INSTANT, IncomingMessage, QueuedTurn, TurnQueue, TurnReason


@dataclass(frozen=True, slots=True)
class Turn:
    """What is to be answered, and the handle by which that is stopped."""

    id: str
    channel: str
    messages: tuple[IncomingMessage, ...]
    """One, or several of the same person that are answered together; the last one is the newest."""
    why: TurnReason
    stop: StopHandle = field(repr=False, compare=False)
    persona: str = ""
    """Who is to answer; empty if that was not said."""
    supersedes: tuple[Receipt, ...] = ()
    """Messages of a reply in whose place this one comes; they are removed when it first speaks."""
    queue: TurnQueue | None = field(default=None, repr=False, compare=False)

    @property
    def author(self) -> str:
        """Who is answered."""
        return self.messages[0].author

    @property
    def waiting(self) -> tuple[str, ...]:
        """Ids of the messages that wait for a turn of their own at this moment: leave them out of the history."""
        own = {message.id for message in self.messages}
        return tuple(message_id for message_id in (self.queue.ids if self.queue else ()) if message_id not in own)


@dataclass(slots=True)
class Running:
    """A turn under way."""

    turn: Turn
    entry: QueuedTurn
    """What it was when it waited."""
    started_at: float
    gone: frozenset[str] = frozenset()
    """Messages of it that were deleted meanwhile."""
    has_begun: bool = False
    """Whether somebody has been asked for the answer."""
    reply: Reply | None = None

    def has(self, message_id: str) -> bool:
        """Whether that message is being answered."""
        return self.entry.has(message_id) and message_id not in self.gone

    @property
    def messages_left(self) -> tuple[IncomingMessage, ...]:
        """What is being answered."""
        return self.entry.without(self.gone)


@dataclass(frozen=True, slots=True)
class FinishedTurn:
    """A turn that has ended, as long as it may be run again."""

    entry: QueuedTurn
    until: float

    def without(self, gone: frozenset[str]) -> FinishedTurn:
        """The same, but for messages that are *gone*."""
        return replace(self, entry=replace(self.entry, messages=self.entry.without(gone)))


class ChannelTurns:
    """All that is known of a channel."""

    def __init__(self, name: str, settings: ChannelSettings) -> None:
        self._settings = settings
        self.name = name
        self.waiting = TurnQueue(settings)
        self.running: Running | None = None
        self.interrupts = 0
        """How often in a row somebody who said more was answered before all others."""
        self.past: list[FinishedTurn] = []
        self.timer: asyncio.TimerHandle | None = None
        """What wakes it when nothing is running."""

    def change(self, settings: ChannelSettings) -> None:
        """From now on *settings* hold."""
        self._settings = self.waiting.settings = settings

    def knows(self, message_id: str) -> bool:
        """Whether that message is being answered, or will be."""
        is_running = self.running is not None and self.running.entry.has(message_id)
        return is_running or message_id in self.waiting.ids

    def running_for(self, author: str) -> Running | None:
        """The turn under way, if it answers *author*."""
        return self.running if self.running and self.running.turn.author == author else None

    def is_follow_up(self, message: IncomingMessage, running: Running) -> bool:
        """Whether *message* says more to the persona that is just answering its author, and may interrupt it.

        A turn that ends for another reason is not interrupted: what comes meanwhile waits.
        """
        turn, reason = running.turn, running.turn.stop.reason
        is_talk = not message.is_command and not running.entry.is_command and turn.why is not TurnReason.STOP_REPLY
        is_theirs = message.author == turn.author and message.persona in ("", turn.persona)
        may_interrupt = reason is None and self.interrupts < self._settings.interrupts
        is_awaited = reason is StopReason.FOLLOW_UP or (
            reason is None and self.waiting.holds(lambda entry: entry.follows(turn.id))
        )
        return is_talk and is_theirs and (may_interrupt or is_awaited)

    def due(self, now: float) -> float | None:
        """When there is something to do next; ``None`` if nothing goes on here."""
        self.past = [past for past in self.past if past.until > now + INSTANT]
        times = [past.until for past in self.past]
        if self.waiting.ripe_at is not None:
            times.append(self.waiting.ripe_at)
        return min(times, default=None)

    # --- what is answered anew ------------------------------------------------------------------

    def remember(self, running: Running, receipts: tuple[Receipt, ...], now: float) -> None:
        """A turn has ended that left *receipts*: keep it while it may be run again."""
        until = running.started_at + self._settings.rerun_seconds
        if until > now and running.messages_left and _is_undisturbed(running):
            entry = replace(running.entry, messages=running.messages_left, succeeds="", supersedes=receipts)
            self.past.append(FinishedTurn(entry, until))

    def rerun(self, message: IncomingMessage, now: float) -> bool:
        """Answer *message*, which has changed, anew and before all others, if its answer has only just begun.

        Say whether that is so. A turn that is under way is told to end; what it leaves is known when it has.
        """
        running = self.running
        if running and running.has(message.id):
            edited = running.entry.edited(message)
            return edited is not None and self._again(running, edited, now)
        for past in self.past:
            if now < past.until and (edited := past.entry.edited(message)):
                self.past.remove(past)
                self.waiting.put_first(replace(edited, why=TurnReason.EDITED))
                return True
        return False

    def would_rerun(self, message: IncomingMessage, now: float) -> bool:
        """Whether ``rerun`` would answer *message* anew."""
        running = self.running
        if running and running.has(message.id):
            return running.entry.edited(message) is not None and self._may_run_again(running, now)
        return any(now < past.until and past.entry.edited(message) for past in self.past)

    def lose(self, message_id: str, now: float) -> bool:
        """That message is gone; say whether it was being answered.

        Its turn ends. What else it answers, if that has only just begun, is answered anew; what was answered before
        is not answered anew with that message any more.
        """
        gone = frozenset({message_id})
        self.past = [past.without(gone) for past in self.past if past.entry.without(gone)]
        running = self.running
        if running is None or not running.has(message_id):
            return False
        running.gone |= gone
        if running.messages_left:
            self._again(running, running.entry, now)
        elif running.turn.stop.reason is None:
            running.turn.stop.take(StopReason.TRIGGER_GONE)
        return True

    def _again(self, running: Running, entry: QueuedTurn, now: float) -> bool:
        """End a turn and answer *entry* in its place, unless it began too long ago or ends anyway; say whether."""
        if not self._may_run_again(running, now):
            return False
        running.turn.stop.take(StopReason.TRIGGER_GONE)
        left = entry.without(running.gone)
        again = replace(entry, messages=left, why=TurnReason.EDITED, succeeds=running.turn.id, supersedes=())
        self.waiting.put_first(again)
        return True

    def _may_run_again(self, running: Running, now: float) -> bool:
        return now < running.started_at + self._settings.rerun_seconds and _is_undisturbed(running)


def _is_undisturbed(running: Running) -> bool:
    """Whether a turn that nothing has ended before its time answers something that can be changed."""
    is_message = running.turn.why is not TurnReason.STOP_REPLY and not running.entry.is_command
    return is_message and running.turn.stop.reason is None
