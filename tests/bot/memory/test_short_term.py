"""Entries in the store: for whom, how long, and how somebody is taken out of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cadenza.bot.config.config import MemoryConfig
from cadenza.bot.memory.short_term import SUMMARY_LENGTH
from tests.bot.memory.remembering import (
    GARDEN,
    GENERAL,
    HOME,
    MIA,
    PUBLIC,
    SECRET_ROOM,
    TOM,
    Mind,
    answer,
    elsewhere,
    ren,
    says,
)

pytestmark = pytest.mark.looptime


async def test_an_entry_says_where_it_comes_from_and_to_whom_it_belongs() -> None:
    mind = Mind()
    await mind.keep(replace(PUBLIC, parent="77"))

    of_server, of_person = await mind.entries()

    assert [("", HOME), (MIA, HOME)] == [(one.owner, one.server) for one in (of_server, of_person)]
    expected = {"channel_name": "general", "parent": "77", "server_name": "Home", "persona": "ren", "turn": "t1"}
    assert expected == {name: of_person.value[name] for name in expected}
    assert mind.seconds + 12 * 3600 == of_person.expires


async def test_in_a_private_channel_only_the_person_has_an_entry() -> None:
    mind = Mind()
    await mind.keep(SECRET_ROOM)

    assert [MIA] == [record.owner for record in await mind.entries()]


@pytest.mark.parametrize(
    ("config", "hours"),
    [(MemoryConfig(), 24), (MemoryConfig(hours=2, summary_hours=3), 3), (MemoryConfig(hours=5, summary_hours=3), 5)],
)
async def test_with_a_summary_an_entry_lives_no_shorter_than_without(config: MemoryConfig, hours: float) -> None:
    mind = Mind(config)
    await mind.memory.short_term.sum_up(PUBLIC, "Pie.", people=())

    assert {mind.seconds + 3600 * hours} == {record.expires for record in await mind.entries()}


async def test_a_summary_keeps_the_lines_and_refreshes_the_time() -> None:
    mind = Mind()
    await mind.keep()
    mind.pass_hours(5)
    await mind.memory.short_term.sum_up(PUBLIC, "Pie." * 1000, people=[TOM])

    (entry,) = await mind.memory.short_term.of_person(MIA)
    assert (2, mind.seconds, SUMMARY_LENGTH) == (len(entry.lines), entry.at, len(entry.summary))
    assert {MIA, TOM} == entry.summary_of


async def test_the_newest_comes_first() -> None:
    mind = Mind()
    await mind.keep(elsewhere(channel=GARDEN))
    mind.pass_hours(1)
    await mind.keep(PUBLIC)

    assert [GENERAL, GARDEN] == [entry.channel for entry in await mind.memory.short_term.of_person(MIA)]
    assert [GENERAL, GARDEN] == [entry.channel for entry in await mind.memory.short_term.of_server(HOME)]


async def test_nobody_is_taken_for_somebody_whose_id_begins_alike() -> None:
    mind = Mind()
    await mind.keep()

    assert [] == await mind.memory.short_term.of_person(MIA[:-1])
    assert [] == await mind.memory.short_term.of_server(HOME[:-1])


async def test_who_is_taken_out_is_taken_out_of_the_entries_of_others_too() -> None:
    mind = Mind()
    await mind.keep(PUBLIC, says(TOM, "cheese"), ren("Cheese, Tom?"), says(MIA, "pie"))

    assert 4 == await mind.memory.short_term.scrub(TOM)

    assert ["pie", "Of course."] * 2 == [line["text"] for one in await mind.entries() for line in one.value["lines"]]  # type: ignore[attr-defined]  # a list in JSON


async def test_an_entry_with_nothing_left_is_deleted_and_others_stay_as_they_are() -> None:
    mind = Mind()
    await mind.keep(PUBLIC)
    await mind.keep(elsewhere(person=TOM), reply=answer("Sure."))

    assert 2 == await mind.memory.short_term.scrub(MIA)
    assert [f"server:{HOME}:{GARDEN}:ren", f"user:{MIA}:{GENERAL}:ren", f"user:{TOM}:{GARDEN}:ren"] == [
        record.key for record in await mind.entries()
    ]
    assert 1 == await mind.memory.short_term.clear(MIA)
    assert [] == await mind.memory.short_term.of_person(MIA)


async def test_a_summary_goes_with_whoever_has_a_part_in_it_and_the_lines_of_others_stay() -> None:
    mind = Mind()
    await mind.keep(PUBLIC)
    await mind.memory.short_term.sum_up(PUBLIC, "Pie and cheese.", people=[TOM])

    assert 2 == await mind.memory.short_term.scrub(TOM)

    (entry,) = await mind.memory.short_term.of_person(MIA)
    assert ("", 2) == (entry.summary, len(entry.lines))


async def test_nothing_is_written_of_nothing() -> None:
    mind = Mind(MemoryConfig(messages=0))
    await mind.keep()

    assert [] == await mind.entries()


async def test_a_channel_is_forgotten_for_everybody_and_others_are_not() -> None:
    mind = Mind()
    await mind.keep(PUBLIC)
    await mind.keep(replace(PUBLIC, channel="other"))

    assert 2 == await mind.memory.short_term.leave(PUBLIC.channel, server=HOME)
    assert {"other"} == {record.value["channel"] for record in await mind.entries()}
    assert 0 == await mind.memory.short_term.leave(PUBLIC.channel, server=HOME)
