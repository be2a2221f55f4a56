"""Take out blocks that were never meant for people, ``a [System: x] b`` → ``a b``, wherever they begin and end.

A block may go on over several lines and segments, so from its opening on everything waits. If it closes, all of it
goes; if it does not, what waited is let go again, and only what the rule says of a lone mark is taken out of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from ..types import Ending, Halt, Kind, Segment
from .rule import LineOpening, Rule, RuleContext

_BLANK = " \t"


class Mark(NamedTuple):
    """Where the opening or closing of a block stands in all that waits."""

    start: int
    end: int
    name: str = ""
    """Only a closing with the same name closes it."""
    leaks: bool = True
    """Whether it opens what has to go; else it is only a bracket within."""


class _Removal(NamedTuple):
    """``text[start:end]`` goes; *seam* comes in its place."""

    start: int
    end: int
    seam: str = ""


class LeakedBlock(Rule):
    """Holds what stands behind an opening until it is known whether it closes."""

    glance: re.Pattern[str]
    """What a text must have in it for the rule to look any closer."""
    marks: re.Pattern[str]
    """All that counts within: groups ``opens``, ``nests`` and ``closes``."""
    longest: int
    """A block that goes on for more characters than that is none."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._line = LineOpening()
        self._begin()

    def feed(self, segment: Segment, /) -> Iterable[Segment | Halt]:
        """Pass on what holds no block; hold what may be inside one."""
        if not self._held and (segment.kind is not Kind.PROSE or self._is_harmless(segment.text)):
            self._line.last = segment
            return (segment,)
        if segment.kind is not Kind.PROSE:
            out = self._let_go()
            self._line.last = segment
            return [*out, segment]
        self._read(segment)
        return () if self._open else self._let_go()

    def flush(self, why: Ending, /) -> Iterable[Segment | Halt]:  # noqa: ARG002  # whatever ends the text ends the block
        """Nothing comes that could close what is open."""
        return self._let_go()

    # --- for subclasses ------------------------------------------------------------

    def _is_harmless(self, text: str) -> bool:
        """Whether nothing opens or closes in *text*."""
        return self.glance.search(text) is None

    def name_of(self, mark: str) -> str:  # noqa: ARG002  # brackets have none
        """What an opening and its closing have in common."""
        return ""

    def alone(self, text: str, mark: Mark) -> tuple[int, int] | None:
        """What goes of *text* because of a *mark* that has no partner."""
        raise NotImplementedError

    # --- reading ---------------------------------------------------------------------

    def _begin(self) -> None:
        self._held: list[Segment] = []
        self._length = 0  # of all that is held
        self._open: list[Mark] = []
        self._names: Counter[str] = Counter()  # of what is open
        self._closed: list[tuple[int, int]] = []
        self._lone: list[Mark] = []

    def _read(self, segment: Segment) -> None:
        text, offset = segment.text, self._length
        self._held.append(segment)
        self._length += len(text)
        for match in self.marks.finditer(text):
            prose = self.prose(segment)
            if not prose.is_free(*match.span()) or (
                match.lastgroup == "opens" and prose.is_behind_address(match.start())
            ):
                continue
            if self._open and offset + match.end() - self._open[0].start > self.longest:
                self._give_up()
            self._see(match, offset)
        if self._open and self._length - self._open[0].start > self.longest:
            self._give_up()

    def _see(self, match: re.Match[str], offset: int) -> None:
        start, end, name = offset + match.start(), offset + match.end(), self.name_of(match.group())
        if match.lastgroup == "opens":
            self._push(Mark(start, end, name))
        elif match.lastgroup == "closes":
            self._close(Mark(start, end, name))
        elif self._open:
            self._push(Mark(start, end, name, leaks=False))

    def _push(self, opening: Mark) -> None:
        self._open.append(opening)
        self._names[opening.name] += 1

    def _close(self, closing: Mark) -> None:
        """Close the innermost block of that name, and with it all that is still open within."""
        if not self._names[closing.name]:
            self._lone.append(closing)
            return
        while True:
            opening = self._open.pop()
            self._names[opening.name] -= 1
            if opening.name == closing.name:
                break
        if opening.leaks:
            self._closed.append((opening.start, closing.end))

    def _give_up(self) -> None:
        """What is open does not close."""
        self._lone += [mark for mark in self._open if mark.leaks]
        self._open.clear()
        self._names.clear()

    # --- letting go --------------------------------------------------------------------

    def _let_go(self) -> list[Segment]:
        """What was held, without what has to go."""
        self._give_up()
        text = "".join(segment.text for segment in self._held)
        spans = [*self._closed, *(span for mark in self._lone if (span := self.alone(text, mark)))]
        removals = [self._tidied(text, *span) for span in _merged(text, spans)] if spans else []
        kept = _without(text, self._held, removals) if removals else self._held
        if kept:
            self._line.last = kept[-1]
        self._begin()
        return kept

    def _tidied(self, text: str, start: int, end: int) -> _Removal:
        """Take the white space that would be left double, and the line if nothing is left on it."""
        left, right = start, end
        while left and text[left - 1] in _BLANK:
            left -= 1
        while right < len(text) and text[right] in _BLANK:
            right += 1
        begins = text[left - 1] == "\n" if left else self._line.opens_line
        if right == len(text) or text[right] == "\n":
            return _Removal(left, min(right + 1, len(text)) if begins else right)
        if left < start or left == 0 or begins:
            return _Removal(start, right)
        return _Removal(start, end, self._seam(text, start, end))

    def _seam(self, text: str, start: int, end: int) -> str:
        """A space where code, a link or an address would be joined to what is next to it."""
        if text[end] in _BLANK:
            return ""
        prose = self.context.scan.of(text)
        apart = prose.is_free(start - 1, start) and prose.is_free(end, end + 1)
        return "" if apart and not text[start - 1] == text[end] == "`" else " "


def _merged(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """*spans* in order; those that overlap, or have only blanks between them, are one."""
    first, *others = sorted(spans)
    start, end = first
    for other_start, other_end in others:
        if other_start > end and text[end:other_start].strip(_BLANK):
            yield start, end
            start, end = other_start, other_end
        else:
            end = max(end, other_end)
    yield start, end


def _without(text: str, held: Iterable[Segment], removals: Iterable[_Removal]) -> list[Segment]:
    """*held*, whose texts together are *text*, without *removals*; what stood around one is one segment after it."""
    out: list[Segment] = []
    left = iter((*removals, _Removal(len(text) + 1, len(text) + 1)))
    removal = next(left)
    parts: list[str] = []
    position = end = 0
    for segment in held:
        end += len(segment.text)
        while removal.start < end:
            parts += [text[position : removal.start], removal.seam]
            if removal.end > end:
                removal = _Removal(end, removal.end)
                position = end
                break
            position = removal.end
            removal = next(left)
        else:
            parts.append(text[position:end])
            position = end
            kept = "".join(parts)
            parts.clear()
            if kept:
                out.append(segment if kept == segment.text else replace(segment, text=kept))
    return out
