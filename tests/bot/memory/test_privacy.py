"""Privacy choices, and complete deletion."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from cadenza.bot.config.config import MemoryConfig
from cadenza.bot.memory.memory_service import Memory
from cadenza.bot.memory.notes import About, By, NoteSubject
from cadenza.bot.memory.privacy import Forgotten, PrivacyLevel, Wishes
from cadenza.bot.store.sqlite import SqliteStore
from cadenza.bot.store.store import Namespace, Record
from cadenza.errors import ToolError
from tests.bot.memory.remembering import (
    ANA,
    DIRECT,
    GARDEN,
    GENERAL,
    HOME,
    MIA,
    NAMES,
    PUBLIC,
    TOM,
    Mind,
    answer,
    elsewhere,
    ren,
    says,
)

WORDS = {MIA: "marzipan", TOM: "turbine", ANA: "anchovy"}
"""A word that nobody else says."""
HER = NoteSubject(About.PERSON, MIA)

pytestmark = pytest.mark.looptime

turns = st.lists(
    st.tuples(
        st.sampled_from([MIA, TOM, ANA]),
        st.sampled_from([GENERAL, GARDEN]),
        st.lists(st.sampled_from([MIA, TOM, ANA, "ren"]), max_size=14),
        st.sampled_from(["", "summary", "person", "server"]),
    ),
    max_size=6,
)


async def lived(mind: Mind, story: list[tuple[str, str, list[str], str]]) -> None:
    """Each person says their word, is answered with it, quoted, and noted."""
    for number, (person, channel, speakers, noted) in enumerate(story):
        where = elsewhere(person=person, channel=channel)
        history = [
            *(ren("Indeed.") if one == "ren" else says(one, f"{number} {WORDS[one]} for me") for one in speakers),
            says(person, f"{number} {WORDS[person]}, <@{person}>"),
        ]
        text = f"{number} They spoke of {WORDS[person]}."
        match noted:
            case "summary":
                told = " and ".join(WORDS[one] for one in {person, *speakers} - {"ren"})
                await mind.use(where, "summarise_conversation", *history, summary=f"They spoke of {told}.")
            case "person" | "server":
                await mind.use(where, "remember", *history, note=text, about=noted)
            case _:
                await mind.memory.notes.add(NoteSubject(About.PERSON, person), text, by=By.PERSON)
        await mind.keep(where, *history, reply=answer(f"You like {WORDS[person]}, <@{person}>!"))
        await mind.store.put(Record(Namespace.EXPLANATIONS, str(number), {"lines": [text]}, owner=person, server=HOME))


@given(turns)
@settings(max_examples=100)
def test_who_is_forgotten_is_in_no_record_by_id_or_word(story: list[tuple[str, str, list[str], str]]) -> None:
    async def check() -> None:
        mind = Mind()
        await mind.memory.privacy.set_direct(MIA, keeps=True)
        await lived(mind, story)
        gone = await mind.memory.privacy.forget(MIA)
        left = await mind.all_text()
        assert gone.records >= 1
        assert MIA not in left
        assert WORDS[MIA] not in left
        assert Forgotten() == await mind.memory.privacy.forget(MIA)

    asyncio.run(check())


@given(turns)
@settings(max_examples=50)
def test_of_who_wishes_full_privacy_nothing_is_ever_kept_but_the_wish(
    story: list[tuple[str, str, list[str], str]],
) -> None:
    async def check() -> None:
        mind = Mind()
        await mind.memory.privacy.set_level(MIA, PrivacyLevel.FULL)
        others = [(person, channel, speakers, "") for person, channel, speakers, _ in story if person != MIA]
        await lived(mind, others)
        await mind.keep(PUBLIC, says(MIA, WORDS[MIA]))
        left = await mind.all_text()
        assert WORDS[MIA] not in left
        assert left.count(MIA) == repr(await mind.store.get(Namespace.PEOPLE, MIA)).count(MIA)

    asyncio.run(check())


@given(turns)
@settings(max_examples=50)
def test_who_is_forgotten_takes_nothing_of_others_along(story: list[tuple[str, str, list[str], str]]) -> None:
    async def check() -> None:
        mind = Mind()
        alone = [(person, channel, [], "person") for person, channel, _, _ in story if person != MIA]
        await lived(mind, alone)
        before = await mind.all_text()
        await mind.memory.privacy.forget(MIA)
        assert before == await mind.all_text()

    asyncio.run(check())


async def test_without_a_choice_everything_is_remembered_but_direct_messages() -> None:
    assert Wishes(PrivacyLevel.OPEN, keeps_direct=False) == await Mind().memory.privacy.of(MIA)


async def test_a_choice_leaves_other_choices_alone() -> None:
    mind = Mind()
    await mind.store.put(Record(Namespace.PEOPLE, MIA, {"language": "ja"}, owner=MIA))
    await mind.memory.privacy.set_direct(MIA, keeps=True)
    await mind.memory.privacy.set_level(MIA, PrivacyLevel.LIMITED)

    assert Wishes(PrivacyLevel.LIMITED, keeps_direct=True) == await mind.memory.privacy.of(MIA)
    record = await mind.store.get(Namespace.PEOPLE, MIA)
    assert record is not None
    assert (MIA, "ja") == (record.owner, record.value["language"])


async def test_a_choice_that_is_not_understood_is_the_strictest() -> None:
    mind = Mind()
    await mind.store.put(Record(Namespace.PEOPLE, MIA, {"privacy": "odd", "direct": "odd"}, owner=MIA))

    assert Wishes(PrivacyLevel.FULL, keeps_direct=False) == await mind.memory.privacy.of(MIA)


@pytest.mark.parametrize(
    ("level", "gone", "left"),
    [
        pytest.param(PrivacyLevel.OPEN, Forgotten(), (1, 2), id="open"),
        pytest.param(PrivacyLevel.LIMITED, Forgotten(1), (0, 2), id="limited"),
        pytest.param(PrivacyLevel.FULL, Forgotten(2, 2), (0, 0), id="full"),
    ],
)
async def test_a_level_deletes_what_may_not_be_there(
    level: PrivacyLevel, gone: Forgotten, left: tuple[int, int]
) -> None:
    mind = Mind()
    await mind.keep()
    await mind.memory.notes.add(HER, "Mia bakes", by=By.PERSON)

    assert gone == await mind.memory.privacy.set_level(MIA, level)
    assert left == (len(await mind.memory.notes.of(HER)), len(await mind.entries()))
    assert level is (await mind.memory.privacy.of(MIA)).level


async def test_with_limited_privacy_conversations_are_kept_and_notes_are_not() -> None:
    mind = Mind()
    await mind.memory.privacy.set_level(MIA, PrivacyLevel.LIMITED)
    await mind.keep()

    assert 2 == len(await mind.entries())
    assert "apple pie" in await mind.recall(elsewhere())


async def test_who_wants_direct_messages_forgotten_loses_what_came_from_them_only() -> None:
    mind = Mind()
    await mind.memory.privacy.set_direct(MIA, keeps=True)
    await mind.keep(DIRECT)
    await mind.keep(PUBLIC)
    await mind.use(DIRECT, "remember", note="Mia sings in the bath.")
    await mind.use(PUBLIC, "remember", note="Mia bakes.")

    assert 2 == await mind.memory.privacy.set_direct(MIA, keeps=False)
    assert [HOME] * 2 == [record.server for record in await mind.entries()]
    assert ["Mia bakes."] == [note.text for note in await mind.memory.notes.of(HER)]


async def test_clearing_leaves_the_choices() -> None:
    mind = Mind()
    await mind.memory.privacy.set_direct(MIA, keeps=True)
    await mind.keep()
    await mind.memory.notes.add(HER, "Mia bakes", by=By.PERSON)
    await mind.store.put(Record(Namespace.EXPLANATIONS, "1", {}, owner=MIA))

    assert Forgotten(3, 2) == await mind.memory.privacy.clear(MIA)
    assert [Namespace.PEOPLE] == [namespace for namespace in Namespace if await mind.store.find(namespace)]


async def test_what_is_being_written_is_forgotten_too() -> None:
    mind = Mind()
    async with asyncio.TaskGroup() as group:
        for channel in (GENERAL, GARDEN):
            group.create_task(mind.keep(elsewhere(channel=channel)))
        group.create_task(mind.memory.privacy.set_level(MIA, PrivacyLevel.FULL))

    assert [] == await mind.entries()
    assert {MIA} == await mind.memory.privacy.hidden([*NAMES, ""])


async def test_who_keeps_something_elsewhere_is_told_who_is_forgotten(caplog: pytest.LogCaptureFixture) -> None:
    mind = Mind()
    heard: list[str] = []

    def breaks(person: str) -> None:
        raise ValueError(person)

    for listener in (breaks, heard.append):
        mind.memory.privacy.listen(listener)

    await mind.memory.privacy.forget(MIA)
    await mind.memory.privacy.set_level(TOM, PrivacyLevel.FULL)
    await mind.memory.privacy.set_level(ANA, PrivacyLevel.LIMITED)

    assert [MIA, TOM] == heard
    assert 2 == len(caplog.records)
    assert MIA not in str(caplog.messages)


async def test_to_forget_nobody_deletes_nothing() -> None:
    mind = Mind()
    await mind.keep()
    before = await mind.all_text()

    assert [Forgotten(), Forgotten()] == [await mind.memory.privacy.forget(""), await mind.memory.privacy.clear("")]
    assert before == await mind.all_text()


async def test_what_somebody_said_before_they_were_forgotten_is_not_written_down_anew() -> None:
    mind = Mind()
    await mind.memory.privacy.forget(MIA, asked="50")
    before, after = replace(PUBLIC, message="40"), replace(PUBLIC, message="60")
    old = replace(says(MIA, "I like marzipan"), message_id="40")
    new = replace(says(MIA, "I like turnips"), message_id="60")

    for name, arguments in (("remember", {"note": "Mia bakes"}), ("summarise_conversation", {"summary": "Cakes."})):
        with pytest.raises(ToolError, match="not kept"):
            await mind.use(before, name, old, **arguments)
    await mind.keep(before, old)
    assert [] == await mind.entries()
    await mind.keep(after, old, ren("Indeed."), new)
    text = await mind.all_text()
    assert ("marzipan" not in text, "turnips" in text) == (True, True)
    await mind.use(after, "remember", new, note="Mia bakes")
    assert 1 == len(await mind.memory.notes.of(HER))


async def test_of_no_more_than_so_many_is_it_known_since_when_they_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cadenza.bot.memory.privacy._MOST_FORGOTTEN", 2)
    privacy = Mind().memory.privacy
    for person in ("1", "2", "1", "3"):
        await privacy.forget(person, asked="9")

    assert [True, False, True] == [privacy.is_forgotten(person, "8") for person in ("1", "2", "3")]


@pytest.mark.looptime(False)  # noqa: FBT003  # a store has a thread
@pytest.mark.parametrize("how", ["forget", "clear", "direct"])
async def test_nothing_is_left_in_the_file_not_even_of_what_has_expired(how: str, tmp_path: Path) -> None:
    now = 1_800_000_000.0
    path = tmp_path / "cadenza.db"
    async with SqliteStore(str(path), clock=lambda: now, sweep_every=1e9) as store:
        memory = Memory(store, MemoryConfig, clock=lambda: now)
        await memory.privacy.set_direct(MIA, keeps=True)
        if how == "forget":
            await memory.keep(elsewhere(person=TOM), [says(MIA, "I like marzipan"), says(TOM, "So?")], answer())
            now += 13 * 3600.0
        await memory.keep(DIRECT, [says(MIA, "I like marzipan")], answer())
        assert b"marzipan" in _bytes(tmp_path)
        match how:
            case "forget":
                await memory.privacy.forget(MIA)
            case "clear":
                await memory.privacy.clear(MIA)
            case _:
                await memory.privacy.set_direct(MIA, keeps=False)

        assert b"marzipan" not in _bytes(tmp_path)


def _bytes(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())
