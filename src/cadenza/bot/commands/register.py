"""Registers all commands: adds them to the tree, translates them, and syncs them when they change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence

import discord
from discord import app_commands

from ...explain.tracebacks import get_logger
from ..store.store import Namespace, Record, StoreError
from . import explain, memory, models, personas, reset, settings, sprites, status, stop
from .context import AnyCommand, CommandContext, Interaction, Translations, tell

logger = get_logger(__name__)

FAMILIES: tuple[Callable[[CommandContext], Sequence[AnyCommand]], ...] = (
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
"""The functions that return commands, one per file."""
_KEY = "commands"


async def register(tree: app_commands.CommandTree[discord.Client], context: CommandContext) -> None:
    """Add all commands to *tree*, and sync them with Discord if they changed.

    Syncs are rare, because Discord allows 200 new commands a day and a bot may be restarted often.
    """
    for family in FAMILIES:
        for command in family(context):
            tree.add_command(command)
    tree.error(_explain)
    translations = Translations()
    await tree.set_translator(translations)
    if context.services.config.now.discord.sync_commands:
        await _sync(tree, context, translations)


async def _sync(
    tree: app_commands.CommandTree[discord.Client], context: CommandContext, translations: app_commands.Translator
) -> None:
    """Sync the commands if they differ from the last sync. A failure is logged: the old ones still work."""
    payload = [await command.get_translated_payload(tree, translations) for command in tree.get_commands()]
    told = json.dumps([context.client.application_id, payload], sort_keys=True)
    digest = hashlib.sha256(told.encode()).hexdigest()
    store = context.services.store
    try:
        known = await store.get(Namespace.BOT, _KEY)
        if known is not None and known.value.get("digest") == digest:
            return
        await tree.sync()
        await store.put(Record(Namespace.BOT, _KEY, {"digest": digest}))
    except (discord.DiscordException, StoreError) as error:
        logger.warning("commands could not be synced; the next start tries again", exc_info=error)


async def _explain(interaction: Interaction, error: app_commands.AppCommandError) -> None:
    """Answer a command that failed before its own code ran."""
    try:
        match error:
            case app_commands.CommandNotFound() | app_commands.CommandSignatureMismatch():
                told = "This command has changed; reload Discord and use it again."
                await tell(interaction, told)
            case app_commands.NoPrivateMessage():
                await tell(interaction, "This works in servers only.")
            case app_commands.TransformerError():
                await tell(interaction, "One of the options is not valid for this command; choose it again.")
            case app_commands.CheckFailure():
                await tell(interaction, "You may not use this command here.")
            case _:
                kind = type(error.original if isinstance(error, app_commands.CommandInvokeError) else error).__name__
                logger.warning("command failed", exc_info=error)
                await tell(interaction, "That failed ({error}); see the bot's log.", error=kind)
    except discord.HTTPException as refusal:  # expired, or answered already
        logger.debug("failure of a command could not be answered", exc_info=refusal)
