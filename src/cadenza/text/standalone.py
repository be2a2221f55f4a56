"""The parts of a text that become messages of their own: server emoji (shown large) and, at degree 3, addresses.

An emoji stays in its line if it is part of a sentence or of a list item. An address stays if something encloses it, or
if it is all that a list item holds.
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
"""Emoji whose names share so many first letters belong together: ``:soup_bowl:`` and ``:soup_spoon:``."""
_NOT_IN_PREFIX = re.compile(r"[^a-z0-9]")
_LIST_ITEM = re.compile(rf"[{WHITESPACE}]*(?:\d+[.)]|[-*•])[{WHITESPACE}]")
_OPENS_LINE = re.compile(rf"[{WHITESPACE}>#]*(?:(?:\d+[.)]|[-*+•])[{WHITESPACE}]+)?")
_VISIBLE = re.compile(rf"[^{WHITESPACE}]+")
_ENDS_SENTENCE = frozenset(".!?。！？")
_ENCLOSES = frozenset("'‘{")
_AFTER_EMOJI = re.compile(rf"[.!?。]+(?=[{WHITESPACE}]|\Z)")
_AFTER_ADDRESS = re.compile(r"[.,;:!?…。！？、，]*")
_PLACEHOLDER = re.compile(r"\[[\w .-]{1,40}\]|<[a-z][\w-]{0,40}>", re.IGNORECASE)
"""What the reader is to fill in: ``https://e.org/[id]``, ``https://e.org/<name>``."""


@dataclass(frozen=True, slots=True)
class StandalonePart:
    """A part of the text that is a message of its own."""

    start: int
    end: int
    text: str


def standalone_parts(text: str, spans: Iterable[Span], *, addresses: bool) -> list[StandalonePart]:
    """The parts of *text* that stand alone, in order; with *addresses*, these too."""
    found: list[StandalonePart] = []
    run = ""  # the common prefix of the emoji in the run
    line: _Line | None = None
    for span in _outermost(spans):
        if span.kind is SpanKind.URL:
            loner, prefix = (_address(text, span) if addresses else None), " "
        elif span.kind is SpanKind.TAG and (emoji := EMOJI.fullmatch(text, span.start, span.end)):
            if line is None or not line.holds(span.start):
                line = _Line(text, span.start)
            loner = None if line.keeps(span.start, span.end) else _emoji(text, span, stops=not addresses)
            prefix = _prefix(emoji["name"])
        else:
            continue
        if loner is None:
            continue
        if found and prefix and prefix == run and not text[found[-1].end : loner.start].strip(WHITESPACE):
            between = " " if prefix == " " else ""
            found[-1] = StandalonePart(found[-1].start, loner.end, found[-1].text + between + loner.text)
        else:
            found.append(loner)
        run = prefix
    return found


def has_standalone(line: str) -> bool:
    """Whether an emoji of *line* could stand alone; in code it does not, but this is only a quick check."""
    found = EMOJI.search(line)
    if found is None:
        return False
    whole = _Line(line, 0)
    return not all(whole.keeps(*emoji.span()) for emoji in EMOJI.finditer(line, found.start()))


def is_standalone(message: str) -> bool:
    """Whether *message* holds nothing but server emoji and punctuation after them."""
    return _EMOJI_RUN.fullmatch(message) is not None


def _outermost(spans: Iterable[Span]) -> Iterator[Span]:
    reach = 0
    for span in spans:
        if span.start >= reach:
            yield span
        reach = max(reach, span.end)


def _emoji(text: str, span: Span, *, stops: bool) -> StandalonePart:
    """The emoji with the punctuation directly after it, which could not begin a message; *stops* keeps full stops."""
    after = _AFTER_EMOJI.match(text, span.end)
    marks = after.group() if after else ""
    end = span.end + len(marks)
    return StandalonePart(span.start, end, text[span.start : span.end] + (marks if stops else marks.rstrip(".。")))


def _prefix(name: str) -> str:
    letters = _NOT_IN_PREFIX.sub("", name.lower())[:_RUN_PREFIX]
    return letters if len(letters) == _RUN_PREFIX else ""


class _Line:
    """The line of an emoji; it is examined once for all emoji on it."""

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

    def keeps(self, start: int, end: int) -> bool:
        """Whether the emoji is part of the line: of a list item, or between words without a sentence end before it."""
        if self._is_whole:
            return True
        before = bisect_left(self._words, start + 1) - 1
        if before < 0 or self._text[self._words[before] - 1] in _ENDS_SENTENCE:
            return False
        return self._words[-1] > end


def _blank(emoji: re.Match[str]) -> str:
    return " " * len(emoji.group())


def _address(text: str, span: Span) -> StandalonePart | None:
    line = text.rfind("\n", 0, span.start) + 1
    opening = _OPENS_LINE.match(text, line, span.start)
    marked = opening is not None and opening.end() == span.start and opening.group().strip(WHITESPACE)
    if text[span.start] == "<" or marked or SHAPED.match(text, line) or text[span.start - 1 : span.start] in _ENCLOSES:
        return None
    after = _AFTER_ADDRESS.match(text, span.end)
    end = after.end() if after else span.end
    if _PLACEHOLDER.match(text, end):
        return None  # the address is not over
    return StandalonePart(span.start, end, text[span.start : end])
