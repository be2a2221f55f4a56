"""How often a bot asks: never too often in any second, in the order of asking. All in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from math import inf, nan
from typing import TypeAlias

import pytest
from hypothesis import given, strategies as st
from looptime import new_event_loop

from cadenza.errors import DeliveryError, SettingsError
from cadenza.targets.discord.api import ApiError, Outgoing, Webhook, WebhookIdentity
from cadenza.targets.discord.throttle import PacedApi, Throttle
from cadenza.types import Identity
from tests.discord_room import REN, Room, post
from tests.timing import now

pytestmark = pytest.mark.looptime


async def leave(throttle: Throttle, number: int, left: list[tuple[int, float]]) -> None:
    await throttle.admit()
    left.append((number, now()))


async def test_as_many_as_may_leave_at_once_and_the_others_in_the_order_of_asking() -> None:
    throttle, left, begun = Throttle(limit=2, seconds=1.0), list[tuple[int, float]](), now()
    async with asyncio.TaskGroup() as group:
        for number in range(5):
            group.create_task(leave(throttle, number, left))
    assert [(0, 0.0), (1, 0.0), (2, 1.0), (3, 1.0), (4, 2.0)] == [(number, time - begun) for number, time in left]


async def test_it_says_how_long_a_request_would_wait() -> None:
    throttle = Throttle(limit=2, seconds=1.0)
    assert 0.0 == throttle.backlog
    await throttle.admit()
    assert 0.0 == throttle.backlog
    await throttle.admit()
    assert 1.0 == pytest.approx(throttle.backlog)
    await asyncio.sleep(0.75)
    assert 0.25 == pytest.approx(throttle.backlog)


async def test_one_that_gave_up_waiting_is_not_waited_for() -> None:
    throttle, left, begun = Throttle(limit=1, seconds=1.0), list[tuple[int, float]](), now()
    await throttle.admit()
    crowd = [asyncio.create_task(leave(throttle, number, left)) for number in range(20)]
    await asyncio.sleep(0.5)
    for one in crowd:
        one.cancel()
    await asyncio.wait(crowd)
    await throttle.admit()
    assert ([], 1.0) == (left, pytest.approx(now() - begun))


async def test_a_courtesy_leaves_half_of_all_to_others_and_never_waits() -> None:
    throttle, begun = Throttle(limit=4, seconds=1.0), now()
    assert [True, True, False] == [throttle.admit_courtesy() for _ in range(3)]
    await throttle.admit()
    await throttle.admit()
    assert (begun, True) == (now(), throttle.backlog > 0)
    assert not throttle.admit_courtesy()
    await asyncio.sleep(1.0)
    assert throttle.admit_courtesy()


@pytest.mark.parametrize(("limit", "seconds"), [(0, 1.0), (-1, 1.0), (1, 0.0), (1, -1.0), (1, inf), (1, nan)])
def test_what_lets_nothing_leave_is_refused(limit: int, seconds: float) -> None:
    with pytest.raises(SettingsError, match="at least one request"):
        Throttle(limit=limit, seconds=seconds)


STEPS = st.lists(st.tuples(st.sampled_from([0.0, 0.01, 0.3, 0.99, 1.5]), st.sampled_from(["ask", "ask", "nod", "quit"])), max_size=40)  # fmt: skip


@pytest.mark.looptime(False)  # noqa: FBT003  # its own way to say no: each example has a loop of its own
@given(STEPS, st.integers(1, 5))
def test_in_no_second_do_more_leave_than_may_and_nobody_overtakes(steps: list[tuple[float, str]], limit: int) -> None:
    async def run() -> tuple[list[tuple[int, float]], list[float]]:
        throttle, left, nods = Throttle(limit=limit, seconds=1.0), list[tuple[int, float]](), list[float]()
        asking: list[asyncio.Task[None]] = []
        for number, (pause, step) in enumerate(steps):
            await asyncio.sleep(pause)
            match step:
                case "ask":
                    asking.append(asyncio.create_task(leave(throttle, number, left)))
                case "nod" if throttle.admit_courtesy():
                    nods.append(now())
                case "quit" if asking:
                    asking[-1].cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        return left, nods

    with asyncio.Runner(loop_factory=partial(new_event_loop, noop_cycles=0)) as runner:
        left, nods = runner.run(run())
    assert sorted(left) == left
    times = sorted([time for _, time in left] + nods)
    for first, later in zip(times, times[limit:], strict=False):
        assert later - first >= 1.0 - 1e-6


# --- everything that a bot asks of Discord counts, and typing is shown only if there is room -----------

HOOK = Webhook("1", "token", "2")
Ask: TypeAlias = Callable[[PacedApi, str], Awaitable[object]]
ASKED: dict[str, Ask] = {
    "find": lambda api, channel: api.find(channel),
    "send": lambda api, channel: api.send(channel, Outgoing("Hello.")),
    "send as": lambda api, _: api.send_as(HOOK, WebhookIdentity("Ren"), Outgoing("Hello.")),
    "recent": lambda api, channel: api.recent(channel),
    "delete": lambda api, channel: api.delete(channel, "3"),
    "delete many": lambda api, channel: api.delete_many(channel, ("3", "4")),
    "delete as": lambda api, _: api.delete_as(HOOK, "3"),
    "webhooks": lambda api, channel: api.webhooks(channel),
    "webhook": lambda api, _: api.webhook("1", "token"),
    "create webhook": lambda api, channel: api.create_webhook(channel, "Tea"),
    "set avatar": lambda api, _: api.set_avatar(HOOK, None, patience=1.0),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
async def test_every_request_waits_for_its_turn_and_one_that_is_refused_counts_too(ask: Ask) -> None:
    room = Room()
    throttle = Throttle(limit=1, seconds=7.0)
    api, begun = PacedApi(room.api, throttle), now()
    for turn in range(3):
        try:
            await ask(api, room.channel)
        except ApiError as error:
            assert error.status in (400, 401, 404)  # noqa: PT017  # there is no such webhook or message
        assert 7.0 * turn == pytest.approx(now() - begun)


async def test_what_is_known_costs_nothing() -> None:
    room = Room()
    throttle = Throttle(limit=1, seconds=7.0)
    api = PacedApi(room.api, throttle)
    assert (room.bot.id, room.api.known(room.channel), None) == (
        api.user,
        api.known(room.channel),
        api.bucket(room.channel),
    )
    assert (0.0, []) == (throttle.backlog, room.rest.calls)


async def test_it_is_not_shown_that_somebody_writes_when_there_is_little_room() -> None:
    room = Room()
    api, begun = PacedApi(room.api, Throttle(limit=4, seconds=7.0)), now()
    for _ in range(5):
        await api.typing(room.channel)
    assert (2, begun) == (room.calls("POST /channels"), now())


async def test_all_targets_of_a_bot_and_its_webhooks_take_turns() -> None:
    room = Room(throttle=Throttle(limit=1, seconds=1.0))
    other, begun = room.world.add_channel(room.guild, "other"), now()
    await room.target().send(post("One."))
    await room.target(other).send(post("Two.", REN))  # the webhooks are listed, one is made, and it speaks
    assert (4, 3.0) == (len(room.rest.calls), pytest.approx(now() - begun))


async def test_what_waits_for_its_turn_had_better_go_together() -> None:
    room = Room(throttle=Throttle(limit=1, seconds=1.0))
    target, named = room.target(), room.target(persona=REN)
    assert (None, None) == (target.allowance(None), named.allowance(None))
    await target.send(post("One."))
    assert [(1, 1, 0.0)] * 2 == [target.allowance(None), named.allowance(None)]


@pytest.mark.parametrize("persona", [None, REN], ids=["bot", "webhook"])
async def test_who_is_stopped_while_many_others_speak_is_silent_at_once(persona: Identity | None) -> None:
    room = Room(throttle=Throttle(limit=10, seconds=60.0))
    target = room.target(persona=persona)
    await target.send(post("One."))
    while not room.shared.throttle.backlog:
        await room.shared.throttle.admit()
    begun = now()
    asyncio.get_running_loop().call_later(2.0, target.hurry)

    with pytest.raises(DeliveryError):
        await target.send(post("Two."))

    assert (["One."], 2.0) == (room.texts(), now() - begun)
