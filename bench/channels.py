"""Many channels of one simulated server that are spoken to at once, by one bot: what stands there, and since when."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from cadenza.replies.reply import say
from cadenza.replies.streams import ModelStream
from cadenza.settings import Settings
from cadenza.sim.faults import Faults
from cadenza.sim.memory_api import WorldApi
from cadenza.sim.rest import Rest
from cadenza.sim.wire import GatewayEvent
from cadenza.sim.world import World
from cadenza.targets.discord.shared import DiscordState
from cadenza.targets.discord.target import DiscordTarget
from cadenza.targets.discord.throttle import Throttle
from cadenza.targets.discord.webhooks import Webhooks
from cadenza.types import Completed, Identity


@dataclass(frozen=True, slots=True)
class Delivered:
    """What became of all replies."""

    broken: int
    """How many did not end well."""
    refused: int
    """How many requests came too early."""
    messages: int
    ended: float
    """When the last reply was over."""
    texts: tuple[list[str], ...]
    """What stands in each channel, message by message."""
    shown: tuple[list[float], ...]
    """When each letter came to stand there."""


@dataclass(slots=True)
class _Channel:
    id: str
    texts: list[str] = field(default_factory=list)
    shown: list[float] = field(default_factory=list)


async def deliver(
    speeches: Sequence[ModelStream],
    *,
    persona: Identity | None,
    latency: float,
    letters: Callable[[str], str],
    throttle: Throttle | None = None,
) -> Delivered:
    """Deliver *speeches* at once, each to a channel of its own; all limits of Discord hold.

    *letters* is what is waited for of a text. *throttle* is how often the bot asks; without one, it is as usual.
    """
    loop = asyncio.get_running_loop()
    world, faults = World(clock=loop.time, starts=1_700_000_000.0), Faults()
    faults.delay("* /**", latency)
    rest, bot = Rest(world, faults=faults), world.add_bot()
    guild = world.add_guild("Everybody", owner=world.add_person("Mia"), members=[bot])
    channels = [_Channel(world.add_channel(guild, f"channel-{number}")) for number in range(len(speeches))]
    api = WorldApi(rest, bot)
    shared = DiscordState(Webhooks(api, throttle=throttle), clock=loop.time)
    by_id = {channel.id: channel for channel in channels}

    def hear(event: GatewayEvent) -> None:
        if event.name == "MESSAGE_CREATE":
            channel, text = by_id[event.data["channel_id"]], event.data["content"]
            channel.texts.append(text)
            channel.shown += [loop.time()] * len(letters(text))

    world.listen(hear)
    targets = [DiscordTarget(api, channel.id, shared=shared, persona=persona) for channel in channels]
    ended = await asyncio.gather(*map(_answer, targets, speeches))
    return Delivered(
        broken=ended.count(False),
        refused=sum(call.status == 429 for call in rest.calls),
        messages=sum(len(channel.texts) for channel in channels),
        ended=loop.time(),
        texts=tuple(channel.texts for channel in channels),
        shown=tuple(channel.shown for channel in channels),
    )


async def _answer(target: DiscordTarget, speech: ModelStream) -> bool:
    left = await say(target, speech, settings=Settings.of(degree=1, flood_limit=10_000))
    return isinstance(left.outcome, Completed)
