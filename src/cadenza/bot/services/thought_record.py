"""What the thought log shows of a reply: a fold over its facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...facts import (
    AttemptBegan,
    AttemptEnded,
    ChunkHeard,
    LoggedFact,
    MessageDeleted,
    MessageSent,
    MessagesSpared,
    ModelSkipped,
    QueueRestored,
    QueueWithdrawn,
    ReplyEnded,
    RequestSent,
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


@dataclass(slots=True)
class ThoughtRecord:
    """The thoughts, tools, errors and tokens of one reply."""

    thoughts: list[str] = field(default_factory=list)
    """Block by block, of the attempts that the reply is made of."""
    tools: list[ToolCalled] = field(default_factory=list)
    failures: list[FailedAttempt] = field(default_factory=list)
    usage: Values = field(default_factory=dict)
    model: str = ""
    served_by: str = ""
    """The provider that a router chose."""
    urls: dict[str, str | None] = field(default_factory=dict)
    """The links to the messages that people see, by message id."""
    _thinking: list[str] = field(default_factory=list)
    _round: int = 0
    """Where the thoughts of the current round begin."""
    _is_withdrawn: bool = False
    _set_aside: tuple[int, list[str]] = (0, [])
    """The thoughts of a failed attempt, and where they belong."""
    _skipped: list[FailedAttempt] = field(default_factory=list)
    """Models that were skipped, until it is known which one is asked."""

    def hear(self, logged: LoggedFact) -> None:
        """Trace hook: take in one fact of the reply."""
        match logged.fact:
            case ChunkHeard() as chunk:
                self._hear_chunk(chunk)
            case TextHidden(kind="thought", text=text):
                self._end_block()
                self.thoughts.append(text)
            case RequestSent():
                self._round = len(self.thoughts)
            case RoundEnded():
                self._end_block()
            case ToolCalled(remembered=False) as used:
                self.tools.append(used)
            case MessageSent(message=message, url=url):
                self.urls[message] = url
            case MessageDeleted(message=message, error=None):
                self.urls.pop(message, None)
            case fact:
                self._hear_attempt(fact)

    def _hear_chunk(self, chunk: ChunkHeard) -> None:
        match chunk.kind:
            case "thought":
                self._thinking.append(chunk.text)
            case "text" | "call":
                self._end_block()
            case "served":
                self.served_by = self.served_by or str(chunk.detail.get("by", ""))

    def _hear_attempt(self, fact: object) -> None:
        match fact:
            case ModelSkipped(model=model, error=Mapping() as error):
                self._skipped.append(FailedAttempt(model, {"kind": "broke", "reason": error["type"], "error": error}))
            case AttemptBegan(model=model):
                self._begin_attempt(model)
            case AttemptEnded(model=model, outcome=outcome) if outcome["kind"] in _FAILED:
                self.failures.append(FailedAttempt(model, outcome))
            case QueueWithdrawn():
                self._is_withdrawn = True
            case QueueRestored() | MessagesSpared():
                place, thoughts = self._set_aside
                self.thoughts[place:] = thoughts or self.thoughts[place:]
            case ReplyEnded(model=model, outcome=outcome, usage=usage):
                self._end_block()
                self.model, self.usage = model, usage
                self.failures += self._skipped
                failed = FailedAttempt(model, outcome)
                if outcome["kind"] in _FAILED and failed not in self.failures:  # mostly, its last attempt ended like it
                    self.failures.append(failed)

    def _begin_attempt(self, model: str) -> None:
        """*model* is asked; the thoughts of an attempt whose messages were withdrawn are not those of the reply."""
        self.failures += [skipped for skipped in self._skipped if skipped.model != model]
        self._skipped.clear()
        self.served_by = ""
        if self._is_withdrawn:
            self._is_withdrawn = False
            self._set_aside = self._round, self.thoughts[self._round :]
            del self.thoughts[self._round :]

    def _end_block(self) -> None:
        if self._thinking:
            self.thoughts.append("".join(self._thinking))
            self._thinking.clear()

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
