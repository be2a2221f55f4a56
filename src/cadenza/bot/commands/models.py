"""``/model``: the models and API keys of a server or channel."""

from __future__ import annotations

from dataclasses import replace

import discord
from discord import app_commands

from ...errors import SettingsError
from ...languages import rendered
from ...targets.discord_py.channel_info import parent_of
from ..services.choices import Choice, settings_for
from ..services.model_probe import probe
from ..services.server_keys import wallet_of, wallets
from .context import (
    AnyCommand,
    CommandContext,
    Interaction,
    answered,
    language_of,
    matching,
    may_manage_server,
    show,
    suggested,
    tell,
    words,
)
from .scoped_choice import MANAGERS, Where, change, shown


def commands(context: CommandContext) -> list[AnyCommand]:
    """All of ``/model``."""
    group = app_commands.Group(
        name="model", description="The model that answers here", guild_only=True, default_permissions=MANAGERS
    )
    for add in (_add_show, _add_list, _add_set, _add_reset, _add_test):
        add(group, context)
    keys = app_commands.Group(name="key", description="API keys of this server", parent=group)
    for add in (_add_key_set, _add_key_remove):
        add(keys, context)
    return [group]


# --- what there is ------------------------------------------------------------------------


def _add_show(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name="show", description="Which model answers in this channel, and why")
    @answered
    async def show_model(interaction: Interaction) -> None:
        if not await may_manage_server(interaction):
            return
        choices, services = context.services.choices, context.services
        server = (await choices.of_server(str(interaction.guild_id))).model
        channel = (await choices.here("", str(interaction.channel_id), parent_of(interaction.channel))).model
        lines = [
            words(interaction, "This channel has chosen {model}.", model=shown(interaction, channel)),
            words(interaction, "This server has chosen {model}.", model=shown(interaction, server)),
            words(interaction, "The default is {model}.", model=shown(interaction, services.config.now.models.default)),
        ]
        if fallbacks := services.config.now.models.fallbacks:
            lines.append(words(interaction, "Fallbacks: {models}.", models=shown(interaction, fallbacks)))
        await show(interaction, "\n".join(lines))


def _add_list(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name="list", description="All models that can be chosen, and the vendors this server has keys for")
    @answered
    async def list_models(interaction: Interaction) -> None:
        if not await may_manage_server(interaction):
            return
        models = context.services.models
        names, vendors = models.names(), await models.keys.vendors(str(interaction.guild_id))
        lines = [words(interaction, "Can be chosen: {models}.", models=shown(interaction, names))]
        if vendors:
            told = "With keys of this server, any model of: {vendors}."
            lines.append(words(interaction, told, vendors=shown(interaction, vendors)))
        await show(interaction, "\n".join(lines))


async def _offered(context: CommandContext, interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The models that can be chosen, and the input if it could be one."""
    offered = [*context.services.models.names()]
    if current and await context.services.models.may_choose(current, str(interaction.guild_id)):
        offered.append(current)
    return matching(dict.fromkeys(offered), current)


# --- choosing one -----------------------------------------------------------------------------


def _add_set(group: app_commands.Group, context: CommandContext) -> None:
    @suggested
    async def suggest(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        return await _offered(context, interaction, current)

    @group.command(name="set", description="Choose the model")
    @app_commands.describe(model="Name of the model", where="For the whole server, or this channel")
    @app_commands.autocomplete(model=suggest)
    @answered
    async def set_model(
        interaction: Interaction, model: app_commands.Range[str, 1, 100], where: Where = "server"
    ) -> None:
        if not await may_manage_server(interaction):
            return
        name = model.strip()
        if not await context.services.models.may_choose(name, str(interaction.guild_id)):
            told = "{model} cannot be chosen; pick one from the list, or give this server a key for its vendor first."
            await tell(interaction, told, model=shown(interaction, name))
            return
        await change(context, interaction, where, lambda choice: replace(choice, model=name))
        if where == "server":
            await tell(interaction, "From now on {model} answers in this server.", model=shown(interaction, name))
        else:
            await tell(interaction, "From now on {model} answers in this channel.", model=shown(interaction, name))


def _add_reset(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name="reset", description="Go back to the default model")
    @app_commands.describe(where="For the whole server, or this channel")
    @answered
    async def reset(interaction: Interaction, where: Where = "server") -> None:
        if not await may_manage_server(interaction):
            return
        await change(context, interaction, where, lambda choice: replace(choice, model=None))
        if where == "server":
            await tell(interaction, "This server no longer has its own model.")
        else:
            await tell(interaction, "This channel no longer has its own model.")


def _add_test(group: app_commands.Group, context: CommandContext) -> None:
    @suggested
    async def suggest(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        return await _offered(context, interaction, current)

    @group.command(name="test", description="Ask a model for one word, to see whether it answers")
    @app_commands.describe(model="Name of the model; the one of this channel if empty")
    @app_commands.autocomplete(model=suggest)
    @answered
    async def test(interaction: Interaction, model: app_commands.Range[str, 1, 100] | None = None) -> None:
        if not await may_manage_server(interaction):
            return
        server, services = str(interaction.guild_id), context.services
        await interaction.response.defer(ephemeral=True, thinking=True)
        here = await services.choices.here(server, str(interaction.channel_id), parent_of(interaction.channel))
        name = (model or "").strip() or here.model or ""
        if model and not await services.models.may_choose(name, server):
            told = "{model} cannot be chosen; pick one from the list, or give this server a key for its vendor first."
            await tell(interaction, told, model=shown(interaction, name))
            return
        await _test(context, interaction, name, server)


async def _test(context: CommandContext, interaction: Interaction, name: str, server: str) -> None:
    """Ask *name* and answer with the result."""
    models, config = context.services.models, context.services.config.now
    try:
        sources = await models.sources(name, server)
    except SettingsError:
        await tell(interaction, "No model is configured; the bot's operator has to name one.")
        return
    result = await probe(sources, settings_for(config, Choice(), of_model=models.settings_of(name)))
    seconds = f"{result.seconds:.1f}"
    if result.trouble:
        told = "No answer after {seconds} s: {trouble}."
        trouble = rendered(result.trouble, language_of(interaction))
        await tell(interaction, told, seconds=seconds, trouble=trouble.rstrip(".。"))
    else:
        told = "{model} said {word} after {seconds} s."
        who = shown(interaction, result.model)
        await tell(interaction, told, model=who, word=shown(interaction, result.word), seconds=seconds)


# --- keys -------------------------------------------------------------------------------------


@suggested
async def _suggest_vendors(_interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    return matching(wallets(), current)


def _add_key_set(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name="set", description="Give this server its own key; a form asks for it")
    @app_commands.describe(vendor="The vendor of the key")
    @app_commands.autocomplete(vendor=_suggest_vendors)
    @answered
    async def set_key(interaction: Interaction, vendor: str) -> None:
        if not await may_manage_server(interaction):
            return
        wallet = wallet_of(vendor.strip())
        if wallet:
            await interaction.response.send_modal(_KeyForm(context, interaction, wallet))
        else:
            told = "A server cannot have a key for {vendor}; pick a vendor from the list."
            await tell(interaction, told, vendor=shown(interaction, vendor))


def _add_key_remove(group: app_commands.Group, context: CommandContext) -> None:
    @suggested
    async def suggest(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        return matching(await context.services.models.keys.vendors(str(interaction.guild_id)), current)

    @group.command(name="remove", description="Delete the key of this server for a vendor")
    @app_commands.describe(vendor="The vendor of the key")
    @app_commands.autocomplete(vendor=suggest)
    @answered
    async def remove_key(interaction: Interaction, vendor: str) -> None:
        if not await may_manage_server(interaction):
            return
        if await context.services.models.keys.remove(str(interaction.guild_id), vendor.strip()):
            await tell(interaction, "The key for {vendor} was deleted.", vendor=shown(interaction, vendor))
        else:
            await tell(interaction, "This server has no key for {vendor}.", vendor=shown(interaction, vendor))


class _KeyForm(discord.ui.Modal):
    """Asks for a key in a form, so that it never appears in a message or a command."""

    def __init__(self, context: CommandContext, interaction: Interaction, vendor: str) -> None:
        super().__init__(title=words(interaction, "A key for {vendor}", vendor=vendor)[:45], timeout=900.0)
        self._context = context
        self._vendor = vendor
        self._field: discord.ui.TextInput[_KeyForm] = discord.ui.TextInput(
            label=words(interaction, "The key, or several separated by spaces")[:45], custom_id="key", max_length=4000
        )
        self.add_item(self._field)

    async def on_submit(self, interaction: Interaction, /) -> None:
        """Encrypt and store the key."""
        await _keep_key(interaction, self._context, self._vendor, self._field.value)


@answered
async def _keep_key(interaction: Interaction, context: CommandContext, vendor: str, text: str) -> None:
    if not await may_manage_server(interaction):
        return
    await context.services.models.keys.keep(str(interaction.guild_id), vendor, text)
    told = "The key for {vendor} is stored encrypted; it is used before the operator's."
    await tell(interaction, told, vendor=shown(interaction, vendor))
