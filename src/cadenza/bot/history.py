"""What was said in a channel, as the model is told it: speakers, replies, pictures, text files; nothing of our own protocol."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

import discord

from ..concurrency.tasks import must_rise
from ..targets.discord_py.channel_info import client_of
from ..text.names import normalised
from ..text.units import WHITESPACE
from ..types import Line
from . import readable_text
from .attachments import AttachmentReader
from .authorship import is_ours
from .display_names import AnyUser, plain_name, told_apart
from .incoming import SPOKEN
from .system_messages import is_protocol, is_reply_notice

logger = logging.getLogger(__name__)

_MOST = 500
"""Messages that are read back at most, whatever was chosen."""
_SPARE = 20
"""How many more are asked for, since some are left out."""
_NOTICE = re.compile(r"\[\s*System\s*:", re.IGNORECASE)
"""How it begins what nobody said, and what people may write to pass for it."""
_SECONDS = 15.0
"""How long Discord is waited for."""


@dataclass(frozen=True, slots=True)
class Voice:
    """Whose a message of ours is."""

    name: str
    label: str = ""
    """What the model sees in front of it, ``Ren (mad)``, if that is not the name alone."""
    prefix: int = 0
    """How many characters in front of its text only name the speaker."""


SpeakerOf: TypeAlias = Callable[[discord.Message], Awaitable[Voice | None]]
"""Tells whose character said a message; ``None`` if it is not ours."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was said so far, and who is in it."""

    lines: tuple[Line, ...] = ()
    people: tuple[AnyUser, ...] = ()
    """Who said, was called or was answered, the latest first; neither the bot nor a webhook."""
    names: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))
    """What each of them is called in the lines, by their ids."""
    speakers: tuple[str, ...] = ()
    """Whose names stand in front of the lines, but for the persona's own; looks are left out."""


async def history(
    channel: discord.abc.Messageable,
    me: discord.ClientUser,
    *,
    until: discord.Message | None,
    limit: int,
    without: Collection[str],
    persona: str,
    speaker_of: SpeakerOf,
    images: bool,
    text_file_characters: int,
    after: str = "",
    characters: Collection[str] = (),
    own_name: str = "",
    meanwhile: bool = False,
    at_end: Collection[str] = (),
) -> Conversation:
    """The last *limit* messages up to *until*, the oldest first, as *persona* sees them (its own are ``is_own``).

    *without* are ids of messages that are left out, *after* is that of a message with which the conversation was over.
    *speaker_of* tells whose a message of ours is; no person is called by the name of one of the *characters*. Who calls
    the bot calls *own_name*, that of its main character, which may not be that of its account.
    With *meanwhile*, what we said after *until* is told too; *at_end* are ids of messages that are told behind all others.
    It never fails: where Discord does not tell what was said, that is what is at hand.
    """
    messages = await _recent(channel, until=until, limit=limit, without=without, after=after, meanwhile=meanwhile)
    messages.sort(key=lambda message: str(message.id) in at_end)
    voices = await _voices(messages, speaker_of)
    people = _people(messages, voices, me)
    names = told_apart(people, taken=(persona, *characters))
    showing = AttachmentReader(images, text_file_characters)
    known = {**names, me.id: own_name or plain_name(me.display_name)}
    speakers = {persona, *characters, *known.values(), *(user.display_name for user in people)}
    telling = _Telling(known, voices, speaker_of, showing, persona, speakers)
    lines = await telling.of(messages)
    return Conversation(lines, people, names, _speakers(lines, voices))


# --- what there is ---------------------------------------------------------------------


async def _recent(
    channel: discord.abc.Messageable,
    *,
    until: discord.Message | None,
    limit: int,
    without: Collection[str] = (),
    after: str = "",
    meanwhile: bool = False,
) -> list[discord.Message]:
    """The last messages that somebody said, the oldest first. Never raises but when it is cancelled."""
    limit = max(1, min(limit, _MOST))
    end = None if until is None or meanwhile else discord.Object(until.id + 1)
    found: dict[int, discord.Message] = {}
    try:
        async with asyncio.timeout(_SECONDS):
            async for message in channel.history(limit=limit + min(len(without), _SPARE) + 1, before=end):
                found[message.id] = message
    except BaseException as error:
        if must_rise(error):
            raise
        logger.info("what was said before could not be read (%s)", type(error).__name__)
    if not found:
        found = {message.id: message for message in _at_hand(channel, None if meanwhile else until)}
    if until is not None and not (until.id in found and found[until.id].content):
        found[until.id] = until  # it is gone by now; or Discord tells more when something is said than when it is asked
    start = int(after) if after.isdecimal() else 0
    last = (
        max(found, default=0) if until is None else until.id
    )  # behind it, others may be about to be answered themselves
    kept = (
        found[id_]
        for id_ in sorted(found)
        if id_ > start and str(id_) not in without and (id_ <= last or is_ours(found[id_]))
    )
    return [said for message in kept if (said := _spoken(message)) is not None][-limit:]


def _at_hand(channel: discord.abc.Messageable, until: discord.Message | None) -> Iterator[discord.Message]:
    """What was heard of *channel* since the bot is there."""
    place: object = getattr(channel, "id", None)
    for message in client_of(channel).cached_messages:
        if message.channel.id == place and (until is None or message.id <= until.id):
            yield message


def _spoken(message: discord.Message) -> discord.Message | None:
    """*message* if somebody said it; of the first one in a thread, what the thread is about."""
    if message.type is discord.MessageType.thread_starter_message:
        answered = message.reference.resolved if message.reference else None
        return answered if isinstance(answered, discord.Message) else None
    return message if message.type in SPOKEN and not is_reply_notice(message) else None


async def _voices(messages: Iterable[discord.Message], speaker_of: SpeakerOf) -> dict[int, Voice]:
    """Whose those of *messages* are that are ours."""
    voices = {message.id: await speaker_of(message) for message in messages}
    return {id_: voice for id_, voice in voices.items() if voice is not None}


def _people(
    messages: Sequence[discord.Message], voices: Mapping[int, Voice], me: discord.ClientUser
) -> tuple[AnyUser, ...]:
    """Who said, was called or was answered in *messages*, the latest first; neither the bot nor a webhook."""
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
    """Who was heard in the server of *message*: when they speak Discord tells their names there, later it does not."""
    if message.guild is None:
        return {}
    heard = (other.author for other in client_of(message).cached_messages if other.guild == message.guild)
    return {author.id: author for author in heard if isinstance(author, discord.Member)}


def _speakers(lines: Iterable[Line], voices: Mapping[int, Voice]) -> tuple[str, ...]:
    """Whose names stand in front of those of *lines* that are not the persona's own; looks do not count."""
    others = [(voices.get(int(line.message_id)), line) for line in lines if not line.is_own]
    return tuple(dict.fromkeys(voice.name if voice else line.speaker for voice, line in others))


# --- how it is told ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Telling:
    """Makes lines of messages."""

    names: Mapping[int, str]
    voices: Mapping[int, Voice]
    speaker_of: SpeakerOf
    showing: AttachmentReader
    persona: str
    speakers: Collection[str]
    """Everybody who may speak here: nobody else is to be taken for one of them."""

    async def of(self, messages: Sequence[discord.Message]) -> tuple[Line, ...]:
        """A line a message, without those that say and show nothing; the newest is shown first."""
        present = {message.id: message for message in messages}
        lines = [await self._line(message, present) for message in reversed(messages) if not self._is_aside(message)]
        return tuple(line for line in reversed(lines) if line.text or line.media)

    def _is_aside(self, message: discord.Message) -> bool:
        return message.id in self.voices and is_protocol(message)

    async def _line(self, message: discord.Message, present: Mapping[int, discord.Message]) -> Line:
        voice = self.voices.get(message.id)
        embeds = [] if voice else message.embeds  # ours are previews of what it links to
        shown = await self.showing.of(message.attachments, embeds)
        media, words = shown.media, [self._text(message, voice), *shown.words]
        for snapshot in message.message_snapshots:
            forwarded = await self.showing.of(snapshot.attachments, snapshot.embeds)
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
        if voice is None and (reply := await self._reply(message, present)):
            words[0] = f"{reply} {words[0]}".strip()
            answered = _answered(message)
            if isinstance(answered, discord.Message) and answered.id not in present:
                media += (await self.showing.of(answered.attachments, answered.embeds)).media
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
        """What *message* answers, in brackets: no rule takes that for somebody who speaks."""
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
    """What *message* replies to, as far as it is known."""
    reference = message.reference
    if reference is None or reference.type is discord.MessageReferenceType.forward:
        return None
    return reference.resolved or reference.cached_message
