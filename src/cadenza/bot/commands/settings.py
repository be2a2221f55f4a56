"""``/config``: settings of a server or channel that override the configuration."""

from __future__ import annotations

from dataclasses import fields, replace
from types import MappingProxyType
from typing import Literal

import discord
from discord import app_commands

from ...errors import InputError, SettingsError
from ...settings import settings_fields
from ...targets.discord_py.channel_info import parent_of
from ..config.config import Config
from ..services import choosable
from ..services.choices import Choice, settings_for
from ..services.choosable import Choosable
from . import config_channels
from .context import (
    AnyCommand,
    CommandContext,
    Interaction,
    answered,
    matching,
    may_manage_server,
    show,
    suggested,
    tell,
    words,
)
from .scoped_choice import (
    MANAGERS,
    SHAPES,
    Where,
    change,
    choose_settings,
    is_listed,
    say_chosen,
    shown,
    with_settings,
)

_EVERYTHING = "everything"
_LONGEST_SHOWN = 4096


def commands(context: CommandContext) -> list[AnyCommand]:
    """All of ``/config``."""
    group = app_commands.Group(
        name="config", description="Settings of this server or channel", guild_only=True, default_permissions=MANAGERS
    )
    for add in (_add_show, _add_set, _add_reset, _add_shape, _add_limits, _add_guards, config_channels.add):
        add(group, context)
    return [group]


# --- what holds ---------------------------------------------------------------------------


def _add_show(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name="show", description="Show the settings of this channel, and where they come from")
    @answered
    async def show_all(interaction: Interaction) -> None:
        if not await may_manage_server(interaction):
            return
        choices, parent = context.services.choices, parent_of(interaction.channel)
        server = await choices.of_server(str(interaction.guild_id))
        channel = (await choices.of_channel(str(interaction.channel_id))).over(
            await choices.of_channel(parent) if parent else Choice()
        )
        lines = _lines(interaction, context.services.config.now, server, channel)
        title = words(interaction, "Settings of this channel")
        embed = discord.Embed(title=title, description="\n".join(lines)[:_LONGEST_SHOWN])
        embed.set_footer(text=words(interaction, "“/config set” changes settings, “/config reset” resets them."))
        await show(interaction, embed=embed)


def _lines(interaction: Interaction, config: Config, server: Choice, channel: Choice) -> list[str]:
    """The settings in force, a line each: first those of ``Choice``, then chosen ones of the pipeline and the shape."""
    lines = []
    for spec in fields(Choice):
        if spec.name == "settings":
            continue
        chosen = [getattr(choice, spec.name) for choice in (channel, server)]
        lines.append(_line(interaction, spec.name, chosen, _configured(interaction, config, spec.name)))
    here = channel.over(server)
    for _, spec in settings_fields():
        if spec.name in here.settings:
            chosen = [choice.settings.get(spec.name) for choice in (channel, server)]
            lines.append(_line(interaction, spec.name, chosen, None))
        elif spec.name == "shape":
            lines.append(f"shape {shown(interaction, settings_for(config, here).delivery.manner.shape)}")
    return lines


def _line(interaction: Interaction, name: str, chosen: list[object], configured: object) -> str:
    origins = (words(interaction, "this channel"), words(interaction, "this server"))
    for value, origin in zip(chosen, origins, strict=True):
        if value is not None:
            return f"**{name}** {_value(interaction, name, value)} · {origin}"
    return f"{name} {_value(interaction, name, configured)}"


def _value(interaction: Interaction, name: str, value: object) -> str:
    if name == "personas" and not value:
        return words(interaction, "everybody")
    return f"<#{value}>" if name == "thought_log" and value else shown(interaction, value)


def _configured(interaction: Interaction, config: Config, name: str) -> object:
    """The configured value of a field of ``Choice`` here."""
    match name:
        case "model":
            return config.models.default
        case "language":
            return config.language
        case "always":
            return is_listed(interaction, config)
        case "is_private" | "is_silent":
            return False
        case _:
            return getattr(config.conversation, name, None)


# --- one setting by its name ------------------------------------------------------------------


def _add_set(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name="set", description="Change any setting by its name")
    @app_commands.describe(name="The setting", value="The new value", where="For the whole server, or this channel")
    @app_commands.autocomplete(name=_suggest_settings, value=_suggest_values)
    @answered
    async def set_one(
        interaction: Interaction, name: str, value: app_commands.Range[str, 0, 500], where: Where = "server"
    ) -> None:
        if not await may_manage_server(interaction):
            return
        setting = await _found(interaction, name)
        if setting is None:
            return
        try:
            read = setting.read(value)
        except SettingsError:
            wanted = _wanted(interaction, setting)
            await tell(
                interaction,
                "`{name}` takes {wanted}, not {value}.",
                name=setting.name,
                wanted=wanted,
                value=shown(interaction, value),
            )
            return
        given = {setting.name: read}
        await change(context, interaction, where, lambda choice: with_settings(choice, given))
        await say_chosen(interaction, where, given)


async def _found(interaction: Interaction, name: str) -> Choosable | None:
    try:
        return choosable.find(name)
    except InputError:
        await tell(
            interaction,
            "A server cannot change a setting {name}; pick one from the list.",
            name=shown(interaction, name),
        )
        return None


def _wanted(interaction: Interaction, setting: Choosable) -> str:
    """The valid values of *setting*, in words."""
    if setting.one_of:
        return words(interaction, "one of {choices}", choices=", ".join(f"`{one}`" for one in setting.one_of))
    if setting.kind is bool:
        return words(interaction, "on or off")
    if setting.kind is tuple:
        return words(interaction, "texts, separated by commas")
    if setting.kind is str:
        return words(interaction, "a short text")
    low, high = (None if end is None else f"{end:g}" for end in (setting.low, setting.high))
    if high is None:
        return words(interaction, "a number, at least {low}", low=low)
    if setting.kind is int:
        return words(interaction, "a whole number from {low} to {high}", low=low, high=high)
    return words(interaction, "a number from {low} to {high}", low=low, high=high)


@suggested
async def _suggest_settings(_interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    offered = [
        app_commands.Choice(name=f"{setting.name}: {setting.about}"[:100], value=setting.name)
        for setting in choosable.choosable()
    ]
    return matching(offered, current)


@suggested
async def _suggest_values(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    try:
        setting = choosable.find(str(interaction.namespace.name or ""))
    except InputError:
        return []
    return matching(setting.suggestions, current)


def _add_reset(group: app_commands.Group, context: CommandContext) -> None:
    @suggested
    async def suggest(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        choices = context.services.choices
        kept = (await choices.of_server(str(interaction.guild_id))).as_value()
        kept = {**kept, **(await choices.of_channel(str(interaction.channel_id))).as_value()}
        settings = kept.get("settings")
        names = {*(settings if isinstance(settings, dict) else {}), *kept} - {"settings"}
        return matching([_EVERYTHING, *sorted(names)], current)

    @group.command(name="reset", description="Reset a setting to the bot's configuration")
    @app_commands.describe(name="The setting, or “everything”", where="For the whole server, or this channel")
    @app_commands.autocomplete(name=suggest)
    @answered
    async def reset(interaction: Interaction, name: str, where: Where = "server") -> None:
        if not await may_manage_server(interaction):
            return
        had = False

        def without(choice: Choice) -> Choice:
            nonlocal had
            after = _without(choice, name.strip())
            had = after != choice
            return after

        await change(context, interaction, where, without)
        if not had:
            await tell(interaction, "{name} is not set here.", name=shown(interaction, name))
        elif where == "server":
            await tell(interaction, "{name} was reset for this server.", name=shown(interaction, name))
        else:
            await tell(interaction, "{name} was reset for this channel.", name=shown(interaction, name))


def _without(choice: Choice, name: str) -> Choice:
    """*choice* without *name*."""
    if name == _EVERYTHING:
        return Choice()
    if name in {spec.name for spec in fields(Choice)} - {"settings"}:
        return replace(choice, **{name: None})  # type: ignore[arg-type]  # all fields except the settings may be None
    left = {other: value for other, value in choice.settings.items() if other != name}
    return replace(choice, settings=MappingProxyType(left))


# --- some settings with words of their own ------------------------------------------------------


def _add_shape(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name="shape", description="How a reply becomes messages")
    @app_commands.describe(
        shape="What becomes a message",
        typing="Whether messages have pauses, as if a person typed them",
        casual="Whether replies look typed in a hurry",
        where="For the whole server, or this channel",
    )
    @app_commands.choices(shape=[app_commands.Choice(name=name, value=shape) for shape, name in SHAPES.items()])
    @answered
    async def shape(
        interaction: Interaction,
        shape: str,
        *,
        typing: bool | None = None,
        casual: bool | None = None,
        where: Where = "server",
    ) -> None:
        await choose_settings(context, interaction, where, shape=shape, typing=typing, casual=casual)


def _add_limits(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name="limits", description="How long a reply and its messages may be")
    @app_commands.describe(
        messages="Messages of a reply at most; 0 for no limit",
        length="Characters of a message at most",
        rest="What happens to a reply that needs more messages",
        code="Messages from which a code block is sent as a file; 0 for never",
        where="For the whole server, or this channel",
    )
    @answered
    async def limits(
        interaction: Interaction,
        *,
        messages: app_commands.Range[int, 0, 40] | None = None,
        length: app_commands.Range[int, 50, 2000] | None = None,
        rest: Literal["file", "notice", "stop"] | None = None,
        code: app_commands.Range[int, 0, 1000] | None = None,
        where: Where = "server",
    ) -> None:
        await choose_settings(
            context, interaction, where, message_limit=messages, limit=length, when_full=rest, code_file=code
        )


def _add_guards(group: app_commands.Group, context: CommandContext) -> None:
    @group.command(name="guards", description="What is checked and cleaned in replies")
    @app_commands.describe(
        labels="Whether a reply that begins as another speaker is retried",
        speakers="Whether a reply ends where the model speaks for another speaker",
        emoji="Whether emoji are shown",
        unknown="What happens to an emoji that the server does not have",
        spaces="Whether blank braille patterns become spaces",
        dots="Words to join again when dots separate their letters; * for every word",
        where="For the whole server, or this channel",
    )
    @answered
    async def guards(
        interaction: Interaction,
        *,
        labels: bool | None = None,
        speakers: bool | None = None,
        emoji: bool | None = None,
        unknown: Literal["keep", "strip"] | None = None,
        spaces: bool | None = None,
        dots: app_commands.Range[str, 0, 500] | None = None,
        where: Where = "server",
    ) -> None:
        await choose_settings(
            context,
            interaction,
            where,
            label_guard=labels,
            speaker_guard=speakers,
            use_emoji=emoji,
            unknown_emoji=unknown,
            unicode_spaces=spaces,
            sanitise=dots,
        )
