"""Recovery after a restart: unfinished replies are finished, marked or dropped, and nothing is sent twice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from enum import Enum
from types import MappingProxyType

import discord

from ..concurrency.tasks import must_rise
from ..explain.tracebacks import get_logger
from ..languages import languages, translated
from ..replies.notices import TEXTS
from ..targets.discord_py.authorship import is_ours, user_of
from ..targets.discord_py.channel_info import parent_of
from ..targets.discord_py.history import Voice
from ..targets.discord_py.system_messages import is_protocol
from ..text.usernames import as_username, from_username
from ..turns import IncomingMessage
from .admission import Admission
from .after_reply import may_keep
from .announcements import language_for
from .background import guarded
from .memory.location import Location
from .reply_request import ReplyRequest, receipt_for
from .services.journal import JournalEntry
from .services.own_messages import OwnMessage, OwnMessages
from .speaker_lookup import SpeakerLookup
from .wiring import BotServices

logger = get_logger(__name__)

OLDEST = 600.0
"""Seconds after which a message is too old to be answered."""
MARK = "I was restarted in the middle of this answer."

_TAKES = 20.0
"""Seconds that reading a channel, or posting a mark, may take."""
_LOOKED_AT = 100
"""Messages after the answered one that are read."""
_MOST_TRIES = 3
"""Restarts after which a message is given up: its reply may be what crashes the process."""
_SKEW = 2.0
"""Seconds by which our clock and Discord's may differ."""


class Fate(Enum):
    """What happens to a message that was being answered."""

    ANSWER = "answer"
    """There is no answer yet: it is answered now."""
    FINISH = "finish"
    """A part of the answer is there: it is continued."""
    MARK = "mark"
    """A notice says that the rest is missing."""
    DROP = "drop"
    """Nothing is done."""


_FATES: Mapping[str, Fate] = MappingProxyType({"finish": Fate.FINISH, "mark": Fate.MARK, "leave": Fate.DROP})
"""What to do with half an answer, by the setting ``after_restart``."""


class Recovery:
    """Recovers, after a restart, the messages that the process before was answering."""

    def __init__(self, services: BotServices, own: OwnMessages, client: discord.Client, admission: Admission) -> None:
        self._services = services
        self._own = own
        self._client = client
        self._admission = admission

    async def run(self) -> None:
        """Recover every message that the journal still holds."""
        await self._services.journal.sweep()
        for entry in await self._services.journal.left():
            await guarded("recovery of a message", self.recover(entry))

    async def recover(self, entry: JournalEntry) -> None:
        """Answer, finish, mark or drop the message of *entry*."""
        how = self._services.config.now.conversation.after_restart
        fate, message = await fate_of(entry, self._client, after_restart=how, now=time.time())
        self._services.metrics.recovered(fate.value)
        logger.info("recovered a message after a restart: %s", fate.value)
        if message is None or fate is Fate.DROP:
            await self._services.journal.over(entry.key)
            if message is not None and entry.began:
                await guarded("noting own messages", self._note(entry, words_of(await parts_of(entry, message))))
            return
        words = words_of(await parts_of(entry, message)) if fate in (Fate.FINISH, Fate.MARK) else []
        await guarded("noting own messages", self._note(entry, words))
        last = (words or [message])[-1]
        if fate is Fate.MARK:
            choice = await self._services.choices.here(entry.server, entry.channel, parent_of(message.channel))
            await mark(last.channel, last, language_for(message.guild, choice, self._services.config.now))
            await self._services.journal.over(entry.key)
            return
        request = ReplyRequest(
            message if fate is Fate.ANSWER else last,
            entry.author,
            entry.server,
            heard_at=asyncio.get_running_loop().time(),
            root=entry.root,
            goes_on=entry.goes_on or fate is Fate.FINISH,
            supersedes=tuple([receipt_for(await self._superseded(entry, id_)) for id_ in entry.supersedes]),
        )
        # Under its old key, so that the next process knows both attempts as one. If the journal cannot be written, the
        # message is left: it could not be removed later, and the next process would answer it again.
        mine = replace(entry, has_begun=False, last_behind="", tries=entry.tries + 1)
        if not await self._services.journal.takes_over(mine):
            return
        await self._admission.ask(
            IncomingMessage(
                entry.key,
                entry.channel,
                entry.author,
                message.content,
                is_command=request.goes_on or "#" in entry.key,
                persona=entry.persona,
                payload=request,
            ),
            is_written=True,
        )

    async def _note(self, entry: JournalEntry, parts: Sequence[discord.Message]) -> None:
        """Note *parts*, with which an earlier process answered *entry*, as own messages."""
        unknown = [part for part in parts if await self._own.about(str(part.id)) is None]
        if not unknown:
            return
        choice = await self._services.choices.here(entry.server, entry.channel, parent_of(unknown[0].channel))
        cast = await self._services.present(entry.server, choice)
        voices = SpeakerLookup(self._services.store, cast, user_of(self._client))
        own = [_own_of(part, entry, await voices(part)) for part in unknown]
        where = Location(entry.author, entry.channel, server=entry.server, message=entry.root or entry.message)
        async with self._services.memory.privacy.writing:
            kept = entry.server if await may_keep(self._services, where) else ""
            await self._own.note(own, server=kept)

    async def _superseded(self, entry: JournalEntry, message: str) -> OwnMessage:
        """The record of a message that the answer to *entry* replaces."""
        return await self._own.about(message) or OwnMessage(message, entry.channel, entry.persona)


async def fate_of(
    entry: JournalEntry, client: discord.Client, *, after_restart: str, now: float
) -> tuple[Fate, discord.Message | None]:
    """Decide what happens to *entry*, and fetch the message that it answers, if it still exists. Never raises.

    The messages in the channel count, not only the journal. A reply notice without a reply after it is deleted, since the
    new reply brings its own; so is a notice about a shutdown that the reply outlives.
    """
    if now - entry.at > OLDEST:
        return Fate.DROP, None
    try:
        async with asyncio.timeout(_TAKES):
            trigger = await _trigger(entry, client)
            if trigger is None:
                return Fate.DROP, None
            return await _decided(entry, trigger, _FATES.get(after_restart, Fate.MARK)), trigger
    except BaseException as error:
        if must_rise(error):
            raise
        # Unknown whether it was answered: do not answer twice.
        logger.warning("channel could not be read for recovery", exc_info=error)
        return Fate.DROP, None


async def _decided(entry: JournalEntry, trigger: discord.Message, half: Fate) -> Fate:
    if _is_command(entry):
        # Discord has told the user that the command failed; only half an answer needs a mark.
        stands = entry.has_begun and await parts_of(entry, trigger)
        return Fate.MARK if stands and half is not Fate.DROP else Fate.DROP
    if not entry.has_begun and not entry.began:  # a reply to be finished began in an earlier process
        return Fate.ANSWER  # messages after it answer another one, for which it waited
    parts = await parts_of(entry, trigger)
    words = words_of(parts)
    if any(map(_is_mark, parts)) or _is_whole(entry, words):
        return Fate.DROP
    fate = Fate.ANSWER if not words else half
    if entry.tries >= _MOST_TRIES and half is not Fate.DROP:
        fate = Fate.MARK
    farewells = [part for part in parts if _is_farewell(part)]
    if fate is Fate.MARK and farewells:
        return Fate.DROP
    if fate in (Fate.ANSWER, Fate.FINISH):
        await _delete(farewells if words else filter(is_protocol, parts))
    return fate


async def parts_of(entry: JournalEntry, trigger: discord.Message) -> list[discord.Message]:
    """The messages of the answer to *trigger*, the oldest first. Raises what discord.py raises.

    A message that may belong to another answer counts too: better half an answer missing than one sent twice.
    """
    # A regenerated reply may answer an old message.
    since = discord.Object(max(trigger.id, discord.utils.time_snowflake(_began(entry, trigger), high=False)))
    behind = [message async for message in trigger.channel.history(after=since, limit=_LOOKED_AT, oldest_first=True)]
    parts = _of_answer(trigger, filter(_is_said, behind))
    return [part for part in parts if _may_be(entry, part)]


def words_of(parts: Iterable[discord.Message]) -> list[discord.Message]:
    """Those of *parts* that are words of a reply, not notices."""
    return [part for part in parts if not is_protocol(part)]


async def mark(channel: discord.abc.Messageable, last: discord.Message, language: str) -> bool:
    """Reply to *last*, without a ping, that the rest is missing; return whether it worked."""
    reference = discord.MessageReference(message_id=last.id, channel_id=last.channel.id, fail_if_not_exists=False)
    try:
        async with asyncio.timeout(_TAKES):
            await channel.send(
                _marking(language), reference=reference, allowed_mentions=discord.AllowedMentions.none(), silent=True
            )
    except BaseException as error:
        if must_rise(error):
            raise
        logger.warning("interrupted reply could not be marked", exc_info=error)
        return False
    return True


# --- what stands there ---------------------------------------------------------------------


def _is_command(entry: JournalEntry) -> bool:
    """Whether *entry* came from a command: all other keys begin with the id of the answered message."""
    return entry.key.partition("#")[0] != entry.message


async def _trigger(entry: JournalEntry, client: discord.Client) -> discord.Message | None:
    """The message that *entry* answers; ``None`` if it or its channel is gone or unreadable."""
    if not (entry.channel.isdecimal() and entry.message.isdecimal()):
        return None
    try:
        channel = client.get_channel(int(entry.channel)) or await client.fetch_channel(int(entry.channel))
        if not isinstance(channel, discord.abc.Messageable):
            return None
        return await channel.fetch_message(int(entry.message))
    except (discord.NotFound, discord.Forbidden):
        return None


def _is_said(message: discord.Message) -> bool:
    """Whether *message* is ours and part of a conversation, not an answer to a command."""
    return is_ours(message) and message.interaction_metadata is None


def _of_answer(trigger: discord.Message, ours: Iterable[discord.Message]) -> list[discord.Message]:
    """Those of *ours* that answer *trigger*: up to the first that replies to another message.

    A reply that was continued after a restart answers its own first half.
    """
    parts: list[discord.Message] = []
    is_meant = True
    for message in ours:
        answered = _answered_by(message)
        is_meant = is_meant if answered is None else answered in {trigger.id, *(part.id for part in parts)}
        if is_meant:
            parts.append(message)
    return parts


def _began(entry: JournalEntry, trigger: discord.Message) -> datetime:
    """The earliest time at which the answer to *entry* can have begun, on Discord's clock."""
    ahead = entry.at - trigger.created_at.timestamp()  # how far our clock was ahead, if the message was new
    is_fresh = not (entry.goes_on or entry.supersedes or entry.root)
    return datetime.fromtimestamp(max(0.0, entry.began - _SKEW - (max(0.0, ahead) if is_fresh else 0.0)), UTC)


def _is_whole(entry: JournalEntry, words: Iterable[discord.Message]) -> bool:
    """Whether the last message of the answer is there: the journal says after which message it was sent."""
    behind = entry.last_behind
    return behind.isdecimal() and any(part.id > int(behind) for part in words)


def _is_mark(message: discord.Message) -> bool:
    """Whether *message* is a mark that the rest is missing."""
    return message.content in {_marking(language) for language in languages()}


def _marking(language: str) -> str:
    return f"-# {translated(MARK, language)}"


def _is_farewell(message: discord.Message) -> bool:
    """Whether *message* is the notice of a graceful shutdown that asks people to try again."""
    farewells = tuple(translated(TEXTS["shutdown.text"], language) for language in languages())
    told = (embed.description or "" for embed in message.embeds)
    return is_protocol(message) and any(text.startswith(farewells) for text in told)


def _own_of(part: discord.Message, entry: JournalEntry, voice: Voice | None) -> OwnMessage:
    """The record of *part* of the answer to *entry*, from what Discord shows of it."""
    return OwnMessage(
        str(part.id),
        entry.channel,
        entry.persona or (voice.name if voice else ""),
        label=voice.label if voice else "",
        turn=f"{entry.channel}/left-{entry.key}",  # its real id is lost
        answers=entry.message,
        author=entry.author,
        is_webhook=part.webhook_id is not None,
    )


async def _delete(messages: Iterable[discord.Message]) -> None:
    for message in messages:
        with suppress(discord.HTTPException):  # a leftover notice does no harm
            await message.delete()


def _answered_by(message: discord.Message) -> int | None:
    """The id of the message that *message* answers, from its reference or from the reply notice of a webhook."""
    if message.reference is not None:
        return message.reference.message_id
    addresses = (embed.url or "" for embed in message.embeds if not message.content)
    ids = [last for address in addresses if (last := address.rpartition("/")[2]).isdecimal()]
    return int(ids[0]) if ids else None


def _may_be(entry: JournalEntry, part: discord.Message) -> bool:
    """Whether *part* may belong to the answer to *entry*: neither a replaced message nor by another character.

    Each of several characters that answer one message has its own entry. The first one speaks before the others, so all
    messages there while it is unfinished are its own.
    """
    if str(part.id) in entry.supersedes:
        return False
    is_first = "#" not in entry.key
    if is_first or not entry.persona or part.webhook_id is None:
        return True
    return _plain(entry.persona) in _plain(part.author.name)


def _plain(name: str) -> str:
    return "".join(from_username(as_username(name)).casefold().split())
