"""The facts of a reply: everything that happens to it, as typed values.

Whatever decides something says so with a fact. Trace files, metrics, the thought log, ``/explain``, ``cadenza explain``,
films and the playground's page are made of these facts and of nothing else. ``docs/facts.md`` lists them.

Places in the model's text are counted in characters from the beginning of the reply; a range is ``(start, end)``. An
origin is a row of ``(size, start, why)``: so many characters come from there, or were put in (``start`` is -1) because of
``why``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from types import MappingProxyType
from typing import ClassVar, TypeAlias, get_args

VERSION = 2
"""The version of the JSON form; a fact that changes its meaning raises it."""

Ranges: TypeAlias = tuple[tuple[int, int], ...]
OriginRuns: TypeAlias = tuple[tuple[int, int, str], ...]
Values: TypeAlias = Mapping[str, object]

# --- why a message ends ----------------------------------------------------------------


class MessageEnd(Enum):
    """Why a message ends where it ends, and the next one starts there."""

    LINE = "line"
    """The line is over."""
    SENTENCE = "sentence"
    BLOCK = "block"
    """A paragraph, a list, a quote, a verse, code or a table is whole."""
    FIRST_BLOCK = "first_block"
    """The first block of a reply is sent as soon as it is whole."""
    GATHERED = "gathered"
    """The message holds enough."""
    NEXT_TOO_LONG = "next_too_long"
    """With the next block it would hold too much."""
    HEADING = "heading"
    """A heading follows, and the message is at least half full."""
    LARGE_BLOCK = "large_block"
    """Code or a table of many lines has a message of its own."""
    SECTION = "section"
    """A line such as ``---`` stood here, and the message is at least half full."""
    QUOTE_OF_ALL = "quote_of_all"
    """Behind a ``>>>`` everything in the message would be quoted."""
    LIMIT = "limit"
    """Not all of the text that follows fits into the message."""
    LONG_TEXT = "long_text"
    """Text that is too long for one message is over."""
    OVERFLOW = "overflow"
    """The line is so long that it is sent on before it is over."""
    CODE_OVERFLOW = "code_overflow"
    """The code or the table is so long that it is sent on in parts."""
    STANDALONE = "standalone"
    """A server emoji or an address has a message of its own."""
    CASUAL = "casual"
    """A comma or an exclamation ends it, as in a hurry."""
    SPEAKER = "speaker"
    """Another name or sprite speaks next."""
    PICTURE = "picture"
    """A table is to be shown as a picture."""
    FORMULA = "formula"
    """A formula is to be shown as a picture."""
    FILE = "file"
    """Long code is sent as a file."""
    ATTACHMENT = "attachment"
    """A file that the stream or a tool shows has a message of its own."""
    MESSAGE_LIMIT = "message_limit"
    """The reply has as many messages as it may have; the rest may be a file."""
    TOOL_CALL = "tool_call"
    """A tool is called."""
    RULE = "rule"
    """A rule ended the reply."""
    TOKEN_LIMIT = "token_limit"  # noqa: S105  # tokens of text
    """The model reached its limit of tokens."""
    BROKE_OFF = "broke_off"
    """The model failed in the middle of its answer."""
    SILENCE = "silence"
    """The model sent nothing more."""
    STOP = "stop"
    """The reply was stopped."""
    REPLY = "reply"
    """The reply is over; at the start of a message: it begins."""
    NOTICE = "notice"
    """It is a notice, none of the model's messages."""


SETTINGS: Mapping[MessageEnd, str] = MappingProxyType(
    {
        **dict.fromkeys(
            (
                MessageEnd.LINE,
                MessageEnd.SENTENCE,
                MessageEnd.BLOCK,
                MessageEnd.FIRST_BLOCK,
                MessageEnd.LARGE_BLOCK,
                MessageEnd.STANDALONE,
            ),
            "shape",
        ),
        MessageEnd.QUOTE_OF_ALL: "shape",
        **dict.fromkeys(
            (MessageEnd.GATHERED, MessageEnd.NEXT_TOO_LONG, MessageEnd.HEADING, MessageEnd.SECTION), "gather"
        ),
        **dict.fromkeys((MessageEnd.LIMIT, MessageEnd.LONG_TEXT), "limit"),
        MessageEnd.OVERFLOW: "overflow",
        MessageEnd.CODE_OVERFLOW: "code_overflow",
        MessageEnd.CASUAL: "casual",
        MessageEnd.PICTURE: "tables",
        MessageEnd.FORMULA: "math",
        MessageEnd.FILE: "code_file",
        MessageEnd.MESSAGE_LIMIT: "message_limit",
        MessageEnd.TOKEN_LIMIT: "max_tokens",
        MessageEnd.SILENCE: "idle_timeout",
    }
)
"""The setting that decides each end, nearly always. ``RULE`` and ``STOP`` have that of the rule or the reason, if any;
other ends that are not in it are decided by the model."""


@dataclass(frozen=True, slots=True)
class Edge:
    """The start or the end of a message, and what decided it."""

    reason: str
    """A value of ``MessageEnd``."""
    setting: str = ""
    """The setting that decided; empty if the model did."""
    value: object = None
    """The value of that setting."""
    mark: str = ""
    """What stands there in the model's text: a line end, a full stop, the opening of code."""


# --- the facts, in the order in which a reply has them ------------------------------------


class _Fact:
    """The base of all facts."""

    __slots__ = ()
    name: ClassVar[str]

    def __init_subclass__(cls) -> None:
        cls.name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()


@dataclass(frozen=True, slots=True)
class ReplyBegan(_Fact):
    """A reply begins; always the first fact."""

    kind: str
    """``say`` or ``reply``, by which function was called."""
    channel: str
    persona: str
    reply_to: str | None
    settings: Values
    """The settings that differ from the defaults, without those that may be secret."""
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class ModelSkipped(_Fact):
    """A model is not asked."""

    model: str
    why: str
    """``cooldown`` if all its keys have one, or ``not ready``."""
    seconds: float | None
    """When it can be asked again."""
    error: Values | None = None


@dataclass(frozen=True, slots=True)
class AttemptBegan(_Fact):
    """A model is asked, for the first time or again."""

    number: int
    model: str
    key: str | None
    """The label of the key."""
    why: str
    """``first``, ``another key``, ``later``, ``once more`` or ``another model``."""
    waited: float = 0.0
    dropped: int = 0
    """The oldest exchanges that were left out."""
    reminded: bool = False
    """Whether the model is reminded of who it speaks for."""


@dataclass(frozen=True, slots=True)
class AttemptEnded(_Fact):
    """An attempt is over."""

    number: int
    model: str
    outcome: Values
    cure: str
    """What may help: ``key``, ``time``, ``model``, ``nothing``."""


@dataclass(frozen=True, slots=True)
class RequestSent(_Fact):
    """A request goes to the model."""

    number: int
    rung: str
    """What was left out of it, because the API refused it before."""
    remembered: bool
    error: Values | None
    turns: int
    tools: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ChunkHeard(_Fact):
    """Something arrived from the model."""

    kind: str
    """``text``, ``thought``, ``call``, ``usage``, ``served``, ``file``, ``finished`` or ``failed``."""
    since: float
    """Seconds since the chunk before it, or since the request."""
    text: str
    detail: Values = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TextHeld(_Fact):
    """What the buffer holds text for; an empty ``why`` ends the hold."""

    why: str
    """``code``, ``table``, ``hidden``, ``mark``, ``line`` or ``undecided``."""
    mark: str
    size: int
    """The number of characters that it holds."""


@dataclass(frozen=True, slots=True)
class TextHidden(_Fact):
    """A hidden block is over: its text is never shown as speech."""

    kind: str
    """``thought`` or ``details``."""
    text: str
    ranges: Ranges
    """The whole block, with its tags."""


@dataclass(frozen=True, slots=True)
class TextCut(_Fact):
    """The buffer cut a segment off: later text cannot change it."""

    number: int
    text: str
    boundary: str
    mark: str
    """What stands at the cut."""
    setting: str
    """The setting that decided; empty if the model did."""
    value: object
    kind: str
    """``prose``, ``code`` or ``table``."""
    origin: OriginRuns


@dataclass(frozen=True, slots=True)
class TextChanged(_Fact):
    """A rule, or a step of another stage, changed text, held it back or dropped it."""

    by: str
    """The rule or the step."""
    stage: str
    """``buffer``, ``rules``, ``composer`` or ``outbox``."""
    effect: str
    """``changed``, ``added``, ``dropped``, ``split``, ``held``, ``released`` or ``failed``."""
    segments: tuple[int, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    ranges: Ranges
    """The text of the model that is gone."""
    identity: str | None = None
    """The name under which the text is shown from here on, if a rule changed it."""
    label: str = ""
    setting: str = ""
    """The setting for which a step did it; empty if there is none."""
    value: object = None
    sprite: str = ""
    """The sprite with which the text is shown from here on, if a rule changed it."""


@dataclass(frozen=True, slots=True)
class ReplyHalted(_Fact):
    """A stage ended the reply."""

    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class MessagePlanned(_Fact):
    """A message is planned."""

    number: int
    segments: tuple[int, ...]
    text: str
    origin: OriginRuns
    covers: Ranges
    """The text of the model that it stands for; more than its origin if it shows a picture or has a file."""
    starts: Edge
    ends: Edge
    pause: float
    typing: float
    breath: float
    thinking: float
    cut: float
    """Seconds by which the typing budget shortened the pause."""
    identity: str | None
    label: str
    reply: str | None
    picture: bool
    file: str | None
    instead: tuple[Edge, ...] = ()
    """Where each of its messages ends, if there is no picture."""


@dataclass(frozen=True, slots=True)
class ReplyQueued(_Fact):
    """It is the reply's turn: it waited for the replies before it in its channel."""

    ahead: int
    """How many there were."""
    seconds: float


@dataclass(frozen=True, slots=True)
class ReadingPaused(_Fact):
    """Reading from the model paused, because the queue was full."""

    seconds: float


@dataclass(frozen=True, slots=True)
class MessagesMerged(_Fact):
    """Queued messages become one."""

    posts: tuple[int, ...]
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class MessageWaits(_Fact):
    """The first queued message waits."""

    posts: tuple[int, ...]
    why: str
    """``typing``, ``rate_limit``, ``picture``, ``names`` or ``reply_before``, the reply before in its channel."""
    shortened: str = ""
    """Why the typing takes less time than planned: ``finished`` or ``queue``."""
    tail: float | None = None
    """The setting ``typing_tail``: the seconds that all pauses that are left then take."""


@dataclass(frozen=True, slots=True)
class SendingBegan(_Fact):
    """A message is being sent; it cannot be stopped any more."""

    posts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SendRefused(_Fact):
    """The chat refused a message, or did not answer, before it arrived or was given up."""

    posts: tuple[int, ...]
    reason: str
    """Its name, such as ``rate_limited``."""
    code: str
    """The chat's own code, or the HTTP status; empty without an answer."""
    remedy: str
    """``retry``, ``wait``, ``cooldown``, ``recover``, ``as_bot``, ``rename``, ``drop_reply``, ``drop_file``, ``shorten`` or ``found``."""


@dataclass(frozen=True, slots=True)
class MessageSent(_Fact):
    """A message has arrived."""

    posts: tuple[int, ...]
    text: str
    origin: OriginRuns
    covers: Ranges
    message: str
    url: str | None
    identity: str | None
    attachment: str | None
    waited: Mapping[str, float]
    """Seconds by reason."""
    seconds: float
    """How long the chat took."""


@dataclass(frozen=True, slots=True)
class MessageRefused(_Fact):
    """A message could not be sent, and the reply ends."""

    posts: tuple[int, ...]
    waited: Mapping[str, float]
    error: Values | None


@dataclass(frozen=True, slots=True)
class MessageLeftOut(_Fact):
    """A message is not sent."""

    posts: tuple[int, ...]
    why: str
    """``repeated``, ``skipped`` if the chat does not take it, or ``closed`` if the reply was over."""
    error: Values | None = None
    """Why the chat does not take it."""


@dataclass(frozen=True, slots=True)
class QueueCut(_Fact):
    """The reply ends early: of the queued messages only some are still sent."""

    keep: str
    """``everything``, ``decided``, ``clause`` or ``nothing``."""
    posts: tuple[int, ...]
    dropped: tuple[int, ...]
    text: str | None
    ends: Edge | None = None
    """The stop that cut it, and the setting that decided; why the last message that is still sent ends."""
    lost: tuple[str, ...] = ()
    """The texts of the posts that are dropped."""


@dataclass(frozen=True, slots=True)
class QueueWithdrawn(_Fact):
    """The queued messages of a failed attempt are put aside."""

    posts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class QueueRestored(_Fact):
    """No other model answered: they are sent after all."""

    posts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MessagesSuperseded(_Fact):
    """Sent messages are deleted as soon as there is something better."""

    messages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MessagesSpared(_Fact):
    """They stay after all."""

    messages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MessageDeleted(_Fact):
    """A message was deleted, unless there is an error."""

    message: str
    seconds: float
    error: Values | None


@dataclass(frozen=True, slots=True)
class ToolCalled(_Fact):
    """A tool was run, or its earlier result was used again."""

    call: str
    tool: str
    arguments: str
    seconds: float
    is_error: bool
    remembered: bool
    size: int = 0
    """The characters of its result."""
    media: int = 0
    """The pictures and videos of its result."""


@dataclass(frozen=True, slots=True)
class NoticeShown(_Fact):
    """People were told something besides the reply, or it could not be shown."""

    title: str
    text: str
    urgency: str
    is_shown: bool


@dataclass(frozen=True, slots=True)
class StopAsked(_Fact):
    """Something asks the reply to stop."""

    reason: str
    by: str


@dataclass(frozen=True, slots=True)
class ModelStalled(_Fact):
    """The model sent nothing for too long."""

    has_begun: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class RoundEnded(_Fact):
    """The stream of a model is over."""

    number: int
    outcome: Values
    said: int
    usage: Values


@dataclass(frozen=True, slots=True)
class ReplyEnded(_Fact):
    """The reply is over; always the last fact."""

    outcome: Values
    messages: int
    model: str
    failures: int
    notices: int
    usage: Values


Fact: TypeAlias = (
    ReplyBegan
    | ModelSkipped
    | AttemptBegan
    | AttemptEnded
    | RequestSent
    | ChunkHeard
    | TextHeld
    | TextHidden
    | TextCut
    | TextChanged
    | ReplyHalted
    | MessagePlanned
    | ReplyQueued
    | ReadingPaused
    | MessagesMerged
    | MessageWaits
    | SendingBegan
    | SendRefused
    | MessageSent
    | MessageRefused
    | MessageLeftOut
    | QueueCut
    | QueueWithdrawn
    | QueueRestored
    | MessagesSuperseded
    | MessagesSpared
    | MessageDeleted
    | ToolCalled
    | NoticeShown
    | StopAsked
    | ModelStalled
    | RoundEnded
    | ReplyEnded
)

FACTS: Mapping[str, type[Fact]] = MappingProxyType({kind.name: kind for kind in get_args(Fact)})
"""Every kind of fact, by its name in JSON."""


@dataclass(frozen=True, slots=True)
class LoggedFact:
    """A fact, and when and in which reply it happened."""

    fact: Fact
    at: float
    """Seconds since the reply began."""
    turn: str = ""
    """The id of the reply, for a hook that sees several."""


Hook: TypeAlias = Callable[[LoggedFact], None]
"""Receives the facts of a reply. It is called in the middle of it, so it must be quick."""


def values_of(fact: Fact | Edge) -> dict[str, object]:
    """The values of *fact*, by the names of its fields."""
    return {spec.name: getattr(fact, spec.name) for spec in fields(fact)}
