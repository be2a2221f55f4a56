"""A rehearsal as it is planned: what the model says, who is there, and what goes wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..backstage import Default
from ..errors import InputError
from ..settings import Settings
from ..sim.limits import Rate
from ..stages.s7_delivery import Painter
from ..types import Chunk, Finished, Persona, Roster, StopReason, TextDelta
from .troubles import Trouble

_LATENCY = 0.08
_TOKEN = 4
_FASTEST = 1e6
_MESSAGES, _OF_A_WEBHOOK = Rate(5, 5.0), Rate(5, 2.0)
_LONGEST = 2000
"""Characters that a person can say at once."""
_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class ModelBeat:
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

    beats: Sequence[ModelBeat]
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
        if not all(0 <= time <= _DAY for time in times):
            msg = "in a rehearsal nothing happens before it begins, or takes longer than a day; check the times"
            raise InputError(msg)
        if any(rate.limit < 1 or not 0 < rate.seconds <= _DAY for rate in (self.limits, self.webhook_limits) if rate):
            msg = "a server takes at least one message, in more than no seconds and less than a day; check the limits"
            raise InputError(msg)

    @property
    def interludes(self) -> list[Interlude]:
        """All that people do meanwhile, in its order."""
        stop = [] if self.stop_at is None else [Interlude(self.stop_at, stops=StopReason.USER)]
        return sorted([*self.asides, *stop], key=lambda one: one.at)


def beats_of(text: str, rate: float = 50.0, *, token: int = _TOKEN) -> list[ModelBeat]:
    """*text* as a model would say it, at *rate* tokens a second."""
    if not 0 < rate <= _FASTEST:
        msg = f"a model says more than no tokens a second, and at most a million, not {rate:g}"
        raise InputError(msg)
    pieces = [text[start : start + token] for start in range(0, len(text), token)]
    return [*(ModelBeat(1 / rate, (TextDelta(piece),)) for piece in pieces), ModelBeat(0.0, (Finished(),))]
