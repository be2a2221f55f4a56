"""The base class of rules: a stage from segment to segment that knows only the scene."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from ..settings import RuleSettings
from ..text.origins import is_same, join
from ..text.prose import Prose, Replacement, replacements
from ..text.removal import tidied
from ..types import Boundary, Edit, Ending, Halt, Kind, Persona, Roster, Segment

RUNS_ON = (Boundary.PERIOD, Boundary.OVERFLOW)
"""A line that ends with one of these continues in the next segment."""


class Scan:
    """Remembers the last scanned text, so that the next rule need not scan it again."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: Prose | None = None

    def has(self, text: str) -> bool:
        """Whether *text* was the last one that was scanned."""
        return self._last is not None and self._last.text == text

    def of(self, text: str) -> Prose:
        """*text* with its protected spans."""
        if self._last is None or not is_same(self._last.text, text):
            self._last = Prose.of(text)
        return self._last

    def keep(self, prose: Prose) -> str:
        """Remember *prose*; return its text."""
        self._last = prose
        return prose.text


@dataclass(frozen=True, slots=True)
class RuleContext:
    """What a rule is built from."""

    persona: Persona = field(default_factory=lambda: Persona(""))
    roster: Roster = field(default_factory=Roster)
    settings: RuleSettings = field(default_factory=RuleSettings)
    prefill: str = ""
    """The words that the model was made to begin with."""
    echo: str | None = None
    """The prefill as the rules before ``Prefill`` leave it when the model repeats it; ``None`` is unchanged."""
    may_retry: bool = False
    """Whether the model can be asked again if nothing of this answer was shown."""
    openers: tuple[str, ...] = ()
    """Other names that a text of the persona may open with; they are removed there like its own."""
    scan: Scan = field(default_factory=Scan, compare=False, repr=False)
    """One for all rules: a text is scanned once."""

    @property
    def own_names(self) -> tuple[str, ...]:
        """The names that the persona answers to, longest first."""
        return _longest_first((self.persona.name, *self.persona.aliases))

    @property
    def opening_names(self) -> tuple[str, ...]:
        """The names that may open the text as the persona's, longest first."""
        return _longest_first((*self.own_names, *self.openers))


@lru_cache(maxsize=256)
def _longest_first(names: tuple[str, ...]) -> tuple[str, ...]:
    trimmed = {name.strip() for name in names} - {""}
    return tuple(sorted(trimmed, key=lambda name: (-len(name), name)))


class Rule:
    """A stage from segment to segment. Most rules only override ``change``."""

    name = ""
    """The name of the rule in the settings; by default made from the name of its class."""

    def __init_subclass__(cls) -> None:
        if "name" not in vars(cls):
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()

    def __init__(self, context: RuleContext) -> None:
        self.context = context

    @property
    def is_idle(self) -> bool:
        """Whether the rule can change nothing in this scene; then it is left out."""
        return False

    def feed(self, segment: Segment, /) -> Iterable[Segment | Halt]:
        """Take a segment; return what becomes of it. Only prose is passed to ``change``."""
        if segment.kind is not Kind.PROSE:
            return (segment,)
        return (self.change(segment),)

    def flush(self, why: Ending, /) -> Iterable[Segment | Halt]:  # noqa: ARG002  # most rules hold nothing back
        """Return what was held back."""
        return ()

    def change(self, segment: Segment) -> Segment:
        """Change a segment of prose."""
        return segment

    # --- for subclasses ------------------------------------------------------------

    def prose(self, segment: Segment) -> Prose:
        """The text of *segment* with its protected spans."""
        return self.context.scan.of(segment.text)

    def edited(self, segment: Segment, edits: Iterable[Edit]) -> Segment:
        """Make *edits* in *segment*, except in code, links and addresses."""
        before = self.prose(segment)
        after = before.edited(edits)
        return segment if after is before else replace(segment, text=self.context.scan.keep(after))

    def tidied(self, segment: Segment, edits: Iterable[Edit]) -> Segment:
        """Make *edits* in *segment*; a removal also removes what only it needed, such as one of two spaces."""
        return self.edited(segment, tidied(self.prose(segment), edits, ends_line=ends_line(segment)))

    def rewritten(self, segment: Segment, edits: Iterable[Edit]) -> Segment:
        """Make *edits* in *segment*, in code, links and addresses too; the next rule scans the text again."""
        text, parts, done = segment.text, list[str](), 0
        for edit in edits:
            parts += (text[done : edit.start], edit.text)
            done = edit.end
        return replace(segment, text=join([*parts, text[done:]])) if parts else segment

    def substituted(self, segment: Segment, pattern: re.Pattern[str], replacement: Replacement) -> Segment:
        """Replace every match of *pattern* in *segment*, except in code, links and addresses."""
        if pattern.search(segment.text) is None:  # the scan costs more than this check
            return segment
        return self.edited(segment, replacements(self.prose(segment), pattern, replacement))


class LineOpening:
    """Knows whether the next segment begins a line."""

    __slots__ = ("last",)

    def __init__(self) -> None:
        self.last: Segment | None = None
        """The previous segment. Set it for every segment; it is read only when needed."""

    @property
    def opens_line(self) -> bool:
        """Whether the next segment begins a line."""
        return self.last is None or ends_line(self.last)


class LineRule(Rule):
    """A rule for which it matters where a line begins, and that looks for a sign. It holds nothing back.

    Rules of this kind that follow each other are grouped: a segment without any of their signs passes all of them at once.
    """

    sign = ""
    """A text without which ``change`` has nothing to do, unless the rule waits."""
    kinds: tuple[Kind, ...] = (Kind.PROSE,)
    """What ``change`` gets, unless the rule waits."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self.line = LineOpening()
        self.opens_line = True
        """Whether the segment that ``change`` gets begins a line."""
        self.waits = False
        """Whether the next segment matters, whatever it is."""

    def feed(self, segment: Segment, /) -> Iterable[Segment | Halt]:
        """Return what is left of *segment*."""
        left = self.left_of(segment)
        return () if left is None else (left,)

    def left_of(self, segment: Segment) -> Segment | None:
        """Pass *segment* to ``change`` if it may matter; ``None`` if nothing is left of it."""
        if not self.waits and (self.sign not in segment.text or segment.kind not in self.kinds):
            self.line.last = segment
            return segment
        self.opens_line = self.line.opens_line
        self.line.last = segment
        changed = self.change(segment)
        return changed if changed is segment or changed.text else None

    def begins_line(self, text: str, index: int) -> bool:
        """Whether a line begins at *index* of the *text* of the segment that ``change`` got."""
        return text[index - 1] == "\n" if index else self.opens_line


BEFORE_LINE = r"[ \t]*+(?:(?:>{1,3}|[-*+•]|[0-9]{1,9}[.)])[ \t]++)*+"
"""A pattern for the indentation, quote marks and list marks that may precede the text of a line."""


def ends_line(segment: Segment) -> bool:
    """Whether the last line of *segment* is over."""
    return segment.boundary not in RUNS_ON or segment.text.endswith("\n")
