"""Values of records as JSON."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from cadenza.bot.store.store import Namespace, Record, StoreError
from cadenza.bot.store.values import check, is_storable, packed, unpacked

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)
TEXTS_WITH_HALVES = st.text(st.characters(codec=None, categories=None))


@settings(max_examples=100)
@given(st.dictionaries(st.text(), ANY | TEXTS_WITH_HALVES))
def test_what_is_packed_is_unpacked_and_can_be_written_down(value: dict[str, object]) -> None:
    text = packed(value)

    assert is_storable(text)
    assert value == unpacked(text)


def deep() -> dict[str, object]:
    value: dict[str, object] = {}
    for _ in range(100_000):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "value", [{"a": object()}, {"a": float("inf")}, {"a": b"secret"}], ids=["an object", "infinity", "bytes"]
)
def test_what_is_no_json_is_refused_without_being_repeated(value: dict[str, object]) -> None:
    with pytest.raises(StoreError, match="not valid JSON") as caught:
        packed(value)

    assert "secret" not in str(caught.value)


def test_what_is_too_deep_is_refused() -> None:
    with pytest.raises(StoreError, match="RecursionError"):
        packed(deep())


@pytest.mark.parametrize("text", ["", "[1]", "{", "null", "[" * 100_000], ids=lambda text: text[:8] or "nothing")
def test_what_is_no_object_cannot_be_unpacked(text: str) -> None:
    with pytest.raises(StoreError, match="cannot be read"):
        unpacked(text)


def test_japanese_takes_no_more_room_than_it_needs() -> None:
    assert packed({"text": "茶"}) == '{"text":"茶"}'


@pytest.mark.parametrize(
    "record",
    [Record(Namespace.NOTES, "\ud800"), Record(Namespace.NOTES, "a", server="\udfff"), Record(Namespace.NOTES, "a", expires=float("nan"))],
    ids=["key", "server", "time"],
)  # fmt: skip
def test_a_record_that_could_not_be_found_again_is_refused(record: Record) -> None:
    with pytest.raises(StoreError):
        check(record)


def test_any_other_record_is_not_refused() -> None:
    check(Record(Namespace.NOTES, "茶 🦊 \x00", owner="1", server="2", expires=5))
