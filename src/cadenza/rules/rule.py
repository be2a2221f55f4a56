"""What a rule is: a stage from segment to segment that knows who is in the scene and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..settings import RuleSettings
from ..types import Boundary, Ending, Halt, Kind, Persona, Roster, Segment


@dataclass(frozen=True, slots=True)
class RuleContext:
    """What a rule is built with."""

    persona: Persona = field(default_factory=lambda: Persona(""))
    roster: Roster = field(default_factory=Roster)
    settings: RuleSettings = field(default_factory=RuleSettings)

    @property
    def own_names(self) -> tuple[str, ...]:
        """The names that the persona answers to, longest first."""
        names = {name.strip() for name in (self.persona.name, *self.persona.aliases)}
        return tuple(sorted(filter(None, names), key=lambda name: (-len(name), name)))


class Rule:
    """A stage from segment to segment. Most rules only override ``change``."""

    def __init__(self, context: RuleContext) -> None:
        self.context = context

    @property
    def is_idle(self) -> bool:
        """Whether the rule can change nothing in this scene; then it is left out of the row."""
        return False

    def feed(self, segment: Segment, /) -> Iterable[Segment | Halt]:
        """Take a segment; give back what becomes of it. Only prose is given to ``change``."""
        if segment.kind is not Kind.PROSE:
            return (segment,)
        return (self.change(segment),)

    def flush(self, why: Ending, /) -> Iterable[Segment | Halt]:  # noqa: ARG002  # most rules hold nothing back
        """Give back what was held."""
        return ()

    def change(self, segment: Segment) -> Segment:
        """Change a segment of prose."""
        return segment


class LineOpening:
    """Remembers whether the next segment begins a line."""

    def __init__(self) -> None:
        self.opens_line = True

    def follow(self, segment: Segment) -> None:
        """Note how *segment* ends."""
        runs_on = segment.boundary in (Boundary.PERIOD, Boundary.OVERFLOW) and not segment.text.endswith("\n")
        self.opens_line = not runs_on
