"""What the whole bot tells of a reply afterwards: why it is as it is, what a table was, and what was thought."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from cadenza.sim.permissions import Permission
from cadenza.sim.wire import Json
from cadenza.types import Chunk, Prompt, ThoughtDelta
from tests.bot.bot_room import CONFIG, BotRoom, bot_room
from tests.bot.command_room import CommandRoom
from tests.bot.whole_room import commands_of, heard_of, stocked, told

pytestmark = pytest.mark.timeout(60)

TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"
LONG_TABLE = "| a | b |\n|---|---|" + "".join(f"\n| {number} | {'word ' * 12}|" for number in range(30))


def answer(prompt: Prompt) -> Iterable[str | float | Chunk]:
    match prompt.turns[-1].text.split()[-1]:
        case "table":
            return [f"Look:\n\n{TABLE}\n\nThat is it."]
        case "long":
            return [f"{LONG_TABLE}\n"]
        case "think":
            return [ThoughtDelta("Hm, let me see."), "Yes."]
        case "much":
            return [ThoughtDelta("word " * 5000), "Yes."]
        case "story":
            return ["It began.\n", "It went on. " * 200]
        case other:
            return [f"{prompt.speaker} heard {other}"]


async def said(bot: BotRoom, text: str, *, channel: str = "") -> list[Json]:
    """What was said in answer to *text*."""
    before = {one["id"] for one in bot.ours(channel)}
    bot.mia.says(channel or bot.general, text)
    await bot.heard()
    await bot.quiet()
    return [one for one in bot.ours(channel) if one["id"] not in before]


# --- why, and from what -----------------------------------------------------------------------------


async def explained(room: CommandRoom, message: Json) -> str:
    await room.use(room.tom, "Explain", target=message["id"])
    return told(room)


async def markdown(room: CommandRoom, message: Json) -> str:
    """What is shown to who presses the button, in words or as a file."""
    await room.press(room.tom, "cadenza:markdown", message=message["id"])
    return told(room).strip() or room.file().decode()


async def test_whatever_was_said_can_be_explained_also_after_a_restart() -> None:
    async with bot_room(answer) as bot:
        look, picture, end = await said(bot, f"{bot.mention} table")
        [theirs] = await said(bot, "kitty hello")
        [theirs_long] = await said(bot, "kitty long")
        stranger = {"id": bot.tom.says(bot.general, "why?")}
        assert ("Kira", "Kira") == (theirs["author"]["username"], theirs_long["author"]["username"])
        assert [1, 1] == [len(one["attachments"]) for one in (picture, theirs_long)]

    async with bot_room(answer, before=bot) as again:
        room = commands_of(again)
        for message, word in ((look, "Look:"), (picture, "table.png"), (end, "That is it."), (theirs, "as Kira")):
            story = await explained(room, message)
            assert story.startswith("```text\n    0.000 s  The reply as ")
            assert story.rstrip().endswith("```")
            assert 2 == story.count("```")
            assert word in story
        assert "That is not one of my messages." == (await explained(room, stranger)).strip()

        assert f"```md\n{TABLE}\n```" == await markdown(room, picture)
        assert LONG_TABLE == (await markdown(room, theirs_long)).strip()
        assert ["picture.md"] == [file["filename"] for file in room.answers[-1]["attachments"]]


async def test_a_picture_under_its_lead_in_is_one_message_and_its_markdown_is_the_table_alone() -> None:
    config = replace(CONFIG, settings=CONFIG.settings.with_values({"degree": None}))
    async with bot_room(answer, config=config) as bot:
        room = commands_of(bot)
        picture, end = await said(bot, f"{bot.mention} table")

        assert ("Look:", ["table.png"]) == (picture["content"], [one["filename"] for one in picture["attachments"]])
        assert "That is it." == end["content"]
        assert '"Look:", with the file table.png' in await explained(room, picture)
        assert f"```md\n{TABLE}\n```" == await markdown(room, picture)


async def test_what_was_cut_and_split_says_so() -> None:
    config = replace(CONFIG, settings=CONFIG.settings.with_values({"message_limit": 2, "when_full": "notice"}))
    async with bot_room(answer, config=config) as bot:
        room = commands_of(bot)
        first, second, *_ = await said(bot, f"{bot.mention} story")

        assert "It ends here because the line ends: degree is 1." in await explained(room, first)
        assert "It ends here because the line was too long to wait for its end: overflow is 1000." in await explained(
            room, second
        )
        assert "The reply is over, with 2 messages: it was stopped" in told(room)


async def test_what_went_on_and_is_had_again_goes_on_again() -> None:
    def story(prompt: Prompt) -> Iterable[str]:
        return ["More."] if "It began." in str(prompt.turns) else ["It began."]

    async with bot_room(story) as bot:
        room = commands_of(bot)
        await said(bot, f"{bot.mention} story")
        for command in ("continue", "regenerate"):
            await room.use(bot.mia, command)
            await bot.quiet()

        spoken = [one["content"] for one in bot.ours() if not one.get("interaction_metadata")]
        assert ["It began.", "More."] == spoken
        first, again = (prompt.turns[-1].text for prompt in bot.model.prompts[1:])
        assert first == again


# --- the thought log ----------------------------------------------------------------------------------


async def known(bot: BotRoom, channel: str) -> Any:
    """The place, once the bot has heard of it."""
    await heard_of(lambda: bot.bot.get_channel(int(channel)))
    return bot.bot.get_channel(int(channel))


async def test_the_log_is_told_of_every_turn_but_those_that_are_private() -> None:
    async with bot_room(answer) as bot:
        room, world = commands_of(bot), bot.world
        log, hidden = world.add_channel(bot.guild, "log"), world.add_channel(bot.guild, "hidden")
        world.overwrite(hidden, bot.guild.everyone, deny=Permission.VIEW_CHANNEL)
        world.overwrite(hidden, bot.me, allow=Permission.VIEW_CHANNEL)
        thread = world.add_thread(bot.general, "thread")
        for channel in (log, hidden, thread):
            await known(bot, channel)
        await room.use(bot.mia, "config thought-log", given={"channel": log})

        async def logged(text: str, channel: str = "") -> list[str]:
            before = len(world.messages(log))
            assert await said(bot, text, channel=channel)
            return [one["embeds"][0]["description"] for one in world.messages(log)[before:]]

        [thought] = await logged(f"{bot.mention} think")
        assert thought.endswith("**Thoughts**\nHm, let me see.")
        [plain] = await logged("kitty hello")
        assert plain.startswith("Source: https://discord.com/")
        assert 3 == len(await logged(f"{bot.mention} much", thread))
        assert 1 == len(world.messages(log)[-1]["attachments"])
        assert [] == await logged(f"{bot.mention} think", hidden)
        assert [] == await logged("think", world.open_direct(bot.me, bot.mia))

        await room.use(bot.mia, "config language", language="ja")
        [japanese] = await logged(f"{bot.mention} think")
        assert "**思考**" in japanese
        await room.use(bot.mia, "config private", private=True)
        assert [] == await logged(f"{bot.mention} think")
        assert [] == await logged(f"{bot.mention} think", thread)


async def test_a_log_that_is_gone_or_closed_disturbs_nobody_and_status_says_so() -> None:
    async with bot_room(answer, staffed=stocked) as bot:
        room, world = commands_of(bot), bot.world
        log = world.add_channel(bot.guild, "log")
        place = await known(bot, log)
        await room.use(bot.mia, "config thought-log", given={"channel": log})
        await room.use(bot.tom, "status")
        assert "Thoughts" not in told(room)

        world.overwrite(log, bot.guild.everyone, deny=Permission.ATTACH_FILES)
        await heard_of(lambda: not place.permissions_for(place.guild.me).attach_files)
        await room.use(bot.tom, "status")
        assert f"Thoughts cannot be shown in <#{log}>" in told(room)
        await room.use(bot.mia, "config thought-log", given={"channel": log})
        assert told(room).startswith(f"I cannot post thoughts in <#{log}>")

        world.remove_channel(log)
        await heard_of(lambda: bot.bot.get_channel(int(log)) is None)
        assert ["Yes."] == [one["content"] for one in await said(bot, f"{bot.mention} think")]
        await room.use(bot.tom, "status")
        assert f"Thoughts cannot be shown in <#{log}>" in told(room)


async def test_the_language_of_the_configuration_holds_where_none_was_chosen() -> None:
    async with bot_room(answer, config=replace(CONFIG, language="ja")) as bot:
        room = commands_of(bot)
        await room.use(bot.mia, "config thought-log", given={"channel": bot.general})
        *_, log = await said(bot, f"{bot.mention} think")

        assert "**思考**" in log["embeds"][0]["description"]
