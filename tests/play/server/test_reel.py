"""The reel: numbers that go on, room that is bounded, and nobody who waits in vain."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given, strategies as st

from cadenza.play.films.film import FilmRecord
from cadenza.play.server.reel import Reel

pytestmark = pytest.mark.looptime


def _record(turn: str = "", kind: str = "fact") -> FilmRecord:
    return FilmRecord(0.0, kind, {"turn": turn} if turn else {})


def _numbers(reel: Reel) -> list[int]:
    return [record.number for record in reel.beyond(0, 1_000_000)]


async def test_each_has_a_number_and_a_page_goes_on_from_where_it_was() -> None:
    reel = Reel()
    for _ in range(5):
        reel.add(_record())

    assert [4, 5] == [record.number for record in reel.beyond(3, 10)]
    assert [1, 2] == [record.number for record in reel.beyond(0, 2)]
    assert {"at": 0.0, "kind": "fact"} == json.loads(reel.beyond(4, 1)[0].data)


async def test_of_a_turn_that_alone_is_too_long_the_beginning_is_dropped() -> None:
    reel = Reel(most=100)
    reel.add(_record(kind="person"))
    for _ in range(500):
        reel.add(_record("endless"))

    assert len(_numbers(reel)) <= 100
    assert [1, 501] == [_numbers(reel)[0], _numbers(reel)[-1]]


async def test_old_turns_are_dropped_whole_and_who_is_there_stays() -> None:
    reel = Reel(most=100)
    reel.add(_record(kind="person"))
    for number in range(40):
        for _ in range(5):
            reel.add(_record(f"turn {number}"))

    kept = reel.beyond(0, 1000)

    assert len(kept) <= 100
    assert 1 == kept[0].number
    assert 201 == kept[-1].number
    turns = [record.turn for record in kept if record.turn]
    assert {5} == {turns.count(turn) for turn in turns}


@given(st.lists(st.sampled_from(["", "a", "b", "c"]), max_size=300))
async def test_it_never_grows_beyond_its_bounds_and_loses_only_what_is_old(turns: list[str]) -> None:
    reel = Reel(most=50)
    for turn in turns:
        reel.add(_record(turn))

    numbers = _numbers(reel)

    assert len(numbers) <= 50
    assert numbers == sorted(set(numbers))
    assert numbers[-40:] == list(range(1, len(turns) + 1))[-40:]


async def test_who_waits_is_told() -> None:
    reel = Reel()
    waiting = asyncio.create_task(reel.news(0))
    await asyncio.sleep(1)
    assert not waiting.done()

    reel.add(_record())

    async with asyncio.timeout(1):
        await waiting


async def test_who_waits_for_nothing_more_is_told_that() -> None:
    reel = Reel()
    waiting = [asyncio.create_task(reel.news(0)) for _ in range(3)]
    await asyncio.sleep(1)

    reel.close()

    async with asyncio.timeout(1):
        await asyncio.gather(*waiting)
    assert reel.is_over


async def test_half_a_character_of_a_stream_that_was_cut_badly_is_told_as_it_is() -> None:
    reel = Reel()

    reel.add(FilmRecord(0.0, "tokens", {"turn": "1", "text": "\ud83d"}))

    assert "\ud83d" == json.loads(reel.beyond(0, 1)[0].data)["text"]
