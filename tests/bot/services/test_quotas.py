"""Limits: active turns in memory, turns and tokens over time in the store, and warnings."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given, strategies as st

from cadenza.bot.config.config import LimitsConfig
from cadenza.bot.services.quotas import Excess, Quotas
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.store import Namespace, Record, StoreError
from cadenza.types import Usage


@dataclass
class Bar:
    """A clock, a store, and limits that can be changed."""

    config: LimitsConfig = field(default_factory=LimitsConfig)
    now: float = 1_000_000.0

    def __post_init__(self) -> None:
        self.store = MemoryStore(clock=lambda: self.now)
        self.limits = self.anew()

    def anew(self) -> Quotas:
        """The limits after a restart."""
        return Quotas(self.store, lambda: self.config, clock=lambda: self.now)

    async def turn(self, person: str = "mia", server: str = "home") -> Excess | None:
        """A turn that ends at once."""
        excess = await self.limits.admit(person, server)
        if excess is None:
            self.limits.leave(person, server)
        return excess


async def test_a_person_has_so_many_at_once_over_all_servers() -> None:
    bar = Bar(LimitsConfig(user_active=2))

    found = [await bar.limits.admit("mia", server) for server in ("a", "b", "c", "")]
    bar.limits.leave("mia", "a")

    assert [None, None, Excess.USER_ACTIVE, Excess.USER_ACTIVE] == found
    assert await bar.limits.admit("mia", "c") is None


async def test_a_server_has_so_many_at_once_and_direct_messages_are_in_none() -> None:
    bar = Bar(LimitsConfig(server_active=2))

    found = [await bar.limits.admit(person, "home") for person in ("a", "b", "c")]

    assert [None, None, Excess.SERVER_ACTIVE] == found
    assert await bar.limits.admit("d", "") is None
    assert 3 == bar.limits.active


async def test_the_first_two_limits_cannot_be_switched_off() -> None:
    bar = Bar(LimitsConfig(user_active=0, server_active=0))

    assert [None, Excess.USER_ACTIVE] == [await bar.limits.admit("mia", "home") for _ in range(2)]
    assert Excess.SERVER_ACTIVE is await bar.limits.admit("tom", "home")


@pytest.mark.parametrize(
    ("config", "excess", "until"),
    [
        (LimitsConfig(user_per_hour=3), Excess.USER_PER_HOUR, 3600),
        (LimitsConfig(user_per_day=3), Excess.USER_PER_DAY, 86400),
        (LimitsConfig(server_per_hour=3), Excess.SERVER_PER_HOUR, 3600),
        (LimitsConfig(server_per_day=3), Excess.SERVER_PER_DAY, 86400),
    ],
    ids=["user an hour", "user a day", "server an hour", "server a day"],
)
async def test_so_many_over_time_also_after_a_restart(config: LimitsConfig, excess: Excess, until: int) -> None:
    bar = Bar(config)

    found = [await bar.turn() for _ in range(4)]
    bar.limits = bar.anew()
    found.append(await bar.turn())
    bar.now += until * 0.9
    found.append(await bar.turn())
    bar.now += until * 0.2
    found.append(await bar.turn())

    assert [None, None, None, excess, excess, excess, None] == found


async def test_the_window_slides() -> None:
    bar = Bar(LimitsConfig(user_per_hour=2))
    await bar.turn()
    bar.now += 1800
    await bar.turn()

    bar.now += 2100  # the first is over an hour ago, the second is not

    assert [None, Excess.USER_PER_HOUR] == [await bar.turn(), await bar.turn()]


async def test_tokens_of_a_server_are_a_quota_that_a_turn_may_exceed_once() -> None:
    bar = Bar(LimitsConfig(server_tokens_per_day=100))

    assert await bar.turn() is None
    await bar.limits.spent("mia", "home", Usage(90, 30))
    assert Excess.SERVER_TOKENS is await bar.turn("tom")
    assert await bar.turn("tom", "elsewhere") is None
    bar.now += 90_000
    assert await bar.turn("tom") is None


async def test_who_is_refused_for_the_servers_sake_loses_nothing_of_their_own() -> None:
    bar = Bar(LimitsConfig(user_per_day=2, server_per_hour=1))

    found = [await bar.turn("tom"), await bar.turn(), await bar.turn()]
    direct = [await bar.turn(server=""), await bar.turn(server=""), await bar.turn(server="")]

    assert [None, Excess.SERVER_PER_HOUR, Excess.SERVER_PER_HOUR] == found
    assert [None, None, Excess.USER_PER_DAY] == direct
    assert 0 == bar.limits.active


async def test_a_change_of_the_limits_holds_at_once() -> None:
    bar = Bar(LimitsConfig(user_per_hour=5))
    await bar.turn()
    await bar.turn()

    bar.config = LimitsConfig(user_per_hour=2)
    lowered = await bar.turn()
    bar.config = LimitsConfig()

    assert (Excess.USER_PER_HOUR, None) == (lowered, await bar.turn())


async def test_what_is_not_limited_is_not_written_down() -> None:
    bar = Bar()

    await bar.turn()
    await bar.limits.spent("mia", "home", Usage(10, 10))

    assert [] == await bar.store.find(Namespace.COUNTS)


async def test_what_is_written_down_can_be_forgotten_and_expires() -> None:
    bar = Bar(LimitsConfig(user_per_day=9, server_per_day=9))
    await bar.turn()

    kept = await bar.store.find(Namespace.COUNTS)

    assert [("mia", ""), ("", "home")] == [(record.owner, record.server) for record in kept]
    assert all(record.expires == bar.now + 90_000 for record in kept)
    assert 1 == await bar.store.forget(owner="mia")


async def test_many_at_once_get_no_more_than_there_is() -> None:
    bar = Bar(LimitsConfig(user_active=50, server_active=50, user_per_hour=7))

    found = await asyncio.gather(*(bar.limits.admit("mia", "home") for _ in range(30)))

    assert (7, 7) == (found.count(None), bar.limits.active)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["", "x", "y"]), st.booleans())))
def test_counts_of_active_turns_never_go_astray(steps: list[tuple[str, str, bool]]) -> None:
    async def played() -> None:
        bar, inside = Bar(LimitsConfig(user_active=2, server_active=3)), list[tuple[str, str]]()
        for person, server, comes in steps:
            if comes:
                if await bar.limits.admit(person, server) is None:
                    inside.append((person, server))
            elif inside:
                bar.limits.leave(*inside.pop())
            assert len(inside) == bar.limits.active
            assert all(sum(who == name for who, _ in inside) <= 2 for name in "abc")
            assert all(sum(where == name for _, where in inside) <= 3 for name in "xy")

    asyncio.run(played())


class BrokenStore(MemoryStore):
    """A store with a full disk."""

    async def change(
        self,
        namespace: Namespace,  # noqa: ARG002  # as the protocol has it
        key: str,  # noqa: ARG002  # likewise
        change: Callable[[Record | None], Record | None],  # noqa: ARG002  # likewise
        /,
    ) -> Record | None:
        raise StoreError("the disk is full; make room")  # noqa: EM101, TRY003  # as the store says it


async def test_a_store_that_fails_keeps_nobody_from_being_answered(caplog: pytest.LogCaptureFixture) -> None:
    limits = Quotas(BrokenStore(), lambda: LimitsConfig(user_active=2, user_per_hour=1))

    with caplog.at_level(logging.WARNING):
        found = [await limits.admit("mia", "") for _ in range(3)]

    assert [None, None, Excess.USER_ACTIVE] == found
    assert 1 == len(caplog.messages)


async def test_a_record_that_makes_no_sense_counts_as_nothing() -> None:
    bar = Bar(LimitsConfig(user_per_hour=1))
    await bar.store.put(Record(Namespace.COUNTS, "person:mia", {"hour": {"x": 5, "999900": "many"}, "day": 7}))

    assert [None, Excess.USER_PER_HOUR] == [await bar.turn(), await bar.turn()]


async def test_people_are_told_once_an_episode() -> None:
    bar = Bar()

    found = [await bar.limits.may_warn("mia", Excess.USER_ACTIVE)]
    bar.now += 500
    found.append(await bar.limits.may_warn("mia", Excess.USER_ACTIVE))
    bar.now += 500  # ten minutes after the first, but not after the last
    found.append(await bar.limits.may_warn("mia", Excess.USER_ACTIVE))
    found.append(await bar.limits.may_warn("mia", Excess.USER_PER_DAY))
    found.append(await bar.limits.may_warn("tom", Excess.USER_ACTIVE))
    bar.now += 700
    found.append(await bar.limits.may_warn("mia", Excess.USER_ACTIVE))

    assert [True, False, False, True, True, True] == found


async def test_a_clock_that_was_wrong_locks_nobody_out() -> None:
    bar = Bar(LimitsConfig(user_per_hour=1))
    right = bar.now
    bar.now += 365 * 86_400.0
    assert [None, Excess.USER_PER_HOUR] == [await bar.turn(), await bar.turn()]
    assert await bar.limits.may_warn("mia", Excess.USER_PER_HOUR)
    bar.now = right

    assert [None, Excess.USER_PER_HOUR] == [await bar.turn(), await bar.turn()]
    assert await bar.limits.may_warn("mia", Excess.USER_PER_HOUR)
    bar.now -= 60.0  # a little is no reason to begin anew
    assert Excess.USER_PER_HOUR is await bar.turn()


async def test_it_is_known_how_much_is_left() -> None:
    limits = Bar(LimitsConfig(user_per_hour=3, user_per_day=5, server_tokens_per_day=100)).limits
    full = {Excess.USER_PER_HOUR: 3, Excess.USER_PER_DAY: 5}
    assert full == await limits.left("mia", "")
    assert full | {Excess.SERVER_TOKENS: 100} == await limits.left("mia", "home")

    assert await limits.admit("mia", "home") is None
    await limits.spent("mia", "home", Usage(input_tokens=30, output_tokens=90))

    left = {Excess.USER_PER_HOUR: 2, Excess.USER_PER_DAY: 4, Excess.SERVER_TOKENS: 0}
    assert left == await limits.left("mia", "home")
    assert full == await limits.left("tom", "")
