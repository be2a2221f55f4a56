"""The journal of turns."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from cadenza.bot.services.journal import KEPT_SECONDS, Journal, JournalEntry
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.store import Namespace, Record, StoreError

pytestmark = pytest.mark.looptime

NOW = 1_700_000_000.0
ONE = JournalEntry("1", "1", "10", "7", server="5", persona="Ren", at=NOW)
TWO = JournalEntry("2#Mia", "2", "10", "8", at=NOW + 1)


class Clock:
    """A manual clock."""

    def __init__(self) -> None:
        self.time = NOW

    def __call__(self) -> float:
        return self.time


class Full(MemoryStore):
    """A store that can have a full disk."""

    is_full = False

    async def delete(self, namespace: Namespace, *keys: str) -> int:
        if self.is_full:
            msg = "the disk is full"
            raise StoreError(msg)
        return await super().delete(namespace, *keys)


class Broken(MemoryStore):
    """A store that fails or hangs."""

    def __init__(self, *, hangs: bool = False) -> None:
        super().__init__()
        self._hangs = hangs

    async def put(self, *_: Record) -> None:
        await self._fail()

    async def delete(self, *_: Any) -> int:
        return await self._fail()

    async def change(self, *_: Any) -> Any:
        return await self._fail()

    async def find(self, *_: Any, **__: Any) -> list[Record]:
        return await self._fail()

    async def _fail(self) -> Any:
        if self._hangs:
            await asyncio.sleep(3600)
        msg = "the disk is full"
        raise StoreError(msg)


async def test_the_next_process_knows_what_was_left_the_oldest_first() -> None:
    store, clock = MemoryStore(clock=Clock()), Clock()
    journal = Journal(store, clock=clock)
    await journal.heard(TWO)
    await journal.heard(ONE)
    clock.time += 5
    await journal.began("1", "unknown")

    assert [replace(ONE, has_begun=True, began=NOW + 5), TWO] == await Journal(store, clock=clock).left()


async def test_what_is_to_be_finished_has_begun_when_it_first_did() -> None:
    """Otherwise the messages of the first process would not count, and be sent again after a second crash."""
    store, clock = MemoryStore(clock=Clock()), Clock()
    first = Journal(store, clock=clock)
    await first.heard(ONE)
    await first.began("1")
    clock.time += 30
    second = Journal(store, clock=clock)
    [entry] = await second.left()
    await second.heard(replace(entry, has_begun=False))
    await second.began("1")

    assert [replace(ONE, has_begun=True, began=NOW)] == await Journal(store, clock=clock).left()


async def test_of_what_was_answered_together_only_the_last_was_left() -> None:
    store = MemoryStore(clock=Clock())
    journal = Journal(store, clock=Clock())
    third = JournalEntry("3", "3", "10", "9", at=NOW + 2)
    for entry in (ONE, TWO, third):
        await journal.heard(entry)
    await journal.began("1", "2#Mia")

    assert ["2#Mia", "3"] == [entry.key for entry in await Journal(store, clock=Clock()).left()]
    assert ["2#Mia", "3"] == [record.key for record in await store.find(Namespace.TURNS)]


async def test_whoever_was_answered_with_one_that_is_gone_was_left() -> None:
    store = MemoryStore(clock=Clock())
    journal = Journal(store, clock=Clock())
    for entry in (ONE, TWO):
        await journal.heard(entry)
    await journal.began("1", "2#Mia")
    await journal.over("2#Mia")

    assert ["1"] == [entry.key for entry in await Journal(store, clock=Clock()).left()]


async def test_what_was_left_is_left_until_it_is_over() -> None:
    """A crash during recovery loses nothing: the next process can recover again."""
    store = MemoryStore(clock=Clock())
    await Journal(store, clock=Clock()).heard(ONE)
    found = [await Journal(store, clock=Clock()).left() for _ in range(2)]
    await Journal(store, clock=Clock()).over("1")

    assert [[ONE], [ONE], []] == [*found, await Journal(store, clock=Clock()).left()]


async def test_all_that_is_written_down_is_read_again() -> None:
    store = MemoryStore(clock=Clock())
    entry = replace(ONE, goes_on=True, supersedes=("3", "4"), root="5", tries=2)
    await Journal(store, clock=Clock()).heard(entry)
    await Journal(store, clock=Clock()).ends("0", "1", behind="8")
    [found] = await Journal(store, clock=Clock()).left()
    await Journal(store, clock=Clock()).ends("1", behind="")

    assert replace(entry, last_behind="8") == found
    assert ["0"] == [one.last_behind for one in await Journal(store, clock=Clock()).left()]


async def test_what_could_not_be_struck_out_is_with_the_next_one() -> None:
    store = Full(clock=Clock())
    journal = Journal(store, clock=Clock())
    for entry in (ONE, TWO):
        await journal.heard(entry)
    store.is_full = True
    await journal.over("1")
    store.is_full = False
    await journal.over("2#Mia")

    assert [] == await store.find(Namespace.TURNS)


async def test_what_is_over_was_not_left() -> None:
    store = MemoryStore(clock=Clock())
    journal = Journal(store, clock=Clock())
    await journal.heard(ONE)
    await journal.heard(TWO)
    await journal.over("1", "2#Mia")

    assert [] == await Journal(store).left()


async def test_what_this_process_hears_before_it_asks_was_not_left() -> None:
    store = MemoryStore(clock=Clock())
    await Journal(store, clock=Clock()).heard(ONE)
    journal = Journal(store, clock=Clock())
    await journal.heard(TWO)

    assert [ONE] == await journal.left()
    assert [ONE, TWO] == await Journal(store, clock=Clock()).left()


async def test_a_time_that_is_not_given_is_now() -> None:
    store = MemoryStore(clock=Clock())
    await Journal(store, clock=Clock()).heard(replace(ONE, at=0.0))

    assert [ONE] == await Journal(store, clock=Clock()).left()


async def test_it_belongs_to_whoever_is_answered_and_to_the_server() -> None:
    store = MemoryStore(clock=Clock())
    await Journal(store, clock=Clock()).heard(ONE)
    [record] = await store.find(Namespace.TURNS)

    assert ("7", "5", NOW + KEPT_SECONDS) == (record.owner, record.server, record.expires)


async def test_what_another_version_wrote_is_struck_out_and_not_told() -> None:
    store = MemoryStore(clock=Clock())
    await store.put(Record(Namespace.TURNS, "x", {"message": "1"}), Record(Namespace.TURNS, "y", {"at": "noon"}))

    assert [] == await Journal(store).left()
    assert [] == await store.find(Namespace.TURNS)


async def test_what_stands_there_for_ever_is_swept() -> None:
    store, clock = MemoryStore(clock=Clock()), Clock()
    journal = Journal(store, clock=clock)
    await store.put(Record(Namespace.TURNS, "x", {}))
    await journal.heard(ONE)
    clock.time += KEPT_SECONDS
    await journal.heard(replace(TWO, at=clock.time))
    first = await journal.sweep()
    clock.time += 2

    assert (1, 1, 0) == (first, await journal.sweep(), await journal.sweep())
    assert ["2#Mia"] == [record.key for record in await store.find(Namespace.TURNS)]


@pytest.mark.parametrize("hangs", [False, True], ids=["fails", "hangs"])
async def test_a_store_that_does_not_work_holds_nobody_up(*, hangs: bool, caplog: pytest.LogCaptureFixture) -> None:
    journal = Journal(Broken(hangs=hangs))
    async with asyncio.timeout(60):
        await journal.heard(ONE)
        await journal.began("1")
        await journal.over("1")
        assert ([], 0) == (await journal.left(), await journal.sweep())

    assert "the journal of turns could not be kept" in caplog.text
    assert "disk" not in str(caplog.messages)
    assert all(record.exc_info for record in caplog.records)


async def test_it_is_said_whether_it_could_be_written_down() -> None:
    assert not await Journal(Broken()).takes_over(ONE)
    assert await Journal(MemoryStore()).takes_over(ONE)


async def test_who_is_cancelled_is_cancelled() -> None:
    task = asyncio.create_task(Journal(Broken(hangs=True)).heard(ONE))
    await asyncio.sleep(1)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
