"""What stands alone in a message: an emoji of the server, shown large, and at degree 3 an address, shown with its card.

An emoji stays in its line where it is part of a sentence or of a list item; an address where something encloses it or
where it is all that a list item says.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .emoji import EMOJI
from .spans import SHAPED, Span, SpanKind
from .units import WHITESPACE

_EMOJI_RUN = re.compile(rf"(?:{EMOJI.pattern.replace('?P<name>', '?:')})+[.,!?;:。！？、，]*", re.ASCII)
_RUN_PREFIX = 3
"""Emoji whose names begin with the same so many letters belong together: ``:soup_bowl:`` and ``:soup_spoon:``."""
_NOT_IN_PREFIX = re.compile(r"[^a-z0-9]")
_LIST_ITEM = re.compile(rf"[{WHITESPACE}]*(?:\d+[.)]|[-*•])[{WHITESPACE}]")
_OPENS_LINE = re.compile(rf"[{WHITESPACE}>#]*(?:(?:\d+[.)]|[-*+•])[{WHITESPACE}]+)?")
_VISIBLE = re.compile(rf"[^{WHITESPACE}]+")
_ENDS_SENTENCE = frozenset(".!?。！？")
_ENCLOSES = frozenset("'‘{")
_BEHIND_EMOJI = re.compile(rf"[.!?。]+(?=[{WHITESPACE}]|\Z)")
_BEHIND_ADDRESS = re.compile(r"[.,;:!?…。！？、，]*")


@dataclass(frozen=True, slots=True)
class Loner:
    """A part of the text that is a message of its own."""

    start: int
    end: int
    text: str


def loners(text: str, spans: Iterable[Span], *, addresses: bool) -> list[Loner]:
    """What stands alone in *text*, in order; with *addresses*, these too."""
    found: list[Loner] = []
    run = ""  # what the emoji of the run have in common
    line: _Line | None = None
    for span in _outermost(spans):
        if span.kind is SpanKind.URL:
            loner, prefix = (_address(text, span) if addresses else None), " "
        elif span.kind is SpanKind.TAG and (emoji := EMOJI.fullmatch(text, span.start, span.end)):
            if line is None or not line.holds(span.start):
                line = _Line(text, span.start)
            loner = None if line.keeps(span) else _emoji(text, span, stops=not addresses)
            prefix = _prefix(emoji["name"])
        else:
            continue
        if loner is None:
            continue
        if found and prefix and prefix == run and not text[found[-1].end : loner.start].strip(WHITESPACE):
            between = " " if prefix == " " else ""
            found[-1] = Loner(found[-1].start, loner.end, found[-1].text + between + loner.text)
        else:
            found.append(loner)
        run = prefix
    return found


def is_loner(message: str) -> bool:
    """Whether *message* is nothing but emoji that stand alone, and the marks behind them."""
    return _EMOJI_RUN.fullmatch(message) is not None


def _outermost(spans: Iterable[Span]) -> Iterator[Span]:
    reach = 0
    for span in spans:
        if span.start >= reach:
            yield span
        reach = max(reach, span.end)


def _emoji(text: str, span: Span, *, stops: bool) -> Loner:
    """The emoji with the marks right behind it, which would be the beginning of nothing; stops only where they stay."""
    behind = _BEHIND_EMOJI.match(text, span.end)
    marks = behind.group() if behind else ""
    end = span.end + len(marks)
    return Loner(span.start, end, text[span.start : span.end] + (marks if stops else marks.rstrip(".。")))


def _prefix(name: str) -> str:
    letters = _NOT_IN_PREFIX.sub("", name.lower())[:_RUN_PREFIX]
    return letters if len(letters) == _RUN_PREFIX else ""


class _Line:
    """The line that an emoji stands on; it is looked at once, however many there are."""

    def __init__(self, text: str, index: int) -> None:
        self._begin = text.rfind("\n", 0, index) + 1
        self._end = text.find("\n", index) % (len(text) + 1)
        line = text[self._begin : self._end]
        self._is_whole = bool(_LIST_ITEM.match(line) or SHAPED.match(line))
        self._words = (
            [] if self._is_whole else [self._begin + word.end() for word in _VISIBLE.finditer(EMOJI.sub(_blank, line))]
        )
        self._text = text

    def holds(self, index: int) -> bool:
        return self._begin <= index <= self._end

    def keeps(self, span: Span) -> bool:
        """Whether the emoji is part of the line: of a list item, or between words with no sentence end before it."""
        if self._is_whole:
            return True
        before = bisect_left(self._words, span.start + 1) - 1
        if before < 0 or self._text[self._words[before] - 1] in _ENDS_SENTENCE:
            return False
        return self._words[-1] > span.end


def _blank(emoji: re.Match[str]) -> str:
    return " " * len(emoji.group())


def _address(text: str, span: Span) -> Loner | None:
    line = text.rfind("\n", 0, span.start) + 1
    opening = _OPENS_LINE.match(text, line, span.start)
    marked = opening is not None and opening.end() == span.start and opening.group().strip(WHITESPACE)
    if text[span.start] == "<" or marked or SHAPED.match(text, line) or text[span.start - 1 : span.start] in _ENCLOSES:
        return None
    behind = _BEHIND_ADDRESS.match(text, span.end)
    end = behind.end() if behind else span.end
    return Loner(span.start, end, text[span.start : end])
