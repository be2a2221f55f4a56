"""``/explain``, and the menu of a message."""

from __future__ import annotations

import asyncio

import discord
import pytest

from cadenza.bot.commands import explain as command
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.store import StoreError
from cadenza.explain.words import explain
from cadenza.facts import MessageSent
from cadenza.languages import catalogue
from cadenza.sim.permissions import Permission
from cadenza.targets.discord_py.channel_info import room_of
from cadenza.targets.discord_py.client_state import ClientState
from cadenza.types import Boundary, Completed, Identity, Post, Reply
from tests.bot.command_room import CommandRoom, command_room
from tests.bot.some_facts import logged

pytestmark = pytest.mark.timeout(60)

NOT_THERE = "There is no such message here, or you cannot read it."
UNKNOWN = "I have no record of that message: it is too old, or nothing was kept."


async def said(room: CommandRoom, text: str = "Hi.", *, channel: str = "", name: str = "", is_kept: bool = True) -> str:
    """The bot says something, as itself or as *name*, and knows why; gives back the id of the message."""
    client_state = ClientState.of(room.client)
    place = room.client.get_channel(int(channel or room.general))
    target = await client_state.target(await room_of(place), persona=Identity(name) if name else None)
    receipt = await target.send(Post(text, Boundary.FINAL))
    await client_state.close()
    if is_kept:
        known, id_ = room.services.explanations, receipt.message_id
        known.listen(id_)(logged(MessageSent, 1.0, id_, text=text, message=id_, seconds=0.5))
        await known.keep(id_, Reply(Completed(), (receipt,)), server=room.guild.id, author=room.mia.id)
    return receipt.message_id


def story(text: str, language: str = "en") -> str:
    """What is told of a message with *text*."""
    told = "\n".join(explain([logged(MessageSent, 1.0, text=text, message="1", seconds=0.5)], language=language))
    return f"```text\n{told}\n```"


@pytest.mark.parametrize("name", ["", "Ren"], ids=["the bot", "a character"])
async def test_the_last_message_is_explained_if_none_is_named(name: str) -> None:
    async with command_room(command.commands) as room:
        await said(room, "One.")
        await said(room, "Two.", name=name)
        await said(room, "A notice.", is_kept=False)
        room.tom.says(room.general, "Why?")

        assert story("Two.") == await room.use(room.tom, "explain")
        assert room.is_ephemeral


async def test_where_there_is_nothing_to_explain_it_says_so() -> None:
    async with command_room(command.commands) as room:
        room.tom.says(room.general, "Why?")

        answer = await room.use(room.tom, "explain")

    assert "I have no message in this channel to explain." == answer


@pytest.mark.parametrize(
    "named",
    [
        "{id}",
        " {id} ",
        "https://discord.com/channels/{guild}/{channel}/{id}",
        "https://ptb.discord.com/channels/{guild}/{channel}/{id}/",
    ],
)
async def test_a_message_is_named_by_its_id_or_its_address(named: str) -> None:
    async with command_room(command.commands) as room:
        id_ = await said(room, "One.")
        await said(room, "Two.")
        wish = named.format(id=id_, guild=room.guild.id, channel=room.general)

        assert story("One.") == await room.use(room.tom, "explain", message=wish)


@pytest.mark.parametrize(
    ("named", "answer"),
    [
        ("yesterday", "That is neither a link to a message nor its id."),
        ("https://example.com/1/2/3", "That is neither a link to a message nor its id."),
        ("1234", NOT_THERE),
        ("https://discord.com/channels/1/2/3", NOT_THERE),
        ("https://discord.com/channels/@me/2/3", NOT_THERE),
    ],
)
async def test_nonsense_is_answered_with_a_sentence(named: str, answer: str) -> None:
    async with command_room(command.commands) as room:
        assert answer == await room.use(room.tom, "explain", message=named)


async def test_what_somebody_else_said_is_not_explained() -> None:
    async with command_room(command.commands) as room:
        theirs = room.tom.says(room.general, "Hi.")

        assert "That is not one of my messages." == await room.use(room.tom, "explain", message=theirs)
        assert "That is not one of my messages." == await room.use(room.tom, "Explain", target=theirs)


async def test_what_is_not_known_any_more_is_said_to_be_so() -> None:
    async with command_room(command.commands) as room:
        id_ = await said(room, is_kept=False)

        assert UNKNOWN == await room.use(room.tom, "explain", message=id_)


async def test_another_channel_is_told_of_only_to_who_can_read_there() -> None:
    async with command_room(command.commands) as room:
        hidden = asyncio.create_task(
            room.client.wait_for("guild_channel_update", check=lambda _, now: len(now.overwrites) == 2, timeout=5.0)
        )
        await asyncio.sleep(0)
        secret = room.world.add_channel(room.guild, "secret")
        room.world.overwrite(secret, room.guild.everyone, deny=Permission.VIEW_CHANNEL)
        room.world.overwrite(secret, room.bot, allow=Permission.VIEW_CHANNEL)
        await hidden
        id_ = await said(room, "Psst.", channel=secret)
        address = f"https://discord.com/channels/{room.guild.id}/{secret}/{id_}"

        assert NOT_THERE == await room.use(room.tom, "explain", message=address)
        assert NOT_THERE == await room.use(room.tom, "explain", message=id_)
        assert story("Psst.") == await room.use(room.mia, "explain", message=address)


async def test_the_menu_of_a_message_explains_it() -> None:
    async with command_room(command.commands) as room:
        id_ = await said(room, "One.", name="Ren")
        await said(room, "Two.")

        assert story("One.") == await room.use(room.tom, "Explain", target=id_)
        assert room.is_ephemeral


async def test_whoever_has_discord_in_japanese_is_told_in_japanese() -> None:
    async with command_room(command.commands) as room:
        await said(room, "Two.")
        room.world.set_locale(room.tom.id, "ja")

        told = await room.use(room.tom, "explain")
        assert told.startswith('```text\n    1.000 s  メッセージ 1："Two."\n')
        assert story("Two.", "ja") == told
        assert story("Two.") == await room.use(room.mia, "explain")


async def test_a_fence_in_a_story_does_not_end_it() -> None:
    async with command_room(command.commands) as room:
        await said(room, "```code```")

        assert story("`\u200b``code`\u200b``") == await room.use(room.tom, "explain")


async def test_a_story_that_does_not_fit_is_a_file() -> None:
    text = "long " * 390
    async with command_room(command.commands) as room:
        await said(room, text)

        assert "The explanation is long; it is in the file." == await room.use(room.tom, "explain")
        assert text.strip() in room.file().decode()
        assert ["explanation.txt"] == [file["filename"] for one in room.answers for file in one["attachments"]]
        assert room.is_ephemeral


async def test_it_works_in_direct_messages_too() -> None:
    async with command_room(command.commands) as room:
        direct = room.world.open_direct(room.bot, room.mia)
        await room.client.create_dm(discord.Object(int(room.mia.id)))
        id_ = await said(room, "Psst.", channel=direct)
        await said(room, "Hello.")

        assert story("Psst.") == await room.use(room.mia, "explain", channel=direct)
        address = f"https://discord.com/channels/@me/{direct}/{id_}"
        assert story("Psst.") == await room.use(room.mia, "explain", channel=direct, message=address)
        assert NOT_THERE == await room.use(room.mia, "explain", message=address)


async def test_where_the_bot_cannot_read_back_it_says_so() -> None:
    async with command_room(command.commands) as room:
        id_ = await said(room)
        room.world.overwrite(room.general, room.bot, deny=Permission.READ_MESSAGE_HISTORY)

        assert NOT_THERE == await room.use(room.tom, "explain", message=id_)
        assert "I have no message in this channel to explain." == await room.use(room.tom, "explain")
        assert story("Hi.") == await room.use(room.tom, "Explain", target=id_)


async def test_a_store_that_does_not_work_is_told() -> None:
    class Broken(MemoryStore):
        async def get(self, *_: object) -> None:
            msg = "The store cannot be read; look at the disk."
            raise StoreError(msg)

    async with command_room(command.commands, store=Broken()) as room:
        id_ = await said(room, is_kept=False)

        assert "The store cannot be read; look at the disk." == await room.use(room.tom, "explain", message=id_)


async def test_its_names_are_there_in_japanese() -> None:
    async with command_room(command.commands) as room:
        stored = {command["name"]: command for command in room.world.get_commands(room.bot.id, None)}

    assert {"explain": "説明", "Explain": "説明する"} == {
        name: command["name_localizations"]["ja"] for name, command in stored.items()
    }
    assert "メッセージ" == stored["explain"]["options"][0]["name_localizations"]["ja"]
    assert all(text.strip() for text in catalogue("ja").values())
