from __future__ import annotations

import logging

import discord
import pytest
from discord import app_commands

from cadenza.bot.commands.context import (
    AnyCommand,
    Desk,
    Interaction,
    Translations,
    answered,
    asker_of,
    matching,
    may_manage_server,
    show,
    suggested,
    tell,
)
from cadenza.bot.reply_controls import Asker
from cadenza.errors import InputError
from cadenza.sim.permissions import Permission
from tests.bot.command_room import command_room

SECRET = "sk-very-secret"  # noqa: S105  # of nobody


def trials(_: Desk) -> list[AnyCommand]:
    """Commands that show what the frame does."""
    group = app_commands.Group(name="trial", description="Trials")

    @suggested
    async def fail_to_suggest(_interaction: Interaction, _current: str) -> list[app_commands.Choice[str]]:
        raise RuntimeError(SECRET)

    @group.command(name="fail", description="Fail")
    @app_commands.autocomplete(how=fail_to_suggest)
    @answered
    async def fail(interaction: Interaction, how: str) -> None:
        if how == "late":
            await interaction.response.defer(ephemeral=True)
        raise InputError("This works in servers only.") if how == "ours" else RuntimeError(SECRET)

    @group.command(name="manage", description="Manage")
    @answered
    async def manage(interaction: Interaction) -> None:
        if await may_manage_server(interaction):
            await tell(interaction, "You may, {name}.", name="@everyone")

    @group.command(name="who", description="Who")
    @answered
    async def who(interaction: Interaction, length: app_commands.Range[int, 1, 5000]) -> None:
        asker = asker_of(interaction)
        await show(interaction, f"{asker.id} {asker.may_manage} " + "x" * length)

    return [group]


async def test_a_command_that_fails_answers_all_the_same(caplog: pytest.LogCaptureFixture) -> None:
    async with command_room(trials) as room:
        with caplog.at_level(logging.DEBUG, logger="cadenza"):
            for how in ("at once", "late"):
                told = await room.use(room.mia, "trial fail", how=how)
                assert "That did not work (RuntimeError); look into the log of the bot." == told
                assert room.is_ephemeral

            assert "This works in servers only." == await room.use(room.mia, "trial fail", how="ours")
        assert "RuntimeError" in caplog.text
        assert SECRET not in caplog.text


async def test_what_cannot_be_suggested_is_not() -> None:
    async with command_room(trials) as room:
        assert [] == await room.suggest(room.mia, "trial fail", "how", "x")


async def test_only_who_may_manage_the_server_may_and_only_in_one() -> None:
    async with command_room(trials) as room:
        assert "You may, @everyone." == await room.use(room.mia, "trial manage")
        assert frozenset() == room.world.pinged(room.general, room.answers[0]["id"])
        assert "You need the permission “Manage Server” for this." == await room.use(room.tom, "trial manage")
        direct = room.world.open_direct(room.bot, room.mia)
        assert "This works in servers only." == await room.use(room.mia, "trial manage", channel=direct)


async def test_the_answer_is_in_the_language_of_who_asks() -> None:
    async with command_room(trials) as room:
        room.world.set_locale(room.tom.id, "ja")
        assert "この操作には「サーバー管理」の権限が必要です。" == await room.use(room.tom, "trial manage")
        room.world.set_locale(room.tom.id, "de")
        assert "You need the permission “Manage Server” for this." == await room.use(room.tom, "trial manage")


async def test_who_asks_is_known_and_what_is_too_long_is_cut() -> None:
    async with command_room(trials) as room:
        assert f"{room.mia.id} True x" == await room.use(room.mia, "trial who", length=1)
        assert f"{room.tom.id} False x" == await room.use(room.tom, "trial who", length=1)
        long = await room.use(room.tom, "trial who", length=5000)
        assert (2000, "…") == (len(long), long[-1])
        direct = room.world.open_direct(room.bot, room.tom)
        assert f"{room.tom.id} True x" == await room.use(room.tom, "trial who", length=1, channel=direct)
        room.world.overwrite(room.general, room.tom, allow=Permission.MANAGE_MESSAGES)
        assert f"{room.tom.id} True x" == await room.use(room.tom, "trial who", length=1)


@pytest.mark.parametrize(
    ("written", "found"),
    [
        pytest.param("", ["warren", "Ren", "蓮", "É"], id="nothing is everybody"),
        pytest.param(" REN", ["Ren", "warren"], id="what begins with it is first"),
        pytest.param("蓮", ["蓮"], id="japanese"),
        pytest.param("e\u0301", ["É"], id="however an accent is written"),
        pytest.param("x", [], id="what is too long has no name any more when it is cut"),
    ],
)
def test_what_holds_what_was_written_is_suggested(written: str, found: list[str]) -> None:
    assert found == [choice.value for choice in matching(["warren", "Ren", "蓮", "É", "", "x" * 101], written)]


def test_no_more_is_suggested_than_discord_takes() -> None:
    assert 25 == len(matching([str(number) for number in range(40)], ""))


@pytest.mark.parametrize(
    ("location", "text", "locale", "found"),
    [
        (app_commands.TranslationContextLocation.command_name, "stop", discord.Locale.japanese, "停止"),
        (app_commands.TranslationContextLocation.choice_name, "stop", discord.Locale.japanese, "打ち切り"),
        (app_commands.TranslationContextLocation.command_name, "stop", discord.Locale.german, None),
        (app_commands.TranslationContextLocation.command_name, "stop", discord.Locale.american_english, None),
        (app_commands.TranslationContextLocation.command_name, "unheard-of", discord.Locale.japanese, None),
    ],
)
async def test_a_name_is_translated_as_a_name(
    location: app_commands.TranslationContextLocation, text: str, locale: discord.Locale, found: str | None
) -> None:
    context = app_commands.TranslationContext(location, None)  # type: ignore[arg-type]  # nobody looks at it

    assert found == await Translations().translate(app_commands.locale_str(text), locale, context)


def test_nobody_manages_anything_by_default() -> None:
    assert not Asker("1").may_manage
