from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import discord
import pytest
from discord import app_commands

from cadenza.bot.commands import register as registering
from cadenza.bot.commands.context import AnyCommand, CommandContext, Interaction
from cadenza.bot.commands.register import FAMILIES, register
from cadenza.bot.config.config import Config, DiscordConfig
from cadenza.bot.services.choosable import Choosable, choosable
from cadenza.bot.store.store import Namespace
from cadenza.languages import catalogue
from tests.bot.command_room import CommandRoom, command_room


def syncs(room: CommandRoom) -> int:
    """How often Discord was told of commands."""
    return sum(call.request.method == "PUT" and "commands" in call.route for call in room.server.rest.calls)


async def started(room: CommandRoom) -> app_commands.CommandTree[discord.Client]:
    """The tree of the same bot after another start."""
    room.client._connection._command_tree = None
    tree: app_commands.CommandTree[discord.Client] = app_commands.CommandTree(room.client)
    await register(tree, room.context)
    return tree


async def test_all_families_are_there_and_translated() -> None:
    async with command_room() as room:
        tree = await started(room)

        known = {command["name"]: command for command in room.world.get_commands(room.bot.id, None)}
        assert {command.name for family in FAMILIES for command in family(room.context)} == set(known)
        assert {"stop", "config", "model", "status", "Regenerate"} <= set(known)
        assert "停止" == known["stop"]["name_localizations"]["ja"]
        assert discord.Permissions(manage_guild=True).value == known["config"]["default_member_permissions"]
        assert len(known) == len(tree.get_commands())


async def test_discord_is_told_only_when_the_commands_have_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    async with command_room() as room:
        before = syncs(room)
        await started(room)
        assert before + 1 == syncs(room)
        await started(room)
        assert before + 1 == syncs(room)

        monkeypatch.setattr(registering, "FAMILIES", FAMILIES[:1])
        await started(room)
        assert before + 2 == syncs(room)
        assert 5 == len(room.world.get_commands(room.bot.id, None))


async def test_who_wants_no_commands_told_has_none_told() -> None:
    async with command_room(config=Config(discord=DiscordConfig(sync_commands=False))) as room:
        before = syncs(room)

        tree = await started(room)

        assert before == syncs(room)
        assert tree.get_commands()


async def test_if_discord_does_not_listen_it_is_told_at_the_next_start(caplog: pytest.LogCaptureFixture) -> None:
    async with command_room() as room:
        before = room.client.http.bulk_upsert_global_commands

        async def refuse(*_: object, **__: object) -> None:
            raise discord.ClientException

        room.client.http.bulk_upsert_global_commands = refuse  # type: ignore[method-assign, assignment]
        await started(room)
        assert "commands could not be synced" in caplog.text
        assert await room.services.store.get(Namespace.BOT, "commands") is None

        room.client.http.bulk_upsert_global_commands = before  # type: ignore[method-assign]
        await started(room)
        assert await room.services.store.get(Namespace.BOT, "commands") is not None


CHANGED = "This command has changed; reload Discord and use it again."


async def test_a_command_that_is_not_there_any_more_or_has_changed_is_explained() -> None:
    async with command_room() as room:
        tree = await started(room)
        tree.remove_command("status")
        assert CHANGED == await room.use(room.tom, "status")
        assert room.is_ephemeral

        tree.remove_command("stop")

        @tree.command(name="stop", description="Stop")
        async def stop(interaction: Interaction, how: str) -> None:
            raise NotImplementedError(how)

        assert CHANGED == await room.use(room.tom, "stop")


def checked(_: CommandContext) -> list[AnyCommand]:
    """Commands that may not be used."""

    @app_commands.command(name="never", description="Never")
    @app_commands.check(lambda _: False)
    async def never(interaction: Interaction) -> None:
        raise NotImplementedError

    @app_commands.command(name="elsewhere", description="Elsewhere")
    @app_commands.check(_only_elsewhere)
    async def elsewhere(interaction: Interaction) -> None:
        raise NotImplementedError

    @app_commands.command(name="broken", description="Broken")
    async def broken(interaction: Interaction) -> None:
        raise RuntimeError(interaction.token)

    return [never, elsewhere, broken]


def _only_elsewhere(_: Interaction) -> bool:
    raise app_commands.NoPrivateMessage


async def test_whoever_may_not_use_a_command_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registering, "FAMILIES", (checked,))
    async with command_room() as room:
        await started(room)

        assert "You may not use this command here." == await room.use(room.tom, "never")
        assert "This works in servers only." == await room.use(room.tom, "elsewhere")
        told = await room.use(room.tom, "broken")
        assert "That failed (RuntimeError); see the bot's log." == told


# --- the page about them ---------------------------------------------------------------------------


PAGE = Path(__file__).parents[3] / "docs" / "bot" / "commands.md"


def rows_of(commands: Iterable[Any], *, names: str = "", others: str = "", who: str = "") -> Iterator[str]:
    """A row for each command, those of a group below each other."""
    for command in commands:
        permissions = getattr(command, "default_permissions", None)
        whose = who or ("managers" if permissions and permissions.manage_guild else "everybody")
        is_menu = isinstance(command, app_commands.ContextMenu)
        name = command.name if is_menu else f"{names or '/'}{command.name}"
        other = japanese_of(command.name) if is_menu else f"{others or '/'}{japanese_of(command.name)}"
        if isinstance(command, app_commands.Group):
            yield from rows_of(command.commands, names=f"{name} ", others=f"{other} ", who=whose)
        elif is_menu:
            yield f"| {name} | {other} | a menu on a message | | {whose} |"
        else:
            options = ", ".join(_option(parameter) for parameter in command.parameters)
            yield f"| `{name}` | `{other}` | {command.description} | {options} | {whose} |"


def japanese_of(name: str) -> str:
    """The Japanese name of a command."""
    found = catalogue("ja").get(f"/{name}")
    assert found, f"no catalogue in languages/ja has the name '/{name}'; add it to the .po of its command"
    return found


def _option(parameter: app_commands.Parameter) -> str:
    return f"`{parameter.display_name}`" + ("" if parameter.required else "?")


def takes(setting: Choosable) -> str:
    """What a setting takes, in a cell of a table."""
    match setting.kind.__name__:
        case "bool":
            return "on, off"
        case "str":
            return ", ".join(setting.one_of) or "a text"
        case "tuple":
            return "texts, separated by commas"
        case _ if setting.high is None:
            return f"at least {setting.low:g}"
        case _:
            return f"{setting.low:g} to {setting.high:g}"


def the_table(name: str, rows: list[str]) -> tuple[list[str], list[str]]:
    """The rows that should stand in the table called *name*, and those that do. ``REWRITE_DOCS=1`` writes it anew."""
    begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(begin)
    table, _, after = rest.partition(end)
    head = table.splitlines()[:2]
    if os.environ.get("REWRITE_DOCS"):
        table = "\n".join([*head, *rows, ""])
        PAGE.write_text(before + begin + table + end + after, encoding="utf-8")
    return [*head, *rows], table.splitlines()


async def test_the_table_of_commands_is_what_there_is() -> None:
    async with command_room() as room:
        commands = [command for family in FAMILIES for command in family(room.context)]
        commands.sort(key=lambda command: isinstance(command, app_commands.ContextMenu))

        should, stands = the_table("commands", list(rows_of(commands)))

        assert should == stands


def test_the_table_of_settings_is_what_a_server_may_choose() -> None:
    rows = [f"| `{setting.name}` | {takes(setting)} | {setting.about} |" for setting in choosable()]

    should, stands = the_table("settings", rows)

    assert should == stands
