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
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
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
    """Whose words a turn of the prompt or an item of the context holds."""

    SYSTEM = "system"
    """Nobody's in the chat: an instruction. Stage 1 gathers these; no turn of a prompt has this role."""
    USER = "user"
    MODEL = "model"
    TOOL = "tool"


class MediaKind(Enum):
    """What a medium is to be looked at as."""

    IMAGE = "image"
    VIDEO = "video"


@dataclass(frozen=True, slots=True)
class Media:
    """A picture or a film that was shown in the chat, or that a tool gave back."""

    kind: MediaKind
    mime: str
    url: str = ""
    """Where it can be had: an address, or a ``data:`` URI that holds it."""
    data: bytes = field(default=b"", repr=False)
    """The thing itself, where somebody has it already; asked before ``url``."""
    fallback: str = ""
    """Another address, for when the first has nothing."""
    reference: str = ""
    """An opaque name of the message it was sent in, by which tools can find it."""
    is_watched: bool = False
    """Whether a linked video is to be watched by the model itself, and not left to a tool."""
    is_lost: bool = False
    """Whether it was looked for and could not be had: the model is then only told of it."""


Part: TypeAlias = str | Media
"""A piece of what somebody said or showed."""


class Tag(Enum):
    """What an item of the context is; the order is the order in which a model is told."""

    INSTRUCTION = "system_instruction_block"
    PERSONA_PROMPT = "system_persona_prompt"
    PERSONALITY = "system_personality"
    HUMANIZER_RULES = "system_humanizer_rules"
    FUNCTION_GUIDE = "system_function_guide"
    SERVER_INFO = "knowledge_server_info"
    SERVER_MEMORIES = "knowledge_server_memories"
    SERVER_EMOJI = "knowledge_server_emojis"
    SERVER_STICKERS = "knowledge_server_stickers"
    USER_MEMORIES = "knowledge_user_memories"
    USER_STATUS = "knowledge_user_status"
    CURRENT_CONTEXT = "knowledge_current_context"
    USERS_IN_CONVERSATION = "knowledge_users_in_conversation"
    SHORT_TERM_MEMORY = "knowledge_short_term_memory"
    VERBATIM_TOOLS = "knowledge_verbatim_tool_definitions"
    SERVER_DOCUMENTS = "knowledge_server_documents"
    SERVER_CONDITIONING = "knowledge_server_conditioning"
    SAMPLE = "dialogue_sample"
    HISTORY = "dialogue_history"
    NOTE = "context_note_injection"


@dataclass(frozen=True, slots=True)
class ContextItem:
    """Something that a model is to know before it answers."""

    tag: Tag
    parts: tuple[Part, ...]
    role: Role = Role.USER
    speaker: str = ""
    """Who said or showed it, where that matters."""
    message_id: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that was said in the channel before now."""

    speaker: str
    text: str
    is_own: bool = False
    """Whether the persona itself said it."""
    media: tuple[Media, ...] = ()
    """What was shown with it."""
    message_id: str = ""
    author: str = ""
    """The id of the person who said it; empty if it was no person, or if nobody knows."""


@dataclass(frozen=True, slots=True)
class Note:
    """An author's note: a reminder to the model at some depth of the conversation."""

    text: str
    depth: int = 0
    """How many lines of the history come after it; 0 is the very end."""


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
    context: tuple[ContextItem, ...] = ()
    """What else the model should know, each thing under its tag; stage 1 puts it in its place."""
    samples: tuple[Line, ...] = ()
    """How such a conversation goes: lines that were never said, told before the history."""
    notes: tuple[Note, ...] = ()
    """Reminders among the history."""


# --- what goes to a model and what comes back ------------------------------------


@dataclass(frozen=True, slots=True)
class Opaque:
    """Something a provider wants to see again with a call of its own, and nobody else should."""

    owner: str
    """The dialect and vendor that gave it; only they get it back."""
    data: str = field(repr=False)
    """JSON that only the owner understands."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model wants a tool run. Also a chunk: calls arrive in the stream."""

    id: str
    name: str
    arguments: str
    """JSON: an object, as the model wrote it; of one that was cut off, what of it arrived whole."""
    is_truncated: bool = False
    """Whether the arguments are not whole: such a call is never run."""
    state: Opaque | None = None
    """What goes back to the provider with this call; the first of several calls carries what belongs to all."""


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
    parts: tuple[Part, ...]
    calls: tuple[ToolCall, ...] = ()
    """The calls that the model made at the end of this turn."""
    call_id: str | None = None
    """For ``Role.TOOL``: the call whose result this is."""
    tag: Tag = Tag.HISTORY
    """What it was made of; what is only history may be left out where there is no room."""

    @classmethod
    def said(cls, role: Role, text: str, *, tag: Tag = Tag.HISTORY) -> PromptTurn:
        """A turn of nothing but words."""
        return cls(role, (text,) if text else (), tag=tag)

    @property
    def text(self) -> str:
        """Its words, one part a line."""
        return "\n".join(part for part in self.parts if isinstance(part, str))

    @property
    def media(self) -> tuple[Media, ...]:
        """What it shows."""
        return tuple(part for part in self.parts if isinstance(part, Media))


class Thinking(Enum):
    """How long a model is to think before it speaks."""

    AUTO = "auto"
    """As it likes."""
    NONE = "none"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A request to a model, in nobody's dialect yet."""

    system: str
    turns: tuple[PromptTurn, ...]
    tools: tuple[ToolSpec, ...] = ()
    sampling: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """What was set of ``temperature``, ``top_p``, ``top_k``, ``min_p`` and the ``…_penalty``s; what was not is not there."""
    stop: tuple[str, ...] = ()
    """Where the model is to stop, the most wanted first: an API that takes few gets the first ones."""
    prefill: str = ""
    thinking: Thinking = Thinking.AUTO
    max_tokens: int = 0
    """The longest answer; 0 leaves it to the API."""
    speaker: str = ""
    """The persona's name: as whom the model answers."""
    context_tokens: int = 0
    """Tokens, roughly counted, above which the oldest exchanges are left out; 0 is what the model is known to take."""


class PrefillMode(Enum):
    """How a model can be made to begin with given words."""

    NONE = "none"
    """It cannot: it can only be told to."""
    TURN = "turn"
    """It goes on where a last turn of its own ends."""
    PREFIX = "prefix"
    """The same, but that turn must be marked as a beginning."""


class Links(Enum):
    """Which media an interface fetches itself; all others must stand in the request."""

    NONE = "none"
    OWN = "own"
    """What lies in its vendor's store (``gs://``), and a video that the model is to watch itself."""
    ALL = "all"
    """What has an address on the web."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a model and its interface can take; a prompt is fitted to it before it is written down."""

    tools: bool = True
    images: bool = True
    videos: bool = False
    links: Links = Links.ALL
    """Which media may be links; of another that is not here, the model is told that it cannot be loaded."""
    system: bool = True
    """Whether there is a place for instructions; if not, they are the first turn."""
    alternates: bool = False
    """Whether user and model must take turns, the user first."""
    prefill: PrefillMode = PrefillMode.NONE
    prefill_with_tools: bool = True
    stops: int = 4
    """How many stop strings it takes."""
    speaker_stop: bool = True
    """Whether the persona's own label may be one of them."""
    goes_on: bool = True
    """Whether, with the results of a tool, it goes on behind what it had said; one that does not says all of it again."""
    context_tokens: int = 0
    """Tokens of prompt and answer together; 0 is unknown."""
    token_length: float = 4.0
    """Characters of a token, roughly."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A prompt in the dialect of one API."""

    url: str
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=lambda: _NOTHING, repr=False)
    """Among them the key, which is why they are not shown."""


class RawEvent(NamedTuple):
    """One event of a provider's stream, framed but not understood. There is one a token, so it is as light as can be."""

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
    """All that was read, cached or not."""
    output_tokens: int = 0
    """All that was written, thoughts included."""
    cached_tokens: int = 0
    """How many of those read came from the provider's cache."""
    thought_tokens: int = 0
    """How many of those written were thoughts."""

    def __add__(self, other: Usage) -> Usage:
        """Add up the rounds of a reply."""
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.thought_tokens + other.thought_tokens,
        )


@dataclass(frozen=True, slots=True)
class Served:
    """Who it is that answers, where a router chose among several."""

    by: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The model is done."""

    reason: str = "stop"
    """``stop``, ``length`` (it had to stop), ``tool_calls``, or ``end_of_stream`` (it never said)."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The model's side broke off."""

    error: CadenzaError


Chunk: TypeAlias = TextDelta | ThoughtDelta | ToolCall | Usage | Served | Finished | Failed


# --- what else can happen to a reply -----------------------------------------------


class StopReason(Enum):
    """Why a reply ended before the model did."""

    USER = "user"
    FOLLOW_UP = "follow_up"
    SPEAKER_GUARD = "speaker_guard"
    MESSAGE_LIMIT = "message_limit"
    ROUND_LIMIT = "round_limit"
    """The model wanted tools again and again."""
    TIME_LIMIT = "time_limit"
    """The whole turn took too long."""
    CHANNEL_GONE = "channel_gone"
    MISSING_ACCESS = "missing_access"
    TRIGGER_GONE = "trigger_gone"
    """The message that it answers was deleted, or says something else now."""
    STALE = "stale"
    """The turn did not get on, and the channel was needed."""
    SHUTDOWN = "shutdown"
    RULE = "rule"
    """A rule of somebody's own ended it."""


@dataclass(frozen=True, slots=True)
class StopRequested:
    """Somebody or something wants the reply to end now."""

    reason: StopReason


@dataclass(frozen=True, slots=True)
class FellSilent:
    """The model has said nothing for too long."""

    has_begun: bool
    """Whether it had said anything before."""


@dataclass(frozen=True, slots=True)
class SendFailed:
    """A message could not be delivered; the model is not to blame."""

    error: CadenzaError


RoundEvent: TypeAlias = Chunk | StopRequested | FellSilent | SendFailed


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
    """Somebody stopped the reply: an unfinished last clause is left out, and behind other words also the only one."""
    CUT_SHORT = "cut_short"
    """There is no time for the rest: an unfinished last clause is left out."""

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
    is_torn: bool = False
    """Whether it is code that had to be cut in the middle of a line, which goes on in the next segment."""


class Edit(NamedTuple):
    """A change that a rule makes: ``text[start:end]`` becomes *text*."""

    start: int
    end: int
    text: str = ""


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

    @property
    def shows_table(self) -> bool:
        """Whether it is a picture of a table, whose Markdown is its source; a text in a file is none."""
        return self.attachment is not None and self.attachment.name.endswith(".png") and bool(self.source)


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
    """The model's, or ``speaker_guard`` if all it said was in somebody else's name."""


@dataclass(frozen=True, slots=True)
class Stalled:
    """The model fell silent in the middle, or never began."""

    has_begun: bool


Outcome: TypeAlias = Completed | NeedsTools | Stopped | Broke | Empty | Stalled


# --- tools, and what people are told besides the reply -----------------------------------


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of a call."""

    parts: tuple[Part, ...]
    """What the model is told and shown."""
    is_error: bool = False
    """Whether the tool was not run, or did not do what it was asked."""
    ends_turn: bool = False
    """Whether there is nothing to add: the model is not asked again."""
    context: tuple[ContextItem, ...] = ()
    """What the model should know from now on as if it had known it before; the call itself is then forgotten."""

    @property
    def text(self) -> str:
        """Its words, one part a line."""
        return "\n".join(part for part in self.parts if isinstance(part, str))


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call and what came of it."""

    call: ToolCall
    """As it is to be replayed: one that could not be read has no arguments here."""
    result: ToolResult
    seconds: float = field(default=0.0, compare=False)
    """How long it took, which is never twice the same."""


class Urgency(Enum):
    """How loud a notice is."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that people are told about a reply, not by the persona: an error, or that another model answered."""

    text: str
    """One sentence: what happened, and what to do."""
    urgency: Urgency = Urgency.INFO
    title: str = ""
    tips: tuple[str, ...] = ()
    """What else may help, each a sentence."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A try that came to nothing, and another was made."""

    model: str
    """Its name, as ``connect`` was given it."""
    outcome: Outcome


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
    served_by: str = ""
    """Who answered, where a router chose among several."""
    model: str = ""
    """The name of the model that had the last word."""
    failures: tuple[Failure, ...] = ()
    """What was tried before that and came to nothing."""
    tools: tuple[ToolUse, ...] = ()
    """What was run on the way."""
    notices: tuple[Notice, ...] = ()
    """What people were told besides."""
