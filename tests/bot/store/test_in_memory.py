"""The store in memory fulfils the contract of every store."""

from __future__ import annotations

from collections.abc import Callable

from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.store import Namespace, Record
from tests.contracts.store import StoreContract


class TestMemoryStore(StoreContract):
    def store(self, clock: Callable[[], float]) -> MemoryStore:
        return MemoryStore(clock=clock)


async def test_nothing_outlives_it() -> None:
    async with MemoryStore() as store:
        await store.put(Record(Namespace.NOTES, "a"))

    assert [] == await MemoryStore().find(Namespace.NOTES)
