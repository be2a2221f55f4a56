"""What a rule is: a stage from segment to segment that knows who is in the scene and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from ..settings import RuleSettings
from ..text.prose import Prose, Replacement, replacements
from ..text.removal import tidied
from ..types import Boundary, Edit, Ending, Halt, Kind, Persona, Roster, Segment

RUNS_ON = (Boundary.PERIOD, Boundary.OVERFLOW)
"""A line that ends with one of these goes on in the next segment."""


class Scan:
    """Remembers the last text that was scanned, so that the next rule of the row need not scan it again."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: Prose | None = None

    def of(self, text: str) -> Prose:
        """What there is to know of *text*."""
        if self._last is None or self._last.text != text:
            self._last = Prose.of(text)
        return self._last

    def keep(self, prose: Prose) -> str:
        """Remember *prose*; give back its text."""
        self._last = prose
        return prose.text


@dataclass(frozen=True, slots=True)
class RuleContext:
    """What a rule is built with."""

    persona: Persona = field(default_factory=lambda: Persona(""))
    roster: Roster = field(default_factory=Roster)
    settings: RuleSettings = field(default_factory=RuleSettings)
    prefill: str = ""
    """What the model was made to begin with."""
    echo: str | None = None
    """How the rules before ``Prefill`` leave that when the model repeats it; ``None`` is as it stands."""
    may_retry: bool = False
    """Whether the model can be asked again if nothing of this answer was shown."""
    openers: tuple[str, ...] = ()
    """Names besides its own that a text of the persona may open with; they are taken off there like its own."""
    scan: Scan = field(default_factory=Scan, compare=False, repr=False)
    """One for the row: what one rule has scanned, the next one knows."""

    @property
    def own_names(self) -> tuple[str, ...]:
        """The names that the persona answers to, longest first."""
        return _longest_first((self.persona.name, *self.persona.aliases))

    @property
    def opening_names(self) -> tuple[str, ...]:
        """The names that may stand in front of the whole text without being somebody else's, longest first."""
        return _longest_first((*self.own_names, *self.openers))


@lru_cache(maxsize=256)
def _longest_first(names: tuple[str, ...]) -> tuple[str, ...]:
    trimmed = {name.strip() for name in names} - {""}
    return tuple(sorted(trimmed, key=lambda name: (-len(name), name)))


class Rule:
    """A stage from segment to segment. Most rules only override ``change``."""

    name = ""
    """What the settings call the rule; made from the name of its class where it says nothing else."""

    def __init_subclass__(cls) -> None:
        if "name" not in vars(cls):
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()

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

    # --- for subclasses ------------------------------------------------------------

    def prose(self, segment: Segment) -> Prose:
        """The text of *segment*, and what in it is out of reach."""
        return self.context.scan.of(segment.text)

    def edited(self, segment: Segment, edits: Iterable[Edit]) -> Segment:
        """Make *edits* in *segment*, but none in code, links or addresses."""
        before = self.prose(segment)
        after = before.edited(edits)
        return segment if after is before else replace(segment, text=self.context.scan.keep(after))

    def tidied(self, segment: Segment, edits: Iterable[Edit]) -> Segment:
        """Make *edits* in *segment*; what is taken out takes along what only it needed, such as one of two spaces."""
        return self.edited(segment, tidied(self.prose(segment), edits, ends_line=ends_line(segment)))

    def substituted(self, segment: Segment, pattern: re.Pattern[str], replacement: Replacement) -> Segment:
        """Put *replacement* in place of every match of *pattern* in *segment*, but not in code, links or addresses."""
        if pattern.search(segment.text) is None:  # the scan costs more than a look
            return segment
        return self.edited(segment, replacements(self.prose(segment), pattern, replacement))


class LineOpening:
    """Knows whether the next segment begins a line."""

    __slots__ = ("last",)

    def __init__(self) -> None:
        self.last: Segment | None = None
        """The segment before; to be set for every one, and looked at only where it matters."""

    @property
    def opens_line(self) -> bool:
        """Whether the line of the last segment is over."""
        return self.last is None or ends_line(self.last)


def ends_line(segment: Segment) -> bool:
    """Whether the last line of *segment* is over."""
    return segment.boundary not in RUNS_ON or segment.text.endswith("\n")
