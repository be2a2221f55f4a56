"""Notes about people and servers."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.bot.config.config import MemoryConfig
from cadenza.bot.memory.notes import NOTE_LENGTH, About, By, NoteSubject, is_same
from cadenza.bot.store.store import Namespace
from cadenza.errors import InputError
from tests.bot.memory.remembering import HOME, MIA, TOM, Mind

pytestmark = pytest.mark.looptime

HER, HIM, THERE = NoteSubject(About.PERSON, MIA), NoteSubject(About.PERSON, TOM), NoteSubject(About.SERVER, HOME)


async def test_notes_are_listed_the_newest_first_with_numbers_that_stay() -> None:
    mind = Mind()
    for text in ("one", "two", "three"):
        await mind.memory.notes.add(HER, text, by=By.PERSON)
    await mind.memory.notes.delete(HER, 2)
    await mind.memory.notes.add(HER, "four", by=By.MODEL)

    notes = await mind.memory.notes.of(HER)

    assert [(4, "four", By.MODEL), (3, "three", By.PERSON), (1, "one", By.PERSON)] == [
        (note.number, note.text, note.by) for note in notes
    ]
    assert all(note.at == mind.seconds and note.key.startswith(f"user:{MIA}/") for note in notes)


@pytest.mark.parametrize(("subject", "belongs"), [(HER, (MIA, "")), (THERE, ("", HOME))], ids=["a person", "a server"])
async def test_a_note_belongs_to_whom_it_is_about(subject: NoteSubject, belongs: tuple[str, str]) -> None:
    mind = Mind()
    note = await mind.memory.notes.add(subject, " bakes\n bread ", by=By.PERSON)

    (record,) = await mind.store.find(Namespace.NOTES)
    assert belongs == (record.owner, record.server)
    assert (record.expires, note.text) == (None, "bakes bread")
    assert [] == await mind.memory.notes.of(HIM)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Mia likes pie.", "mia likes  PIE!", True),
        ("Mia likes pie.", "Mia likes the pie", True),
        ("Mia likes pie.", "pie Mia likes", True),
        ("Ｍｉａ likes pie", "Mia likes pie", True),
        ("Mia likes pie.", "Mia does not like pie.", False),
        ("Mia likes pie.", "Mia dislikes pie.", False),
        ("Born on 3 May", "Born on 4 May", False),
        ("It is", "That has", False),
        ("猫が好き", "犬が好き", False),
    ],
)
def test_two_notes_say_the_same(one: str, other: str, expected: bool) -> None:  # noqa: FBT001  # a table
    assert expected is is_same(one, other)


@given(st.text(), st.text())
def test_saying_the_same_goes_both_ways(one: str, other: str) -> None:
    assert is_same(one, one)
    assert is_same(one, other) is is_same(other, one)


async def test_the_same_is_not_noted_twice() -> None:
    mind = Mind()
    first = await mind.memory.notes.add(HER, "Mia likes pie.", by=By.PERSON)
    again = await mind.memory.notes.add(HER, "mia likes the pie", by=By.PERSON)

    assert first == again
    assert [first] == await mind.memory.notes.of(HER)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (" \n", "needs some words"),
        ("a" * (NOTE_LENGTH + 1), "500 characters"),
        ("my password is hunter22", "a password"),
    ],
)
async def test_what_cannot_be_a_note_is_refused(text: str, complaint: str) -> None:
    mind = Mind()

    with pytest.raises(InputError, match=complaint):
        await mind.memory.notes.add(HER, text, by=By.PERSON)
    assert [] == await mind.memory.notes.of(HER)


async def test_there_are_no_more_notes_than_there_may_be() -> None:
    mind = Mind(MemoryConfig(notes_limit=2))
    for text in ("one", "two"):
        await mind.memory.notes.add(HER, text, by=By.PERSON)

    with pytest.raises(InputError, match="delete one first"):
        await mind.memory.notes.add(HER, "three", by=By.PERSON)
    assert "one" == (await mind.memory.notes.add(HER, "one", by=By.PERSON)).text
    assert "three" == (await mind.memory.notes.add(HIM, "three", by=By.PERSON)).text


async def test_a_note_that_is_not_there_cannot_be_deleted() -> None:
    mind = Mind()
    await mind.memory.notes.add(HIM, "one", by=By.PERSON)

    assert await mind.memory.notes.delete(HER, 1) is None
    assert 1 == len(await mind.memory.notes.of(HIM))


async def test_all_notes_can_be_deleted_at_once() -> None:
    mind = Mind()
    for subject in (HER, HER, HIM):
        await mind.memory.notes.add(subject, f"note {len(await mind.memory.notes.of(subject))}", by=By.PERSON)

    assert 2 == await mind.memory.notes.clear(HER)
    assert ([], 1) == (await mind.memory.notes.of(HER), len(await mind.memory.notes.of(HIM)))


async def test_who_is_taken_out_leaves_what_people_wrote_themselves_but_for_the_id() -> None:
    mind = Mind()
    notes = mind.memory.notes
    await notes.add(THERE, "Baking day", by=By.MODEL, writer=MIA)
    await notes.add(THERE, "Cheese day", by=By.MODEL, writer=TOM)
    await notes.add(THERE, f"Ask <@{MIA}> or {MIA} for bread", by=By.PERSON)
    await notes.add(HIM, f"Tom knows {MIA}", by=By.MODEL)
    await notes.add(HER, "Mia bakes", by=By.MODEL)

    assert 2 == await notes.scrub(MIA)

    assert ["Ask @someone or someone for bread", "Cheese day"] == [note.text for note in await notes.of(THERE)]
    assert ([], 1) == (await notes.of(HIM), len(await notes.of(HER)))
