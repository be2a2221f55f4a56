"""Stage 4: events in, posts out. A state machine for one response of a model, from its first chunk to its outcome.

The text of the chunks goes through stages 5 to 7, a ``Pipe`` that the machine is given.

1. Everything that happens is an event: a chunk, a stop, a stall, a failed send. ``receive`` gets them all.
2. The machine does no I/O and has no clock. It returns posts and, at the end, has exactly one outcome.
3. One table, ``KEEPS``, decides what happens to text that was not sent yet. The queue of posts applies it.
4. After the outcome no post comes out. Until the last post is sent, a stop or a failed send may still replace it.
   ``Conclusion`` holds these rules for a response and for a whole reply. No other module makes an outcome.
5. Thoughts and asides are kept, whatever the outcome.
6. A rule may be foreign code. If it raises, the response ends, and the text before it is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto
from typing import assert_never

from ..errors import CadenzaError, DeliveryError, DeliveryKind, Sentence
from ..types import (
    Aside,
    AsideKind,
    Attachment,
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
from .stage import Pipe


class Keep(Enum):
    """What is still sent when a reply ends early."""

    EVERYTHING = auto()
    """Everything that arrived."""
    DECIDED = auto()
    """The posts that are ready; text that was held back is dropped."""
    CLAUSE = auto()
    """At most the clause that comes next for the reader, without a pause."""
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
"""With ``on_stop = "silence"`` nothing is sent instead of a clause."""


def kept(outcome: Outcome, *, on_stop: str = "silence") -> Keep:
    """What is still sent after *outcome*."""
    match outcome:
        case Stopped(reason):
            keep = KEEPS[reason]
            return Keep.NOTHING if keep is Keep.CLAUSE and on_stop == "silence" else keep
        case Broke(DeliveryError()):
            return Keep.NOTHING  # a message after a missing one would be out of place
        case _:
            return Keep.EVERYTHING


def outcome_of(event: RoundEvent) -> Outcome:
    """The outcome of a reply that *event* ends; the event is not a finish of the model."""
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


def answered_before(outcome: Empty) -> Completed:
    """The outcome of a model that said nothing more after its tools: what it said before them is the answer."""
    return Completed(outcome.reason)


def answered_with_tools() -> Completed:
    """The outcome of a model that need not be asked again after its tools."""
    return Completed("tool")


def said_nothing(outcome: Completed | Empty) -> Empty:
    """The *outcome* of a model after all, none of whose messages stand."""
    return Empty(outcome.reason)


def out_of_rounds() -> Stopped:
    """The outcome of a model that wants its tools too often."""
    return Stopped(StopReason.ROUND_LIMIT)


def broken_by(error: CadenzaError) -> Broke:
    """The outcome of an attempt that *error* ended."""
    return Broke(error)


def undelivered(error: CadenzaError) -> Outcome:
    """The outcome of a reply with a message that could not be sent: without its channel or access, it was stopped."""
    match error:
        case DeliveryError(kind=DeliveryKind.CHANNEL_GONE):
            return Stopped(StopReason.CHANNEL_GONE)
        case DeliveryError(kind=DeliveryKind.MISSING_ACCESS):
            return Stopped(StopReason.MISSING_ACCESS)
        case _:
            return Broke(error)


class Conclusion:
    """How a reply ends: its outcome, and what is still sent. A stop or a failed send may overtake it until all is sent."""

    def __init__(self, *, on_stop: str = "silence") -> None:
        self._on_stop = on_stop
        self.outcome: Outcome | None = None
        self.keep = Keep.EVERYTHING
        """What is still sent of the posts that wait."""
        self._answer: Completed | None = None  # a complete answer that a shutdown overtook

    def come_to(self, outcome: Outcome) -> None:
        """The models and tools have come to *outcome*."""
        self.outcome, self._answer = outcome, None

    def overtake(self, event: StopRequested | SendFailed) -> None:
        """The first stop or failed send before the last post is sent replaces the outcome; each decides what is sent."""
        ended = outcome_of(event)
        self.keep = kept(ended, on_stop=self._on_stop)
        if not _is_final(self.outcome):
            is_shutdown = ended == Stopped(StopReason.SHUTDOWN)
            self._answer = self.outcome if is_shutdown and isinstance(self.outcome, Completed) else None
            self.outcome = ended

    def delivered(self, *, is_whole: bool) -> Outcome:
        """Return the outcome; *is_whole* says whether everything so far was sent.

        A shutdown does not change a complete answer of which everything was sent.
        """
        if self._answer is not None:
            self.outcome = self._answer if is_whole else Stopped(StopReason.SHUTDOWN)
        if self.outcome is None:
            msg = "a round ended without an outcome"
            raise AssertionError(msg)
        return self.outcome


def _is_final(outcome: Outcome | None) -> bool:
    """Return whether *outcome* can no longer be replaced. After the round limit of tools, text is still sent."""
    match outcome:
        case Stopped(reason):
            return reason is not StopReason.ROUND_LIMIT
        case Broke(DeliveryError()):
            return True
        case _:
            return False


class Round(Conclusion):
    """One response of a model, from its first chunk to its outcome."""

    def __init__(self, text: Pipe, *, on_stop: str = "silence") -> None:
        super().__init__(on_stop=on_stop)
        self._text = text
        self._calls: list[ToolCall] = []
        self._thinking: list[str] = []
        self.said: list[str] = []
        """Every message that was returned, as the model sees it later."""
        self._joints: list[str] = []  # the white space in front of each
        self._heard: list[str] = []  # the text of the model
        self._tokens: list[str] = []  # the pieces after that
        self._thoughts: list[str] = []
        self.details: list[str] = []
        self.usage = Usage()
        self.has_shown = False
        """Whether a file was returned, of which nothing was said."""
        self.served_by = ""
        self.halt: Halt | None = None
        self.fault: Exception | None = None
        """The exception of a rule or another stage, for the log."""

    @property
    def thoughts(self) -> list[str]:
        """The model's thoughts, block by block."""
        return self._thoughts + (["".join(self._thinking)] if self._thinking else [])

    @property
    def heard(self) -> str:
        """The text of the model as it arrived, with its hidden blocks."""
        return "".join(self._heard + self._tokens)

    @property
    def joined(self) -> str:
        """The messages, put together with their joints."""
        pairs = zip(self._joints, self.said, strict=True)
        return "".join(joint + said for joint, said in pairs).lstrip("\n")

    def receive(self, event: RoundEvent) -> list[Post]:
        """Take the next event; return what is to be posted."""
        if self.outcome is not None:
            return self._after_the_end(event)
        if type(event) is TextDelta:  # the most frequent event first
            if self._thinking:
                self._pause_thinking()
            text = event.text
            self._tokens.append(text)
            try:
                items = self._text.feed(text)
            except Exception as error:  # noqa: BLE001  # a rule may be foreign code
                items = self._rescued(error)
            return self._noted(self._taken(items)) if items else items  # most tokens make no post
        match event:
            case TextDelta(text):
                return self.receive(TextDelta(text))  # a subclass
            case ThoughtDelta(text):
                self._thinking.append(text)
                return []
            case ToolCall():
                self._calls.append(event)
                self._pause_thinking()
                return []  # some models speak on after a call: the text is judged when the stream ends
            case Usage() | Served():
                self._note(event)
                return []
            case Attachment():
                return self.shown(event)
            case Finished(reason):
                return self._finish(reason)
            case Failed() | FellSilent() | SendFailed() | StopRequested():
                return self._end(outcome_of(event))
            case _:
                assert_never(event)

    def _note(self, about: Usage | Served) -> None:
        if isinstance(about, Usage):
            self.usage = about  # providers count up, so the last count is right
        else:
            self.served_by = self.served_by or about.by

    def shown(self, file: Attachment) -> list[Post]:
        """The text before *file*, and *file* itself; a tool may show one after the outcome."""
        self._pause_thinking()
        try:
            items = self._text.show(file)
        except Exception as error:  # noqa: BLE001  # a rule may be foreign code
            items = self._rescued(error)
        posts = self._taken(items)
        self.has_shown = self.has_shown or any(post.attachment is file for post in posts)
        return self._noted(posts)

    @property
    def has_answered(self) -> bool:
        """Whether a message was returned."""
        return bool(self.said) or self.has_shown

    # --- how it ends -----------------------------------------------------------------------

    def _after_the_end(self, event: RoundEvent) -> list[Post]:
        """The model is done, but posts may still be waiting."""
        if isinstance(event, StopRequested | SendFailed):
            self.overtake(event)
        return []

    def _finish(self, reason: str) -> list[Post]:
        if self._calls:
            return self._end(NeedsTools(tuple(self._calls)))
        posts = self._end(Completed(reason))
        if not self.has_answered and isinstance(self.outcome, Completed):
            self.outcome = Empty(reason)
        return posts

    def _end(self, outcome: Outcome) -> list[Post]:
        posts: list[Post] = []
        self.keep = kept(outcome, on_stop=self._on_stop)
        match self.keep:
            case Keep.EVERYTHING:
                calls = isinstance(outcome, NeedsTools)
                posts = self._flushed(Ending.TOOL_CALL if calls else Ending.FINAL)
            case Keep.CLAUSE:
                posts = self._flushed(Ending.STOP)
            case Keep.DECIDED | Keep.NOTHING:
                self._taken(self._text.discard())
        # A stage that halted or failed has set the outcome already, but an external stop takes precedence.
        self.outcome = outcome if isinstance(outcome, Stopped) else self.outcome or outcome
        return self._noted(posts)

    def _halted(self, reason: StopReason, *, has_said: bool) -> Outcome:
        """The outcome of a response that a stage ended; it is ``Empty`` if a guard let nothing pass."""
        if reason is StopReason.SPEAKER_GUARD and not has_said:
            return Empty(reason.value)
        return Stopped(reason)

    # --- running the stages --------------------------------------------------------------------

    def _flushed(self, why: Ending) -> list[Post]:
        try:
            items = self._text.flush(why)
        except Exception as error:  # noqa: BLE001  # a rule may be foreign code
            items = self._rescued(error)
        return self._taken(items)

    def _rescued(self, error: Exception) -> list[Post | Aside | Halt]:
        """A stage raised *error*, which ends the response; return what had passed all stages before."""
        failure = CadenzaError(
            Sentence("a rule or another stage failed ({error_type})", error_type=type(error).__name__)
        )
        failure.__cause__ = self.fault = error
        self.outcome = Broke(failure)
        return self._text.flush(Ending.FINAL)

    def _taken(self, items: Iterable[Post | Aside | Halt]) -> list[Post]:
        """The posts among *items*; asides and halts are stored here."""
        self._heard.append("".join(self._tokens))  # a string for every token would take ten times the memory
        self._tokens.clear()
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
        for post in posts:
            if post.said:
                self.said.append(post.said)
                self._joints.append(post.joint)
        return posts

    def _pause_thinking(self) -> None:
        if self._thinking:
            self._thoughts.append("".join(self._thinking))
            self._thinking.clear()
