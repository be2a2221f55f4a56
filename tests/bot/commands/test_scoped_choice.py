from __future__ import annotations

from typing import Any

import pytest
from discord import app_commands

from cadenza.bot.commands.context import AnyCommand, CommandContext, Interaction, answered, show
from cadenza.bot.commands.scoped_choice import Where, choose, shown
from cadenza.bot.services.choices import Choice
from tests.bot.command_room import command_room

VALUES: tuple[tuple[Any, str], ...] = (
    (None, "none"),
    ("", "none"),
    ((), "none"),
    ([], "none"),
    (True, "on"),
    (False, "off"),
    (0, "0"),
    (3, "3"),
    (0.5, "0.5"),
    (2.0, "2"),
    ("Ren", "`Ren`"),
    ("`@everyone`", "`ˋ@everyoneˋ`"),
    (("a", "b"), "`a`, `b`"),
)


def trials(context: CommandContext) -> list[AnyCommand]:
    """Commands that choose and show."""

    @app_commands.command(name="choose", description="Choose")
    @answered
    async def choose_this(interaction: Interaction, every: int | None = None, where: Where = "server") -> None:
        await choose(context, interaction, where, every=every)

    @app_commands.command(name="value", description="Show a value")
    @answered
    async def value(interaction: Interaction, place: int) -> None:
        await show(interaction, shown(interaction, VALUES[place][0]))

    return [choose_this, value]


async def test_values_are_shown_as_people_read_them() -> None:
    async with command_room(trials) as room:
        told = [await room.use(room.tom, "value", place=place) for place in range(len(VALUES))]

        assert [text for _, text in VALUES] == told


@pytest.mark.parametrize(
    ("where", "server", "channel"),
    [("server", Choice(every=3), Choice()), ("channel", Choice(), Choice(every=3))],
)
async def test_a_choice_holds_where_it_was_made(where: str, server: Choice, channel: Choice) -> None:
    async with command_room(trials) as room:
        assert f"Set for this {where}: `every` = 3." == await room.use(room.mia, "choose", every=3, where=where)

        choices = room.services.choices
        assert server == await choices.of_server(room.guild.id)
        assert channel == await choices.of_channel(room.general)


async def test_who_may_not_and_who_chooses_nothing_changes_nothing() -> None:
    async with command_room(trials) as room:
        assert "“Manage Server”" in await room.use(room.tom, "choose", every=3)
        assert "Nothing was changed; give at least one option." == await room.use(room.mia, "choose")
        assert Choice() == await room.services.choices.of_server(room.guild.id)
