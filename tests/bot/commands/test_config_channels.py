from __future__ import annotations

from typing import Any

from cadenza.bot.commands.settings import commands
from cadenza.bot.services.choices import Choice
from cadenza.sim.permissions import Permission
from tests.bot.command_room import command_room

CASES: tuple[tuple[str, dict[str, Any], Choice, Choice], ...] = (
    # the command, its options, and what the server and the channel have chosen then
    ("triggers", {"mentions": False, "words": True}, Choice(), Choice(mentions=False, trigger_words=True)),
    ("triggers", {"replies": False, "bots": True, "where": "server"}, Choice(replies=False, bots=True), Choice()),
    ("triggers", {"always": True, "every": 5}, Choice(), Choice(always=True, every=5)),
    ("private", {"private": True}, Choice(), Choice(is_private=True)),
    ("private", {"private": False, "where": "server"}, Choice(is_private=False), Choice()),
    ("silent", {"silent": True}, Choice(), Choice(is_silent=True)),
    ("history", {"messages": 20, "images": False}, Choice(history=20, images=False), Choice()),
    ("history", {"messages": 20, "where": "channel"}, Choice(), Choice(history=20)),
    ("language", {"language": "ja"}, Choice(language="ja"), Choice()),
    ("cascade", {"links": 0, "characters": 2}, Choice(cascade_limit=0, match_limit=2), Choice()),
)


async def test_each_choice_holds_where_it_was_made_and_only_managers_make_it() -> None:
    async with command_room(commands) as room:
        choices = room.services.choices
        for name, options, server, channel in CASES:
            assert "“Manage Server”" in await room.use(room.tom, f"config {name}", **options)
            assert (Choice(), Choice()) == (
                await choices.of_server(room.guild.id),
                await choices.of_channel(room.general),
            )

            assert (await room.use(room.mia, f"config {name}", **options)).startswith("Set for this ")
            assert room.is_ephemeral
            assert (server, channel) == (
                await choices.of_server(room.guild.id),
                await choices.of_channel(room.general),
            ), name
            await choices.change_server(room.guild.id, lambda _: Choice())
            await choices.change_channel(room.general, room.guild.id, lambda _: Choice())


async def test_a_command_without_an_option_says_that_it_needs_one() -> None:
    async with command_room(commands) as room:
        for name in ("triggers", "history", "cascade"):
            told = await room.use(room.mia, f"config {name}")
            assert "Nothing was changed; give at least one option." == told


async def test_thoughts_are_shown_where_somebody_wants_them_and_the_bot_may() -> None:
    async with command_room(commands) as room:
        log = room.world.add_channel(room.guild, "thoughts")
        told = await room.use(room.mia, "config thought-log", given={"channel": log})
        assert f"Thoughts are now posted in <#{log}>, except those of private channels." == told
        assert log == (await room.services.choices.of_server(room.guild.id)).thought_log

        assert "“Manage Server”" in await room.use(room.tom, "config thought-log")
        assert log == (await room.services.choices.of_server(room.guild.id)).thought_log

        assert "Thoughts are no longer posted anywhere." == await room.use(room.mia, "config thought-log")
        assert "" == (await room.services.choices.of_server(room.guild.id)).thought_log


async def test_thoughts_are_not_shown_where_the_bot_may_not_write() -> None:
    async with command_room(commands) as room:
        log = room.world.add_channel(room.guild, "closed")
        room.world.overwrite(log, room.bot, deny=Permission.EMBED_LINKS)

        told = await room.use(room.mia, "config thought-log", given={"channel": log})

        assert told.startswith(f"I cannot post thoughts in <#{log}>; give me")
        assert Choice() == await room.services.choices.of_server(room.guild.id)
