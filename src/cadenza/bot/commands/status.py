"""``/status``: model, triggers and limits here, and what is missing, with what to click."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import TypeVar

import discord
from discord import app_commands

from ...concurrency.tasks import must_rise
from ...explain.tracebacks import get_logger
from ...targets.discord_py.channel_info import parent_of
from ..characters.cast import named
from ..config.config import Config
from ..services.choices import Choice, settings_for
from ..services.quotas import Excess
from ..thought_log import may_tell
from .context import AnyCommand, CommandContext, Interaction, answered, show, words
from .scoped_choice import SHAPES, is_listed, shown

logger = get_logger(__name__)

T = TypeVar("T")
_MOST_NAMES = 20


def commands(context: CommandContext) -> list[AnyCommand]:
    """The command ``/status``."""

    @app_commands.command(name="status", description="The state of the bot, and what is missing here")
    @answered
    async def status(interaction: Interaction) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        await show(interaction, embed=await _told(context, interaction))

    return [status]


async def _told(context: CommandContext, interaction: Interaction) -> discord.Embed:
    """The embed of the status."""
    parent = parent_of(interaction.channel)
    server, services = str(interaction.guild_id or ""), context.services
    choice = await _or(services.choices.here(server, str(interaction.channel_id), parent), Choice())
    troubles = list(_troubles(context, interaction, choice))
    title = words(interaction, "Something is missing here") if troubles else words(interaction, "All is well")
    embed = discord.Embed(title=title, description="\n".join(f"⚠ {trouble}" for trouble in troubles))
    for name, value in (
        (words(interaction, "Model"), await _model(context, interaction, choice)),
        (words(interaction, "Characters"), await _characters(context, interaction, choice)),
        (words(interaction, "Answers"), _triggers(interaction, services.config.now, choice)),
        (words(interaction, "Delivery"), _delivery(interaction, services.config.now, choice)),
        (words(interaction, "Limits"), await _limits(context, interaction)),
        (words(interaction, "Memory"), _memory(interaction, services.config.now)),
    ):
        embed.add_field(name=name, value=value[:1024], inline=True)
    embed.set_footer(text=_footer(context))
    return embed


async def _or(awaited: Awaitable[T], instead: T) -> T:
    """Await *awaited*; *instead* if it fails, so that the rest of the status is shown."""
    try:
        return await awaited
    except BaseException as error:
        if must_rise(error):
            raise
        logger.warning("part of the status failed", exc_info=error)
        return instead


async def _model(context: CommandContext, interaction: Interaction, choice: Choice) -> str:
    services, server = context.services, str(interaction.guild_id or "")
    name = choice.model or services.config.now.models.default
    if not name:
        return words(interaction, "none; the bot's operator has to name one in cadenza.toml")
    if not await _or(services.models.is_known(name, server), instead=True):
        default = shown(interaction, services.config.now.models.default)
        return words(
            interaction,
            "{model} is no longer available, so {default} answers",
            model=shown(interaction, name),
            default=default,
        )
    seconds = await _or(services.models.cooldown(name, server), 0.0)
    if seconds > 0:
        return words(
            interaction,
            "{model} cools down for {seconds} s after an error",
            model=shown(interaction, name),
            seconds=math.ceil(round(seconds, 3)),  # without the rounding error of the clock
        )
    return shown(interaction, name)


async def _characters(context: CommandContext, interaction: Interaction, choice: Choice) -> str:
    cast = await _or(context.services.cast.of(str(interaction.guild_id or "")), ())
    allowed = [named(cast, name) for name in choice.personas or ()]
    names = [one.name for one in cast if one in allowed] or [one.name for one in cast]
    more = f" +{len(names) - _MOST_NAMES}" if len(names) > _MOST_NAMES else ""
    return shown(interaction, names[:_MOST_NAMES]) + more


def _triggers(interaction: Interaction, config: Config, choice: Choice) -> str:
    """The triggers here, in words."""
    talk = config.conversation
    if interaction.guild_id is None:
        return words(interaction, "everything" if talk.direct_messages else "nothing")
    if choice.is_silent:
        return words(interaction, "nothing: the bot is silent here")
    if _answers_everything(interaction, config, choice):
        return words(interaction, "everything")
    kinds = {
        "mentions": talk.mentions if choice.mentions is None else choice.mentions,
        "replies": talk.replies if choice.replies is None else choice.replies,
        "names and words": talk.trigger_words if choice.trigger_words is None else choice.trigger_words,
    }
    told = [words(interaction, kind) for kind, holds in kinds.items() if holds]
    every = talk.every if choice.every is None else choice.every
    if every:
        told.append(words(interaction, "one message in {count}", count=every))
    return ", ".join(told) or words(interaction, "nothing")


def _answers_everything(interaction: Interaction, config: Config, choice: Choice) -> bool:
    """Whether the bot answers everything here."""
    return is_listed(interaction, config) if choice.always is None else choice.always


def _delivery(interaction: Interaction, config: Config, choice: Choice) -> str:
    settings = settings_for(config, choice).delivery
    shape, typing, casual = settings.manner
    told = [words(interaction, "shape: {shape}", shape=words(interaction, SHAPES[shape]))]
    if typing:
        told.append(words(interaction, "with typing"))
    if casual:
        told.append(words(interaction, "casual"))
    if settings.message_limit:
        told.append(words(interaction, "at most {count} messages", count=settings.message_limit))
    return ", ".join(told)


async def _limits(context: CommandContext, interaction: Interaction) -> str:
    """The caller's quota and what is left of it."""
    limits = context.services.config.now.limits
    nothing: Mapping[Excess, int] = {}
    left = await _or(context.services.limits.left(str(interaction.user.id), str(interaction.guild_id or "")), nothing)
    told = [words(interaction, "{count} at once", count=limits.user_active)]
    for text, most, excess in (
        ("{left} of {count} an hour left", limits.user_per_hour, Excess.USER_PER_HOUR),
        ("{left} of {count} a day left", limits.user_per_day, Excess.USER_PER_DAY),
        ("{left} of {count} an hour left for the server", limits.server_per_hour, Excess.SERVER_PER_HOUR),
        ("{left} of {count} a day left for the server", limits.server_per_day, Excess.SERVER_PER_DAY),
        ("{left} of {count} tokens a day left for the server", limits.server_tokens_per_day, Excess.SERVER_TOKENS),
    ):
        if most and (interaction.guild_id or excess in (Excess.USER_PER_HOUR, Excess.USER_PER_DAY)):
            told.append(words(interaction, text, left=left.get(excess, "?"), count=most))
    return ", ".join(told)


def _memory(interaction: Interaction, config: Config) -> str:
    short, notes = shown(interaction, config.memory.short_term), shown(interaction, config.memory.notes)
    return words(interaction, "short term {short}, notes {notes}", short=short, notes=notes)


def _footer(context: CommandContext) -> str:
    latency = context.client.latency
    told = ("Cadenza", _version(), f"· {latency * 1000:.0f} ms" if math.isfinite(latency) else "")
    return " ".join(filter(None, told))


def _version() -> str:
    """The installed version; empty when run from source."""
    try:
        return version("cadenza")
    except PackageNotFoundError:
        return ""


# --- what is missing ---------------------------------------------------------------------------


def _troubles(context: CommandContext, interaction: Interaction, choice: Choice) -> Iterator[str]:
    """The problems here, a sentence each."""
    if interaction.guild_id is not None:
        yield from _troubles_of_server(context, interaction, choice)
    if not context.services.config.now.models.default:
        yield words(interaction, "No model is configured: the bot's operator has to name one in cadenza.toml.")
    if left := context.client_state.shared.cooldown.left:
        told = "Discord takes no messages from me for {seconds} s: the log of the bot says why, and what to do."
        yield words(interaction, told, seconds=math.ceil(left))


def _troubles_of_server(context: CommandContext, interaction: Interaction, choice: Choice) -> Iterator[str]:
    mine = interaction.app_permissions
    needed = {
        "View Channel": mine.view_channel,
        "Send Messages": mine.send_messages_in_threads if _is_thread(interaction) else mine.send_messages,
        "Read Message History": mine.read_message_history,
        "Embed Links": mine.embed_links,
        "Attach Files": mine.attach_files,
        "Manage Webhooks": mine.manage_webhooks,
    }
    missing = [words(interaction, name) for name, is_given in needed.items() if not is_given]
    if missing:
        told = "I lack {permissions}: open the channel's settings, then Permissions, add my role, and allow them."
        yield words(interaction, told, permissions=", ".join(f"“{name}”" for name in missing))
    if not context.client.intents.message_content and _needs_words(interaction, context.services.config.now, choice):
        told = "I cannot read messages that do not mention me: the bot's operator has to switch on “Message Content Intent” in the Developer Portal under Bot."
        yield words(interaction, told)
    if choice.thought_log and not _can_be_told(interaction, choice.thought_log):
        told = "Thoughts cannot be shown in {channel}: it is gone, or I lack permissions there; “/config thought-log” chooses another channel."
        yield words(interaction, told, channel=f"<#{choice.thought_log}>")


def _can_be_told(interaction: Interaction, log: str) -> bool:
    """Whether the bot can post in the channel of the thought log."""
    guild = interaction.guild
    channel = guild.get_channel_or_thread(int(log)) if guild and log.isdecimal() else None
    return channel is not None and may_tell(channel)


def _is_thread(interaction: Interaction) -> bool:
    return isinstance(interaction.channel, discord.Thread)


def _needs_words(interaction: Interaction, config: Config, choice: Choice) -> bool:
    """Whether a trigger here needs the message content intent."""
    talk = config.conversation
    has_words = talk.trigger_words if choice.trigger_words is None else choice.trigger_words
    every = talk.every if choice.every is None else choice.every
    return bool(has_words or every or _answers_everything(interaction, config, choice))
