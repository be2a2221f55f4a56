"""A rehearsal as it is planned: what the model says, who is there, and what goes wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...errors import InputError, Sentence
from ...replies.outbox.prepare import Default
from ...settings import Settings
from ...sim.rate_limits import Rate
from ...stages.s7_delivery import Painter
from ...types import Chunk, Finished, Persona, Roster, StopReason, TextDelta
from .fault_names import RehearsalFault

_LATENCY = 0.08
_TOKEN = 4
_FASTEST = 1e6
_MESSAGES, _OF_A_WEBHOOK = Rate(5, 5.0), Rate(5, 2.0)
_LONGEST = 2000
"""Characters that a person can say at once."""
_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class ModelBeat:
    """Chunks that a model sends at one moment."""

    after: float
    """Seconds since the beat before."""
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class Interlude:
    """Something that a person does during the reply."""

    at: float
    """When, in seconds since the film began."""
    says: str = ""
    """What they say; may be empty."""
    who: str = ""
    """One of the people; empty is the one who asked."""
    stops: StopReason | None = None
    """The reason if this stops the reply, by ``/stop`` for example."""


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """Everything that a rehearsal needs."""

    beats: Sequence[ModelBeat]
    settings: Settings = field(default_factory=Settings)
    persona: Persona = field(default_factory=lambda: Persona("Cadenza"))
    asked: str = ""
    """The message that is answered; may be empty."""
    title: str = ""
    people: tuple[str, ...] = ("Mia",)
    """The people besides the bot, who can be mentioned. The first one asks, and is the viewer of the film."""
    roles: tuple[str, ...] = ("crew",)
    """Roles of those people; they exist only if the settings allow to ping roles."""
    emoji: tuple[str, ...] = ()
    """The names of the guild's emoji."""
    roster: Roster | None = None
    """Replaces the roster made of those people and emoji."""
    prefill: str = ""
    """The text that the reply begins with."""
    asides: tuple[Interlude, ...] = ()
    """What people do during the reply, or after it."""
    stop_at: float | None = None
    """When the user stops the reply, in seconds since the film began."""
    limits: Rate | None = _MESSAGES
    """The rate limit for messages; ``None`` is no limit at all."""
    webhook_limits: Rate = _OF_A_WEBHOOK
    """The rate limit of each webhook."""
    latency: float = _LATENCY
    """Seconds until the simulated Discord answers a call."""
    faults: tuple[RehearsalFault, ...] = ()
    """Faults of the simulated Discord."""
    painter: Painter | Default | None = Default.PAINTER
    """Paints pictures of tables."""
    seed: int | None = None
    """Seed of the dice; ``None`` takes the setting."""

    def __post_init__(self) -> None:
        """Refuse impossible values."""
        if not self.people or len(set(self.people)) < len(self.people):
            msg = "a rehearsal needs at least one person, and each name only once; change 'people'"
            raise InputError(msg)
        if strangers := [one.who for one in self.asides if one.who and one.who not in self.people]:
            msg = Sentence(
                "{strangers} is not among the 'people' of the rehearsal; add them, or name somebody who is",
                strangers=repr(strangers[0]),
            )
            raise InputError(msg)
        if max(len(said) for said in (self.asked, *(one.says for one in self.asides))) > _LONGEST:
            msg = Sentence(
                "a person can say at most {longest} characters at once; shorten what is asked or said", longest=_LONGEST
            )
            raise InputError(msg)
        times = [
            self.latency,
            self.stop_at or 0.0,
            *(one.at for one in self.asides),
            *(one.after for one in self.beats),
        ]
        if not all(0 <= time <= _DAY for time in times):
            msg = "the times of a rehearsal go from 0 seconds to one day; check them"
            raise InputError(msg)
        if any(rate.limit < 1 or not 0 < rate.seconds <= _DAY for rate in (self.limits, self.webhook_limits) if rate):
            msg = "a rate limit is at least one message, in more than 0 seconds and at most a day; check the limits"
            raise InputError(msg)

    @property
    def interludes(self) -> list[Interlude]:
        """Everything that people do, in order of time."""
        stop = [] if self.stop_at is None else [Interlude(self.stop_at, stops=StopReason.USER)]
        return sorted([*self.asides, *stop], key=lambda one: one.at)


def beats_of(text: str, rate: float = 50.0, *, token: int = _TOKEN) -> list[ModelBeat]:
    """*text* in tokens, at *rate* tokens a second."""
    if not 0 < rate <= _FASTEST:
        msg = Sentence("a rate is more than 0 and at most a million tokens a second, not {rate}", rate=f"{rate:g}")
        raise InputError(msg)
    pieces = [text[start : start + token] for start in range(0, len(text), token)]
    return [*(ModelBeat(1 / rate, (TextDelta(piece),)) for piece in pieces), ModelBeat(0.0, (Finished(),))]
