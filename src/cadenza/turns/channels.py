"""The state of one channel: the running turn, the waiting messages, and recent turns that an edit may rerun.

It decides and leaves acting to its caller. Time is a parameter.
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
    """The messages to answer, and the handle that stops the answer."""

    id: str
    channel: str
    messages: tuple[IncomingMessage, ...]
    """One or several messages of one author that are answered together, the newest last."""
    why: TurnReason
    stop: StopHandle = field(repr=False, compare=False)
    persona: str = ""
    """The persona that answers; empty if none was named."""
    supersedes: tuple[Receipt, ...] = ()
    """Messages of an earlier reply that this one replaces; they are deleted when it first speaks."""
    queue: TurnQueue | None = field(default=None, repr=False, compare=False)

    @property
    def author(self) -> str:
        """The author who is answered."""
        return self.messages[0].author

    @property
    def waiting(self) -> tuple[str, ...]:
        """Ids of the messages that wait for their own turn: leave them out of the history."""
        own = {message.id for message in self.messages}
        return tuple(message_id for message_id in (self.queue.ids if self.queue else ()) if message_id not in own)


@dataclass(slots=True)
class Running:
    """A running turn."""

    turn: Turn
    entry: QueuedTurn
    """Its entry in the queue."""
    started_at: float
    gone: frozenset[str] = frozenset()
    """Its messages that were deleted meanwhile."""
    has_begun: bool = False
    """Whether the answer function was called."""
    reply: Reply | None = None

    def has(self, message_id: str) -> bool:
        """Return whether that message is being answered."""
        return self.entry.has(message_id) and message_id not in self.gone

    @property
    def messages_left(self) -> tuple[IncomingMessage, ...]:
        """Its messages that were not deleted."""
        return self.entry.without(self.gone)


@dataclass(frozen=True, slots=True)
class FinishedTurn:
    """A turn that has ended and may still be rerun."""

    entry: QueuedTurn
    until: float

    def without(self, gone: frozenset[str]) -> FinishedTurn:
        """Return a copy without the messages that are *gone*."""
        return replace(self, entry=replace(self.entry, messages=self.entry.without(gone)))


class ChannelTurns:
    """The state of one channel."""

    def __init__(self, name: str, settings: ChannelSettings) -> None:
        self._settings = settings
        self.name = name
        self.waiting = TurnQueue(settings)
        self.running: Running | None = None
        self.interrupts = 0
        """Number of interruptions in a row by follow-ups."""
        self.past: list[FinishedTurn] = []
        self.timer: asyncio.TimerHandle | None = None
        """Wakes the channel when no turn is running."""

    def change(self, settings: ChannelSettings) -> None:
        """Use *settings* from now on."""
        self._settings = self.waiting.settings = settings

    def knows(self, message_id: str) -> bool:
        """Return whether that message is being answered or waits."""
        is_running = self.running is not None and self.running.entry.has(message_id)
        return is_running or message_id in self.waiting.ids

    def running_for(self, author: str) -> Running | None:
        """Return the running turn if it answers *author*."""
        return self.running if self.running and self.running.turn.author == author else None

    def is_follow_up(self, message: IncomingMessage, running: Running) -> bool:
        """Return whether *message* is a follow-up that may interrupt the running answer to its author.

        A turn that ends for another reason is not interrupted; the message waits.
        """
        turn, reason = running.turn, running.turn.stop.reason
        is_talk = not message.is_command and not running.entry.is_command
        is_theirs = message.author == turn.author and message.persona in ("", turn.persona)
        may_interrupt = reason is None and self.interrupts < self._settings.interrupts
        is_awaited = reason is StopReason.FOLLOW_UP or (
            reason is None and self.waiting.holds(lambda entry: entry.follows(turn.id))
        )
        return is_talk and is_theirs and (may_interrupt or is_awaited)

    def due(self, now: float) -> float | None:
        """Return the next time at which something is due; ``None`` if the channel is idle."""
        self.past = [past for past in self.past if past.until > now + INSTANT]
        times = [past.until for past in self.past]
        if self.waiting.ripe_at is not None:
            times.append(self.waiting.ripe_at)
        return min(times, default=None)

    # --- reruns -----------------------------------------------------------------------------------

    def remember(self, running: Running, receipts: tuple[Receipt, ...], now: float) -> None:
        """Keep a turn that has ended with *receipts* while it may be rerun."""
        until = running.started_at + self._settings.rerun_seconds
        if until > now and running.messages_left and _is_undisturbed(running):
            entry = replace(running.entry, messages=running.messages_left, succeeds="", supersedes=receipts)
            self.past.append(FinishedTurn(entry, until))

    def rerun(self, message: IncomingMessage, now: float) -> bool:
        """Rerun the answer to *message*, which was edited, before all others, if it began only just now.

        Return whether it is rerun. A running turn is asked to stop first.
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
        """Return whether ``rerun`` would answer *message* again."""
        running = self.running
        if running and running.has(message.id):
            return running.entry.edited(message) is not None and self._may_run_again(running, now)
        return any(now < past.until and past.entry.edited(message) for past in self.past)

    def lose(self, message_id: str, now: float) -> bool:
        """Forget a deleted message; return whether it was being answered.

        Its turn ends. Other messages of that turn are answered again if it began only just now. Earlier turns are no
        longer rerun with that message.
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
        """Stop a turn and queue *entry* instead, unless it began too long ago or ends anyway; return whether."""
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
    """Return whether a turn was not stopped and answers messages that can be edited."""
    return not running.entry.is_command and running.turn.stop.reason is None
