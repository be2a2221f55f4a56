"""The conversation in a channel for a bot that keeps no records: its own answers are whole, and people have names."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import discord

from ...concurrency.tasks import must_rise
from ...explain.tracebacks import get_logger
from ...text.usernames import from_username
from ...types import Line, Scene
from ..discord.labels import read_label
from .answers import AnswerMemory, messages_of_answer, whole
from .attachments import AttachmentReader
from .authorship import is_ours, user_of
from .channel_info import SendTarget, client_of
from .client_state import ClientState
from .display_names import handles, plain_name
from .history import Conversation, HistoryWindow, Perspective, Voice, history, told
from .readable_text import readable
from .system_messages import is_notice

logger = get_logger(__name__)

_FILE_CHARACTERS = 8000
"""Characters of one text file that are read."""
_MESSAGES_A_LINE = 5
"""Messages that are read for each line, because an answer is many messages."""
_MOST_MESSAGES = 100
"""Messages that Discord gives at once."""
_SECONDS = 10.0
"""The timeout for one message of a chain."""


async def scene_with_history(
    room: SendTarget, scene: Scene, message: object, *, limit: int, has_waited: bool, roles: bool
) -> Scene:
    """*scene* with the conversation in *room*: up to *message*, if it is one, or with what was asked by a command.

    If the reply *has_waited*, it also knows what the bot said meanwhile, and *message* is the last line all the same.
    A persona without a name gets that of the bot. With *roles* the model can name roles.
    """
    me = user_of(room.client)
    name = scene.persona.name or plain_name(me.display_name)
    until = message if isinstance(message, discord.Message) else None
    channel = until.channel if until else _channel(room)
    heard = await conversation_in(channel, until=until, limit=limit, persona=name, meanwhile=has_waited)
    lines = heard.lines
    if room.interaction is not None:
        lines = (*lines, asked(room.interaction, me))[-limit:]
    roster = room.for_rules(roles=roles)
    people = handles(heard.people, heard.names, barred=[name])
    roster = replace(roster, mentions={**roster.mentions, **people}, speakers=heard.speakers)
    return replace(scene, persona=replace(scene.persona, name=name), history=lines, roster=roster)


def _channel(room: SendTarget) -> discord.abc.Messageable:
    known = room.client.get_channel(int(room.channel))
    return (
        known if isinstance(known, discord.abc.Messageable) else room.client.get_partial_messageable(int(room.channel))
    )


async def conversation_in(
    channel: discord.abc.Messageable,
    *,
    until: discord.Message | None,
    limit: int,
    persona: str = "",
    meanwhile: bool = False,
) -> Conversation:
    """The newest *limit* lines of *channel*, up to *until*, as *persona* sees them; an answer of ours is one line.

    Without a *persona* it is the bot. With *meanwhile* what we said after *until* stands before it.
    """
    client = client_of(channel)
    me = user_of(client)
    messages = max(limit, min(limit * _MESSAGES_A_LINE, _MOST_MESSAGES))
    at_end = [str(until.id)] if until and meanwhile else []
    window = HistoryWindow(until, messages, meanwhile=meanwhile, at_end=at_end)
    heard = await history(channel, me, window, _view(client, persona))
    lines = whole(heard.lines, ClientState.of(client).answers)
    return replace(heard, lines=lines[len(lines) - limit :] if len(lines) > limit else lines)


async def chain_of(message: discord.Message, *, limit: int) -> Conversation:
    """The message that *message* answers, the one that this answers, and so on, the oldest first, and *message* itself."""
    client = client_of(message)
    memory = ClientState.of(client).answers
    chain: list[discord.Message] = []
    found: discord.Message | None = message
    lines = 0
    while found is not None and lines < limit:
        part = await _part(found, memory)
        chain = [*part, *chain]
        lines += 1
        found = await _answered(part[0], memory)
    heard = await told(chain, user_of(client), _view(client, quotes=False))
    return replace(heard, lines=whole(heard.lines, memory))


async def whole_answer(message: discord.Message) -> str | None:
    """The whole answer that *message* is part of, as the model wrote it; ``None`` if it is not one of ours."""
    if not is_ours(message):
        return None
    client = client_of(message)
    memory = ClientState.of(client).answers
    known = memory.of(str(message.id))
    if known is not None:
        return known.text
    part = await messages_of_answer(message)
    heard = await told(part, user_of(client), _view(client))
    return "\n".join(line.text for line in heard.lines) or None


def asked(interaction: discord.Interaction[Any], me: discord.ClientUser) -> Line:
    """What the person behind *interaction* asked: the values of their command, or the label that they chose."""
    values = [str(value) for _, value in interaction.namespace if value is not None]
    names = {me.id: plain_name(me.display_name)}
    text = readable("\n".join(values), names, interaction.guild)
    person = interaction.user
    return Line(plain_name(person.display_name) or person.name, text, author=str(person.id))


async def _part(message: discord.Message, memory: AnswerMemory) -> list[discord.Message]:
    """The messages of the answer that *message* belongs to; *message* alone if it is remembered or not ours."""
    is_alone = not is_ours(message) or memory.of(str(message.id)) is not None
    return [message] if is_alone else (await messages_of_answer(message) or [message])


async def _answered(message: discord.Message, memory: AnswerMemory) -> discord.Message | None:
    """The message that *message* answers, or that its remembered answer does; ``None`` if there is none any more."""
    reference = message.reference
    known = memory.of(str(message.id))
    if known is not None and known.answers:
        return await _found(message.channel, int(known.answers))
    if reference is None or reference.type is discord.MessageReferenceType.forward:
        return None
    answered = reference.resolved or reference.cached_message
    if isinstance(answered, discord.Message):
        return answered
    return None if answered or reference.message_id is None else await _found(message.channel, reference.message_id)


async def _found(channel: discord.abc.MessageableChannel, message: int) -> discord.Message | None:
    """The message with this id, from the cache or by a request; ``None`` if it cannot be read."""
    cached = discord.utils.get(client_of(channel).cached_messages, id=message)
    if cached is not None:
        return cached
    try:
        async with asyncio.timeout(_SECONDS):
            return await channel.fetch_message(message)
    except BaseException as error:
        if must_rise(error):
            raise
        logger.info("an answered message could not be read", exc_info=error)
        return None


def _view(client: discord.Client, persona: str = "", *, quotes: bool = True) -> Perspective:
    me = user_of(client)
    own = plain_name(me.display_name) or me.name

    async def speaker_of(message: discord.Message) -> Voice | None:
        """The name under which one of our messages was sent."""
        if not is_ours(message):
            return None
        if message.webhook_id is not None and message.author.id != me.id:
            return Voice(plain_name(from_username(message.author.name)) or own)
        label = read_label(message.content)
        return Voice(plain_name(label[0]) or own, prefix=label[1]) if label else Voice(own)

    return Perspective(
        persona or own,
        speaker_of,
        AttachmentReader(images=True, characters=_FILE_CHARACTERS),
        quotes=quotes,
        is_aside=is_notice,
    )
