"""What every registry of stops must do, wherever its requests come from.

Subclass the contract in a test module and say how to make two registries that see each other; for one that lives in a
single process, they are the same object. Turns run *here* and are stopped from *there*, at most ``PATIENCE`` seconds
after something was said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest

from cadenza.concurrency.stops import StopHandle, StopRegistry
from cadenza.types import StopReason

PATIENCE = 30.0

INTERNAL = [
    StopReason.SPEAKER_GUARD,
    StopReason.MESSAGE_LIMIT,
    StopReason.CHANNEL_GONE,
    StopReason.MISSING_ACCESS,
]
"""Reasons that mean something only to the stream in which they come up."""

OTHERS = [reason for reason in StopReason if reason is not StopReason.FOLLOW_UP]


async def eventually(is_so: Callable[[tuple[str, ...]], bool], registry: StopRegistry) -> None:
    """Wait until the turns of *registry* are as they should be."""
    async with asyncio.timeout(PATIENCE):
        while not is_so(await registry.turns()):  # noqa: ASYNC110  # a registry far away has no event to wait for
            await asyncio.sleep(0.01)


async def begun(here: StopRegistry, there: StopRegistry, turn: str = "turn") -> StopHandle:
    """A turn that runs *here* and is known *there*."""
    handle = here.open(turn)
    await eventually(lambda turns: turn in turns, there)
    return handle


class StopRegistryContract:
    """The tests. A subclass says in ``registries`` how a pair is made, and cleaned up."""

    def registries(self) -> AbstractAsyncContextManager[tuple[StopRegistry, StopRegistry]]:
        """Two registries that see each other."""
        raise NotImplementedError

    # --- who is stopped ----------------------------------------------------------------------

    async def test_a_stop_reaches_the_turn_that_it_names_and_no_other(self) -> None:
        async with self.registries() as (here, there):
            one, two = await begun(here, there, "one"), await begun(here, there, "two")

            assert await there.stop("one", by="alice")

            assert (StopReason.USER, "alice") == (one.reason, one.by)
            assert (None, "") == (two.reason, two.by)

    async def test_a_turn_can_be_stopped_by_its_own_registry_at_once(self) -> None:
        async with self.registries() as (here, _):
            handle = here.open("turn")

            assert await here.stop("turn", StopReason.SHUTDOWN)
            assert StopReason.SHUTDOWN is handle.reason

    async def test_turns_on_both_sides_are_stopped_apart(self) -> None:
        async with self.registries() as (here, there):
            mine, theirs = await begun(here, there, "mine"), await begun(there, here, "theirs")

            assert await here.stop("theirs")

            assert (None, StopReason.USER) == (mine.reason, theirs.reason)

    async def test_a_turn_that_waits_for_its_stop_is_woken(self) -> None:
        async with self.registries() as (here, there):
            handle = await begun(here, there)
            waiting = asyncio.create_task(handle.wait())
            await asyncio.sleep(0)
            assert not waiting.done()

            await there.stop("turn", StopReason.SHUTDOWN)

            async with asyncio.timeout(PATIENCE):
                assert StopReason.SHUTDOWN is await waiting

    @pytest.mark.parametrize("reason", list(StopReason), ids=lambda reason: reason.value)
    async def test_every_reason_arrives_as_what_it_is(self, reason: StopReason) -> None:
        """Registry case 5: a follow-up has a reason of its own, and is nothing unknown."""
        async with self.registries() as (here, there):
            handle = await begun(here, there)

            assert await there.stop("turn", reason, by="Zoë 🌸")

            assert (reason, "Zoë 🌸") == (handle.reason, handle.by)

    async def test_of_two_who_ask_at_the_same_time_one_is_heard(self) -> None:
        async with self.registries() as (here, there):
            handle = await begun(here, there)

            accepted = await asyncio.gather(here.stop("turn", by="alice"), there.stop("turn", by="bob"))

            assert [False, True] == sorted(accepted)
            assert ["alice", "bob"][accepted.index(True)] == handle.by

    # --- which of two requests counts ------------------------------------------------------------

    @pytest.mark.parametrize("first", OTHERS, ids=lambda reason: reason.value)
    async def test_a_follow_up_never_takes_the_place_of_a_stop(self, first: StopReason) -> None:
        """Registry case 1, T87."""
        async with self.registries() as (here, there):
            handle = await begun(here, there)
            await there.stop("turn", first, by="alice")

            assert not await there.stop("turn", StopReason.FOLLOW_UP, by="bob")

            assert (first, "alice") == (handle.reason, handle.by)

    @pytest.mark.parametrize("second", OTHERS, ids=lambda reason: reason.value)
    async def test_a_stop_takes_the_place_of_a_follow_up(self, second: StopReason) -> None:
        """Registry case 2."""
        async with self.registries() as (here, there):
            handle = await begun(here, there)
            await there.stop("turn", StopReason.FOLLOW_UP, by="alice")

            assert await there.stop("turn", second, by="bob")

            assert (second, "bob") == (handle.reason, handle.by)

    async def test_of_two_stops_the_first_counts(self) -> None:
        async with self.registries() as (here, there):
            handle = await begun(here, there)
            await there.stop("turn", StopReason.USER, by="alice")

            assert not await there.stop("turn", StopReason.SHUTDOWN)

            assert (StopReason.USER, "alice") == (handle.reason, handle.by)

    async def test_a_turn_that_takes_no_follow_ups_takes_stops(self) -> None:
        async with self.registries() as (here, there):
            handle = await begun(here, there)
            handle.refuse_follow_ups()

            assert not await there.stop("turn", StopReason.FOLLOW_UP)
            assert handle.reason is None
            assert await there.stop("turn", StopReason.USER)

    # --- what is left behind: nothing --------------------------------------------------------------

    @pytest.mark.parametrize("reason", [StopReason.USER, *INTERNAL], ids=lambda reason: reason.value)
    async def test_when_a_turn_is_over_its_reason_is_over_too(self, reason: StopReason) -> None:
        """Registry case 4, T88: the next turn begins unstopped, even under the same name."""
        async with self.registries() as (here, there):
            handle = await begun(here, there)
            await there.stop("turn", reason)
            handle.close()
            await eventually(lambda turns: not turns, there)

            following = await begun(here, there)

            assert following.reason is None
            assert ("turn",) == await there.turns()

    async def test_who_asked_is_known_after_the_turn_and_only_from_its_handle(self) -> None:
        """Registry case 3, T89: what a stop still owes an answer is with the turn, and not in the registry."""
        async with self.registries() as (here, there):
            handle = await begun(here, there)
            await there.stop("turn", by="alice")
            handle.close()

            assert (StopReason.USER, "alice") == (handle.reason, handle.by)
            assert not await there.stop("turn", by="alice")

    async def test_a_late_stop_is_refused_and_leaves_nothing(self) -> None:
        """Registry case 6: there is no old request, because none is kept for a turn that is over."""
        async with self.registries() as (here, there):
            old = await begun(here, there)
            old.close()

            assert not await there.stop("turn")
            assert old.reason is None

            assert (await begun(here, there)).reason is None

    async def test_a_stop_for_a_turn_that_has_not_begun_is_refused_and_leaves_nothing(self) -> None:
        async with self.registries() as (here, there):
            assert not await there.stop("turn")
            assert not await here.stop("turn")

            assert (await begun(here, there)).reason is None
            assert not await there.stop("another")

    async def test_a_handle_that_is_closed_takes_nothing(self) -> None:
        async with self.registries() as (here, _):
            handle = here.open("turn")
            handle.close()

            assert not handle.take(StopReason.USER)
            assert handle.reason is None

    async def test_a_handle_closes_with_its_block_also_if_that_breaks(self) -> None:
        async with self.registries() as (here, there):
            with pytest.raises(LookupError), await begun(here, there):
                raise LookupError

            await eventually(lambda turns: not turns, there)
            assert not await there.stop("turn")

    async def test_closing_twice_does_not_close_the_next_turn_of_that_name(self) -> None:
        async with self.registries() as (here, there):
            old = await begun(here, there)
            old.close()
            await eventually(lambda turns: not turns, there)
            following = await begun(here, there)
            old.close()

            assert await there.stop("turn")
            assert (None, StopReason.USER) == (old.reason, following.reason)

    async def test_a_turn_cannot_run_twice_at_once(self) -> None:
        async with self.registries() as (here, _):
            here.open("turn")

            with pytest.raises(ValueError, match="already running"):
                here.open("turn")

    async def test_the_turns_are_those_that_run(self) -> None:
        async with self.registries() as (here, there):
            handles = [await begun(here, there, str(number)) for number in range(3)]
            handles[1].close()

            await eventually(lambda turns: {"0", "2"} == set(turns), there)
            await eventually(lambda turns: {"0", "2"} == set(turns), here)
