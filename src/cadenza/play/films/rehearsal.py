"""A stream delivered in virtual time to a simulated Discord, and filmed.

The same input is the same film, byte for byte: no clock, dice or network of this machine is in it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

from ...concurrency.stops import StopHandle, Stops
from ...concurrency.tasks import end_task
from ...errors import InputError
from ...pictures.picture_worker import PictureWorker
from ...replies.outbox.grouping_names import NameContinuity
from ...replies.outbox.prepare import Default, PostPreparer
from ...replies.reply import say
from ...settings import Settings
from ...sim.rate_limits import Rate
from ...stages.s7_delivery import Painter
from ...targets.discord.shared import DiscordState
from ...targets.discord.target import DiscordTarget, ReplyTarget
from ...targets.discord.webhooks import Webhooks
from ...types import Chunk, Finished, Identity, Persona, Reply, Roster, Scene, StopReason, TextDelta
from . import virtual_time
from .fault_names import Trouble
from .film import Film
from .rehearsal_room import Stage
from .virtual_time import GivenUp, VirtualLoop

_LATENCY = 0.08
_TOKEN = 4
_TURN = "1"
_FASTEST = 1e6
_MESSAGES, _OF_A_WEBHOOK = Rate(5, 5.0), Rate(5, 2.0)
_LONGEST = 2000
"""Characters that a person can say at once."""
_LONG = 86_400.0
"""Seconds of a day."""


@dataclass(frozen=True, slots=True)
class Beat:
    """What a model says at one moment."""

    after: float
    """Seconds since the one before."""
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class Interlude:
    """What somebody does meanwhile."""

    at: float
    """When, in seconds since the film began."""
    says: str = ""
    """What they say; empty is nothing."""
    who: str = ""
    """One of the people; empty is who asked."""
    stops: StopReason | None = None
    """Why the reply is to end then: by ``/stop``, or because of what they say, for instance."""


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What is to be filmed."""

    beats: Sequence[Beat]
    settings: Settings = field(default_factory=Settings)
    persona: Persona = field(default_factory=lambda: Persona("Cadenza"))
    asked: str = ""
    """What somebody says first, which is then answered; empty is nothing."""
    title: str = ""
    people: tuple[str, ...] = ("Mia",)
    """Who is there besides the bot, and can be mentioned. The first asks, and the film is seen with their eyes."""
    roles: tuple[str, ...] = ("crew",)
    """Which roles those people have, and can be called by if the settings allow it; else they are not there."""
    emoji: tuple[str, ...] = ()
    """The names of the server's own emoji."""
    roster: Roster | None = None
    """Who and what can be named, instead of those people and emoji."""
    prefill: str = ""
    """The words that the answer begins with."""
    asides: tuple[Interlude, ...] = ()
    """What people do meanwhile; what is after the end of the reply is filmed, too."""
    stop_at: float | None = None
    """When the person who asked stops the reply, in seconds since the film began."""
    limits: Rate | None = _MESSAGES
    """How many messages the server takes in how many seconds; ``None`` is as many as there are, of everything."""
    webhook_limits: Rate = _OF_A_WEBHOOK
    """The same for each webhook."""
    latency: float = _LATENCY
    """Seconds that the simulated Discord takes for an answer."""
    faults: tuple[Trouble, ...] = ()
    """What goes wrong."""
    painter: Painter | Default | None = Default.PAINTER
    """Who makes pictures of tables."""
    seed: int | None = None
    """Where the dice start; ``None`` is where the settings say."""

    def __post_init__(self) -> None:
        """Refuse what nobody can play."""
        if not self.people or len(set(self.people)) < len(self.people):
            msg = "a rehearsal needs at least one person, and everybody a name of their own; give other 'people'"
            raise InputError(msg)
        if strangers := [one.who for one in self.asides if one.who and one.who not in self.people]:
            msg = f"{strangers[0]!r} is not among the 'people' of the rehearsal, and cannot do anything in it"
            raise InputError(msg)
        if max(len(said) for said in (self.asked, *(one.says for one in self.asides))) > _LONGEST:
            msg = f"a person can say at most {_LONGEST} characters at once; shorten what is asked or said"
            raise InputError(msg)
        times = [
            self.latency,
            self.stop_at or 0.0,
            *(one.at for one in self.asides),
            *(one.after for one in self.beats),
        ]
        if not all(0 <= time <= _LONG for time in times):
            msg = "in a rehearsal nothing happens before it begins, or takes longer than a day; check the times"
            raise InputError(msg)
        if any(rate.limit < 1 or not 0 < rate.seconds <= _LONG for rate in (self.limits, self.webhook_limits) if rate):
            msg = "a server takes at least one message, in more than no seconds and less than a day; check the limits"
            raise InputError(msg)

    @property
    def interludes(self) -> list[Interlude]:
        """All that people do meanwhile, in its order."""
        stop = [] if self.stop_at is None else [Interlude(self.stop_at, stops=StopReason.USER)]
        return sorted([*self.asides, *stop], key=lambda one: one.at)


def beats_of(text: str, rate: float = 50.0, *, token: int = _TOKEN) -> list[Beat]:
    """*text* as a model would say it, at *rate* tokens a second."""
    if not 0 < rate <= _FASTEST:
        msg = f"a model says more than no tokens a second, and at most a million, not {rate:g}"
        raise InputError(msg)
    pieces = [text[start : start + token] for start in range(0, len(text), token)]
    return [*(Beat(1 / rate, (TextDelta(piece),)) for piece in pieces), Beat(0.0, (Finished(),))]


async def spoken(beats: Iterable[Beat]) -> AsyncIterator[str | Chunk]:
    """What is said in *beats*, at its time: a model does not wait until somebody has listened."""
    loop = asyncio.get_running_loop()
    due = loop.time()
    for beat in beats:
        due += beat.after
        if (wait := due - loop.time()) > 0:
            await asyncio.sleep(wait)
        for chunk in beat.chunks:
            yield chunk.text if type(chunk) is TextDelta else chunk  # plain texts take the shortest way


def rehearse(wanted: Rehearsal, *, given_up: GivenUp | None = None) -> Film:
    """Film *wanted*; takes as long as the computing does, whatever time passes in the film.

    It runs in the thread that calls it, which must have no running event loop: there, ``asyncio.to_thread`` it. Once
    *given_up* (the ``is_set`` of a ``threading.Event``, say) is true, it ends soon with ``virtual.Abandoned``.
    """
    return virtual_time.run(_filmed(wanted), given_up=given_up)


async def _filmed(wanted: Rehearsal) -> Film:
    stage = Stage(wanted)
    with stage, Stops().open(_TURN) as handle:
        acts = asyncio.create_task(meanwhile(wanted, stage, handle.take))
        try:
            reply = await _delivered(wanted, stage, handle)
            await acts
        finally:
            await end_task(acts)
    return stage.film(reply)


async def meanwhile(wanted: Rehearsal, stage: Stage, stop: Callable[[StopReason, str], object]) -> None:
    """Let people do what they are to do, each thing at its time."""
    loop = asyncio.get_running_loop()
    for one in wanted.interludes:
        await asyncio.sleep(max(0.0, stage.begun + one.at - loop.time()))
        person = stage.people[one.who or wanted.people[0]]
        if one.says:
            person.says(stage.channel, one.says)
        if one.stops is not None:
            stop(one.stops, person.name)


async def _delivered(wanted: Rehearsal, stage: Stage, handle: StopHandle) -> Reply:
    persona, loop = stage.persona, asyncio.get_running_loop()
    continuity = NameContinuity(clock=loop.time)
    preparer = PostPreparer(painter=wanted.painter, continuity=continuity, studio=_PatientStudio())
    target = DiscordTarget(
        stage.api,
        stage.channel,
        shared=DiscordState(Webhooks(stage.api), clock=loop.time),
        turn=_TURN,
        persona=Identity(persona.name, persona.avatar) if persona.is_alter else None,
        roster=stage.roster,
        reply_target=ReplyTarget(stage.reply_to, wanted.people[0]) if stage.reply_to else None,
    )
    try:
        return await say(
            target,
            spoken(wanted.beats),
            scene=Scene(stage.channel, persona, roster=stage.roster, reply_to=stage.reply_to, prefill=wanted.prefill),
            settings=wanted.settings,
            stop=handle,
            chance=Random(wanted.settings.delivery.seed if wanted.seed is None else wanted.seed),
            preparer=preparer,
            trace=stage.camera.hook,
        )
    finally:
        await preparer.close()


class _PatientStudio(PictureWorker):
    """A studio in which painting takes no time: its threads are not the loop's own, so the loop is told of them."""

    async def painted(self, paint: Callable[[], object]) -> bytes | None:
        """What *paint* gives back, if that is a picture."""
        loop = asyncio.get_running_loop()
        if not isinstance(loop, VirtualLoop):
            return await super().painted(paint)
        with loop.computing():
            return await super().painted(paint)
