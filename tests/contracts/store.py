"""What every store must do, wherever it keeps things.

Subclass the contract in a test module and say how to make a store with a given clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from types import MappingProxyType

import pytest

from cadenza.bot.store.store import Namespace, Record, Store, StoreError

NOTE = Record(Namespace.NOTES, "user:1/a", {"text": "likes tea"}, owner="1", server="7")
HALF = "\ud83d"
"""Half a character: no file of UTF-8 can hold it."""


class Clock:
    """What time it is, as a test says."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class StoreContract:
    """The tests. A subclass says in ``store`` how one is made, and cleaned up."""

    def store(self, clock: Callable[[], float]) -> AbstractAsyncContextManager[Store]:
        """An empty store."""
        raise NotImplementedError

    # --- one record --------------------------------------------------------------------------

    async def test_what_was_put_is_there(self) -> None:
        async with self.store(Clock()) as store:
            await store.put(NOTE)

            assert NOTE == await store.get(Namespace.NOTES, "user:1/a")
            assert await store.get(Namespace.NOTES, "user:1/b") is None
            assert await store.get(Namespace.PEOPLE, "user:1/a") is None

    async def test_a_record_replaces_the_one_with_its_key(self) -> None:
        async with self.store(Clock()) as store:
            await store.put(NOTE)
            await store.put(Record(Namespace.NOTES, NOTE.key, {"text": "likes coffee"}))

            assert [Record(Namespace.NOTES, NOTE.key, {"text": "likes coffee"})] == await store.find(Namespace.NOTES)

    async def test_of_two_with_one_key_the_last_one_counts(self) -> None:
        async with self.store(Clock()) as store:
            await store.put(Record(Namespace.NOTES, "a", {"n": 1}), Record(Namespace.NOTES, "a", {"n": 2}))

            assert [Record(Namespace.NOTES, "a", {"n": 2})] == await store.find(Namespace.NOTES)

    @pytest.mark.parametrize(
        "value",
        [
            {},
            {"a": [1, 2.5, None, True, {"b": ""}]},
            {"text": "茶が好き 🦊 \x00 \n"},
            {"half": HALF},
            {"big": 10**40},
            MappingProxyType({"frozen": MappingProxyType({"deep": 1})}),
        ],
        ids=["nothing", "deep", "characters", "half-a-character", "big", "frozen"],
    )
    async def test_any_json_comes_back_as_it_was(self, value: dict[str, object]) -> None:
        async with self.store(Clock()) as store:
            await store.put(Record(Namespace.NOTES, "a", value))
            found = await store.get(Namespace.NOTES, "a")

        assert found is not None
        assert value == found.value

    @pytest.mark.parametrize(
        "record",
        [
            Record(Namespace.NOTES, "a", {"set": {1}}),
            Record(Namespace.NOTES, "a", {"number": float("nan")}),
            Record(Namespace.NOTES, "a", expires=float("inf")),
            Record(Namespace.NOTES, HALF),
            Record(Namespace.NOTES, "a", owner=HALF),
        ],
        ids=["a-set", "no-number", "never", "key", "owner"],
    )
    async def test_what_cannot_be_kept_is_refused_with_all_that_came_with_it(self, record: Record) -> None:
        async with self.store(Clock()) as store:
            with pytest.raises(StoreError):
                await store.put(NOTE, record)

            assert [] == await store.find(Namespace.NOTES)

    async def test_who_changes_theirs_later_does_not_change_what_is_kept(self) -> None:
        value = {"list": [1]}
        async with self.store(Clock()) as store:
            await store.put(Record(Namespace.NOTES, "a", value))
            value["list"].append(2)
            found = await store.get(Namespace.NOTES, "a")

        assert found is not None
        assert {"list": [1]} == found.value

    # --- many --------------------------------------------------------------------------------

    async def test_records_are_found_by_prefix_owner_and_server_in_the_order_of_their_keys(self) -> None:
        records = [
            Record(Namespace.NOTES, "b", owner="1", server="7"),
            Record(Namespace.NOTES, "a/2", owner="2", server="7"),
            Record(Namespace.NOTES, "a/1", owner="1"),
            Record(Namespace.NOTES, "a\U0010ffff", owner="3"),
            Record(Namespace.PEOPLE, "a/1", owner="1"),
        ]
        async with self.store(Clock()) as store:
            await store.put(*records)

            async def keys(**how: str) -> list[str]:
                return [record.key for record in await store.find(Namespace.NOTES, **how)]  # type: ignore[arg-type]

            assert ["a/1", "a/2", "a\U0010ffff", "b"] == await keys()
            assert ["a/1", "a/2"] == await keys(prefix="a/")
            assert ["a\U0010ffff"] == await keys(prefix="a\U0010ffff")
            assert ["a/1", "b"] == await keys(owner="1")
            assert ["b"] == await keys(owner="1", server="7")
            assert ["a/1", "a\U0010ffff"] == await keys(server="")
            assert [] == await keys(prefix="c")

    async def test_deleting_says_how_many_there_were(self) -> None:
        async with self.store(Clock()) as store:
            await store.put(NOTE, Record(Namespace.NOTES, "b"))

            assert 1 == await store.delete(Namespace.NOTES, NOTE.key, NOTE.key, "c")
            assert 0 == await store.delete(Namespace.NOTES)
            assert ["b"] == [record.key for record in await store.find(Namespace.NOTES)]

    # --- changing ----------------------------------------------------------------------------

    async def test_a_change_sees_what_there_is_and_gives_back_what_there_is_then(self) -> None:
        async with self.store(Clock()) as store:
            made = await store.change(
                Namespace.COUNTS, "a", lambda was: Record(Namespace.COUNTS, "a", {"was": was is None})
            )
            await store.change(Namespace.COUNTS, "a", lambda was: was)
            gone = await store.change(Namespace.COUNTS, "a", lambda _: None)

            assert Record(Namespace.COUNTS, "a", {"was": True}) == made
            assert gone is None
            assert await store.get(Namespace.COUNTS, "a") is None

    async def test_a_changed_record_stays_in_its_place(self) -> None:
        async with self.store(Clock()) as store:
            await store.change(Namespace.COUNTS, "a", lambda _: NOTE)

            assert await store.get(Namespace.NOTES, NOTE.key) is None
            assert [("a", NOTE.value)] == [(record.key, record.value) for record in await store.find(Namespace.COUNTS)]

    async def test_nobody_comes_in_between_a_change(self) -> None:
        def one_more(record: Record | None) -> Record:
            count = record.value["n"] if record else 0
            assert isinstance(count, int)
            return Record(Namespace.COUNTS, "a", {"n": count + 1})

        async with self.store(Clock()) as store:
            await asyncio.gather(*(store.change(Namespace.COUNTS, "a", one_more) for _ in range(50)))
            found = await store.get(Namespace.COUNTS, "a")

        assert found is not None
        assert {"n": 50} == found.value

    async def test_a_change_that_fails_changes_nothing_and_nobody_else(self) -> None:
        def fail(_: Record | None) -> Record:
            raise ZeroDivisionError

        async with self.store(Clock()) as store:
            await store.put(NOTE)
            results = await asyncio.gather(
                store.put(Record(Namespace.NOTES, "b")),
                store.change(Namespace.NOTES, NOTE.key, fail),
                store.change(Namespace.NOTES, NOTE.key, lambda _: Record(Namespace.NOTES, "a", {"set": {1}})),
                store.put(Record(Namespace.NOTES, "c")),
                return_exceptions=True,
            )

            assert [None, ZeroDivisionError, StoreError, None] == [r if r is None else type(r) for r in results]
            assert ["b", "c", NOTE.key] == [record.key for record in await store.find(Namespace.NOTES)]

    # --- forgetting --------------------------------------------------------------------------

    async def test_all_of_a_person_or_a_server_is_forgotten_on_every_shelf(self) -> None:
        records = [Record(namespace, f"{owner}/{server}", owner=owner, server=server)
                   for namespace in Namespace for owner in ("1", "2", "") for server in ("7", "8", "")]  # fmt: skip
        shelves = len(Namespace)
        async with self.store(Clock()) as store:
            await store.put(*records)

            assert shelves == await store.forget(owner="1", server="8")
            assert 2 * shelves == await store.forget(owner="1")
            assert 2 * shelves == await store.forget(server="7")
            left = [record.key for record in await store.find(Namespace.NOTES)]
            assert ["/", "/8", "2/", "2/8"] == left

    @pytest.mark.parametrize("whom", [{}, {"owner": ""}, {"server": ""}, {"owner": "", "server": ""}], ids=str)
    async def test_to_forget_nobody_forgets_nothing(self, whom: dict[str, str]) -> None:
        async with self.store(Clock()) as store:
            await store.put(Record(Namespace.SERVERS, "7"), NOTE)

            assert 0 == await store.forget(**whom)
            assert await store.get(Namespace.SERVERS, "7") is not None

    async def test_what_has_expired_is_not_there(self) -> None:
        clock = Clock()
        async with self.store(clock) as store:
            await store.put(
                Record(Namespace.NOTES, "a", expires=2000.0, owner="1"), Record(Namespace.NOTES, "b", owner="1")
            )
            clock.now = 2000.0
            seen: list[Record | None] = []

            assert await store.get(Namespace.NOTES, "a") is None
            assert ["b"] == [record.key for record in await store.find(Namespace.NOTES)]
            await store.change(Namespace.NOTES, "a", lambda record: seen.append(record))  # noqa: PLW0108  # it gives back nothing
            assert {None} == set(seen)
            assert 0 == await store.delete(Namespace.NOTES, "a")
            assert 1 == await store.forget(owner="1")

    async def test_sweeping_removes_what_has_expired_and_nothing_else(self) -> None:
        clock = Clock()
        async with self.store(clock) as store:
            await store.put(
                Record(Namespace.NOTES, "a", expires=2000.0), Record(Namespace.NOTES, "b", expires=2001.0), NOTE
            )
            assert 0 == await store.sweep()
            clock.now = 2000.0

            assert 1 == await store.sweep()
            assert 0 == await store.sweep()
            clock.now = 1000.0
            assert ["b", NOTE.key] == [record.key for record in await store.find(Namespace.NOTES)]
