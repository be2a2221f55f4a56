"""``/model``: who answers in a server or a channel, and with whose keys."""

from __future__ import annotations

from dataclasses import replace

import discord
from discord import app_commands

from ...errors import SettingsError
from ...targets.discord_py.channel_info import parent_of
from ..services.choices import Choice, settings_for
from ..services.model_probe import probe
from ..services.server_keys import wallet_of, wallets
from .context import AnyCommand, Desk, Interaction, answered, matching, may_manage_server, show, suggested, tell, words
from .scoped_choice import MANAGERS, Where, change, shown


def commands(desk: Desk) -> list[AnyCommand]:
    """All of ``/model``."""
    group = app_commands.Group(
        name="model", description="Who answers here", guild_only=True, default_permissions=MANAGERS
    )
    for add in (_add_show, _add_list, _add_set, _add_reset, _add_test):
        add(group, desk)
    keys = app_commands.Group(name="key", description="Keys of this server for vendors of models", parent=group)
    for add in (_add_key_set, _add_key_remove):
        add(keys, desk)
    return [group]


# --- what there is ------------------------------------------------------------------------


def _add_show(group: app_commands.Group, desk: Desk) -> None:
    @group.command(name="show", description="Which model answers in this channel, and why")
    @answered
    async def show_model(interaction: Interaction) -> None:
        if not await may_manage_server(interaction):
            return
        choices, staff = desk.staff.choices, desk.staff
        server = (await choices.of_server(str(interaction.guild_id))).model
        channel = (await choices.here("", str(interaction.channel_id), parent_of(interaction.channel))).model
        lines = [
            words(interaction, "This channel has chosen {model}.", model=shown(interaction, channel)),
            words(interaction, "This server has chosen {model}.", model=shown(interaction, server)),
            words(interaction, "The default is {model}.", model=shown(interaction, staff.config.now.models.default)),
        ]
        if fallbacks := staff.config.now.models.fallbacks:
            lines.append(words(interaction, "Who answers if it fails: {models}.", models=shown(interaction, fallbacks)))
        await show(interaction, "\n".join(lines))


def _add_list(group: app_commands.Group, desk: Desk) -> None:
    @group.command(name="list", description="All models that can be chosen, and for whom this server has keys")
    @answered
    async def list_models(interaction: Interaction) -> None:
        if not await may_manage_server(interaction):
            return
        models = desk.staff.models
        names, vendors = models.names(), await models.keys.vendors(str(interaction.guild_id))
        lines = [words(interaction, "Can be chosen: {models}.", models=shown(interaction, names))]
        if vendors:
            told = "With keys of this server, any model of: {vendors}."
            lines.append(words(interaction, told, vendors=shown(interaction, vendors)))
        await show(interaction, "\n".join(lines))


async def _offered(desk: Desk, interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The models that can be chosen, and what is being written if it could be one."""
    offered = [*desk.staff.models.names()]
    if current and await desk.staff.models.may_choose(current, str(interaction.guild_id)):
        offered.append(current)
    return matching(dict.fromkeys(offered), current)


# --- choosing one -----------------------------------------------------------------------------


def _add_set(group: app_commands.Group, desk: Desk) -> None:
    @suggested
    async def suggest(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        return await _offered(desk, interaction, current)

    @group.command(name="set", description="Choose who answers")
    @app_commands.describe(model="The model, by its name", where="For the whole server, or this channel")
    @app_commands.autocomplete(model=suggest)
    @answered
    async def set_model(
        interaction: Interaction, model: app_commands.Range[str, 1, 100], where: Where = "server"
    ) -> None:
        if not await may_manage_server(interaction):
            return
        name = model.strip()
        if not await desk.staff.models.may_choose(name, str(interaction.guild_id)):
            told = "{model} cannot be chosen; pick one from the list, or give this server a key for its vendor first."
            await tell(interaction, told, model=shown(interaction, name))
            return
        await change(desk, interaction, where, lambda choice: replace(choice, model=name))
        if where == "server":
            await tell(interaction, "From now on {model} answers in this server.", model=shown(interaction, name))
        else:
            await tell(interaction, "From now on {model} answers in this channel.", model=shown(interaction, name))


def _add_reset(group: app_commands.Group, desk: Desk) -> None:
    @group.command(name="reset", description="Let the default answer again")
    @app_commands.describe(where="For the whole server, or this channel")
    @answered
    async def reset(interaction: Interaction, where: Where = "server") -> None:
        if not await may_manage_server(interaction):
            return
        await change(desk, interaction, where, lambda choice: replace(choice, model=None))
        if where == "server":
            await tell(interaction, "This server has no model of its own any more.")
        else:
            await tell(interaction, "This channel has no model of its own any more.")


def _add_test(group: app_commands.Group, desk: Desk) -> None:
    @suggested
    async def suggest(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        return await _offered(desk, interaction, current)

    @group.command(name="test", description="Ask a model for one word, to see whether it answers")
    @app_commands.describe(model="The model, by its name; without one, who answers here")
    @app_commands.autocomplete(model=suggest)
    @answered
    async def test(interaction: Interaction, model: app_commands.Range[str, 1, 100] | None = None) -> None:
        if not await may_manage_server(interaction):
            return
        server, staff = str(interaction.guild_id), desk.staff
        await interaction.response.defer(ephemeral=True, thinking=True)
        here = await staff.choices.here(server, str(interaction.channel_id), parent_of(interaction.channel))
        name = (model or "").strip() or here.model or ""
        if model and not await staff.models.may_choose(name, server):
            told = "{model} cannot be chosen; pick one from the list, or give this server a key for its vendor first."
            await tell(interaction, told, model=shown(interaction, name))
            return
        await _test(desk, interaction, name, server)


async def _test(desk: Desk, interaction: Interaction, name: str, server: str) -> None:
    """Ask *name* and tell what came of it."""
    models, config = desk.staff.models, desk.staff.config.now
    try:
        sources = await models.sources(name, server)
    except SettingsError:
        await tell(interaction, "There is no model that could be asked; whoever runs the bot has to name one.")
        return
    result = await probe(sources, settings_for(config, Choice(), of_model=models.settings_of(name)))
    seconds = f"{result.seconds:.1f}"
    if result.trouble:
        told = "No answer after {seconds} s: {trouble}."
        trouble = words(interaction, result.trouble.rstrip("."))
        await tell(interaction, told, seconds=seconds, trouble=trouble)
    else:
        told = "{model} said {word} after {seconds} s."
        who = shown(interaction, result.model)
        await tell(interaction, told, model=who, word=shown(interaction, result.word), seconds=seconds)


# --- keys -------------------------------------------------------------------------------------


@suggested
async def _suggest_vendors(_interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    return matching(wallets(), current)


def _add_key_set(group: app_commands.Group, desk: Desk) -> None:
    @group.command(name="set", description="Give this server a key of its own; it is asked for in a form")
    @app_commands.describe(vendor="Whose key it is")
    @app_commands.autocomplete(vendor=_suggest_vendors)
    @answered
    async def set_key(interaction: Interaction, vendor: str) -> None:
        if not await may_manage_server(interaction):
            return
        wallet = wallet_of(vendor.strip())
        if wallet:
            await interaction.response.send_modal(_KeyForm(desk, interaction, wallet))
        else:
            told = "There is no vendor {vendor} that a server can have a key for; pick one from the list."
            await tell(interaction, told, vendor=shown(interaction, vendor))


def _add_key_remove(group: app_commands.Group, desk: Desk) -> None:
    @suggested
    async def suggest(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        return matching(await desk.staff.models.keys.vendors(str(interaction.guild_id)), current)

    @group.command(name="remove", description="Forget the key that this server has for a vendor")
    @app_commands.describe(vendor="Whose key it is")
    @app_commands.autocomplete(vendor=suggest)
    @answered
    async def remove_key(interaction: Interaction, vendor: str) -> None:
        if not await may_manage_server(interaction):
            return
        if await desk.staff.models.keys.remove(str(interaction.guild_id), vendor.strip()):
            await tell(interaction, "The key for {vendor} is forgotten.", vendor=shown(interaction, vendor))
        else:
            await tell(interaction, "This server has no key for {vendor}.", vendor=shown(interaction, vendor))


class _KeyForm(discord.ui.Modal):
    """Asks for a key, so that it never stands in a message, nor in what Discord shows of a command."""

    def __init__(self, desk: Desk, interaction: Interaction, vendor: str) -> None:
        super().__init__(title=words(interaction, "A key for {vendor}", vendor=vendor)[:45], timeout=900.0)
        self._desk = desk
        self._vendor = vendor
        self._field: discord.ui.TextInput[_KeyForm] = discord.ui.TextInput(
            label=words(interaction, "The key, or several with spaces between")[:45], custom_id="key", max_length=4000
        )
        self.add_item(self._field)

    async def on_submit(self, interaction: Interaction, /) -> None:
        """Seal and keep the key."""
        await _keep_key(interaction, self._desk, self._vendor, self._field.value)


@answered
async def _keep_key(interaction: Interaction, desk: Desk, vendor: str, text: str) -> None:
    if not await may_manage_server(interaction):
        return
    await desk.staff.models.keys.keep(str(interaction.guild_id), vendor, text)
    told = "The key for {vendor} is sealed and kept; it is asked with before the operator's."
    await tell(interaction, told, vendor=shown(interaction, vendor))
