"""The thought log: thoughts, tools and timing of each turn, posted in a channel that the server chose."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from hashlib import blake2b

import discord

from ..explain.tracebacks import get_logger
from ..languages import chosen
from ..targets.discord.api import ApiError, Outgoing, Place
from ..targets.discord.avatars import SpokenBy
from ..targets.discord.throttle import PacedApi
from ..targets.discord.webhooks import NoWebhook
from ..targets.discord_py.client_state import ClientState
from ..types import Identity
from .background import guarded
from .services.choices import Choice
from .services.thought_record import ThoughtRecord
from .services.thought_text import Account, composed

logger = get_logger(__name__)

LONGEST = 60.0
"""Seconds that posting one turn may take."""

_Room = discord.abc.GuildChannel | discord.Thread


@dataclass(frozen=True, slots=True)
class Thought:
    """A turn for the log."""

    record: ThoughtRecord
    channel: discord.abc.Snowflake
    """The channel of the turn."""
    turn: str
    persona: str
    identity: Identity | None
    """Name and avatar, if not the bot's own."""
    seconds: float
    """From the message to the end of the turn."""
    waited: float
    """How much of that was spent in the queue."""
    attribution: str = ""
    """A sentence that says who paid, if not the operator."""
    language: str = ""
    """The language of the bot's notices there."""


async def log_thoughts(thought: Thought, choice: Choice, client_state: ClientState, client: discord.Client) -> None:
    """Post *thought* in the thought log, if the server has one and the channel is not private. Never raises."""
    if choice.thought_log and not choice.is_private:
        await guarded("thought log", asyncio.wait_for(_log(thought, choice, client_state, client), LONGEST))


async def _log(thought: Thought, choice: Choice, client_state: ClientState, client: discord.Client) -> None:
    source = _known(thought.channel, client)
    if source is None or _is_secret(source):
        return
    log = _log_of(str(choice.thought_log), source, client)
    if log is None or _tells_on(source, log):
        return
    messages = composed(_account(thought, source), chosen(thought.language, choice.language))
    if not messages:
        return
    place = await client_state.api.find(str(log.id))
    for number, message in enumerate(messages):
        await _sent(client_state, place, thought, _numbered(message, thought.turn, number))


def _account(thought: Thought, source: _Room) -> Account:
    return Account(
        thought.record,
        thought.record.url or source.mention,
        persona=thought.persona,
        attribution=thought.attribution,
        seconds=thought.seconds,
        waited=thought.waited,
        at=time.time(),
    )


# --- whether it may be told ----------------------------------------------------------------


def _known(channel: discord.abc.Snowflake, client: discord.Client) -> _Room | None:
    """The channel, if it is in a guild; direct messages are not logged."""
    found = channel if isinstance(channel, _Room) else client.get_channel(channel.id)
    return found if isinstance(found, _Room) else None


def _is_secret(source: _Room) -> bool:
    """Whether *source* is a private thread, whose readers cannot be compared with those of the log."""
    return isinstance(source, discord.Thread) and (source.is_private() or source.parent is None)


def _log_of(id_: str, source: _Room, client: discord.Client) -> _Room | None:
    """The channel of the log, if the bot can post there; otherwise the reason is logged."""
    channel = client.get_channel(int(id_)) if id_.isdecimal() else None
    problem = ""
    if not isinstance(channel, _Room) or channel.guild != source.guild:
        problem = "it is not a channel of that server"
    elif not isinstance(channel, discord.abc.Messageable):
        problem = "it takes no messages"
    elif not may_tell(channel):
        problem = "the bot may not send messages, embeds and files there"
    if problem:
        logger.warning("thought log of server %s skipped: %s", source.guild.id, problem)
        return None
    return channel if isinstance(channel, _Room) else None


def may_tell(channel: _Room) -> bool:
    """Whether the bot may post messages, embeds and files in *channel*."""
    mine = channel.permissions_for(channel.guild.me)
    speaks = mine.send_messages_in_threads if isinstance(channel, discord.Thread) else mine.send_messages
    return mine.view_channel and speaks and mine.embed_links and mine.attach_files


def _tells_on(source: _Room, log: _Room) -> bool:
    """Whether the log would leak *source*: some role sees *log* but not *source*."""
    open_, hidden = (room.parent if isinstance(room, discord.Thread) else room for room in (log, source))
    if open_ is None or hidden is None:
        return True
    return any(
        open_.permissions_for(role).view_channel and not hidden.permissions_for(role).view_channel
        for role in source.guild.roles
        if not role.is_bot_managed()
    )


# --- how it is told ------------------------------------------------------------------------


def _numbered(message: Outgoing, turn: str, number: int) -> Outgoing:
    key = f"thoughts\0{turn}\0{number}"
    return replace(message, nonce=blake2b(key.encode(), digest_size=11).hexdigest())


async def _sent(client_state: ClientState, place: Place, thought: Thought, message: Outgoing) -> None:
    """Send *message* as the persona through a webhook if possible, else as the bot."""
    if thought.identity is not None:
        try:
            webhook = await client_state.shared.webhooks.get(place)
            await client_state.shared.webhooks.send(
                place, webhook, thought.identity, message, speaker=SpokenBy(thought.persona or None)
            )
        except NoWebhook:
            pass
        except ApiError as error:
            if error.is_ambiguous:
                raise  # it may have arrived: do not send it twice
        else:
            return
    await PacedApi(client_state.api, client_state.shared.throttle).send(place.channel, message)
