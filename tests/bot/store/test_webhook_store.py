"""Webhooks that survive a restart."""

from __future__ import annotations

import pytest

from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.sealing import Seal, new_key
from cadenza.bot.store.store import Namespace, Record, StoreError
from cadenza.bot.store.webhook_store import StoredWebhooks
from cadenza.targets.discord.webhooks import WebhookStore

KEY = new_key()
TOKEN = "hook-token-4711"  # noqa: S105  # it opens nothing


async def test_a_webhook_is_there_after_a_restart_with_its_token_sealed() -> None:
    store = MemoryStore()
    before: WebhookStore = StoredWebhooks(store, Seal(KEY))
    await before.save("10", "99", TOKEN)

    assert ("99", TOKEN) == await StoredWebhooks(store, Seal(KEY)).load("10")
    (record,) = await store.find(Namespace.WEBHOOKS)
    assert TOKEN not in str(record)


async def test_a_webhook_is_replaced_and_forgotten() -> None:
    webhooks = StoredWebhooks(MemoryStore(), Seal(KEY))
    await webhooks.save("10", "99", TOKEN)
    await webhooks.save("10", "98", "another")
    assert ("98", "another") == await webhooks.load("10")

    await webhooks.forget("10")

    assert await webhooks.load("10") is None


async def test_webhooks_go_with_their_server() -> None:
    store = MemoryStore()
    webhooks = StoredWebhooks(store, Seal(KEY), server_of={"10": "7", "11": "8"}.__getitem__)
    await webhooks.save("10", "99", TOKEN)
    await webhooks.save("11", "98", TOKEN)

    await store.forget(server="7")

    assert await webhooks.load("10") is None
    assert ("98", TOKEN) == await webhooks.load("11")


@pytest.mark.parametrize(
    "value",
    [{"id": "99", "token": Seal(new_key()).seal(TOKEN)}, {"id": "99", "token": TOKEN}, {"id": "99"}, {"id": 9, "token": ""}],
    ids=["another-key", "unsealed", "no-token", "no-text"],
)  # fmt: skip
async def test_one_that_cannot_be_read_is_forgotten(value: dict[str, object]) -> None:
    store = MemoryStore()
    await store.put(Record(Namespace.WEBHOOKS, "10", value), Record(Namespace.WEBHOOKS, "11", value))

    assert await StoredWebhooks(store, Seal(KEY)).load("10") is None

    assert ["11"] == [record.key for record in await store.find(Namespace.WEBHOOKS)]


async def test_without_a_key_nothing_is_kept() -> None:
    store = MemoryStore()
    with pytest.raises(StoreError):
        await StoredWebhooks(store, Seal()).save("10", "99", TOKEN)

    assert [] == await store.find(Namespace.WEBHOOKS)
