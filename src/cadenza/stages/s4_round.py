"""Stage 4: everything that can happen to one response, as events into one machine.

The rules of this place
1. Whatever happens is an event: a chunk, a stop, a stall, a failed send. ``receive`` sees them all.
2. The machine does no I/O and knows no clock; it gives back posts and, at the end, exactly one outcome.
3. What becomes of text that was not sent yet is decided by one table, ``KEEPS``, and nowhere else.
4. After the outcome no post comes out. Until the last one is sent, a stop or a failed send may still rename it.
5. What was thought, and what was said aside, is kept however it ends.
6. A rule is somebody else's code: if it raises, that is how the response ends, and not a word before it is lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto
from typing import assert_never

from ..errors import CadenzaError, DeliveryError, DeliveryKind
from ..targets.target import MARKDOWN, Limits, Markup
from ..types import (
    Aside,
    AsideKind,
    Broke,
    Completed,
    Empty,
    Ending,
    Failed,
    FellSilent,
    Finished,
    Halt,
    NeedsTools,
    Outcome,
    Post,
    RoundEvent,
    SendFailed,
    Served,
    Stalled,
    Stopped,
    StopReason,
    StopRequested,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
from .s7_merging import farewell
from .stage import Pipe


class Keep(Enum):
    """What is still sent when a reply ends early."""

    EVERYTHING = auto()
    """All that arrived."""
    DECIDED = auto()
    """The messages that were planned before; what was held back is dropped."""
    CLAUSE = auto()
    """One more message at most, without a pause: what was said up to its last whole clause."""
    NOTHING = auto()
    """Nothing that was not sent yet."""


KEEPS: dict[StopReason, Keep] = {
    StopReason.USER: Keep.CLAUSE,
    StopReason.SHUTDOWN: Keep.CLAUSE,
    StopReason.FOLLOW_UP: Keep.NOTHING,
    StopReason.CHANNEL_GONE: Keep.NOTHING,
    StopReason.MISSING_ACCESS: Keep.NOTHING,
    StopReason.TRIGGER_GONE: Keep.NOTHING,
    StopReason.STALE: Keep.NOTHING,
    StopReason.SPEAKER_GUARD: Keep.DECIDED,
    StopReason.MESSAGE_LIMIT: Keep.DECIDED,
    StopReason.RULE: Keep.DECIDED,
    StopReason.ROUND_LIMIT: Keep.EVERYTHING,
    StopReason.TIME_LIMIT: Keep.CLAUSE,
}


def kept(outcome: Outcome, *, on_stop: str = "clause") -> Keep:
    """What is still to be sent after *outcome*."""
    match outcome:
        case Stopped(StopReason.USER) if on_stop == "silence":
            return Keep.NOTHING
        case Stopped(reason):
            return KEEPS[reason]
        case Broke(DeliveryError()):
            return Keep.NOTHING  # what came behind a message that is missing would be out of place
        case _:
            return Keep.EVERYTHING


def outcome_of(event: RoundEvent) -> Outcome:
    """How a reply ends in which *event*, which no model finishes with, happens."""
    match event:
        case Failed(error):
            return Broke(error)
        case FellSilent(has_begun):
            return Stalled(has_begun)
        case SendFailed(error):
            return undelivered(error)
        case StopRequested(reason):
            return Stopped(reason)
        case _:
            msg = f"{type(event).__name__} ends no reply"
            raise ValueError(msg)


def undelivered(error: CadenzaError) -> Outcome:
    """How a reply ends of which a message could not be sent: where there is no place for it any more, it is over."""
    match error:
        case DeliveryError(kind=DeliveryKind.CHANNEL_GONE):
            return Stopped(StopReason.CHANNEL_GONE)
        case DeliveryError(kind=DeliveryKind.MISSING_ACCESS):
            return Stopped(StopReason.MISSING_ACCESS)
        case _:
            return Broke(error)


class Round:
    """One response of a model, from its first chunk to its outcome."""

    def __init__(
        self, text: Pipe, *, limit: int | None = None, markup: Markup = MARKDOWN, on_stop: str = "clause"
    ) -> None:
        self._text = text
        self._limit = Limits().length if limit is None else limit
        self._markup = markup
        self._on_stop = on_stop
        self._calls: list[ToolCall] = []
        self._thinking: list[str] = []
        self.said: list[str] = []
        """Every message that was given out, as the model should later see it."""
        self._thoughts: list[str] = []
        self.details: list[str] = []
        self.usage = Usage()
        self.served_by = ""
        self.halt: Halt | None = None
        self.fault: Exception | None = None
        """What a rule or another stage raised, for whoever has to mend it."""
        self.outcome: Outcome | None = None

    @property
    def thoughts(self) -> list[str]:
        """What the model thought, block by block."""
        return self._thoughts + (["".join(self._thinking)] if self._thinking else [])

    def receive(self, event: RoundEvent) -> list[Post]:
        """Take the next thing that happened; give back what is to be posted."""
        if self.outcome is not None:
            self._overtake(event)
            return []
        if type(event) is TextDelta:  # most of what happens, so asked first and quickly
            if self._thinking:
                self._pause_thinking()
            try:
                items = self._text.feed(event.text)
            except Exception as error:  # noqa: BLE001  # a rule may be foreign code
                items = self._rescued(error)
            return self._noted(self._taken(items)) if items else []
        match event:
            case TextDelta(text):
                return self.receive(TextDelta(text))  # somebody's own kind of it
            case ThoughtDelta(text):
                self._thinking.append(text)
                return []
            case ToolCall():
                self._calls.append(event)
                self._pause_thinking()
                return []  # some speak on behind a call: what was said last is judged when nothing more comes
            case Usage():
                self.usage = event  # providers count up: the last word is the right one
                return []
            case Served(by):
                self.served_by = self.served_by or by
                return []
            case Finished(reason):
                return self._finish(reason)
            case Failed() | FellSilent() | SendFailed() | StopRequested():
                return self._end(outcome_of(event))
            case _:
                assert_never(event)

    # --- how it ends -----------------------------------------------------------------------

    def end_as(self, outcome: Outcome) -> None:
        """End as *outcome*, which was decided where it is known what has arrived."""
        self.outcome = outcome

    def _overtake(self, event: RoundEvent) -> None:
        """The model is done, but its words may not all be sent yet: a stop or a failed send still counts.

        The first of these does.
        """
        if isinstance(self.outcome, Stopped) or (
            isinstance(self.outcome, Broke) and isinstance(self.outcome.error, DeliveryError)
        ):
            return
        if isinstance(event, StopRequested | SendFailed):
            self.outcome = outcome_of(event)

    def _finish(self, reason: str) -> list[Post]:
        if self._calls:
            return self._end(NeedsTools(tuple(self._calls)))
        posts = self._end(Completed(reason))
        if not self.said and isinstance(self.outcome, Completed):
            self.outcome = Empty(reason)
        return posts

    def _end(self, outcome: Outcome) -> list[Post]:
        posts: list[Post] = []
        match kept(outcome, on_stop=self._on_stop):
            case Keep.EVERYTHING:
                calls = isinstance(outcome, NeedsTools)
                posts = self._flushed(Ending.TOOL_CALL if calls else Ending.FINAL)
            case Keep.CLAUSE:
                by_user = outcome == Stopped(StopReason.USER)
                last = farewell(self._flushed(Ending.STOP if by_user else Ending.CUT_SHORT), self._limit, self._markup)
                posts = [last] if last else []
            case Keep.DECIDED | Keep.NOTHING:
                self._taken(self._text.discard())
        # A stage that halted or failed has named the outcome already, but a stop from outside outranks it.
        self.outcome = outcome if isinstance(outcome, Stopped) else self.outcome or outcome
        return self._noted(posts)

    def _halted(self, reason: StopReason, *, has_said: bool) -> Outcome:
        """How a response ends that a stage has ended: one of which a guard let nothing pass is as good as none."""
        if reason is StopReason.SPEAKER_GUARD and not has_said:
            return Empty(reason.value)
        return Stopped(reason)

    # --- what the stages make of the text ------------------------------------------------------

    def _flushed(self, why: Ending) -> list[Post]:
        try:
            items = self._text.flush(why)
        except Exception as error:  # noqa: BLE001  # a rule may be foreign code
            items = self._rescued(error)
        return self._taken(items)

    def _rescued(self, error: Exception) -> list[Post | Aside | Halt]:
        """A stage raised *error*, which is the end; give back what had passed all stages before."""
        failure = CadenzaError(f"a rule or another stage failed ({type(error).__name__})")
        failure.__cause__ = self.fault = error
        self.outcome = Broke(failure)
        return self._text.flush(Ending.FINAL)

    def _taken(self, items: Iterable[Post | Aside | Halt]) -> list[Post]:
        """The posts among *items*; all others are kept here."""
        posts: list[Post] = []
        halt: Halt | None = None
        for item in items:
            match item:
                case Post():
                    posts.append(item)
                case Aside(AsideKind.THOUGHT, text):
                    self._pause_thinking()
                    self._thoughts.append(text)
                case Aside(AsideKind.DETAILS, text):
                    self.details.append(text)
                case Halt():
                    halt = item
        if halt is not None:
            has_said = bool(self.said) or any(post.said for post in posts)
            self.halt, self.outcome = halt, self._halted(halt.reason, has_said=has_said)
        return posts

    def _noted(self, posts: list[Post]) -> list[Post]:
        self.said += [post.said for post in posts if post.said]
        return posts

    def _pause_thinking(self) -> None:
        if self._thinking:
            self._thoughts.append("".join(self._thinking))
            self._thinking.clear()
