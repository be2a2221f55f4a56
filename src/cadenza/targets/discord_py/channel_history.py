"""The conversation in a channel for a bot that keeps no records: its own answers are whole, and people have names."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import discord

from ...concurrency.tasks import must_rise
from ...explain.tracebacks import get_logger
from ...text.usernames import from_username
from ...types import Line, Media, MediaKind, Scene
from ..discord.labels import read_label
from .answers import BETWEEN, FoundAnswer, Recall, answer_of, answers_in, referenced, whole
from .attachments import AttachmentReader
from .authorship import is_ours, user_of
from .channel_info import SendTarget, client_of
from .client_state import ClientState
from .display_names import handles, plain_name
from .history import Conversation, HistoryWindow, Perspective, Voice, recent, spoken_in, told
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
    room: SendTarget,
    scene: Scene,
    message: object,
    *,
    limit: int,
    has_waited: bool,
    roles: bool,
    question: Line | None = None,
) -> Scene:
    """*scene* with the conversation in *room*: up to *message*, if it is one, and with the *question* of an interaction.

    If the reply *has_waited*, it also knows what the bot said meanwhile, and *message* is the last line all the same.
    A persona without a name gets that of the bot. With *roles* the model can name roles.
    """
    me = user_of(room.client)
    name = scene.persona.name or plain_name(me.display_name)
    until = message if isinstance(message, discord.Message) else None
    channel = until.channel if until else _channel(room)
    heard = await conversation_in(channel, until=until, limit=limit, persona=name, meanwhile=has_waited)
    lines = (*heard.lines, question)[-limit:] if question else heard.lines
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

    Without a *persona* all that is ours is its own. With *meanwhile* what we said after *until* stands before it.
    """
    client = client_of(channel)
    messages = max(limit, min(limit * _MESSAGES_A_LINE, _MOST_MESSAGES))
    at_end = [str(until.id)] if until and meanwhile else []
    window = HistoryWindow(until, messages, meanwhile=meanwhile, at_end=at_end)
    there = await recent(channel, window)
    heard = await told(spoken_in(there, window), user_of(client), _view(client, persona))
    found = answers_in(there)
    lines = whole(heard.lines, found, ClientState.of(client).answers.still_in(there))
    if len(there) > messages and lines and lines[0].message_id in _cut_off(there, found):
        lines = lines[1:]
    return _with_lines(heard, lines[-limit:], persona, found)


def _cut_off(there: Sequence[discord.Message], found: Sequence[FoundAnswer]) -> set[str]:
    """The ids of the answer that stands first in *there*, if its beginning may not have been read."""
    is_middle = bool(found) and found[0].messages[0] == there[0] and not found[0].answers
    return {str(message.id) for message in found[0].messages} if is_middle else set()


async def chain_of(message: discord.Message, *, limit: int, persona: str = "") -> Conversation:
    """The message that *message* answers, the one that this answers, and so on, the oldest first, and *message* itself."""
    client = client_of(message)
    recall = _recall(message.channel, client)
    chain: list[FoundAnswer] = []
    found: discord.Message | None = message
    while found is not None and len(chain) < limit:
        part = await _part(found, recall)
        chain.insert(0, part)
        found = await _message(message.channel, part.answers)
    messages = [one for part in chain for one in part.messages]
    heard = await told(messages, user_of(client), _view(client, persona, quotes=False))
    ours = [part for part in chain if is_ours(part.messages[0])]
    return _with_lines(heard, whole(heard.lines, ours, recall), persona, ours)


async def whole_answer(message: discord.Message) -> str | None:
    """The whole answer that *message* is part of, as the model wrote it; ``None`` if it is not one of ours."""
    if not is_ours(message):
        return None
    client = client_of(message)
    known = _recall(message.channel, client)(str(message.id))
    if known is not None:
        return known.text
    found = await answer_of(message)
    heard = await told(found.messages, user_of(client), _view(client))
    return BETWEEN.join(line.text for line in heard.lines) or None


def asked(interaction: discord.Interaction[Any], me: discord.ClientUser) -> Line:
    """What the person behind *interaction* asked: the values of a command, a menu or a form, or what a button says."""
    words = "\n".join(filter(None, _words_of(interaction)))
    text = readable(words, {me.id: plain_name(me.display_name)}, interaction.guild)
    values = [value for _, value in interaction.namespace] if _is_command(interaction) else []
    person = interaction.user
    return Line(
        plain_name(person.display_name) or person.name,
        text,
        author=str(person.id),
        media=tuple(media for value in values if isinstance(value, discord.Attachment) for media in _pictures(value)),
    )


def _is_command(interaction: discord.Interaction[Any]) -> bool:
    return interaction.type is discord.InteractionType.application_command


def _words_of(interaction: discord.Interaction[Any]) -> list[str]:
    data: Any = interaction.data or {}
    match interaction.type:
        case discord.InteractionType.component:
            return _chosen(interaction, data)
        case discord.InteractionType.modal_submit:
            return _fields(data.get("components") or ())
        case _:
            return _of_command(interaction, data)


def _of_command(interaction: discord.Interaction[Any], data: Any) -> list[str]:
    """The values of a slash command, or a menu with what it was used on; the name of a command without values."""
    resolved = data.get("resolved") or {}
    if "target_id" in data:
        used_on = [str(message.get("content") or "") for message in (resolved.get("messages") or {}).values()]
        used_on += [
            str(user.get("global_name") or user.get("username")) for user in (resolved.get("users") or {}).values()
        ]
        return [f"{data.get('name')}:", *(used_on[:1] or [""])]
    values = [_word(value) for _, value in interaction.namespace if value is not None]
    return values or [f"/{data.get('name')}"]


def _word(value: object) -> str:
    """The value of an option, as people see it."""
    if isinstance(value, discord.Attachment):
        return f"[file: {value.filename}]"
    return str(getattr(value, "display_name", None) or getattr(value, "name", None) or value)


def _pictures(file: discord.Attachment) -> list[Media]:
    mime = (file.content_type or "").partition(";")[0]
    return [Media(MediaKind.IMAGE, mime, url=file.url)] if mime.startswith("image/") else []


def _chosen(interaction: discord.Interaction[Any], data: Any) -> list[str]:
    """What the pressed button says, or the labels of what was chosen from a menu."""
    rows = interaction.message.components if interaction.message else []
    parts = [part for row in rows for part in getattr(row, "children", ())]
    part: Any = next((one for one in parts if getattr(one, "custom_id", None) == data.get("custom_id")), None)
    if values := [str(value) for value in data.get("values") or ()]:
        labels = {option.value: option.label for option in getattr(part, "options", ())}
        return [labels.get(value, value) for value in values]
    return [str(getattr(part, "label", None) or getattr(part, "emoji", None) or "")]


def _fields(components: Any) -> list[str]:
    """What was written into the fields of a form."""
    words: list[str] = []
    for part in components:
        inner = [*part.get("components", ()), *filter(None, [part.get("component")])]
        words += [*([str(part["value"])] if part.get("value") else ()), *_fields(inner)]
    return words


def _recall(channel: discord.abc.MessageableChannel, client: discord.Client) -> Recall:
    """How to recall the answers in *channel*, as far as discord.py knows that they stand there as they were sent."""
    cached = [message for message in client.cached_messages if message.channel.id == channel.id]
    return ClientState.of(client).answers.still_in(sorted(cached, key=lambda message: message.id))


async def _part(message: discord.Message, recall: Recall) -> FoundAnswer:
    """The answer that *message* belongs to; *message* alone if it is remembered or not ours."""
    known = recall(str(message.id))
    if known is not None and known.answers:
        return FoundAnswer((message,), known.answers)
    return await answer_of(message) if is_ours(message) else FoundAnswer((message,), referenced(message))


async def _message(channel: discord.abc.MessageableChannel, message: str) -> discord.Message | None:
    """The message with this id; ``None`` if there is none or it is gone."""
    return await _found(channel, int(message)) if message else None


def _with_lines(
    heard: Conversation, lines: tuple[Line, ...], persona: str, found: Iterable[FoundAnswer]
) -> Conversation:
    """*heard* with *lines*; without a *persona* all lines that were *found* to be ours are its own."""
    if not persona:
        ours = {str(message.id) for one in found for message in one.messages}
        lines = tuple(replace(line, is_own=line.is_own or line.message_id in ours) for line in lines)
    return replace(heard, lines=lines)


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
