"""Remove a last line that is only the name of the next speaker, ``hello⏎User:`` → ``hello``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..text.units import WHITESPACE
from ..types import Ending, Kind, Segment
from .rule import LineOpening, Rule, RuleContext
from .speakers import LABEL, names_speaker, next_speakers

_AFTER = WHITESPACE + "*_"


class TrailingLabel(Rule):
    """Holds a line with only a known speaker's label until something follows it."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._speakers = next_speakers(context)
        self._line = LineOpening()
        self._spoke = False  # whether words were passed on
        self._held: list[Segment] = []
        self._start = 0  # of the label in the first held segment

    @property
    def is_idle(self) -> bool:
        """Whether there are no other speakers."""
        return not self._speakers

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        """Hold a label; release it if words follow."""
        text = segment.text
        if not self._held and ":" not in text and "：" not in text:
            self._line.last = segment
            self._spoke = self._spoke or bool(text.strip(WHITESPACE))
            return (segment,)
        opens_line = self._line.opens_line
        self._line.last = segment
        if self._held and not segment.text.strip(WHITESPACE):
            self._held.append(segment)
            return ()
        start = self._label(segment, opens_line=opens_line) if segment.kind is Kind.PROSE else None
        before, self._held = self._held, []
        self._spoke = self._spoke or bool(before) or start is None
        if start is None:
            return (*before, segment)
        self._held, self._start = [segment], start
        return before

    def flush(self, why: Ending, /) -> Iterable[Segment]:
        """Drop the label if nothing follows it; a model that continues after a tool call or a file keeps it."""
        held, self._held = self._held, []
        if not held:
            return ()
        text = held[0].text[: self._start].rstrip(WHITESPACE)
        if why in (Ending.TOOL_CALL, Ending.FILE) or not (text or self._spoke):
            return held  # a label that is the whole reply stays
        return (replace(held[0], text=text),) if text else ()

    def _label(self, segment: Segment, *, opens_line: bool) -> int | None:
        """Where the last line of *segment* begins if it is only a label."""
        core = segment.text.rstrip(_AFTER)
        if not core.endswith((":", "：")):
            return None
        start = core.rfind("\n") + 1
        match = LABEL.match(core, start)
        is_label = match is not None and match.end() == len(core) and names_speaker(match["label"], self._speakers)
        if not is_label or not (start or opens_line):
            return None
        return start if self.prose(segment).is_free(start, len(core)) else None
