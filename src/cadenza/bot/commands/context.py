"""What all commands have in common: whom they work for, how they answer, who may use them, in which language."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeAlias

import discord
from discord import app_commands

from ...concurrency.tasks import must_rise
from ...errors import CadenzaError
from ...targets.discord_py.client_state import Home
from ..characters.names import key_of
from ..readable_text import shortened
from ..reply_controls import Asker, Control
from ..services.languages import catalogue, chosen, translated
from ..wiring import BotServices

logger = logging.getLogger(__name__)

P = ParamSpec("P")
Interaction: TypeAlias = discord.Interaction[Any]
AnyCommand: TypeAlias = app_commands.Command[Any, Any, Any] | app_commands.Group | app_commands.ContextMenu
_MOST_CHOICES, _LONGEST_CHOICE = 25, 100
"""What Discord takes of suggestions: so many, and so many characters of each."""


@dataclass(frozen=True, slots=True)
class Desk:
    """Whom the commands work for."""

    staff: BotServices
    control: Control
    client: discord.Client

    @property
    def home(self) -> Home:
        """What everything that is said through the client shares."""
        return Home.of(self.client)


def language_of(interaction: Interaction) -> str:
    """In which language to answer: that of who asks, else that of the server."""
    return chosen(interaction.locale.value, interaction.guild_locale and interaction.guild_locale.value)


def words(interaction: Interaction, text: str, /, **values: object) -> str:
    """*text* in the language of who asks."""
    return translated(text, language_of(interaction), **values)


async def tell(interaction: Interaction, text: str, /, **values: object) -> None:
    """Answer so that only who asked sees it; nobody is called by it."""
    await show(interaction, words(interaction, text, **values))


async def show(interaction: Interaction, content: str = "", /, **options: Any) -> None:
    """Answer likewise with *content* as it is, cut to what Discord takes; *options* are embeds, files, a view."""
    options = {"ephemeral": True, "allowed_mentions": discord.AllowedMentions.none(), **options}
    content = shortened(content, 2000)
    if interaction.response.is_done():
        await interaction.followup.send(content, **options)
    else:
        await interaction.response.send_message(content, **options)


def asker_of(interaction: Interaction) -> Asker:
    """Who asks; in direct messages everybody may do everything with what is said to them."""
    is_direct = interaction.guild_id is None
    name = interaction.user.display_name
    return Asker(str(interaction.user.id), name, may_manage=is_direct or interaction.permissions.manage_messages)


async def may_manage_server(interaction: Interaction) -> bool:
    """Whether who asks may manage the server; if not, they are told.

    Discord hides such commands from others, but a server's owner can show them to anybody; and there are no servers in
    direct messages.
    """
    if interaction.guild_id is None:
        await tell(interaction, "This works in servers only.")
        return False
    if not interaction.permissions.manage_guild:
        permission = words(interaction, "Manage Server")
        await tell(interaction, "You need the permission “{permission}” for this.", permission=permission)
        return False
    return True


def answered(
    command: Callable[Concatenate[Interaction, P], Coroutine[Any, Any, None]],
) -> Callable[Concatenate[Interaction, P], Coroutine[Any, Any, None]]:
    """Let *command* answer even where it fails: with the sentence of an error of ours, or with the kind of another."""

    @wraps(command)
    async def safely(interaction: Interaction, /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            await command(interaction, *args, **kwargs)
        except CadenzaError as error:
            await show(interaction, translated(str(error), language_of(interaction)))
        except BaseException as error:
            if must_rise(error):
                raise
            logger.warning("a command failed (%s)", type(error).__name__)
            await tell(
                interaction,
                "That did not work ({error}); look into the log of the bot.",
                error=type(error).__name__,
            )

    # discord.py reads the options of a command from its signature, and would look for the types in this file.
    safely.__signature__ = inspect.signature(command, eval_str=True)  # type: ignore[attr-defined]  # made for that
    return safely


Suggesting: TypeAlias = Callable[[Interaction, str], Coroutine[Any, Any, list[app_commands.Choice[str]]]]


def suggested(suggest: Suggesting) -> Suggesting:
    """Let *suggest* suggest nothing where it fails: who is writing cannot be told anything."""

    @wraps(suggest)
    async def safely(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        try:
            return await suggest(interaction, current)
        except BaseException as error:
            if must_rise(error):
                raise
            logger.warning("nothing could be suggested (%s)", type(error).__name__)
            return []

    return safely


def matching(names: Iterable[str | app_commands.Choice[str]], written: str, /) -> list[app_commands.Choice[str]]:
    """Those of *names* in which what was *written* occurs, however both are written, those that begin with it first.

    What is longer than Discord takes is left out: a part of it would be the name of nothing.
    """
    sought = key_of(written)
    offered = [name if isinstance(name, app_commands.Choice) else _as_choice(name) for name in names if name]
    found = [choice for choice in offered if sought in key_of(choice.name) and len(choice.value) <= _LONGEST_CHOICE]
    return sorted(found, key=lambda choice: not key_of(choice.name).startswith(sought))[:_MOST_CHOICES]


def _as_choice(name: str) -> app_commands.Choice[str]:
    return app_commands.Choice(name=name, value=name)


class Translations(app_commands.Translator):
    """Names and descriptions of commands in the languages that there are. A name is looked up with a slash before it."""

    async def translate(
        self, string: app_commands.locale_str, locale: discord.Locale, context: app_commands.TranslationContextTypes
    ) -> str | None:
        """What stands for *string* in *locale*; ``None`` leaves it as it is."""
        places = app_commands.TranslationContextLocation
        is_name = context.location in (places.command_name, places.group_name, places.parameter_name)
        text = f"/{string.message}" if is_name else string.message
        return catalogue(locale.value.partition("-")[0]).get(text)
