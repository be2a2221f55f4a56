"""Stop requests: by turn, first come first served, but a stop outranks a follow-up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from cadenza.concurrency.stops import StopRegistry, Stops
from cadenza.types import StopReason
from tests.contracts.stop_registry import StopRegistryContract
from tests.timing import now
from tests.wired_stops import Wire, WiredStops


@pytest.mark.looptime
class TestStopsKeepTheContract(StopRegistryContract):
    """One registry, asked from the same process."""

    @asynccontextmanager
    async def registries(self) -> AsyncIterator[tuple[StopRegistry, StopRegistry]]:
        stops = Stops()
        yield stops, stops


@pytest.mark.looptime
class TestStopsOverAWireKeepTheContract(StopRegistryContract):
    """Two registries in two processes, as far as they can tell: what one says, the other hears later."""

    @asynccontextmanager
    async def registries(self) -> AsyncIterator[tuple[StopRegistry, StopRegistry]]:
        wire = Wire(latency=0.05)
        async with WiredStops(wire) as here, WiredStops(wire) as there:
            yield here, there


@pytest.mark.looptime
async def test_a_stop_on_its_way_to_a_turn_that_ends_meanwhile_does_not_reach_the_next() -> None:
    wire = Wire(latency=1.0)
    async with WiredStops(wire) as here, WiredStops(wire) as there:
        old = here.open("channel/1")
        asking = asyncio.create_task(there.stop("channel/1"))
        await asyncio.sleep(0.5)
        old.close()
        following = here.open("channel/2")

        assert not await asking
        assert (None, None) == (old.reason, following.reason)


def test_a_stop_reaches_the_turn_that_it_names_and_no_other() -> None:
    stops = Stops()
    one, two = stops.open("one"), stops.open("two")

    assert stops.request("one")

    assert (StopReason.USER, None) == (one.reason, two.reason)


def test_a_late_stop_cannot_reach_the_next_turn() -> None:
    stops = Stops()
    stops.open("channel/1").close()
    following = stops.open("channel/2")

    assert not stops.request("channel/1")
    assert following.reason is None


def test_a_stop_for_nobody_is_refused() -> None:
    assert not Stops().request("nobody")


@pytest.mark.parametrize(
    ("first", "second", "accepted", "counts"),
    [
        pytest.param(StopReason.USER, StopReason.FOLLOW_UP, False, StopReason.USER, id="follow-up after stop"),
        pytest.param(StopReason.FOLLOW_UP, StopReason.USER, True, StopReason.USER, id="stop after follow-up"),
        pytest.param(StopReason.FOLLOW_UP, StopReason.FOLLOW_UP, False, StopReason.FOLLOW_UP, id="follow-up twice"),
        pytest.param(StopReason.USER, StopReason.SHUTDOWN, False, StopReason.USER, id="first stop counts"),
    ],
)
def test_which_request_counts(first: StopReason, second: StopReason, *, accepted: bool, counts: StopReason) -> None:
    stops = Stops()
    handle = stops.open("turn")
    stops.request("turn", first)

    assert accepted == stops.request("turn", second)
    assert counts is handle.reason


def test_a_turn_cannot_run_twice_at_once() -> None:
    stops = Stops()
    stops.open("turn")

    with pytest.raises(ValueError, match="already running"):
        stops.open("turn")


def test_a_handle_closes_with_its_block() -> None:
    stops = Stops()
    with stops.open("turn"):
        assert stops.running() == ("turn",)

    assert stops.running() == ()


def test_closing_twice_does_not_close_the_next_turn_of_that_name() -> None:
    stops = Stops()
    old = stops.open("turn")
    old.close()
    stops.open("turn")
    old.close()

    assert stops.running() == ("turn",)


@pytest.mark.looptime
async def test_waiting_ends_when_a_stop_comes() -> None:
    stops = Stops()
    handle = stops.open("turn")
    asyncio.get_running_loop().call_later(3.0, stops.request, "turn", StopReason.SHUTDOWN)

    assert await handle.wait() is StopReason.SHUTDOWN
    assert asyncio.get_running_loop().time() == 3.0


# --- whether a turn gets on -------------------------------------------------------------------


@pytest.mark.looptime
async def test_a_turn_is_idle_since_it_last_got_on() -> None:
    handle = Stops().open("turn")
    assert handle.idle_since is None

    handle.touch()
    await asyncio.sleep(5.0)

    assert now() - 5.0 == handle.idle_since


@pytest.mark.looptime
async def test_a_turn_is_not_idle_while_something_with_a_limit_of_its_own_is_waited_for() -> None:
    handle = Stops().open("turn")
    handle.touch()

    with handle.watched(), handle.watched():
        await asyncio.sleep(5.0)
        assert handle.idle_since is None

    assert now() == handle.idle_since
