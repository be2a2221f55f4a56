"""Everything that a bot asks of Discord counts, whoever asks; that somebody is writing is shown only if there is room."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import pytest

from cadenza.errors import DeliveryError
from cadenza.targets.discord.api import ApiError, Outgoing, Webhook, WebhookIdentity
from cadenza.targets.discord.paced import PacedApi
from cadenza.targets.discord.throttle import Throttle
from cadenza.types import Identity
from tests.discord_room import REN, Room, post
from tests.timing import now

pytestmark = pytest.mark.looptime

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
