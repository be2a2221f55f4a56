from __future__ import annotations

import logging

import pytest

from cadenza.bot.services.server_keys import ServerKeys, wallet_of, wallets
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.store import Namespace, Record, StoreError
from cadenza.errors import InputError
from tests.bot.command_room import MirrorSeal

SECRET = "sk-0123456789abcdef"  # noqa: S105  # of nobody


class BrokenStore(MemoryStore):
    """A store that cannot be read."""

    async def find(self, *_: object, **__: object) -> list[Record]:  # type: ignore[override]
        """Nothing can be read."""
        msg = "the store cannot be read"
        raise StoreError(msg)


class LostSeal(MirrorSeal):
    """A seal without its key."""

    def open(self, sealed: str) -> str:
        """Nothing can be opened."""
        raise StoreError(sealed[:0] + "it cannot be opened")


@pytest.mark.parametrize(
    ("vendor", "wallet"),
    [
        ("openai", "openai"),
        ("OpenAI", "openai"),
        ("openai-responses", "openai"),
        ("zaicoding", "zai"),
        ("anthropic", "anthropic"),
        ("ollama", ""),
        ("vllm", ""),
        ("custom", ""),
        ("vertex", ""),
        ("script", ""),
        ("local", ""),
        ("", ""),
    ],
)
def test_a_server_can_have_keys_only_for_who_is_far_away_at_a_known_address(vendor: str, wallet: str) -> None:
    assert wallet == wallet_of(vendor)
    assert bool(wallet) is (wallet in wallets())


async def test_a_key_is_sealed_when_it_is_kept_and_opened_when_it_is_used() -> None:
    store = MemoryStore()
    keys = ServerKeys(store, MirrorSeal())

    await keys.keep("1", "openai-responses", f" {SECRET},\n{SECRET}2 ")

    [record] = await store.find(Namespace.KEYS)
    assert SECRET not in str(record)
    assert ("1/openai", "1") == (record.key, record.server)
    assert ("openai",) == await keys.vendors("1")
    assert {"openai": (SECRET, f"{SECRET}2")} == await keys.of("1")
    assert {} == await keys.of("2")
    assert {} == await keys.of("")


async def test_the_keys_of_a_server_whose_id_begins_alike_are_not_used() -> None:
    keys = ServerKeys(MemoryStore(), MirrorSeal())
    await keys.keep("12", "openai", SECRET)

    assert {} == await keys.of("1")


async def test_a_key_that_was_removed_is_gone() -> None:
    keys = ServerKeys(MemoryStore(), MirrorSeal())
    await keys.keep("1", "openai", SECRET)

    assert await keys.remove("1", "OpenAI-responses")
    assert not await keys.remove("1", "openai")
    assert {} == await keys.of("1")


@pytest.mark.parametrize(
    ("vendor", "text"),
    [
        ("openai", ""),
        ("openai", "short"),
        ("openai", "schlüssel-mit-umlaut"),
        ("openai", "x" * 2001),
        ("ollama", SECRET),
    ],
)
async def test_what_is_no_key_is_not_kept_and_not_repeated(vendor: str, text: str) -> None:
    store = MemoryStore()

    with pytest.raises(InputError) as error:
        await ServerKeys(store, MirrorSeal()).keep("1", vendor, text)

    assert not text or text not in str(error.value)
    assert [] == await store.find(Namespace.KEYS)


async def test_a_key_that_cannot_be_opened_is_as_if_it_were_not_there(caplog: pytest.LogCaptureFixture) -> None:
    store = MemoryStore()
    await ServerKeys(store, MirrorSeal()).keep("1", "openai", SECRET)

    with caplog.at_level(logging.WARNING):
        assert {} == await ServerKeys(store, LostSeal()).of("1")
    assert "cannot be opened" in caplog.text
    assert SECRET not in caplog.text
    assert SECRET[::-1] not in caplog.text


async def test_a_store_that_fails_leaves_the_operators_keys() -> None:
    assert {} == await ServerKeys(BrokenStore(), MirrorSeal()).of("1")
