"""The nouns of the pipeline, in the order in which they flow.

``Scene → Prompt → RawEvent → Chunk → Segment → Post → Receipt``, and the ``Outcome`` and ``Reply`` that come back.
Everything here is a frozen value: a stage that wants another value makes one with ``dataclasses.replace``. Read this
file first; every other file turns one of these into the next.
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
    """The name and avatar of a message."""

    name: str
    avatar: str | None = None
    """An address or a data URI; ``None`` leaves the avatar to the target."""
    sprite: str = ""
    """The sprite, if several share one name: a chat that groups messages by name needs to tell them apart."""


@dataclass(frozen=True, slots=True)
class Sprite:
    """A named picture of a persona, chosen by the model with ``Name (sprite): text``."""

    name: str
    avatar: str | None = None
    is_identity: bool = False
    """Whether the sprite is a character of its own, shown as ``sprite (Name)``."""
    is_usable: bool = True
    """Whether its picture can be shown; if not, the text is shown without it."""


@dataclass(frozen=True, slots=True)
class Persona:
    """A character: what the model is told to be, and the names it answers to."""

    name: str
    aliases: tuple[str, ...] = ()
    prompt: str = ""
    avatar: str | None = None
    sprites: tuple[Sprite, ...] = ()
    is_alter: bool = False
    """Whether the persona has its own name and avatar in the chat instead of the bot's."""


@dataclass(frozen=True, slots=True)
class Participant:
    """Another person or persona in the scene: the reply may use their avatar but not speak for them."""

    name: str
    aliases: tuple[str, ...] = ()
    """Other names under which the model may use their avatar."""
    avatar: str | None = None


@dataclass(frozen=True, slots=True)
class Roster:
    """The people, personas and emoji that a reply can name, already as the platform writes them.

    Rules only look names up here, so they need no knowledge of Discord.
    """

    mentions: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """What the model writes after an ``@`` → what the platform wants, ``alice`` → ``<@1>``.

    An id is a handle too, ``1`` → ``<@1>``. A handle that several people share has an empty tag: it stays text, and no
    lookup is made for it.
    """
    emoji: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """Shortcode without its colons → tag, ``wave`` → ``<:wave:1>``."""
    personas: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """Name of another persona in the channel → the word that triggers it."""
    participants: tuple[Participant, ...] = ()
    """The other people and personas in the scene."""
    speakers: tuple[str, ...] = ()
    """Names that preceded a colon in the history, except the persona's own."""
    recent_emoji: tuple[str, ...] = ()
    """Names of the emoji in the last few replies, without colons; if empty, the history is searched."""


class Role(Enum):
    """Who speaks in a turn of the prompt or an item of the context."""

    SYSTEM = "system"
    """An instruction. Stage 1 collects these; no turn of a prompt has this role."""
    USER = "user"
    MODEL = "model"
    TOOL = "tool"


class MediaKind(Enum):
    """Whether a medium is a picture or a video."""

    IMAGE = "image"
    VIDEO = "video"


@dataclass(frozen=True, slots=True)
class Media:
    """A picture or a video from the chat or from a tool."""

    kind: MediaKind
    mime: str
    url: str = ""
    """Its address, or a ``data:`` URI that holds it."""
    data: bytes = field(default=b"", repr=False)
    """Its bytes, if they are loaded already; used before ``url``."""
    fallback: str = ""
    """A second address, in case the first fails."""
    reference: str = ""
    """An opaque id of the message it was sent in; tools find it by that."""
    is_watched: bool = False
    """Whether the model itself watches a linked video, instead of a tool."""
    is_lost: bool = False
    """Whether loading it failed; the model is then only told that it exists."""


Part: TypeAlias = str | Media
"""A piece of a turn: words, or a medium."""


class Tag(Enum):
    """What an item of the context is, in the order in which a prompt has them."""

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
    """Something the model is told before it answers."""

    tag: Tag
    parts: tuple[Part, ...]
    role: Role = Role.USER
    speaker: str = ""
    """Who said or showed it, if that matters."""
    message_id: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One message of the channel's history."""

    speaker: str
    text: str
    is_own: bool = False
    """Whether the persona itself said it."""
    media: tuple[Media, ...] = ()
    """The media that were sent with it."""
    message_id: str = ""
    author: str = ""
    """The id of the person who said it; empty if it was not a person, or is unknown."""


@dataclass(frozen=True, slots=True)
class Note:
    """An author's note: a reminder to the model, placed among the history."""

    text: str
    depth: int = 0
    """How many lines of the history follow it; 0 is the very end."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything a reply starts from: the channel, the persona and the conversation so far."""

    channel: str
    persona: Persona
    history: tuple[Line, ...] = ()
    roster: Roster = field(default_factory=Roster)
    memories: tuple[str, ...] = ()
    reply_to: str | None = None
    prefill: str = ""
    """The words that the answer begins with, as if the model had said them."""
    context: tuple[ContextItem, ...] = ()
    """What else the model should know; stage 1 orders it by tag."""
    samples: tuple[Line, ...] = ()
    """Example lines that were never said, placed before the history."""
    notes: tuple[Note, ...] = ()
    """Reminders, placed among the history."""


# --- what goes to a model and what comes back ------------------------------------


@dataclass(frozen=True, slots=True)
class Opaque:
    """Data that a provider wants back with its own call, and that no other provider may see."""

    owner: str
    """The dialect and vendor it came from; it is sent back only to them."""
    data: str = field(repr=False)
    """JSON that only the owner understands."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model asks for a tool to be run; also a chunk, because calls arrive in the stream."""

    id: str
    name: str
    arguments: str
    """A JSON object as the model wrote it; of a truncated one, what arrived."""
    is_truncated: bool = False
    """Whether the arguments are incomplete; such a call is never run."""
    state: Opaque | None = None
    """What is sent back to the provider with this call; the first of several carries it for all."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """The description of a tool for the model."""

    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class PromptTurn:
    """One turn of the conversation in a prompt."""

    role: Role
    parts: tuple[Part, ...]
    calls: tuple[ToolCall, ...] = ()
    """The calls that the model made at the end of this turn."""
    call_id: str | None = None
    """For ``Role.TOOL``: the call that this is the result of."""
    tag: Tag = Tag.HISTORY
    """What it was made from; history is dropped first when there is no room."""

    @classmethod
    def said(cls, role: Role, text: str, *, tag: Tag = Tag.HISTORY) -> PromptTurn:
        """A turn that holds only words."""
        return cls(role, (text,) if text else (), tag=tag)

    @property
    def text(self) -> str:
        """Its words, one part per line."""
        return "\n".join(part for part in self.parts if isinstance(part, str))

    @property
    def media(self) -> tuple[Media, ...]:
        """The media in it."""
        return tuple(part for part in self.parts if isinstance(part, Media))


class Thinking(Enum):
    """How long a model thinks before it answers."""

    AUTO = "auto"
    """The model decides."""
    NONE = "none"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A request to a model, before it is written in the dialect of an API."""

    system: str
    turns: tuple[PromptTurn, ...]
    tools: tuple[ToolSpec, ...] = ()
    sampling: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """The values that are set among ``temperature``, ``top_p``, ``top_k``, ``min_p`` and the ``…_penalty``s."""
    stop: tuple[str, ...] = ()
    """Stop strings, the most important first: an API that takes few gets the first ones."""
    prefill: str = ""
    thinking: Thinking = Thinking.AUTO
    max_tokens: int = 0
    """The longest answer; 0 leaves it to the API."""
    speaker: str = ""
    """The name of the persona that answers."""
    context_tokens: int = 0
    """Roughly counted tokens above which the oldest exchanges are dropped; 0 uses the known limit of the model."""


class PrefillMode(Enum):
    """How a model can be made to begin with given words."""

    NONE = "none"
    """Only by an instruction."""
    TURN = "turn"
    """It continues a last turn of its own."""
    PREFIX = "prefix"
    """The same, but that turn must be marked as a prefix."""


class Links(Enum):
    """Which media the API fetches itself; all others are sent in the request."""

    NONE = "none"
    OWN = "own"
    """Files in its vendor's store (``gs://``), and videos that the model watches itself."""
    ALL = "all"
    """Everything with a web address."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a model and its API accept; a prompt is fitted to it before it is encoded."""

    tools: bool = True
    images: bool = True
    videos: bool = False
    links: Links = Links.ALL
    """Which media may be links; for any other that is not loaded, the model is told that it could not be."""
    system: bool = True
    """Whether instructions have a place of their own; if not, they are the first turn."""
    alternates: bool = False
    """Whether user and model must alternate, the user first."""
    prefill: PrefillMode = PrefillMode.NONE
    prefill_with_tools: bool = True
    stops: int = 4
    """How many stop strings it takes."""
    speaker_stop: bool = True
    """Whether the persona's own label may be one of them."""
    goes_on: bool = True
    """Whether it continues after a tool's results; a model that does not repeats what it had said."""
    context_tokens: int = 0
    """Tokens of prompt and answer together; 0 is unknown."""
    token_length: float = 4.0
    """Characters per token, roughly."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A prompt, encoded for one API."""

    url: str
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=lambda: _NOTHING, repr=False)
    """The API key is among them, so they are not part of the repr."""


class RawEvent(NamedTuple):
    """One event of a provider's stream, framed but not decoded; a tuple, because there is one per token."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More of the model's text, cut wherever the provider cut it."""

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    """More of the model's thoughts, which are never shown as speech."""

    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts from the provider."""

    input_tokens: int = 0
    """All tokens of the prompt, cached or not."""
    output_tokens: int = 0
    """All tokens of the answer, thoughts included."""
    cached_tokens: int = 0
    """How many tokens of the prompt came from the provider's cache."""
    thought_tokens: int = 0
    """How many tokens of the answer were thoughts."""

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
    """The provider that a router chose for the answer."""

    by: str


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file for people; also a chunk, because a stream may show one between two texts."""

    name: str
    data: bytes = field(repr=False)
    description: str = ""
    """What it shows, for those who cannot see it; Discord takes 1024 characters of it."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The model has finished its answer."""

    reason: str = "stop"
    """``stop``, ``length`` (the token limit), ``tool_calls``, or ``end_of_stream`` (no reason was given)."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The provider broke off the answer."""

    error: CadenzaError


Chunk: TypeAlias = TextDelta | ThoughtDelta | ToolCall | Usage | Served | Attachment | Finished | Failed


# --- what else can happen to a reply -----------------------------------------------


class StopReason(Enum):
    """Why a reply ended before the model did."""

    USER = "user"
    FOLLOW_UP = "follow_up"
    SPEAKER_GUARD = "speaker_guard"
    MESSAGE_LIMIT = "message_limit"
    ROUND_LIMIT = "round_limit"
    """The model kept asking for tools."""
    TIME_LIMIT = "time_limit"
    """The whole turn took too long."""
    CHANNEL_GONE = "channel_gone"
    MISSING_ACCESS = "missing_access"
    TRIGGER_GONE = "trigger_gone"
    """The message that it answers was deleted or edited."""
    STALE = "stale"
    """The turn made no progress, and the channel was needed."""
    SHUTDOWN = "shutdown"
    RULE = "rule"
    """A custom rule ended it."""


@dataclass(frozen=True, slots=True)
class StopRequested:
    """The reply is to end now."""

    reason: StopReason


@dataclass(frozen=True, slots=True)
class FellSilent:
    """The model has sent nothing for too long."""

    has_begun: bool
    """Whether it had sent anything before."""


@dataclass(frozen=True, slots=True)
class SendFailed:
    """A message could not be delivered."""

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
    SECTION = "section"
    """A line such as ``---`` stood here, which no chat shows."""
    FINAL = "final"
    TOOL_CALL = "tool_call"


class Ending(Enum):
    """Why a stream ends; ``flush`` gets it."""

    FINAL = "final"
    """The model finished, failed or stalled: everything held back is released."""
    TOOL_CALL = "tool_call"
    """A tool is called: an unfinished last clause is dropped."""
    FILE = "file"
    """The stream shows a file here, and goes on after it."""
    STOP = "stop"
    """The reply was stopped: an unfinished clause is dropped, even the only one."""
    DISCARD = "discard"
    """Nothing more is sent: of what is held back only thoughts and details are kept."""

    @property
    def boundary(self) -> Boundary:
        """The boundary of the last segment before this ending."""
        match self:
            case Ending.TOOL_CALL:
                return Boundary.TOOL_CALL
            case Ending.FILE:
                return Boundary.ATTACHMENT
            case _:
                return Boundary.FINAL


class Kind(Enum):
    """What a segment consists of, so that no rule has to find out again."""

    PROSE = "prose"
    CODE = "code"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of the reply that later text cannot change."""

    text: str
    boundary: Boundary
    kind: Kind = Kind.PROSE
    identity: Identity | None = None
    """The name and avatar it is shown with; ``None`` is the persona itself."""
    label: str = ""
    """What precedes it when a model reads it later, ``Ren (mad): ``."""
    source: str = ""
    """What the model wrote, if it is shown in another form: the Markdown of a table, the LaTeX of a formula."""
    is_painted: bool = False
    """Whether a picture of the source is better than the text."""
    is_torn: bool = False
    """Whether it is code that was cut within a line; the line continues in the next segment."""
    joint: str = ""
    """White space that stood in front of the text and is no longer part of it, such as the indent of code in a list.

    All other white space stays in the text: the segments of a reply, put together, are what the model wrote.
    """
    opens_in: str = ""
    """The marks of emphasis that are open where it begins, outermost first: ``||**``."""
    ends_in: str = ""
    """The marks of emphasis that are open where it ends. A message that ends here closes them, the next reopens them."""


class Edit(NamedTuple):
    """A change that a rule makes: ``text[start:end]`` becomes *text*."""

    start: int
    end: int
    text: str = ""


class AsideKind(Enum):
    """Which kind of hidden block an aside came from."""

    THOUGHT = "thought"
    DETAILS = "details"


@dataclass(frozen=True, slots=True)
class Aside:
    """The text of a ``<think>`` or ``<details>`` block, which is kept but never shown as speech."""

    kind: AsideKind
    text: str
    source: str = field(default="", compare=False, repr=False)
    """The whole block with its tags, as the model wrote it."""


@dataclass(frozen=True, slots=True)
class Halt:
    """A stage ends the reply: what came before is delivered, and nothing after it."""

    reason: StopReason


@dataclass(frozen=True, slots=True)
class Post:
    """One message, ready to send."""

    text: str
    boundary: Boundary
    pause: float = 0.0
    """Seconds of typing before it, if the reader had nothing to wait for."""
    identity: Identity | None = None
    label: str = ""
    attachment: Attachment | None = None
    reply: str | None = None
    """The message that this one answers."""
    source: str | None = None
    """What the model wrote, if the message shows it in another form (a table, a formula); ``None`` is the text itself.

    Of several messages that show one table the first has all of it, and the others have ``""``.
    """
    joint: str = ""
    """The white space between the post before and this one: line ends and indent, as the model wrote them."""
    picture: str = ""
    """The Markdown of the table, or the LaTeX of the formula, that is painted before the post is sent."""
    instead: tuple[Post, ...] = ()
    """The messages to send if that picture cannot be made."""

    @property
    def said(self) -> str:
        """What a model reads later; empty if an earlier message has it all."""
        return self.label + (self.text if self.source is None else self.source)

    @property
    def shows_source(self) -> bool:
        """Whether it shows the picture of a table or a formula."""
        return self.attachment is not None and bool(self.picture)


@dataclass(frozen=True, slots=True)
class RefusedAttempt:
    """An attempt to send a message that the chat refused, or did not answer, and what was done about it."""

    reason: str
    """Its name, such as ``rate_limited``."""
    code: str
    """The chat's own code, or the HTTP status; empty without an answer."""
    remedy: str
    """What was done: ``retry``, ``wait``, ``as_bot``, ``drop_file`` …"""


@dataclass(frozen=True, slots=True)
class Receipt:
    """A post that was delivered."""

    post: Post
    message_id: str
    url: str | None = None
    identity: Identity | None = None
    """The identity that was really used."""
    refusals: tuple[RefusedAttempt, ...] = field(default=(), compare=False)
    """The attempts before it arrived."""


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
    """The reply was stopped, by a request or by a stage."""

    reason: StopReason


@dataclass(frozen=True, slots=True)
class Broke:
    """The provider or the target failed."""

    error: CadenzaError


@dataclass(frozen=True, slots=True)
class Empty:
    """The model finished without saying anything."""

    reason: str = "stop"
    """The model's reason, or ``speaker_guard`` if it spoke only for somebody else."""


@dataclass(frozen=True, slots=True)
class Stalled:
    """The model stopped sending, or never began."""

    has_begun: bool


Outcome: TypeAlias = Completed | NeedsTools | Stopped | Broke | Empty | Stalled


# --- tools, and what people are told besides the reply -----------------------------------


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool call."""

    parts: tuple[Part, ...]
    """What the model gets to see."""
    is_error: bool = False
    """Whether the tool failed or was not run."""
    ends_turn: bool = False
    """Whether the turn ends here: the model is not asked again."""
    context: tuple[ContextItem, ...] = ()
    """What the model knows from now on, as part of its context; the call itself is then dropped."""
    files: tuple[Attachment, ...] = ()
    """What people get to see, at this point of the reply."""

    @property
    def text(self) -> str:
        """Its words, one part per line."""
        return "\n".join(part for part in self.parts if isinstance(part, str))


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call and its result."""

    call: ToolCall
    """The call as it is replayed: one that could not be parsed has no arguments here."""
    result: ToolResult
    seconds: float = field(default=0.0, compare=False)
    """How long it took."""


class Urgency(Enum):
    """How prominently a notice is shown."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Notice:
    """A message about a reply that is not the persona's: an error, or that another model answered."""

    text: str
    """One sentence: what happened, and what to do about it."""
    urgency: Urgency = Urgency.INFO
    title: str = ""
    tips: tuple[str, ...] = ()
    """Further hints, each a sentence."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed attempt that another one followed."""

    model: str
    """The name of the model, as ``connect`` was given it."""
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of a reply."""

    outcome: Outcome
    receipts: tuple[Receipt, ...] = ()
    text: str = ""
    """What the model said, exactly, without its thoughts; an empty line is between the parts around tool calls.

    After a stop it also holds what was not delivered; ``transcript`` does not.
    """
    transcript: str = ""
    """What was delivered, one message per line, with the labels that a model sees."""
    thoughts: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    served_by: str = ""
    """The provider that a router chose."""
    model: str = ""
    """The model of the last attempt."""
    failures: tuple[Failure, ...] = ()
    """The attempts before the last one."""
    tools: tuple[ToolUse, ...] = ()
    """The tools that were run."""
    notices: tuple[Notice, ...] = ()
    """The notices that were shown."""
