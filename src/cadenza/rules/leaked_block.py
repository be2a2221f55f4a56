"""Remove blocks that are not meant for people, ``a [System: x] b`` → ``a b``, across lines and segments.

From the opening of a block on, everything is held back. If the block closes, it is removed. If it does not, the text is
released, and only what the rule says about a lone mark is removed. With a block go the emphasis around it, the space
that only it needed, and a line that holds nothing else.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from ..text.origins import join
from ..text.prose import Prose
from ..text.removal import tidied
from ..text.spans import Span
from ..text.units import WHITESPACE
from ..types import Edit, Ending, Halt, Kind, Segment
from .rule import LineOpening, Rule, RuleContext, ends_line

BLANK = " \t"
"""What may surround a block on its line."""
_BLANKS = frozenset(BLANK)
_Extent: TypeAlias = tuple[int, int]
_MARKERS = re.compile(r"(?:[ \t]*+(?:>{1,3}|[-*+•]|-?#{1,3}|\d{1,9}[.)])(?=[ \t>]|\Z))*+[ \t]*+")
"""A line with nothing but the marks of a list, a quote or a heading."""
_LONG = 64
"""A remaining line of this length is more than such marks."""
_PASSED_ON = "\0"
"""Stands for the part of a line that was passed on."""


class Mark(NamedTuple):
    """The position of an opening or closing mark in the held text."""

    start: int
    end: int
    name: str = ""
    """Only a closing mark with the same name closes it."""
    leaks: bool = True
    """Whether it opens a block that is removed; otherwise it is only a nested bracket."""


class Passed(LineOpening):
    """What the rule has passed on."""

    __slots__ = ("_before_last", "has_words")

    def __init__(self) -> None:
        super().__init__()
        self._before_last: Segment | None = None
        self.has_words = False
        """Whether anything visible was passed on."""

    def add(self, segment: Segment) -> None:
        """Record that *segment* is passed on."""
        self._before_last, self.last = self.last, segment
        if not self.has_words:
            self.has_words = segment.text != "" and not segment.text.isspace()

    @property
    def ends_empty(self) -> bool:
        """Whether the last line is empty, and not just the end of another."""
        text = self.last.text if self.last else ""
        return text.endswith("\n\n") or (
            text == "\n" and self._before_last is not None and self._before_last.text.endswith("\n")
        )


class LeakedBlock(Rule):
    """Holds back what follows an opening until it is known whether it closes."""

    signs: tuple[str, ...] = ("",)
    """Text without any of these holds no mark. By default every text may hold one."""
    quick_check: re.Pattern[str]
    """A quick check: what a text must contain for the rule to look closer."""
    marks: re.Pattern[str]
    """All marks that count: groups ``opens``, ``nests`` and ``closes``."""
    longest: int
    """A longer block is plain text."""
    holds_code = False
    """Whether a block may contain code and tables; otherwise they end it."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._passed = Passed()
        self._skips_empty_lines = False
        self._begin()

    def feed(self, segment: Segment, /) -> Iterable[Segment | Halt]:
        """Pass on what holds no block; hold back what may be inside one."""
        if not self._held and not self._skips_empty_lines:
            for sign in self.signs:
                if sign in segment.text:
                    break
            else:  # nearly always
                self._passed.add(segment)
                return (segment,)
        if self._skips_empty_lines and segment.kind is Kind.PROSE and segment.text.startswith("\n"):
            text = segment.text.lstrip("\n")
            if not text:
                return ()
            segment = replace(segment, text=text)
        self._skips_empty_lines = False
        return self._take(segment)

    def flush(self, why: Ending, /) -> Iterable[Segment | Halt]:  # noqa: ARG002  # whatever ends the text ends the block
        """Release the held text: nothing can close it any more."""
        out = self._release()
        self._skips_empty_lines = False
        return out

    # --- for subclasses ------------------------------------------------------------

    def _take(self, segment: Segment) -> Iterable[Segment | Halt]:
        if not self._held and (segment.kind is not Kind.PROSE or self._is_harmless(segment.text)):
            self._passed.add(segment)
            return (segment,)
        if segment.kind is not Kind.PROSE and not self.holds_code:
            return [*self._release(), *self._pass_on([segment])]
        self._read(segment)
        return () if self._open else self._release()

    @property
    def _opens_line(self) -> bool:
        """Whether the next segment begins a line."""
        return ends_line(self._held[-1]) if self._held else self._passed.opens_line

    def _is_harmless(self, text: str) -> bool:
        """Whether nothing opens or closes in *text*."""
        return self.quick_check.search(text) is None

    def name_of(self, mark: str) -> str:  # noqa: ARG002  # brackets have none
        """What an opening mark and its closing mark have in common."""
        return ""

    def alone(self, text: str, mark: Mark) -> tuple[int, int] | None:
        """The range of *text* to remove because of a *mark* without a partner."""
        raise NotImplementedError

    # --- reading marks ---------------------------------------------------------------

    def _begin(self) -> None:
        self._held: list[Segment] = []
        self._length = 0  # of all held text
        self._open: list[Mark] = []
        self._names: Counter[str] = Counter()  # of the open blocks
        self._closed: list[_Extent] = []
        self._lone: list[Mark] = []

    def _read(self, segment: Segment) -> None:
        self._held.append(segment)
        if segment.kind is Kind.PROSE and self.marks.search(segment.text):
            self._read_marks(self.prose(segment))
        self._length += len(segment.text)
        if self._open and self._length - self._open[0].start > self.longest:
            self._none_closes()

    def _read_marks(self, prose: Prose) -> None:
        offset = self._length
        for match in self.marks.finditer(prose.text):
            start, end = match.span()
            kind = match.lastgroup
            if not prose.is_free(start, end) or (kind == "opens" and prose.is_after_address(start)):
                continue
            if self._open and offset + end - self._open[0].start > self.longest:
                self._none_closes()
            if kind != "nests" or self._open:
                self._see(Mark(offset + start, offset + end, self.name_of(match.group()), leaks=kind == "opens"), kind)

    def _see(self, mark: Mark, kind: str | None) -> None:
        if kind == "closes":
            self._close(mark)
        else:
            self._open.append(mark)
            self._names[mark.name] += 1

    def _close(self, closing: Mark) -> None:
        """Close the innermost block of that name, and all blocks that are open inside it."""
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

    def _none_closes(self) -> None:
        """Nothing that is open will close."""
        self._lone += [mark for mark in self._open if mark.leaks]
        self._open.clear()
        self._names.clear()

    # --- releasing text ----------------------------------------------------------------

    def _release(self) -> list[Segment]:
        """The held segments, without the blocks."""
        self._none_closes()
        held, text = self._held, join([segment.text for segment in self._held])
        spans = [*self._closed, *(span for mark in self._lone if (span := self.alone(text, mark)))]
        self._begin()
        out: list[Segment] = []
        for run, within in _runs(held, _merged(text, spans)):
            out += self._without(run, within) if within else self._pass_on(run)
        return out

    def _pass_on(self, run: list[Segment]) -> list[Segment]:
        for segment in run:
            self._passed.add(segment)
            self._skips_empty_lines = False
        return run

    def _without(self, run: list[Segment], spans: list[_Extent]) -> list[Segment]:
        text = join([segment.text for segment in run])
        kept = _cut(text, run, self._removals(text, spans, ends_line=ends_line(run[-1])))
        for segment in kept:
            self._passed.add(segment)
        return kept

    def _removals(self, text: str, spans: list[_Extent], *, ends_line: bool) -> list[Edit]:
        """Remove *spans* from *text*, with what only they needed and the lines that hold nothing else."""
        prose = Prose(text, tuple(_apart(self.context.scan.of(text), spans)))
        removals: list[Edit] = []
        done = line = 0  # where the current line begins
        head = "" if self._passed.opens_line else _PASSED_ON  # what is left of it
        for removal in tidied(prose, (Edit(*span) for span in spans), ends_line=ends_line):
            kept = text[done : removal.start]
            if new := kept.rfind("\n") + 1:
                line, head = done + new, ""
            if len(head) < _LONG:
                head += kept[new:]
            left, right = around(text, removal.start, removal.end, floor=done)
            if right < len(text) and text[right] != "\n":
                removals.append(_kept_apart(prose, removal))
                done = removal.end
            elif _MARKERS.fullmatch(head) and (right < len(text) or ends_line or not head.strip(BLANK)):
                while removals and removals[-1].start >= line:
                    removals.pop()
                done = self._after_line(text, line, right)
                removals.append(Edit(line, done))
                line, head = done, ""
            else:
                removals.append(Edit(left, right) if right < len(text) or ends_line else removal)
                done = removals[-1].end
        return removals

    def _after_line(self, text: str, start: int, end: int) -> int:
        """Where the text continues after a removed line; of empty lines on both sides, those after it go too."""
        end = min(end + 1, len(text))
        at_first = not start and not self._held
        if not (self._passed.ends_empty if at_first else text.endswith("\n\n", 0, start)):
            return end
        while end < len(text) and text[end] == "\n":
            end += 1
        self._skips_empty_lines = end == len(text)
        return end


def around(text: str, start: int, end: int, floor: int = 0) -> tuple[int, int]:
    """``text[start:end]`` with the blanks around it, but none before *floor*."""
    while start > floor and text[start - 1] in BLANK:
        start -= 1
    while end < len(text) and text[end] in BLANK:
        end += 1
    return start, end


def _runs(held: Iterable[Segment], spans: list[_Extent]) -> Iterator[tuple[list[Segment], list[_Extent]]]:
    """*held* in runs, each with its *spans*; code or a table that stays is a run of its own."""
    run: list[Segment] = []
    start = end = 0
    for segment in held:
        begin, end = end, end + len(segment.text)
        if segment.kind is Kind.PROSE or any(first <= begin and end <= last for first, last in spans):
            run.append(segment)
            continue
        yield run, _within(spans, start, begin)
        yield [segment], []
        run, start = [], end
    yield run, _within(spans, start, end)


def _within(spans: Iterable[_Extent], start: int, end: int) -> list[_Extent]:
    return [(first - start, last - start) for first, last in spans if start <= first < end]


def _merged(text: str, spans: Iterable[_Extent]) -> list[_Extent]:
    """*spans* in order, those joined that overlap or have only blanks between them."""
    merged: list[_Extent] = []
    for start, end in sorted(spans):
        first, last = merged[-1] if merged else (0, -1)
        if start <= last or (merged and not text[last:start].strip(BLANK)):
            merged[-1] = first, max(last, end)
        else:
            merged.append((start, end))
    return merged


def _apart(prose: Prose, spans: list[_Extent]) -> Iterator[Span]:
    """The protected spans of *prose* that do not touch *spans*."""
    ends = [end for _, end in spans]
    for span in prose.kept:
        index = bisect_right(ends, span.start)
        if index == len(spans) or span.end <= spans[index][0]:
            yield span


def _kept_apart(prose: Prose, removal: Edit) -> Edit:
    """Leave a space where the removal would join code, a link or an address to its neighbour."""
    start, end, seam = removal
    text = prose.text
    if seam or not start or text[start - 1] in WHITESPACE or {text[start], text[end - 1], text[end]} & _BLANKS:
        return removal
    apart = prose.is_free(start - 1, start) and prose.is_free(end, end + 1)
    return removal if apart and not text[start - 1] == text[end] == "`" else removal._replace(text=" ")


def _cut(text: str, run: Iterable[Segment], removals: Iterable[Edit]) -> list[Segment]:
    """*run*, whose texts together are *text*, without *removals*; the segments around one are joined."""
    out: list[Segment] = []
    left = iter((*removals, Edit(len(text) + 1, len(text) + 1)))
    removal = next(left)
    parts: list[str] = []
    position = end = 0
    for segment in run:
        end += len(segment.text)
        while removal.start < end:
            parts += [text[position : removal.start], removal.text]
            if removal.end > end:
                removal = Edit(end, removal.end)
                position = end
                break
            position = removal.end
            removal = next(left)
        else:
            parts.append(text[position:end])
            position = end
            kept = join(parts)
            parts.clear()
            if kept:
                out.append(segment if kept == segment.text else replace(segment, text=kept))
    return out
