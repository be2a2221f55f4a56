"""Export and import as JSON."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given, settings, strategies as st

from cadenza.bot.store.exchange import export, import_
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.sealing import Seal, new_key
from cadenza.bot.store.secrets import everything
from cadenza.bot.store.store import Namespace, Record
from cadenza.errors import InputError

KEY, OTHER = new_key(), new_key()
SECRET = "a-token-4711"  # noqa: S105  # it opens nothing

VALUES = st.recursive(
    st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text() | st.just("sealed:nothing"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip
RECORDS = st.lists(
    st.builds(
        Record,
        st.sampled_from(Namespace),
        st.text(st.characters(codec="utf-8"), max_size=5),
        st.dictionaries(st.text(), VALUES, max_size=3),
        owner=st.sampled_from(["", "1"]),
        server=st.sampled_from(["", "7"]),
        expires=st.none() | st.floats(9e9, 9e10),
    ),
    max_size=5,
)


@settings(max_examples=100)
@given(RECORDS, st.booleans())
def test_what_goes_out_comes_in_again(records: list[Record], with_secrets: bool) -> None:  # noqa: FBT001  # it is drawn
    async def there_and_back() -> tuple[object, object]:
        one, two, seal = MemoryStore(), MemoryStore(), Seal(KEY)
        await one.put(*records)
        text = (await export(one, opened_with=seal if with_secrets else None)).text
        imported = await import_(two, text.encode(), seal)
        assert len(await everything(one)) == imported.records
        return await everything(one), await everything(two)

    expected, actual = asyncio.run(there_and_back())

    assert expected == actual


async def with_secrets() -> MemoryStore:
    store = MemoryStore()
    value = {"keys": [{"name": "openai", "key": Seal(KEY).seal(SECRET)}], "lost": Seal(OTHER).seal("x")}
    await store.put(Record(Namespace.KEYS, "7", value, server="7"), Record(Namespace.NOTES, "茶"))
    return store


async def test_secrets_go_out_sealed() -> None:
    store = await with_secrets()

    exported = await export(store)

    assert SECRET not in exported.text
    assert "茶" in exported.text
    assert (2, 2, 0) == (exported.records, exported.secrets, exported.unreadable)
    fresh = MemoryStore()
    assert 1 == (await import_(fresh, exported.text, Seal(KEY))).unreadable
    assert await everything(store) == await everything(fresh)


async def test_secrets_go_out_readable_if_asked_and_are_sealed_with_the_new_key_on_the_way_in() -> None:
    exported = await export(await with_secrets(), opened_with=Seal(KEY))
    assert SECRET in exported.text
    assert (2, 2, 1) == (exported.records, exported.secrets, exported.unreadable)

    fresh = MemoryStore()
    imported = await import_(fresh, exported.text, Seal(OTHER))
    record = await fresh.get(Namespace.KEYS, "7")

    assert (2, 0) == (imported.records, imported.unreadable)
    assert record is not None
    (entry,) = record.value["keys"]  # type: ignore[misc]
    assert SECRET not in str(record)
    assert SECRET == Seal(OTHER).open(entry["key"])


async def test_what_is_there_stays_unless_it_is_replaced() -> None:
    store = MemoryStore()
    await store.put(Record(Namespace.NOTES, "a", {"n": 1}), Record(Namespace.NOTES, "b", {"n": 2}))
    text = told({"namespace": "notes", "key": "a", "value": {"n": 3}})

    await import_(store, text, Seal(KEY))

    assert [{"n": 3}, {"n": 2}] == [record.value for record in await store.find(Namespace.NOTES)]


def told(*entries: object, **envelope: object) -> str:
    return json.dumps({"format": "cadenza store", "version": 1, "records": list(entries), **envelope})


GOOD = {"namespace": "notes", "key": "good", "value": {}}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("", "it is not JSON", id="nothing"),
        pytest.param(b"\xff\xfe\x00", "it is not JSON", id="bytes"),
        pytest.param("[" * 100_000, "it is not JSON", id="deep"),
        pytest.param('{"format": NaN}', "it is not JSON", id="no-number"),
        pytest.param("[]", "it is not an export", id="list"),
        pytest.param(told(format="diary"), "it is not an export", id="format"),
        pytest.param(told(version="1"), "it is not an export", id="version-text"),
        pytest.param(told(version=2), "it has version 2, and this Cadenza reads version 1; update Cadenza", id="newer"),
        pytest.param(told(records={}), "it is not an export", id="no-list"),
        pytest.param(told(GOOD, 5), "record 2 is invalid", id="number"),
        pytest.param(told(GOOD, {"namespace": "notes"}), "record 2 is invalid", id="no-key"),
        pytest.param(told({**GOOD, "namespace": "attic"}), "record 1 is invalid", id="namespace"),
        pytest.param(told({**GOOD, "value": []}), "record 1 is invalid", id="value"),
        pytest.param(told({**GOOD, "owner": 5}), "record 1 is invalid", id="owner"),
        pytest.param(told({**GOOD, "expires": "soon"}), "record 1 is invalid", id="time"),
        pytest.param(told({**GOOD, "colour": "red"}), "record 1 is invalid", id="unknown"),
        pytest.param(told({**GOOD, "key": "\ud800"}), "record 1: a key", id="half-a-character"),
        pytest.param(told(GOOD, GOOD), "record 1 occurs twice", id="twice"),
        pytest.param(told(GOOD, {**GOOD, "key": "b", "secrets": [["x"]]}), "'b' lists a secret", id="secret"),
        pytest.param(told({**GOOD, "secrets": [[]]}), "'good' lists a secret", id="empty-way"),
        pytest.param('{"format": "cadenza store", "version": 1, "records": [{"namespace": "notes", "key": "a", "value": {}, "expires": 1e999}]}', "record 1: the expiry of a record", id="infinity"),
    ],
)  # fmt: skip
async def test_nonsense_is_refused_in_one_sentence_and_nothing_is_taken_in(text: str | bytes, why: str) -> None:
    store = MemoryStore()

    with pytest.raises(InputError) as caught:
        await import_(store, text, Seal(KEY))

    assert str(caught.value).startswith(f"nothing was imported: {why}")
    assert [] == await everything(store)
