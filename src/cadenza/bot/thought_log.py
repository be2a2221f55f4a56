"""What a turn was thinking, told to a channel that a server has chosen for it."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass, replace
from hashlib import blake2b

import discord

from ..concurrency.tasks import must_rise
from ..targets.discord.api import ApiError, Outgoing, Place
from ..targets.discord.avatars import SpokenBy
from ..targets.discord.paced import PacedApi
from ..targets.discord.webhooks import NoWebhook
from ..targets.discord_py.client_state import Home
from ..types import Identity, Reply
from .services.choices import Choice
from .services.languages import chosen
from .services.thought_text import Account, composed

logger = logging.getLogger(__name__)

LONGEST = 60.0
"""Seconds after which no more is told: a log holds nobody up."""

_Room = discord.abc.GuildChannel | discord.Thread


@dataclass(frozen=True, slots=True)
class Thought:
    """A turn, as far as it is told."""

    reply: Reply
    channel: discord.abc.Snowflake
    """Where it was said."""
    turn: str
    persona: str
    identity: Identity | None
    """Under which name and face, if not the bot's."""
    seconds: float
    """From the message to the end."""
    waited: float
    """How much of that it had to wait for its turn."""
    attribution: str = ""
    """Who paid for it, in a sentence, if that was not the operator."""
    language: str = ""
    """In which the bot itself speaks there."""


async def log_thoughts(thought: Thought, choice: Choice, home: Home, client: discord.Client) -> None:
    """Tell the thought log of *thought*, if the server has one and the place is not private. Never raises."""
    if not choice.thought_log or choice.is_private:
        return
    try:
        async with asyncio.timeout(LONGEST):
            await _log(thought, choice, home, client)
    except BaseException as error:
        if must_rise(error):
            raise
        logger.warning("a thought log could not be told of a turn (%s)", type(error).__name__)


async def _log(thought: Thought, choice: Choice, home: Home, client: discord.Client) -> None:
    source = _known(thought.channel, client)
    if source is None or _is_secret(source):
        return
    log = _log_of(str(choice.thought_log), source, client)
    if log is None or _tells_on(source, log):
        return
    messages = composed(_account(thought, source), chosen(thought.language, choice.language))
    if not messages:
        return
    place = await home.api.find(str(log.id))
    for number, message in enumerate(messages):
        await _sent(home, place, thought, _numbered(message, thought.turn, number))


def _account(thought: Thought, source: _Room) -> Account:
    receipts = thought.reply.receipts
    address = next((receipt.url for receipt in receipts if receipt.url), None)
    return Account(
        thought.reply,
        address or source.mention,
        persona=thought.persona,
        attribution=thought.attribution,
        seconds=thought.seconds,
        waited=thought.waited,
        at=time.time(),
    )


# --- whether it may be told ----------------------------------------------------------------


def _known(channel: discord.abc.Snowflake, client: discord.Client) -> _Room | None:
    """Where something was said, if that is a place of a server; of direct messages nothing is told."""
    found = channel if isinstance(channel, _Room) else client.get_channel(channel.id)
    return found if isinstance(found, _Room) else None


def _is_secret(source: _Room) -> bool:
    """Whether only those who were asked in can read *source*, and nobody else can be compared with them."""
    return isinstance(source, discord.Thread) and (source.is_private() or source.parent is None)


def _log_of(id_: str, source: _Room, client: discord.Client) -> _Room | None:
    """The channel of the log, if it can be told anything; if not, the operator reads why."""
    channel = client.get_channel(int(id_)) if id_.isdecimal() else None
    problem = ""
    if not isinstance(channel, _Room) or channel.guild != source.guild:
        problem = "it is not a channel of that server"
    elif not isinstance(channel, discord.abc.Messageable):
        problem = "nothing can be said in it"
    elif not may_tell(channel):
        problem = "the bot may not send messages, embeds and files there"
    if problem:
        logger.warning("the thought log of server %s was not told: %s", source.guild.id, problem)
        return None
    return channel if isinstance(channel, _Room) else None


def may_tell(channel: _Room) -> bool:
    """Whether the bot may show in *channel* all that a thought log is told."""
    mine = channel.permissions_for(channel.guild.me)
    speaks = mine.send_messages_in_threads if isinstance(channel, discord.Thread) else mine.send_messages
    return mine.view_channel and speaks and mine.embed_links and mine.attach_files


def _tells_on(source: _Room, log: _Room) -> bool:
    """Whether somebody could read in *log* what was said where they may not look: a role sees the one, not the other."""
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


async def _sent(home: Home, place: Place, thought: Thought, message: Outgoing) -> None:
    """Send *message* as the persona where it has a name of its own and that can be shown, else as the bot."""
    if thought.identity is not None:
        try:
            webhook = await home.shared.webhooks.get(place)
            await home.shared.webhooks.send(
                place, webhook, thought.identity, message, speaker=SpokenBy(thought.persona or None)
            )
        except NoWebhook:
            pass
        except ApiError as error:
            if error.is_ambiguous:
                raise  # it may be there, and nothing is told twice
        else:
            return
    await PacedApi(home.api, home.shared.throttle).send(place.channel, message)
