"""The bot's own messages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cadenza.bot.services.own_messages import OwnMessage, OwnMessages
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.store import Namespace, Record, StoreError

HELLO = OwnMessage(
    "11", "1", "Ren", label="Ren (mad): ", sprite="mad", turn="t1", answers="10", author="7", is_webhook=True
)  # fmt: skip


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


class Broken(MemoryStore):
    """A store with a full disk."""

    async def put(self, *records: Record) -> None:  # noqa: ARG002
        msg = "the disk is full"
        raise StoreError(msg)

    async def get(self, namespace: Namespace, key: str, /) -> Record | None:  # noqa: ARG002
        msg = "the disk is gone"
        raise StoreError(msg)


async def test_what_was_said_is_known_after_a_restart() -> None:
    store = MemoryStore()
    await OwnMessages(store).note([HELLO], server="5")

    assert HELLO == await OwnMessages(store).about("11")


async def test_nothing_of_direct_messages_is_written_down() -> None:
    store, clock = MemoryStore(), Clock()
    own = OwnMessages(store, clock=clock)

    await own.note([HELLO], server="")

    assert HELLO == await own.about("11")
    assert [] == await store.find(Namespace.SPRITE_MESSAGES)


async def test_no_word_is_written_down_and_it_goes_with_whom_it_answers() -> None:
    store = MemoryStore()
    await OwnMessages(store).note([HELLO], server="5")

    (record,) = await store.find(Namespace.SPRITE_MESSAGES)

    assert ("7", "5") == (record.owner, record.server)
    assert record.value.keys() == {
        "channel", "persona", "label", "sprite", "turn", "answers", "author", "is_webhook"
    }  # fmt: skip


async def test_after_a_month_it_is_forgotten() -> None:
    clock = Clock()
    store = MemoryStore(clock=clock)
    await OwnMessages(store, clock=clock).note([HELLO], server="5")
    clock.now += 30 * 86_400 + 1

    assert await OwnMessages(store, clock=clock).about("11") is None


async def test_that_a_message_is_not_ours_is_remembered_too() -> None:
    store, clock = MemoryStore(), Clock()
    own = OwnMessages(store, clock=clock)
    assert await own.about("11") is None
    await store.put(Record(Namespace.SPRITE_MESSAGES, "11", {"channel": "1", "persona": "Ren"}))

    assert await own.about("11") is None
    clock.now += 7201
    assert OwnMessage("11", "1", "Ren") == await own.about("11")


async def test_a_store_that_fails_is_not_remembered_as_nothing() -> None:
    own = OwnMessages(Broken())

    await own.note([HELLO], server="5")

    assert HELLO == await own.about("11")
    assert await own.about("12") is None
    assert "12" not in own._known


async def test_the_messages_of_one_reply_are_found_in_their_order() -> None:
    store = MemoryStore()
    parts = [replace(HELLO, id=id_) for id_ in ("9", "11", "10")]
    await OwnMessages(store).note([*parts, replace(HELLO, id="12", turn="t2")], server="5")

    assert ["9", "10", "11"] == [part.id for part in await OwnMessages(store).of_turn(HELLO)]


async def test_the_last_one_of_a_channel_is_the_newest() -> None:
    own = OwnMessages(MemoryStore())
    await own.note(
        [replace(HELLO, id="99"), replace(HELLO, id="100"), replace(HELLO, id="101", channel="2")], server="5"
    )

    assert (last := await own.last("1"))
    assert "100" == last.id
    own.forget("100")
    assert (last := await own.last("1"))
    assert "99" == last.id
    assert await own.last("3") is None


async def test_no_more_than_so_many_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cadenza.bot.services.own_messages._MOST", 3)
    own = OwnMessages(MemoryStore())

    await own.note([replace(HELLO, id=str(number)) for number in range(10)], server="")

    assert ["7", "8", "9"] == list(own._known)


async def test_what_an_older_version_kept_is_passed_over() -> None:
    store = MemoryStore()
    await store.put(Record(Namespace.SPRITE_MESSAGES, "11", {"who": "Ren"}))

    assert await OwnMessages(store).about("11") is None


async def test_the_newest_of_a_channel_is_found_after_a_restart() -> None:
    store = MemoryStore()
    newer, elsewhere = replace(HELLO, id="12"), replace(HELLO, id="13", channel="2")
    await OwnMessages(store).note([HELLO, newer, elsewhere], server="5")

    assert newer == await OwnMessages(store).last("1", server="5")
    assert await OwnMessages(store).last("1", server="6") is None


async def test_which_messages_answer_whoever_is_forgotten_is_not_known_any_more() -> None:
    own = OwnMessages(MemoryStore())
    await own.note([HELLO, replace(HELLO, id="12", author="8")], server="")
    own.forget_person("7")

    assert [None, "8"] == [known.author if (known := await own.about(id_)) else None for id_ in ("11", "12")]
