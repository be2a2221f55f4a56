"""Films that are asked for: two at a time, no longer than is allowed, and given up when nobody waits."""

from __future__ import annotations

import asyncio
import json
import threading
import time

import pytest

from cadenza.errors import InputError
from cadenza.play.films.virtual_time import GivenUp
from cadenza.play.server.film_jobs import AT_ONCE, LARGE, WAITING, FilmJobs
from cadenza.play.server.request_types import Limit, Rehearse, Side, SideFault
from tests.play.films.told import unpacked
from tests.play.server.playing import PATIENCE

LONG = "All work and no play makes a dull evening.\n" * (LARGE // 43)
"""As long as what a thread is given to do can be."""


async def test_each_side_has_its_film() -> None:
    faults = (SideFault("rate_limit", 1, 1, 2.0),)
    sides = (
        Side(settings={"degree": 1}),
        Side(limits=Limit(1, 60.0), faults=faults),
    )

    made = json.loads(await FilmJobs().rehearsed(Rehearse("One.\nTwo.\nThree.\nFour.", 50.0, sides)))

    first, second = map(unpacked, made["films"])
    assert 4 == len(first.of_kind("message"))
    assert len(second.of_kind("message")) < 4
    assert 429 in {one.about["status"] for one in second.of_kind("call")}


async def test_what_takes_too_long_is_given_up() -> None:
    was_told = []

    def work(is_given_up: GivenUp) -> None:
        while not is_given_up():
            time.sleep(0.001)
        was_told.append(True)

    with pytest.raises(InputError, match=r"longer than 0\.05 seconds"):
        await FilmJobs(takes=0.05)._in_thread(work)

    assert [True] == was_told, "and its thread has ended"


async def test_a_film_that_takes_too_long_is_given_up() -> None:
    with pytest.raises(InputError, match=r"longer than 0\.01 seconds"):
        await FilmJobs(takes=0.01).rehearsed(Rehearse(LONG, 1000.0, (Side(),)))


async def test_who_goes_away_frees_their_seat() -> None:
    screening = FilmJobs()
    waiting = [asyncio.create_task(screening.rehearsed(Rehearse(LONG, 1000.0, (Side(),)))) for _ in range(AT_ONCE)]
    await asyncio.sleep(0.01)
    for task in waiting:
        task.cancel()
    await asyncio.wait(waiting)

    async with asyncio.timeout(PATIENCE):
        await screening.rehearsed(Rehearse("Hello.", 50.0, (Side(),)))


async def test_no_more_than_two_are_made_at_a_time() -> None:
    screening, running, most = FilmJobs(), 0, 0
    lock, together = threading.Lock(), threading.Barrier(AT_ONCE, timeout=PATIENCE)

    def work(_given_up: object) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        together.wait()
        with lock:
            running -= 1

    await asyncio.gather(*(screening._in_thread(work) for _ in range(6)))

    assert AT_ONCE == most


async def test_a_story_that_is_not_there_is_none() -> None:
    with pytest.raises(KeyError):
        await FilmJobs().story("nothing", "en")


async def test_a_stream_that_parts_characters_has_its_film() -> None:
    line = r'{"chunks": ["Hi \ud83d", "\ude00 there"]}'

    made = json.loads(await FilmJobs().rehearsed(Rehearse(line, 50.0, (Side(),))))

    said = [one.about["message"]["content"] for one in unpacked(made["films"][0]).of_kind("message")]
    assert ["Hi \U0001f600 there"] == said


@pytest.mark.parametrize("name", ["table_fonts", "proxy", "headers"])
async def test_a_side_cannot_name_files_or_the_way_to_a_model(name: str) -> None:
    with pytest.raises(InputError, match="no setting that can be changed here"):
        await FilmJobs().rehearsed(Rehearse("Hi.", 50.0, (Side(settings={name: ["/etc/passwd"]}),)))


async def test_who_comes_when_too_many_wait_is_told_so() -> None:
    screening, over = FilmJobs(), threading.Event()
    waiting = [asyncio.create_task(screening._in_thread(lambda _: over.wait(PATIENCE))) for _ in range(WAITING)]
    await asyncio.sleep(0.01)

    with pytest.raises(InputError, match="too many films"):
        await screening.rehearsed(Rehearse("Hi.", 50.0, (Side(),)))

    over.set()
    await asyncio.gather(*waiting)
    await screening.rehearsed(Rehearse("Hi.", 50.0, (Side(),)))
