"""After a death: what the process before this one was answering is finished, marked or left, and never said twice."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from enum import Enum
from types import MappingProxyType

import discord

from ..concurrency.tasks import must_rise
from ..replies.notices import TEXTS
from ..text.usernames import as_username, from_username
from .authorship import is_ours
from .services.journal import JournalEntry
from .services.languages import languages, translated
from .system_messages import is_protocol

logger = logging.getLogger(__name__)

OLDEST = 600.0
"""Seconds after which nobody waits for an answer any more."""
MARK = "I was restarted in the middle of this answer."

_TAKES = 20.0
"""Seconds that Discord may take to say what stands in a channel, or to take a mark."""
_LOOKED_AT = 100
"""Messages behind the one that was to be answered that are looked at."""
_MOST_TRIES = 3
"""Deaths after which it is not tried again: an answer that ends the process would end the next one as well."""
_SKEW = 2.0
"""Seconds by which our clock and Discord's may differ."""


class Fate(Enum):
    """What becomes of a message that was being answered."""

    ANSWER = "answer"
    """Nobody has seen an answer: it is answered now."""
    FINISH = "finish"
    """A part of the answer stands there: it goes on."""
    MARK = "mark"
    """People are told that the rest is missing."""
    DROP = "drop"
    """Nobody waits for it any more."""


_FATES: Mapping[str, Fate] = MappingProxyType({"finish": Fate.FINISH, "mark": Fate.MARK, "leave": Fate.DROP})
"""What is done with half an answer, by what the configuration wants."""


async def fate_of(
    entry: JournalEntry, client: discord.Client, *, after_restart: str, now: float
) -> tuple[Fate, discord.Message | None]:
    """What becomes of *entry*, and the message that it answers, if that is still there. Never raises.

    It looks at what stands in the channel behind that message, not only at what was written down. A box that shows what
    was going to be answered, with no words behind it, is taken back: the answer brings its own. So is one that says that
    a restart cut the answer off, if that is not so any more.
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
        # Whether it was answered cannot be seen, and nothing is said twice.
        logger.warning("it could not be seen whether a message was answered before (%s)", type(error).__name__)
        return Fate.DROP, None


async def _decided(entry: JournalEntry, trigger: discord.Message, half: Fate) -> Fate:
    if _is_command(entry):
        # Whoever gave it has been told by Discord that it failed; only half an answer needs a word.
        stands = entry.has_begun and await parts_of(entry, trigger)
        return Fate.MARK if stands and half is not Fate.DROP else Fate.DROP
    if not entry.has_begun and not entry.began:  # one that waits to be finished had begun in a process before
        return Fate.ANSWER  # what stands behind it is the answer to another, for which it waited
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
        await _take_back(farewells if words else filter(is_protocol, parts))
    return fate


async def parts_of(entry: JournalEntry, trigger: discord.Message) -> list[discord.Message]:
    """What stands in the channel of the answer to *trigger*, the oldest first. Raises what discord.py raises.

    Where nothing says whose answer a message is, it counts: rather half an answer too few than one too many.
    """
    # What is answered anew may be long ago.
    since = discord.Object(max(trigger.id, discord.utils.time_snowflake(_began(entry, trigger), high=False)))
    behind = [message async for message in trigger.channel.history(after=since, limit=_LOOKED_AT, oldest_first=True)]
    parts = _of_answer(trigger, filter(_is_said, behind))
    return [part for part in parts if _may_be(entry, part)]


def words_of(parts: Iterable[discord.Message]) -> list[discord.Message]:
    """What of *parts* was said, and is no box or small line beside it."""
    return [part for part in parts if not is_protocol(part)]


async def mark(channel: discord.abc.Messageable, last: discord.Message, language: str) -> bool:
    """Tell people, in answer to *last*, that the rest of it is missing; nobody is called. Say whether it worked."""
    reference = discord.MessageReference(message_id=last.id, channel_id=last.channel.id, fail_if_not_exists=False)
    try:
        async with asyncio.timeout(_TAKES):
            await channel.send(
                _marking(language),
                reference=reference,
                allowed_mentions=discord.AllowedMentions.none(),
                silent=True,
            )
    except BaseException as error:
        if must_rise(error):
            raise
        logger.warning("an answer that was broken off could not be marked (%s)", type(error).__name__)
        return False
    return True


# --- what stands there ---------------------------------------------------------------------


def _is_command(entry: JournalEntry) -> bool:
    """Whether *entry* was made up for a command: the keys of others begin with the message that is answered."""
    return entry.key.partition("#")[0] != entry.message


async def _trigger(entry: JournalEntry, client: discord.Client) -> discord.Message | None:
    """The message that *entry* answers; ``None`` if it, or its channel, is gone or cannot be read."""
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
    """Whether *message* is ours and part of a conversation: an answer to a command is none."""
    return is_ours(message) and message.interaction_metadata is None


def _of_answer(trigger: discord.Message, ours: Iterable[discord.Message]) -> list[discord.Message]:
    """Those of *ours* that answer *trigger*: from where one says so, or nobody says otherwise, until one does.

    An answer that was finished after a restart goes on in answer to its own first half.
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
    """When the answer to *entry* may have begun at the earliest, by the clock of Discord."""
    ahead = (
        entry.at - trigger.created_at.timestamp()
    )  # how far ours was ahead, for what was just said when it was heard
    is_fresh = not (entry.goes_on or entry.supersedes or entry.root)
    return datetime.fromtimestamp(max(0.0, entry.began - _SKEW - (max(0.0, ahead) if is_fresh else 0.0)), UTC)


def _is_whole(entry: JournalEntry, words: Iterable[discord.Message]) -> bool:
    """Whether the last message of the answer stands there: it was written down behind which one it would."""
    behind = entry.last_behind
    return behind.isdecimal() and any(part.id > int(behind) for part in words)


def _is_mark(message: discord.Message) -> bool:
    """Whether *message* tells people already that the rest is missing."""
    return message.content in {_marking(language) for language in languages()}


def _marking(language: str) -> str:
    return f"-# {translated(MARK, language)}"


def _is_farewell(message: discord.Message) -> bool:
    """Whether *message* is the box in which a bot that was ended politely said so, and that one should ask again."""
    titles = {translated(TEXTS["shutdown.title"], language) for language in languages()}
    return is_protocol(message) and any(embed.title in titles for embed in message.embeds)


async def _take_back(messages: Iterable[discord.Message]) -> None:
    for message in messages:
        with suppress(discord.HTTPException):  # then it stands there twice, which is no harm
            await message.delete()


def _answered_by(message: discord.Message) -> int | None:
    """Which message *message* says that it answers: by itself, or in the box that is shown before a webhook's words."""
    if message.reference is not None:
        return message.reference.message_id
    addresses = (embed.url or "" for embed in message.embeds if not message.content)
    ids = [last for address in addresses if (last := address.rpartition("/")[2]).isdecimal()]
    return int(ids[0]) if ids else None


def _may_be(entry: JournalEntry, part: discord.Message) -> bool:
    """Whether *part* may be of the answer to *entry*: not one in whose place it comes, nor by another character.

    Of several who answer one message, each has its own entry. The first of them speaks before all others, so whatever
    stands there while it is unfinished is its own.
    """
    if str(part.id) in entry.supersedes:
        return False
    is_first = "#" not in entry.key
    if is_first or not entry.persona or part.webhook_id is None:
        return True
    return _plain(entry.persona) in _plain(part.author.name)


def _plain(name: str) -> str:
    return "".join(from_username(as_username(name)).casefold().split())
