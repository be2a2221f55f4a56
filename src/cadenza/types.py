"""The nouns of the pipeline, in the order in which they flow.

``Scene → Prompt → RawEvent → Chunk → Segment → Post → Receipt``, and the ``Outcome`` and ``Reply`` that come back.
Everything here is a frozen value: a stage that wants another value makes one with ``dataclasses.replace``.
Read this file first; every other file is about turning one of these into the next.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import TypeAlias

from .errors import CadenzaError

_NOTHING: Mapping[str, str] = MappingProxyType({})


# --- who speaks, and where ----------------------------------------------------


@dataclass(frozen=True, slots=True)
class Identity:
    """The name and face under which people see a message."""

    name: str
    avatar: str | None = None
    """An address or a data URI; ``None`` leaves the face to the target."""
    look: str = ""
    """Which look of a persona this is, if its looks share one name; a chat that groups by name needs to tell them apart."""


@dataclass(frozen=True, slots=True)
class Sprite:
    """A named look of a persona, chosen by the model with ``Name (sprite): text``."""

    name: str
    avatar: str | None = None
    is_identity: bool = False
    """Whether the sprite is somebody of their own, shown as ``sprite (Name)``."""
    is_usable: bool = True
    """Whether its picture can be shown; if not, the words that ask for it are shown without it."""


@dataclass(frozen=True, slots=True)
class Persona:
    """A character: who the model is asked to be and what it answers to."""

    name: str
    aliases: tuple[str, ...] = ()
    prompt: str = ""
    avatar: str | None = None
    sprites: tuple[Sprite, ...] = ()
    is_alter: bool = False
    """Whether the persona has a name and face of its own in the chat, instead of the bot's."""


@dataclass(frozen=True, slots=True)
class Participant:
    """Somebody else in the scene, person or persona: a face that may be borrowed, a voice that is theirs alone."""

    name: str
    aliases: tuple[str, ...] = ()
    """What else the model may call them when it borrows their face."""
    avatar: str | None = None


@dataclass(frozen=True, slots=True)
class Roster:
    """Who and what can be named in a channel, already in the platform's own writing.

    Rules only look things up here, so that they need to know nothing of Discord.
    """

    mentions: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """What the model writes after an ``@`` → what the platform wants, ``alice`` → ``<@1>``.

    An id is a handle too, ``1`` → ``<@1>``. A handle that several people share has an empty tag: it stays text,
    and nobody is asked who that might be.
    """
    emoji: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """Shortcode without its colons → tag, ``wave`` → ``<:wave:1>``."""
    personas: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """Name of another persona in the channel → the word that calls it."""
    participants: tuple[Participant, ...] = ()
    """Who else is in the scene."""
    speakers: tuple[str, ...] = ()
    """Names that stood before a colon in what was said so far; not the persona's own."""
    recent_emoji: tuple[str, ...] = ()
    """Names of the emoji used in the last few replies, without their colons; empty leaves it to the history."""


class Role(Enum):
    """Whose words a turn of the prompt holds."""

    USER = "user"
    MODEL = "model"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that was said in the channel before now."""

    speaker: str
    text: str
    is_own: bool = False
    """Whether the persona itself said it."""


@dataclass(frozen=True, slots=True)
class Scene:
    """All that a reply starts from: where, as whom, after what."""

    channel: str
    persona: Persona
    history: tuple[Line, ...] = ()
    roster: Roster = field(default_factory=Roster)
    memories: tuple[str, ...] = ()
    reply_to: str | None = None
    prefill: str = ""
    """What the answer begins with: words put into the model's mouth."""


# --- what goes to a model and what comes back ------------------------------------


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model wants a tool run. Also a chunk: calls arrive in the stream."""

    id: str
    name: str
    arguments: str
    """As the model wrote them: JSON, whole or (if the stream broke) not."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What a model is told about a tool."""

    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class PromptTurn:
    """One turn of the conversation as a model is to see it."""

    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()
    """The calls that the model made at the end of this turn."""
    call_id: str | None = None
    """For ``Role.TOOL``: the call whose result this is."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A request to a model, in nobody's dialect yet."""

    system: str
    turns: tuple[PromptTurn, ...]
    tools: tuple[ToolSpec, ...] = ()
    sampling: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    stop: tuple[str, ...] = ()
    prefill: str = ""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A prompt in the dialect of one API."""

    url: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=lambda: _NOTHING)


@dataclass(frozen=True, slots=True)
class RawEvent:
    """One event of a provider's stream, framed but not understood."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Some more of what the model says, cut wherever the provider cut it."""

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    """Some more of what the model thinks; never shown as speech."""

    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them."""

    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Add up the rounds of a reply."""
        return Usage(self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens)


@dataclass(frozen=True, slots=True)
class Finished:
    """The model is done."""

    reason: str = "stop"


@dataclass(frozen=True, slots=True)
class Failed:
    """The model's side broke off."""

    error: CadenzaError


Chunk: TypeAlias = TextDelta | ThoughtDelta | ToolCall | Usage | Finished | Failed


# --- what else can happen to a reply -----------------------------------------------


class StopReason(Enum):
    """Why a reply ended before the model did."""

    USER = "user"
    FOLLOW_UP = "follow_up"
    SPEAKER_GUARD = "speaker_guard"
    MESSAGE_LIMIT = "message_limit"
    FLUSH_LIMIT = "flush_limit"
    CHANNEL_GONE = "channel_gone"
    MISSING_ACCESS = "missing_access"
    STALLED = "stalled"
    SHUTDOWN = "shutdown"
    RULE = "rule"
    """A rule of somebody's own ended it."""


@dataclass(frozen=True, slots=True)
class StopRequested:
    """Somebody or something wants the reply to end now."""

    reason: StopReason


@dataclass(frozen=True, slots=True)
class SendFailed:
    """A message could not be delivered; the model is not to blame."""

    error: CadenzaError


RoundEvent: TypeAlias = Chunk | StopRequested | SendFailed


# --- text on its way out -------------------------------------------------------------


class Boundary(Enum):
    """Why a segment ends where it ends."""

    CODE_OPEN = "code_open"
    CODE_CLOSE = "code_close"
    NEWLINE = "newline"
    PERIOD = "period"
    OVERFLOW = "overflow"
    ATTACHMENT = "attachment"
    FINAL = "final"
    TOOL_CALL = "tool_call"


class Ending(Enum):
    """Why nothing more comes: what ``flush`` is told."""

    FINAL = "final"
    """The model finished, failed or stalled: everything that was held is let go."""
    TOOL_CALL = "tool_call"
    """A tool is called: an unfinished last clause is left out."""
    STOP = "stop"
    """Somebody stopped the reply: an unfinished last clause is left out."""

    @property
    def boundary(self) -> Boundary:
        """The boundary of the last segment before this ending."""
        return Boundary.TOOL_CALL if self is Ending.TOOL_CALL else Boundary.FINAL


class Kind(Enum):
    """What a segment is made of, so that no rule has to look again."""

    PROSE = "prose"
    CODE = "code"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of the reply that may leave: what comes later cannot change it."""

    text: str
    boundary: Boundary
    kind: Kind = Kind.PROSE
    identity: Identity | None = None
    """Who people see speaking; ``None`` is the persona itself."""
    label: str = ""
    """What the model should later see in front, ``Ren (mad): ``."""
    source: str = ""
    """The Markdown of a table whose text has been put into another form."""


class AsideKind(Enum):
    """Which hidden block an aside stood in."""

    THOUGHT = "thought"
    DETAILS = "details"


@dataclass(frozen=True, slots=True)
class Aside:
    """Text of a ``<think>`` or ``<details>`` block: kept, never shown as speech."""

    kind: AsideKind
    text: str


@dataclass(frozen=True, slots=True)
class Halt:
    """How any stage ends the reply: what came before it is delivered, nothing after."""

    reason: StopReason


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that goes with a post."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Post:
    """One message, ready to be sent."""

    text: str
    boundary: Boundary
    pause: float = 0.0
    """Seconds of typing before it, for someone who had nothing to wait for."""
    identity: Identity | None = None
    label: str = ""
    attachment: Attachment | None = None
    reply: str | None = None
    """The message that this one answers."""
    source: str | None = None
    """What the model wrote, where the message shows it in another form: a table's Markdown; ``None`` is the text itself.

    The first of several messages that show a table has all of it, and the others have nothing: ``""``.
    """
    instead: tuple[Post, ...] = ()
    """A post with these shows its source as a picture; if there can be none, these are sent."""

    @property
    def said(self) -> str:
        """What the model should later see; nothing if a message before has said it all."""
        return self.label + (self.text if self.source is None else self.source)


@dataclass(frozen=True, slots=True)
class Receipt:
    """A post that really arrived."""

    post: Post
    message_id: str
    url: str | None = None
    identity: Identity | None = None
    """The identity that was used in the end."""


# --- how it ended --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Completed:
    """The model finished and something was said."""

    reason: str = "stop"


@dataclass(frozen=True, slots=True)
class NeedsTools:
    """The model waits for the results of these calls."""

    calls: tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class Stopped:
    """The reply was ended from outside or by a stage."""

    reason: StopReason


@dataclass(frozen=True, slots=True)
class Broke:
    """The provider or the target failed."""

    error: CadenzaError


@dataclass(frozen=True, slots=True)
class Empty:
    """The model finished without saying anything."""

    reason: str = "stop"


Outcome: TypeAlias = Completed | NeedsTools | Stopped | Broke | Empty


@dataclass(frozen=True, slots=True)
class Reply:
    """Everything that is left of a reply when it is over."""

    outcome: Outcome
    receipts: tuple[Receipt, ...] = ()
    transcript: str = ""
    """What was really delivered, one message after another on lines of their own, with the labels that the model should see."""
    thoughts: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
