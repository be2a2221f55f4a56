"""Shared by all commands: their context, answers, permissions and languages."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeAlias

import discord
from discord import app_commands

from ...concurrency.tasks import must_rise
from ...errors import CadenzaError
from ...explain.tracebacks import get_logger
from ...languages import catalogue, chosen, rendered, translated
from ...targets.discord_py.client_state import ClientState
from ...targets.discord_py.readable_text import shortened
from ..characters.names import key_of
from ..reply_controls import Asker, Control

if TYPE_CHECKING:
    from ..wiring import BotServices

logger = get_logger(__name__)

P = ParamSpec("P")
Interaction: TypeAlias = discord.Interaction[Any]
AnyCommand: TypeAlias = app_commands.Command[Any, Any, Any] | app_commands.Group | app_commands.ContextMenu
_MOST_CHOICES, _LONGEST_CHOICE = 25, 100
"""Discord's limits of autocompletion: suggestions, and characters of each."""


@dataclass(frozen=True, slots=True)
class CommandContext:
    """What commands work with."""

    services: BotServices
    control: Control
    client: discord.Client

    @property
    def client_state(self) -> ClientState:
        """The shared state of the client."""
        return ClientState.of(self.client)


def language_of(interaction: Interaction) -> str:
    """The language of the answer: that of the user, else that of the guild."""
    return chosen(interaction.locale.value, interaction.guild_locale and interaction.guild_locale.value)


def words(interaction: Interaction, text: str, /, **values: object) -> str:
    """*text* in the language of the user."""
    return translated(text, language_of(interaction), **values)


async def tell(interaction: Interaction, text: str, /, **values: object) -> None:
    """Answer with an ephemeral message in the language of the user, without pings."""
    await show(interaction, words(interaction, text, **values))


async def show(interaction: Interaction, content: str = "", /, **options: Any) -> None:
    """Answer with *content* as it is, cut to Discord's limit; *options* are embeds, files, a view."""
    options = {"ephemeral": True, "allowed_mentions": discord.AllowedMentions.none(), **options}
    content = shortened(content, 2000)
    if interaction.response.is_done():
        await interaction.followup.send(content, **options)
    else:
        await interaction.response.send_message(content, **options)


def asker_of(interaction: Interaction) -> Asker:
    """The user; in direct messages they may manage all messages."""
    is_direct = interaction.guild_id is None
    name = interaction.user.display_name
    return Asker(str(interaction.user.id), name, may_manage=is_direct or interaction.permissions.manage_messages)


async def may_manage_server(interaction: Interaction) -> bool:
    """Whether the user may manage the server; if not, they are told.

    Discord hides such commands from others, but owners can show them to anyone, and direct messages have no server.
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
    """Wrap *command* so that a failure is answered: with the text of a ``CadenzaError``, else with the type."""

    @wraps(command)
    async def safely(interaction: Interaction, /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            await command(interaction, *args, **kwargs)
        except CadenzaError as error:
            await show(interaction, rendered(error.sentence, language_of(interaction)))
        except BaseException as error:
            if must_rise(error):
                raise
            logger.warning("command failed", exc_info=error)
            await tell(interaction, "That failed ({error}); see the bot's log.", error=type(error).__name__)

    # discord.py reads the options from the signature, and would resolve its types in this file.
    safely.__signature__ = inspect.signature(command, eval_str=True)  # type: ignore[attr-defined]  # made for that
    return safely


Suggesting: TypeAlias = Callable[[Interaction, str], Coroutine[Any, Any, list[app_commands.Choice[str]]]]


def suggested(suggest: Suggesting) -> Suggesting:
    """Wrap *suggest* so that a failure suggests nothing."""

    @wraps(suggest)
    async def safely(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        try:
            return await suggest(interaction, current)
        except BaseException as error:
            if must_rise(error):
                raise
            logger.warning("autocompletion failed", exc_info=error)
            return []

    return safely


def matching(names: Iterable[str | app_commands.Choice[str]], written: str, /) -> list[app_commands.Choice[str]]:
    """Those of *names* that contain *written*, ignoring case and form, first those that begin with it.

    Names longer than Discord's limit are left out, since a cut name would not be found.
    """
    sought = key_of(written)
    offered = [name if isinstance(name, app_commands.Choice) else _as_choice(name) for name in names if name]
    found = [choice for choice in offered if sought in key_of(choice.name) and len(choice.value) <= _LONGEST_CHOICE]
    return sorted(found, key=lambda choice: not key_of(choice.name).startswith(sought))[:_MOST_CHOICES]


def _as_choice(name: str) -> app_commands.Choice[str]:
    return app_commands.Choice(name=name, value=name)


class Translations(app_commands.Translator):
    """Translates names and descriptions of commands. A name is looked up with a slash in front."""

    async def translate(
        self, string: app_commands.locale_str, locale: discord.Locale, context: app_commands.TranslationContextTypes
    ) -> str | None:
        """*string* in *locale*; ``None`` if there is no translation."""
        places = app_commands.TranslationContextLocation
        is_name = context.location in (places.command_name, places.group_name, places.parameter_name)
        text = f"/{string.message}" if is_name else string.message
        return catalogue(locale.value.partition("-")[0]).get(text)
