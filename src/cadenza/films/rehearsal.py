"""A stream delivered in virtual time to a simulated Discord, and filmed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field

from ..replies import say
from ..settings import Settings
from ..sim.api import WorldApi
from ..sim.faults import Faults
from ..sim.limits import RateLimits
from ..sim.rest import Rest
from ..sim.world import World
from ..targets.discord import DiscordTarget
from ..targets.house import House
from ..targets.webhooks import Webhooks
from ..types import Chunk, Finished, Identity, Persona, Scene, TextDelta
from . import virtual
from .camera import Camera
from .film import Film, Record

_EPOCH = 1_800_000_000.0
_LATENCY = 0.08
_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Beat:
    """What a model says at one moment."""

    after: float
    """Seconds since the one before."""
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What is to be filmed."""

    beats: Sequence[Beat]
    settings: Settings = field(default_factory=Settings)
    persona: Persona = field(default_factory=lambda: Persona("Cadenza"))
    asked: str = ""
    """What somebody says first; empty is nothing."""
    title: str = ""
    latency: float = _LATENCY
    """Seconds that the simulated Discord takes for an answer."""


def beats_of(text: str, rate: float = 50.0, *, token: int = _TOKEN) -> list[Beat]:
    """*text* as a model would say it, at *rate* tokens a second."""
    pieces = [text[start : start + token] for start in range(0, len(text), token)]
    return [*(Beat(1 / rate, (TextDelta(piece),)) for piece in pieces), Beat(0.0, (Finished(),))]


def rehearse(wanted: Rehearsal) -> Film:
    """Film *wanted*; takes as long as the computing does, whatever time passes in the film."""
    return virtual.run(_filmed(wanted))


async def _filmed(wanted: Rehearsal) -> Film:
    loop = asyncio.get_running_loop()
    world, faults = World(clock=loop.time, starts=_EPOCH), Faults()
    faults.delay("* /**", wanted.latency)
    rest, bot = Rest(world, limits=RateLimits(), faults=faults), world.add_bot(wanted.persona.name or "Cadenza")
    mia = world.add_person("Mia")
    guild = world.add_guild("Rehearsal", owner=mia, members=[mia, bot])
    channel = world.add_channel(guild, "general")
    records: list[Record] = []
    names = {mia.id: mia.name, bot.id: wanted.persona.name or "Cadenza"}
    camera = Camera(world, records.append, clock=loop.time, names=names)
    reply_to = mia.says(channel, wanted.asked) if wanted.asked else None
    api = WorldApi(rest, bot)
    alter = wanted.persona if wanted.persona.is_alter else None
    target = DiscordTarget(
        api,
        channel,
        house=House(Webhooks(api), clock=loop.time),
        persona=Identity(alter.name, alter.avatar) if alter else None,
    )
    scene = Scene(channel, wanted.persona, reply_to=reply_to)
    await say(target, _spoken(wanted.beats), scene=scene, settings=wanted.settings, trace=camera.hook)
    return Film(tuple(records), wanted.title)


async def _spoken(beats: Iterable[Beat]) -> AsyncIterator[Chunk]:
    for beat in beats:
        if beat.after:
            await asyncio.sleep(beat.after)
        for chunk in beat.chunks:
            yield chunk
