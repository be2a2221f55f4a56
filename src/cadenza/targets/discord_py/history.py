"""The history of a channel as lines for the model: speakers, replies, images and text files, without our own notices."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

import discord

from ...concurrency.tasks import must_rise
from ...explain.tracebacks import get_logger
from ...text.names import normalised
from ...text.units import WHITESPACE
from ...types import Line
from . import readable_text
from .attachments import AttachmentReader
from .authorship import is_ours
from .channel_info import client_of
from .display_names import AnyUser, plain_name, told_apart
from .system_messages import SPOKEN, is_protocol, is_reply_notice

logger = get_logger(__name__)

_MOST = 500
"""Messages that are read at most, whatever was chosen."""
_SPARE = 20
"""How many more are fetched, since some are left out."""
_NOTICE = re.compile(r"\[\s*System\s*:", re.IGNORECASE)
"""How system notes begin; people may not imitate them."""
_SECONDS = 15.0
"""The timeout for reading from Discord."""


@dataclass(frozen=True, slots=True)
class Voice:
    """The character that said one of our messages."""

    name: str
    label: str = ""
    """The label for the model, such as ``Ren (mad)``; empty if it is just the name."""
    prefix: int = 0
    """Characters at the start of the text that only name the speaker."""


SpeakerOf: TypeAlias = Callable[[discord.Message], Awaitable[Voice | None]]
"""Finds the character of a message; ``None`` if it is not ours."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The history, and the people in it."""

    lines: tuple[Line, ...] = ()
    people: tuple[AnyUser, ...] = ()
    """Authors, mentioned and answered users, the latest first; neither the bot nor webhooks."""
    names: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))
    """Their names in the lines, by id."""
    speakers: tuple[str, ...] = ()
    """The speakers of the lines, except the persona, without sprite names."""


@dataclass(frozen=True, slots=True)
class HistoryWindow:
    """Which messages of a channel are read."""

    until: discord.Message | None
    """The last one; ``None`` reads up to the newest."""
    limit: int
    without: Collection[str] = ()
    """Ids of messages to leave out."""
    after: str = ""
    """The id of the message with which the conversation was reset."""
    meanwhile: bool = False
    """Whether to add our own messages after *until*."""
    at_end: Collection[str] = ()
    """Ids of messages to move to the end."""


@dataclass(frozen=True, slots=True)
class Perspective:
    """Whose view of the messages is told."""

    persona: str
    """Its own lines are ``is_own``."""
    speaker_of: SpeakerOf
    attachment_reader: AttachmentReader
    characters: Collection[str] = ()
    """Names of characters: a person with one of them is renamed."""
    own_name: str = ""
    """The name of the main character, for mentions of the bot; empty is the name of its account."""
    quotes: bool = True
    """Whether a line of a person says which message it replies to."""
    is_aside: Callable[[discord.Message], bool] = is_protocol
    """Which of our messages are no part of the conversation."""


async def history(
    channel: discord.abc.Messageable, me: discord.ClientUser, window: HistoryWindow, view: Perspective
) -> Conversation:
    """Read the messages of *window* as *view* sees them, the oldest first. Where Discord fails, cached messages are used."""
    return await told(spoken_in(await recent(channel, window), window), me, view)


async def told(messages: Sequence[discord.Message], me: discord.ClientUser, view: Perspective) -> Conversation:
    """Tell *messages*, the oldest first, as *view* sees them."""
    voices = await _voices(messages, view.speaker_of)
    people = _people(messages, voices, me)
    taken = (view.persona, *view.characters)
    names = told_apart(people, taken=taken)
    known = {**names, me.id: view.own_name or plain_name(me.display_name)}
    speakers = {*taken, *known.values(), *(user.display_name for user in people)}
    telling = _Telling(
        known,
        voices,
        view.speaker_of,
        view.attachment_reader,
        view.persona,
        speakers,
        view.is_aside,
        quotes=view.quotes,
    )
    lines = await telling.of(messages)
    return Conversation(lines, people, names, _speakers(lines, voices))


# --- what there is ---------------------------------------------------------------------


def spoken_in(messages: Iterable[discord.Message], window: HistoryWindow) -> list[discord.Message]:
    """Those of *messages* that are part of the conversation, as many as *window* takes."""
    spoken = [said for message in messages if (said := _spoken(message)) is not None][
        -max(1, min(window.limit, _MOST)) :
    ]
    spoken.sort(key=lambda message: str(message.id) in window.at_end)
    return spoken


async def recent(channel: discord.abc.Messageable, window: HistoryWindow) -> list[discord.Message]:
    """All messages of *window* and some before it, the oldest first. Raises nothing but a cancellation."""
    until, without, limit = window.until, window.without, max(1, min(window.limit, _MOST))
    end = None if until is None or window.meanwhile else discord.Object(until.id + 1)
    found: dict[int, discord.Message] = {}
    try:
        async with asyncio.timeout(_SECONDS):
            async for message in channel.history(limit=limit + min(len(without), _SPARE) + 1, before=end):
                found[message.id] = message
    except BaseException as error:
        if must_rise(error):
            raise
        logger.info("history could not be read", exc_info=error)
    if not found:
        found = {message.id: message for message in _at_hand(channel, None if window.meanwhile else until)}
    if until is not None and not (until.id in found and found[until.id].content):
        found[until.id] = until  # deleted meanwhile, or fetched without its content, which the event had
    start = int(window.after) if window.after.isdecimal() else 0
    # Messages after the last one may be waiting for an answer of their own.
    last = max(found, default=0) if until is None else until.id
    return [
        found[id_]
        for id_ in sorted(found)
        if id_ > start and str(id_) not in without and (id_ <= last or is_ours(found[id_]))
    ]


def _at_hand(channel: discord.abc.Messageable, until: discord.Message | None) -> Iterator[discord.Message]:
    """The cached messages of *channel*."""
    place: object = getattr(channel, "id", None)
    for message in client_of(channel).cached_messages:
        if message.channel.id == place and (until is None or message.id <= until.id):
            yield message


def _spoken(message: discord.Message) -> discord.Message | None:
    """*message* if it is a normal one; for a thread starter, the message that the thread belongs to."""
    if message.type is discord.MessageType.thread_starter_message:
        answered = message.reference.resolved if message.reference else None
        return answered if isinstance(answered, discord.Message) else None
    return message if message.type in SPOKEN and not is_reply_notice(message) else None


async def _voices(messages: Iterable[discord.Message], speaker_of: SpeakerOf) -> dict[int, Voice]:
    """The characters of those of *messages* that are ours, by id."""
    voices = {message.id: await speaker_of(message) for message in messages}
    return {id_: voice for id_, voice in voices.items() if voice is not None}


def _people(
    messages: Sequence[discord.Message], voices: Mapping[int, Voice], me: discord.ClientUser
) -> tuple[AnyUser, ...]:
    """Authors, mentioned and answered users of *messages*, the latest first; neither the bot nor webhooks."""
    users: dict[int, AnyUser] = {}
    for message in reversed(messages):
        if message.id not in voices and message.webhook_id is None:
            users.setdefault(message.author.id, message.author)
        for user in message.mentions:
            users.setdefault(user.id, user)
        answered = _answered(message)
        if isinstance(answered, discord.Message) and answered.webhook_id is None:
            users.setdefault(answered.author.id, answered.author)
    users.pop(me.id, None)
    members = _members(messages[-1]) if messages else {}
    return tuple(user if isinstance(user, discord.Member) else members.get(id_, user) for id_, user in users.items())


def _members(message: discord.Message) -> dict[int, discord.Member]:
    """Members who spoke in the guild of *message*: events carry their nicknames, fetched messages do not."""
    if message.guild is None:
        return {}
    heard = (other.author for other in client_of(message).cached_messages if other.guild == message.guild)
    return {author.id: author for author in heard if isinstance(author, discord.Member)}


def _speakers(lines: Iterable[Line], voices: Mapping[int, Voice]) -> tuple[str, ...]:
    """The speakers of *lines*, except the persona, without sprite names."""
    others = [(voices.get(int(line.message_id)), line) for line in lines if not line.is_own]
    return tuple(dict.fromkeys(voice.name if voice else line.speaker for voice, line in others))


# --- how it is told ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Telling:
    """Turns messages into lines."""

    names: Mapping[int, str]
    voices: Mapping[int, Voice]
    speaker_of: SpeakerOf
    attachment_reader: AttachmentReader
    persona: str
    speakers: Collection[str]
    """All possible speakers: no other text may look like a line of theirs."""
    is_aside: Callable[[discord.Message], bool]
    quotes: bool = True

    async def of(self, messages: Sequence[discord.Message]) -> tuple[Line, ...]:
        """A line per message that has text or media. Newer messages take from the media budget first."""
        present = {message.id: message for message in messages}
        lines = [await self._line(message, present) for message in reversed(messages) if not self._is_aside(message)]
        return tuple(line for line in reversed(lines) if line.text or line.media)

    def _is_aside(self, message: discord.Message) -> bool:
        return message.id in self.voices and self.is_aside(message)

    async def _line(self, message: discord.Message, present: Mapping[int, discord.Message]) -> Line:
        voice = self.voices.get(message.id)
        embeds = [] if voice else message.embeds  # ours are link previews
        described = [file.description for file in message.attachments if voice and file.description]
        files = [file for file in message.attachments if not (voice and file.description)]
        shown = await self.attachment_reader.of(files, embeds)
        text = "\n\n".join(filter(None, (self._text(message, voice), *described)))
        media, words = shown.media, [text, *shown.words]
        for snapshot in message.message_snapshots:
            forwarded = await self.attachment_reader.of(snapshot.attachments, snapshot.embeds)
            media += forwarded.media
            words += [f"(forwarded) {readable_text.readable(snapshot.content, self.names, message.guild)}".strip()]
            words += [
                *forwarded.words,
                *readable_text.embedded(snapshot.embeds),
                *readable_text.stuck(snapshot.stickers),
            ]
        words += [
            *readable_text.embedded(embeds),
            *readable_text.stuck(message.stickers),
            *readable_text.asked(message.poll),
        ]
        if self.quotes and voice is None and (reply := await self._reply(message, present)):
            words[0] = f"{reply} {words[0]}".strip()
            answered = _answered(message)
            if isinstance(answered, discord.Message) and answered.id not in present:
                media += (await self.attachment_reader.of(answered.attachments, answered.embeds)).media
        text = "\n".join(filter(None, words))
        if voice is None:
            text = readable_text.unmistakable(_NOTICE.sub("(System:", text), self.speakers)
        is_own = voice is not None and normalised(voice.name) == normalised(self.persona)
        if voice is not None and is_own and voice.label and text:
            text = f"{voice.label}: {text}"
        is_person = voice is None and message.webhook_id is None and not message.author.bot
        return Line(
            self._speaker(message, voice),
            text,
            is_own=is_own,
            media=media,
            message_id=str(message.id),
            author=str(message.author.id) if is_person else "",
        )

    def _text(self, message: discord.Message, voice: Voice | None) -> str:
        said = message.content[voice.prefix if voice else 0 :].strip(WHITESPACE)
        return readable_text.readable(said, self.names, message.guild)

    def _speaker(self, message: discord.Message, voice: Voice | None) -> str:
        if voice is not None:
            is_own = normalised(voice.name) == normalised(self.persona)
            return voice.name if is_own else voice.label or voice.name
        if message.webhook_id is None and message.author.id in self.names:
            return self.names[message.author.id]
        name = plain_name(message.author.display_name) or "Webhook"
        return f"{name} [webhook]" if message.webhook_id is not None else name

    async def _reply(self, message: discord.Message, present: Mapping[int, discord.Message]) -> str:
        """What *message* answers, in brackets, so that no rule takes it for a speaker."""
        reference = message.reference
        if message.type is not discord.MessageType.reply or reference is None:
            return ""
        answered = _answered(message) or present.get(reference.message_id or 0)
        if not isinstance(answered, discord.Message):
            return f"(in reply to {'a message that is gone' if answered else 'an earlier message'})"
        voice = self.voices.get(answered.id) or await self.speaker_of(answered)
        words = self._text(answered, voice)
        quote = f": {readable_text.quoted(words)}" if words else ""
        return f"(in reply to {voice.name if voice else self._speaker(answered, None)}{quote})"


def _answered(message: discord.Message) -> discord.Message | discord.DeletedReferencedMessage | None:
    """The message that *message* replies to; ``None`` if it is no reply or unknown."""
    reference = message.reference
    if reference is None or reference.type is discord.MessageReferenceType.forward:
        return None
    return reference.resolved or reference.cached_message
