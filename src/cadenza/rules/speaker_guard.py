"""End the reply where the model begins to speak for somebody else, ``Fine by me.⏎User: ok`` → ``Fine by me.``.

Only a name that is known makes a line somebody else's: ``Note: remember this`` and ``12:30 lunch`` are the persona's.
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
    """Halts before the first line that opens with the name of another speaker."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._speakers = known_speakers(context) if context.settings.speaker_guard else frozenset()
        self._line = LineOpening()
        self._spoke = False  # whether anything was passed on in this reply

    @property
    def is_idle(self) -> bool:
        """Whether nobody wants a guard, or there is nobody to speak for."""
        return not self._speakers

    def feed(self, segment: Segment, /) -> Iterable[Segment | Halt]:
        """Pass on what stands before another speaker's line, and then end."""
        opens_line = self._line.opens_line
        self._line.last = segment
        if segment.kind is Kind.PROSE and (":" in segment.text or "：" in segment.text):
            start = self._other_voice(segment, opens_line=opens_line)
            if start is not None:
                before = segment.text[:start].rstrip(WHITESPACE)
                halt = Halt(StopReason.SPEAKER_GUARD)
                return (replace(segment, text=before), halt) if before else (halt,)
        self._spoke = self._spoke or bool(segment.text.strip(WHITESPACE))
        return (segment,)

    def _other_voice(self, segment: Segment, *, opens_line: bool) -> int | None:
        """Where the first line of another speaker begins. The reply's first words are left to other rules."""
        text = segment.text
        first_word = len(text) - len(text.lstrip(WHITESPACE))
        backtick = -1
        for match in LABEL.finditer(text):
            if match.start() == 0 and not opens_line:
                continue
            if not self._spoke and match.start("label") == first_word:
                continue
            if not names_speaker(match["label"], self._speakers) or _heads_figure(match):
                continue
            prose = self.prose(segment)
            backtick = _lone_backtick(prose) if backtick < 0 else backtick
            if match.start() > backtick:
                break  # code that has not closed yet, and so is all that follows
            if prose.is_free(match.start("label"), match.end()):
                return match.start()
        return None


def _heads_figure(match: re.Match[str]) -> bool:
    """Whether a label stands in front of nothing but a figure: ``Bob: 12 points`` is a score."""
    return FIGURE.match(match.string, after_space(match.string, match.end())) is not None


def _lone_backtick(prose: Prose) -> int:
    """Where the first backtick of *prose* is that has not closed; its end if there is none."""
    position = 0
    for span in prose.kept:
        if lone := _BACKTICK.search(prose.text, position, span.start):
            return lone.start()
        position = span.end
    lone = _BACKTICK.search(prose.text, position)
    return lone.start() if lone else len(prose.text)
