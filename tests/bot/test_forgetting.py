"""Whoever is forgotten is forgotten by the whole bot: in its file, in what it knows, and in what it does next."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cadenza.bot.memory.notes import About, By, NoteSubject
from cadenza.bot.reply_controls import Asker
from cadenza.bot.store.sqlite import SqliteStore
from cadenza.bot.store.store import Namespace
from cadenza.sim import interactions
from cadenza.sim.people import Person
from cadenza.sim.permissions import Permission
from cadenza.types import Prompt
from tests.bot.bot_room import BotRoom, bot_room, parrot


async def _is_forgotten(room: BotRoom, person: Person, button: str = "Forget me") -> None:
    """Let *person* have themselves forgotten, as people do it."""
    used = person.commands(room.general, "forget me")
    await room.until(lambda: interactions.find(room.world.state, used).is_answered)
    await room.heard()
    asked = [one for one in room.world.messages(room.general) if one["components"]][-1]
    parts = [part for row in asked["components"] for part in row["components"]]
    chosen = next(part["custom_id"] for part in parts if part["label"] == button)
    pressed = person.presses(room.general, asked["id"], chosen)
    await room.until(lambda: interactions.find(room.world.state, pressed).is_answered)
    await room.heard()


def _found(folder: Path, *words: str) -> list[str]:
    """Which of *words* are somewhere in the files of *folder*."""
    data = b"".join(file.read_bytes() for file in folder.iterdir())
    return [word for word in words if word.encode() in data]


async def test_nothing_of_whoever_is_forgotten_is_in_the_file_nor_comes_back(tmp_path: Path) -> None:
    async with SqliteStore(str(tmp_path / "cadenza.db")) as store, bot_room(parrot, store=store) as room:
        words = ("marzipan", "Mia", room.mia.id)
        direct = room.world.open_direct(room.me, room.mia)
        room.mia.says(direct, "turbine")
        await room.heard()
        await room.quiet()
        assert [] == _found(tmp_path, "turbine")
        await room.asks("I am Mia and I love marzipan")
        await room.asks("“I am Mia and I love marzipan”, that is what she says", by=room.tom)
        assert [*words] == _found(tmp_path, *words)

        await _is_forgotten(room, room.mia)
        assert [] == _found(tmp_path, *words)
        assert [] == [heard for heard in room.bot.admission._recent.values() if heard.author == room.mia.id]
        assert [] == [own for _, own in room.bot.own._known.values() if own and own.author == room.mia.id]

        await room.asks("and now?", by=room.tom)  # her words still stand in the channel
        assert [] == _found(tmp_path, *words)
        await room.asks("I like turnips")
        assert ["turnips", room.mia.id] == _found(tmp_path, "marzipan", "turnips", room.mia.id)


async def test_an_answer_under_way_is_not_remembered_of_whoever_is_forgotten_meanwhile() -> None:
    def slowly(prompt: Prompt) -> Iterable[str | float]:
        del prompt
        for number in range(40):
            yield from (f"Line {number}.\n", 0.05)

    async with bot_room(slowly) as room:
        room.mia.says(room.general, f"{room.mention} tell me of marzipan")
        await room.until(room.answers)
        await _is_forgotten(room, room.mia)
        assert room.bot.control.running(room.general)
        await room.quiet()

        kept = [record for namespace in Namespace for record in await room.services.store.find(namespace)]
        assert [] == [record for record in kept if room.mia.id in repr(record) or "marzipan" in repr(record)]


async def test_who_has_an_answer_to_somebody_else_again_is_not_who_is_answered() -> None:
    async with bot_room(parrot) as room:
        for person, note in ((room.mia, "Likes marzipan."), (room.tom, "Likes turbines.")):
            await room.services.memory.notes.add(NoteSubject(About.PERSON, person.id), note, by=By.PERSON)
        await room.asks("hello", by=room.tom)
        assert await room.bot.control.regenerate(room.general, Asker(room.mia.id, may_manage=True)) is None
        await room.heard()
        await room.quiet()

        told = [turn.text for turn in room.model.prompts[-1].turns]
        assert [] == [text for text in told if "marzipan" in text]
        assert any("Your notes about Tom (" in text and "1. Likes turbines." in text for text in told)


async def test_what_was_said_in_a_channel_that_is_closed_by_now_is_told_nowhere_else() -> None:
    async with bot_room(parrot) as room:
        garden = room.world.add_channel(room.guild, "garden")
        await room.heard()
        room.mia.says(garden, f"{room.mention} marzipan")
        await room.heard()
        await room.quiet()
        await room.asks("hello")
        assert any("marzipan" in turn.text for turn in room.model.prompts[-1].turns)

        room.world.overwrite(garden, room.guild.everyone, deny=Permission.VIEW_CHANNEL)
        room.world.overwrite(garden, room.me, allow=Permission.VIEW_CHANNEL)
        await room.asks("hello again")
        assert not any("marzipan" in turn.text for turn in room.model.prompts[-1].turns)
