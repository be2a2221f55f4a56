"""The store in memory does what every store must."""

from __future__ import annotations

from collections.abc import Callable

from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.store import Record, Shelf
from tests.contracts.store import StoreContract


class TestMemoryStore(StoreContract):
    def store(self, clock: Callable[[], float]) -> MemoryStore:
        return MemoryStore(clock=clock)


async def test_nothing_outlives_it() -> None:
    async with MemoryStore() as store:
        await store.put(Record(Shelf.NOTES, "a"))

    assert [] == await MemoryStore().find(Shelf.NOTES)
