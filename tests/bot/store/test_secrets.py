"""Finding and resealing secrets in records."""

from __future__ import annotations

import pytest

from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.sealing import Seal, new_key
from cadenza.bot.store.secrets import Resealed, everything, reseal, sealed_in, with_texts
from cadenza.bot.store.store import Namespace, Record

OLD, NEW, LOST = new_key(), new_key(), new_key()


def test_secrets_are_found_wherever_they_are() -> None:
    value = {
        "token": "sealed:a",
        "keys": [{"key": "sealed:b", "name": "x"}, "sealed:c"],
        "text": "not sealed:d",
        "n": 1,
    }

    found = dict(sealed_in(value))

    assert {("token",): "sealed:a", ("keys", 0, "key"): "sealed:b", ("keys", 1): "sealed:c"} == found


def test_texts_are_changed_at_the_end_of_their_way_and_nothing_else() -> None:
    value = {"a": "x", "b": [{"c": "y"}, "z"], "d": 1}

    changed = with_texts(value, {("a",): str.upper, ("b", 0, "c"): str.upper})

    assert {"a": "X", "b": [{"c": "Y"}, "z"], "d": 1} == changed
    assert {"a": "x", "b": [{"c": "y"}, "z"], "d": 1} == value


@pytest.mark.parametrize("way", [(), ("z",), ("b", 2), ("b", -1), ("b", "0"), ("d",), ("a", 0), (0,)], ids=str)
def test_a_way_that_leads_to_no_text_is_an_error(way: tuple[str | int, ...]) -> None:
    with pytest.raises(LookupError):
        with_texts({"a": "x", "b": [{"c": "y"}, "z"], "d": 1}, {way: str.upper})


async def test_every_secret_is_sealed_with_the_key_in_use() -> None:
    old = Seal(OLD)
    store = MemoryStore()
    await store.put(
        Record(Namespace.WEBHOOKS, "1", {"id": "5", "token": old.seal("one")}, server="7"),
        Record(Namespace.KEYS, "7", {"keys": [old.seal("two"), Seal(NEW).seal("three")]}, server="7"),
        Record(Namespace.KEYS, "8", {"keys": [Seal(LOST).seal("four")]}, owner="3", expires=9e9),
        Record(Namespace.NOTES, "1", {"text": "sealed: envelopes"}),
    )
    lost = await store.get(Namespace.KEYS, "8")

    assert Resealed(3, 2) == await reseal(store, Seal(NEW, OLD))

    new = Seal(NEW)
    values = {record.key: record.value for record in await store.find(Namespace.KEYS)}
    assert ["two", "three"] == [new.open(key) for key in values["7"]["keys"]]  # type: ignore[attr-defined]
    assert lost == await store.get(Namespace.KEYS, "8")
    webhook = await store.get(Namespace.WEBHOOKS, "1")
    assert webhook is not None
    assert ("5", "one", "7") == (webhook.value["id"], new.open(str(webhook.value["token"])), webhook.server)


async def test_everything_is_every_record() -> None:
    store = MemoryStore()
    records = [Record(namespace, key) for namespace in Namespace for key in "ab"]
    await store.put(*reversed(records))

    assert records == await everything(store)
