"""End the reply where the model begins to speak for others, ``Fine by me.⏎User: ok`` → ``Fine by me.``.

Only a known name makes a line another speaker's: ``Note: remember this`` and ``12:30 lunch`` are the persona's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ..text.labels import FIGURE, after_space
from ..text.prose import Prose
from ..text.units import WHITESPACE
from ..types import Halt, Kind, Segment, StopReason
from .rule import LineOpening, Rule, RuleContext
from .speakers import LABEL, known_speakers, names_speaker

_BACKTICK = re.compile(r"(?<!\\)`")


class SpeakerGuard(Rule):
    """Halts before the first line that opens with another speaker's name."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._speakers = known_speakers(context) if context.settings.speaker_guard else frozenset()
        self._line = LineOpening()
        self._spoke = False  # whether anything was passed on in this reply

    @property
    def is_idle(self) -> bool:
        """Whether the guard is off, or there are no other speakers."""
        return not self._speakers

    def feed(self, segment: Segment, /) -> Iterable[Segment | Halt]:
        """Pass on what precedes another speaker's line, and then halt."""
        opens_line = self._line.opens_line
        self._line.last = segment
        if segment.kind is Kind.PROSE and (":" in segment.text or "：" in segment.text):
            start = self._other_speaker(segment, opens_line=opens_line)
            if start is not None:
                before = segment.text[:start].rstrip(WHITESPACE)
                halt = Halt(StopReason.SPEAKER_GUARD)
                return (replace(segment, text=before), halt) if before else (halt,)
        self._spoke = self._spoke or bool(segment.text.strip(WHITESPACE))
        return (segment,)

    def _other_speaker(self, segment: Segment, *, opens_line: bool) -> int | None:
        """Where the first line of another speaker begins. The first words of the reply are left to other rules."""
        text = segment.text
        first_word = len(text) - len(text.lstrip(WHITESPACE))
        backtick = -1
        for match in LABEL.finditer(text):
            if match.start() == 0 and not opens_line:
                continue
            if not self._spoke and match.start("label") == first_word:
                continue
            if not names_speaker(match["label"], self._speakers) or _precedes_figure(match):
                continue
            prose = self.prose(segment)
            backtick = _lone_backtick(prose) if backtick < 0 else backtick
            if match.start() > backtick:
                break  # this code has not closed yet, and all that follows is in it
            if prose.is_free(match.start("label"), match.end()):
                return match.start()
        return None


def _precedes_figure(match: re.Match[str]) -> bool:
    """Whether the label precedes only a figure: ``Bob: 12 points`` is a score."""
    return FIGURE.match(match.string, after_space(match.string, match.end())) is not None


def _lone_backtick(prose: Prose) -> int:
    """Where the first unclosed backtick of *prose* is; its end if there is none."""
    position = 0
    for span in prose.kept:
        if lone := _BACKTICK.search(prose.text, position, span.start):
            return lone.start()
        position = span.end
    lone = _BACKTICK.search(prose.text, position)
    return lone.start() if lone else len(prose.text)
