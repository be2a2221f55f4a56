"""Resets of conversations."""

from __future__ import annotations

import pytest

from cadenza.bot.services.resets import Resets
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.store import Namespace, Record, StoreError

pytestmark = pytest.mark.looptime


async def test_each_channel_has_a_beginning_of_its_own() -> None:
    beginnings = Resets(MemoryStore())
    await beginnings.begin("1", "500", server="9", person="7")

    assert ("500", "") == (await beginnings.of("1"), await beginnings.of("2"))


@pytest.mark.parametrize(("server", "kept"), [("9", "500"), ("", "")], ids=["of a server", "in private"])
async def test_a_beginning_belongs_to_the_server_or_to_whoever_talks_in_private(server: str, kept: str) -> None:
    store = MemoryStore()
    await Resets(store).begin("1", "500", server=server, person="7")
    await store.forget(owner="7")

    assert kept == await Resets(store).of("1")


class Broken(MemoryStore):
    """A store that cannot be read."""

    async def get(self, namespace: Namespace, key: str, /) -> Record | None:
        """Fail."""
        del namespace, key
        raise StoreError


async def test_a_store_that_fails_keeps_nobody_from_being_answered() -> None:
    assert "" == await Resets(Broken()).of("1")
