"""``/memory`` and ``/forget`` in a simulated Discord."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from cadenza.bot.commands import memory
from cadenza.bot.config.config import Config, MemoryConfig
from cadenza.bot.memory.location import Location
from cadenza.bot.memory.notes import About, By, NoteSubject
from cadenza.bot.memory.privacy import PrivacyLevel
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.store import Namespace, Record, StoreError
from cadenza.sim.people import Person
from cadenza.types import Completed, Line, Reply
from tests.bot.command_room import CommandRoom, command_room

pytestmark = pytest.mark.timeout(60)


@asynccontextmanager
async def room_of_memories() -> AsyncIterator[CommandRoom]:
    async with command_room(memory.commands) as room:
        yield room


async def kept(room: CommandRoom, person: Person, text: str = "apple pie") -> None:
    """Let *person* have been answered."""
    where = Location(person.id, room.general, server=room.guild.id)
    history = (Line(person.name, text, author=person.id),)
    await room.services.memory.keep(where, history, Reply(Completed(), transcript="Of course."))


async def size(room: CommandRoom, namespace: Namespace, owner: str | None = None) -> int:
    return len(await room.services.store.find(namespace, owner=owner))


async def test_notes_are_written_listed_and_deleted() -> None:
    async with room_of_memories() as room:
        head = "Your privacy is “open”; memory of direct messages is off.\n"
        assert f"{head}There are no notes about you." == await room.use(room.tom, "memory list")
        assert "Kept as note 1." == await room.use(room.tom, "memory note", text="I like cheese")
        assert "Kept as note 2." == await room.use(room.tom, "memory note", text="I like trains")
        assert f"{head}2. I like trains\n1. I like cheese" == await room.use(room.tom, "memory list")
        assert f"{head}There are no notes about you." == await room.use(room.mia, "memory list")

        assert ["1"] == await room.suggest(room.tom, "memory delete", "note", "CHEE")
        assert [] == await room.suggest(room.mia, "memory delete", "note", "")
        refusal = "There is no such note; choose one from the list."
        assert refusal == await room.use(room.mia, "memory delete", note=1)
        assert "Deleted: I like cheese" == await room.use(room.tom, "memory delete", note=1)
        assert refusal == await room.use(room.tom, "memory delete", note=1)
        assert f"{head}2. I like trains" == await room.use(room.tom, "memory list")
        assert room.is_ephemeral


async def test_a_note_that_cannot_be_one_is_refused_with_a_sentence() -> None:
    async with room_of_memories() as room:
        said = await room.use(room.tom, "memory note", text="my password is hunter22")
        assert "That looks like a key, a token or a password, and such things are not kept in notes." == said
        assert "A note needs some words." == await room.use(room.tom, "memory note", text=" ")
        await room.services.memory.privacy.set_level(room.tom.id, PrivacyLevel.LIMITED)
        said = await room.use(room.tom, "memory note", text="I like cheese")
        assert said == "You have chosen not to have notes kept; “/memory privacy” changes that."
        assert 0 == await size(room, Namespace.NOTES)


async def test_a_long_list_has_pages() -> None:
    async with room_of_memories() as room:
        for number in range(9):
            note = f"note {number} " + "a" * 480
            await room.services.memory.notes.add(NoteSubject(About.PERSON, room.tom.id), note, by=By.MODEL)

        first, last, beyond = [await room.use(room.tom, "memory list", page=page) for page in (1, 3, 99)]

        assert "9. note 8 aaa" in first
        assert "(written by the model)" in first
        assert first.endswith("Page 1 of 3")
        assert "1. note 0 aaa" in last
        assert last == beyond
        assert all(len(page) <= 2000 for page in (first, last))
        assert 9 == len(await room.suggest(room.tom, "memory delete", "note", "note"))


async def test_a_conversation_of_one_message_is_told_as_such() -> None:
    async with room_of_memories() as room:
        config = room.services.config
        config.change(replace(config.now, memory=replace(config.now.memory, messages=1)))
        await kept(room, room.tom)

        assert (await room.use(room.tom, "memory summary")).endswith(":R>: 1 message")


async def test_conversations_are_shown_to_whose_they_are() -> None:
    async with room_of_memories() as room:
        assert "I remember no conversation with you." == await room.use(room.tom, "memory summary")
        await kept(room, room.tom)
        said = await room.use(room.tom, "memory summary")
        assert said.startswith(f"<#{room.general}>, <t:")
        assert said.endswith(":R>: 2 messages")
        where = Location(room.tom.id, room.general, server=room.guild.id)
        await room.services.memory.short_term.sum_up(where, "They spoke of pie.", people=())
        assert (await room.use(room.tom, "memory summary")).endswith(":R>: They spoke of pie.")
        assert "I remember no conversation with you." == await room.use(room.mia, "memory summary")


@pytest.mark.parametrize(
    ("level", "said", "left"),
    [
        ("open", "From now on I remember recent conversations and keep notes about you. Deleted: 0.", 2),
        ("limited", "From now on I remember recent conversations, but keep no notes about you. Deleted: 1.", 1),
        (
            "full",
            "From now on I remember nothing about you, and your words are not kept in the memory of others. Deleted: 4.",
            0,
        ),
    ],
)
async def test_a_level_is_chosen(level: str, said: str, left: int) -> None:
    async with room_of_memories() as room:
        await kept(room, room.tom)
        await room.use(room.tom, "memory note", text="I like cheese")

        assert said == await room.use(room.tom, "memory privacy", level=level)

        assert PrivacyLevel(level) is (await room.services.memory.privacy.of(room.tom.id)).level
        owned = [await size(room, namespace, room.tom.id) for namespace in (Namespace.NOTES, Namespace.SHORT_TERM)]
        assert left == sum(owned)


async def test_direct_messages_are_remembered_if_asked_for() -> None:
    async with room_of_memories() as room:
        private = room.world.open_direct(room.bot, room.tom)

        said = await room.use(room.tom, "memory direct", channel=private, state="on")
        assert "From now on I remember our direct messages; I use them nowhere else." == said
        assert "direct messages is on." in await room.use(room.tom, "memory list")
        said = await room.use(room.tom, "memory direct", channel=private, state="off")
        assert "I do not remember direct messages. Deleted: 0." == said


async def test_everything_can_be_had_as_a_file() -> None:
    async with room_of_memories() as room:
        await kept(room, room.tom)
        await kept(room, room.mia, "secret of Mia")

        assert "This is everything that is kept about you." == await room.use(room.tom, "memory export")

        exported = json.loads(room.file())
        assert room.tom.id == exported["person"]
        assert ["short_term"] == list(exported["records"])
        assert room.is_ephemeral
        assert b"secret of Mia" not in room.file()


@pytest.mark.parametrize("command", ["forget me", "memory forget"])
async def test_who_wants_to_be_forgotten_is_asked_once_more(command: str) -> None:
    async with room_of_memories() as room:
        await kept(room, room.tom)
        await room.use(room.tom, "memory note", text="I like cheese")
        await room.services.memory.privacy.set_direct(room.tom.id, keeps=True)

        await room.use(room.tom, command)
        assert room.is_ephemeral
        assert "Nothing was deleted." == await room.press(room.tom, "Cancel")
        assert 1 == await size(room, Namespace.NOTES)

        await room.use(room.tom, command)
        said = await room.press(room.tom, "Forget me")
        assert "Deleted: 3 records of yours and 2 lines in the memory of others." in said
        assert [0] * len(Namespace) == [await size(room, namespace) for namespace in Namespace]


async def test_who_wants_to_be_forgotten_for_good_leaves_that_wish() -> None:
    async with room_of_memories() as room:
        await kept(room, room.tom)
        await room.use(room.tom, "forget me")

        said = await room.press(room.tom, "Forget me, and remember nothing in future")

        assert said.endswith("Only your wish not to be remembered is kept.")
        assert [(Namespace.PEOPLE, {"privacy": "full"})] == [
            (record.namespace, record.value)
            for namespace in Namespace
            for record in await room.services.store.find(namespace)
        ]


async def test_clearing_leaves_the_choices() -> None:
    async with room_of_memories() as room:
        await kept(room, room.tom)
        await room.services.memory.privacy.set_direct(room.tom.id, keeps=True)
        await room.use(room.tom, "memory clear")

        assert "Deleted: 3." == await room.press(room.tom, "Delete")

        assert (1, 0) == (await size(room, Namespace.PEOPLE), await size(room, Namespace.SHORT_TERM))


async def test_notes_of_a_server_are_for_who_manages_it() -> None:
    async with room_of_memories() as room:
        assert "There are no notes about this server." == await room.use(room.mia, "memory server list")
        assert "Kept as note 1." == await room.use(room.mia, "memory server note", text="Be kind")
        assert "1. Be kind" == await room.use(room.mia, "memory server list")
        assert ["1"] == await room.suggest(room.mia, "memory server delete", "note", "kind")

        refusal = "You need the permission “Manage Server” for this."
        for command, options in (("list", {}), ("note", {"text": "Be rude"}), ("delete", {"note": 1})):
            assert refusal == await room.use(room.tom, f"memory server {command}", **options)
        assert [] == await room.suggest(room.tom, "memory server delete", "note", "")
        assert "There is no such note; choose one from the list." == await room.use(
            room.mia, "memory server delete", note=7
        )
        assert "Deleted: Be kind" == await room.use(room.mia, "memory server delete", note=1)


async def test_there_are_no_servers_in_direct_messages() -> None:
    async with room_of_memories() as room:
        private = room.world.open_direct(room.bot, room.mia)

        said = await room.use(room.mia, "memory server note", channel=private, text="Be kind")

        assert "This works in servers only." == said
        assert [] == await room.suggest(room.mia, "memory server delete", "note", "", channel=private)
        assert 0 == await size(room, Namespace.NOTES)


async def test_there_may_be_no_more_notes_than_the_operator_says() -> None:
    async with command_room(memory.commands, config=Config(memory=MemoryConfig(notes_limit=1))) as room:
        await room.use(room.tom, "memory note", text="one")

        said = await room.use(room.tom, "memory note", text="two")

        assert "The limit of notes is reached; delete one first." == said


class BrokenStore(MemoryStore):
    """A store whose disk is gone."""

    async def find(self, *_: object, **__: object) -> list[Record]:
        msg = "The store cannot be read; look after the disk."
        raise StoreError(msg)

    async def forget(self, **_: object) -> int:
        msg = "The store cannot be written; look after the disk."
        raise StoreError(msg)


async def test_a_broken_store_is_told_in_a_sentence() -> None:
    async with command_room(memory.commands, store=BrokenStore()) as room:
        assert "The store cannot be read; look after the disk." == await room.use(room.tom, "memory list")
        assert [] == await room.suggest(room.tom, "memory delete", "note", "")
        await room.use(room.tom, "forget me")
        assert "The store cannot be read; look after the disk." in await room.press(room.tom, "Forget me")
