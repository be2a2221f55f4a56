"""All commands of the bot: put into its tree, translated, and told to Discord when they have changed."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Sequence

import discord
from discord import app_commands

from ..store.store import Record, Shelf, StoreError
from . import explain, memory, models, personas, reset, settings, sprites, status, stop
from .context import AnyCommand, Desk, Interaction, Translations, tell

logger = logging.getLogger(__name__)

FAMILIES: tuple[Callable[[Desk], Sequence[AnyCommand]], ...] = (
    stop.commands,
    reset.commands,
    settings.commands,
    models.commands,
    status.commands,
    personas.commands,
    sprites.commands,
    memory.commands,
    explain.commands,
)
"""Who gives commands, a file each."""
_KEY = "commands"


async def register(tree: app_commands.CommandTree[discord.Client], desk: Desk) -> None:
    """Put all commands into *tree*, and tell Discord of them if it does not know them as they are.

    It is told as seldom as can be: a day has room for two hundred new commands, and a bot may be restarted often.
    """
    for family in FAMILIES:
        for command in family(desk):
            tree.add_command(command)
    tree.error(_explain)
    translations = Translations()
    await tree.set_translator(translations)
    if desk.staff.config.now.discord.sync_commands:
        await _sync(tree, desk, translations)


async def _sync(
    tree: app_commands.CommandTree[discord.Client], desk: Desk, translations: app_commands.Translator
) -> None:
    """Tell Discord of the commands if they differ from those that it was told last. Never fails: old ones still work."""
    payload = [await command.get_translated_payload(tree, translations) for command in tree.get_commands()]
    told = json.dumps([desk.client.application_id, payload], sort_keys=True)
    digest = hashlib.sha256(told.encode()).hexdigest()
    store = desk.staff.store
    try:
        known = await store.get(Shelf.BOT, _KEY)
        if known is not None and known.value.get("digest") == digest:
            return
        await tree.sync()
        await store.put(Record(Shelf.BOT, _KEY, {"digest": digest}))
    except (discord.DiscordException, StoreError) as error:
        logger.warning(
            "Discord could not be told of the commands (%s); they are tried again at the next start",
            type(error).__name__,
        )


async def _explain(interaction: Interaction, error: app_commands.AppCommandError) -> None:
    """Say in one sentence why a command came to nothing before its own code could."""
    try:
        match error:
            case app_commands.CommandNotFound() | app_commands.CommandSignatureMismatch():
                told = "This command has changed since your Discord last heard of it; reload Discord and use it again."
                await tell(interaction, told)
            case app_commands.NoPrivateMessage():
                await tell(interaction, "This works in servers only.")
            case app_commands.TransformerError():
                await tell(interaction, "One of the options is not what this command takes; choose it anew.")
            case app_commands.CheckFailure():
                await tell(interaction, "You may not use this command here.")
            case _:
                kind = type(error.original if isinstance(error, app_commands.CommandInvokeError) else error).__name__
                logger.warning("a command failed (%s)", kind)
                await tell(interaction, "That did not work ({error}); look into the log of the bot.", error=kind)
    except discord.HTTPException as refusal:  # who asked has gone, or was answered already
        logger.debug("nobody could be told why a command failed (%s)", type(refusal).__name__)
