"""What the thought log shows of a reply: a fold over its facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...facts import (
    AttemptBegan,
    AttemptEnded,
    ChunkHeard,
    LoggedFact,
    MessageDeleted,
    MessageSent,
    MessagesSpared,
    MessagesSuperseded,
    ModelSkipped,
    QueueRestored,
    QueueWithdrawn,
    ReplyEnded,
    RoundEnded,
    TextHidden,
    ToolCalled,
    Values,
)

_FAILED = ("broke", "stalled", "empty", "raised")


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """A model, and why it did not answer."""

    model: str
    outcome: Values


@dataclass(frozen=True, slots=True)
class ThoughtRecord:
    """The thoughts, tools, errors and tokens of one reply."""

    thoughts: Sequence[str] = ()
    """Block by block, of the attempts that the reply is made of."""
    tools: Sequence[ToolCalled] = ()
    failures: Sequence[FailedAttempt] = ()
    usage: Values = field(default_factory=dict)
    model: str = ""
    served_by: str = ""
    """The provider that a router chose last for that model."""
    urls: Mapping[str, str | None] = field(default_factory=dict)
    """The links to the messages that people see, by message id."""

    @property
    def url(self) -> str | None:
        """The link to the first message."""
        return next(filter(None, self.urls.values()), None)

    @property
    def is_shown(self) -> bool:
        """Whether people see a message."""
        return bool(self.urls)

    @property
    def tokens(self) -> Mapping[str, int]:
        """The counted tokens, by kind."""
        return {kind: count for kind, count in self.usage.items() if isinstance(count, int)}


@dataclass(slots=True)
class _Round:
    """What one stream of a model adds to the reply."""

    thoughts: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    """The pieces of the block that is not over yet."""
    model: str = ""
    served_by: str = ""

    def end_block(self) -> None:
        if self.thinking:
            self.thoughts.append("".join(self.thinking))
            self.thinking.clear()


@dataclass(frozen=True, slots=True)
class _SetAside:
    """The round of a failed attempt, which counts again if its text does."""

    round: _Round
    place: int
    posts: tuple[int, ...]
    messages: tuple[str, ...]


class ThoughtFold:
    """Makes a ``ThoughtRecord`` of the facts of one reply."""

    def __init__(self) -> None:
        self._tools: list[ToolCalled] = []
        self._failures: list[FailedAttempt] = []
        self._usage: Values = {}
        self._model = ""
        self._urls: dict[str, str | None] = {}
        self._rounds = [_Round()]  # the last one is still heard
        self._withdrawn: tuple[int, ...] | None = (
            None  # posts of the last attempt, if it counts only while no other begins
        )
        self._superseded: tuple[str, ...] = ()  # the sent messages of that attempt
        self._set_aside: _SetAside | None = None
        self._skipped: list[FailedAttempt] = []  # models that were skipped, until it is known which one is asked

    @property
    def record(self) -> ThoughtRecord:
        """What is known so far."""
        own = (round_.served_by for round_ in reversed(self._rounds) if round_.model == self._model)
        return ThoughtRecord(
            thoughts=tuple(thought for round_ in self._rounds for thought in round_.thoughts),
            tools=tuple(self._tools),
            failures=tuple(self._failures),
            usage=self._usage,
            model=self._model,
            served_by=next(filter(None, own), ""),
            urls=dict(self._urls),
        )

    def hear(self, logged: LoggedFact) -> None:
        """Trace hook: take in one fact of the reply."""
        match logged.fact:
            case ChunkHeard() as chunk:
                self._hear_chunk(chunk)
            case TextHidden(kind="thought", text=text):
                self._round.end_block()
                self._round.thoughts.append(text)
            case RoundEnded():
                self._round.end_block()
                self._rounds.append(_Round(model=self._round.model))
            case ToolCalled(remembered=False) as used:
                self._tools.append(used)
            case MessageSent(message=message, url=url):
                self._urls[message] = url
            case MessageDeleted(message=message, error=None):
                self._urls.pop(message, None)
            case fact:
                self._hear_attempt(fact)

    def _hear_chunk(self, chunk: ChunkHeard) -> None:
        match chunk.kind:
            case "thought":
                self._round.thinking.append(chunk.text)
            case "text" | "call":
                self._round.end_block()
            case "served":
                self._round.served_by = self._round.served_by or str(chunk.detail.get("by", ""))

    def _hear_attempt(self, fact: object) -> None:
        match fact:
            case ModelSkipped(model=model, error=Mapping() as error):
                self._skipped.append(FailedAttempt(model, {"kind": "broke", "reason": error["type"], "error": error}))
            case AttemptBegan(model=model):
                self._begin_attempt(model)
            case AttemptEnded(model=model, outcome=outcome) if outcome["kind"] in _FAILED:
                self._failures.append(FailedAttempt(model, outcome))
            case QueueWithdrawn(posts=posts):
                self._withdrawn, self._superseded = posts, ()
            case MessagesSuperseded(messages=messages):
                self._superseded = messages
            case QueueRestored(posts=posts) if self._set_aside and posts == self._set_aside.posts:
                self._restore(self._set_aside)
            case MessagesSpared(messages=messages) if self._set_aside and messages == self._set_aside.messages:
                self._restore(self._set_aside)
            case ReplyEnded(model=model, outcome=outcome, usage=usage):
                self._round.end_block()
                self._model, self._usage = model, usage
                self._failures += self._skipped
                failed = FailedAttempt(model, outcome)
                if (
                    outcome["kind"] in _FAILED and failed not in self._failures
                ):  # mostly, its last attempt ended like it
                    self._failures.append(failed)

    def _begin_attempt(self, model: str) -> None:
        """*model* is asked; the round of an attempt whose messages were withdrawn counts no more."""
        self._failures += [skipped for skipped in self._skipped if skipped.model != model]
        self._skipped.clear()
        self._round.model = model
        if self._withdrawn is None:
            return
        posts, messages = self._withdrawn, self._superseded
        self._withdrawn, self._superseded = None, ()
        failed = self._rounds.pop(-2)
        if posts or messages:
            self._set_aside = _SetAside(failed, len(self._rounds) - 1, posts, messages)

    def _restore(self, left: _SetAside) -> None:
        self._rounds.insert(left.place, left.round)
        self._set_aside = None

    @property
    def _round(self) -> _Round:
        return self._rounds[-1]
