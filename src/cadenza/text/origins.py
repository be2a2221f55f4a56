"""Texts that know where they come from.

A ``Traced`` text is a ``str`` whose characters know their places in the model's text. Slicing, joining and trimming keep
the places, so the stages need not know whether a reply is traced. What was put in has no place; ``explained`` says why it
was put in, as soon as the step that did it is over.

Only a traced reply has such texts. All others are plain strings and cost nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple, Self, SupportsIndex, overload

Range = tuple[int, int]
"""From where to where in the model's text, in characters."""


_FAR = 1 << 62
"""A place behind every text."""


class OriginRun(NamedTuple):
    """Some characters in a row of a traced text."""

    size: int
    start: int = -1
    """Where the first one stands in the model's text; -1 if they were put in."""
    why: str = ""
    """The rule or the reason that put them in; empty if that is not known yet."""


_run = partial(tuple.__new__, OriginRun)
"""Makes a run of a tuple, in half the time."""


class Traced(str):
    """A text and the origin of its characters."""

    __slots__ = ("origin",)
    origin: tuple[OriginRun, ...]

    def __new__(cls, text: str, origin: Iterable[OriginRun]) -> Self:
        """*origin* must be as long as *text*."""
        traced = super().__new__(cls, text)
        traced.origin = tuple(origin)
        return traced

    def __reduce__(self) -> tuple[type[Traced], tuple[str, tuple[OriginRun, ...]]]:
        return Traced, (str(self), self.origin)

    @overload
    def __getitem__(self, key: SupportsIndex, /) -> str: ...
    @overload
    def __getitem__(self, key: slice, /) -> Traced: ...
    def __getitem__(self, key: SupportsIndex | slice, /) -> str:
        part = str.__getitem__(self, key)
        if not isinstance(key, slice):
            return part
        start, end, step = key.indices(len(self))
        if step != 1:
            places = range(start, end, step)
            return Traced(part, _joined(_runs_within(self.origin, place, place + 1) for place in places))
        return _part(self, part, start)

    def __add__(self, other: str, /) -> Traced:
        return _traced(str.__add__(self, other), _put_together(self.origin, origin_of(other))) if other else self

    def __radd__(self, other: str, /) -> Traced:
        return _traced(str.__add__(other, str(self)), _put_together(origin_of(other), self.origin))

    def lstrip(self, chars: str | None = None, /) -> Traced:
        """The same without *chars* at the beginning."""
        left = str.lstrip(self, chars)
        return _part(self, left, len(self) - len(left))

    def rstrip(self, chars: str | None = None, /) -> Traced:
        """The same without *chars* at the end."""
        return _part(self, str.rstrip(self, chars), 0)

    def strip(self, chars: str | None = None, /) -> Traced:
        """The same without *chars* at both ends."""
        left = str.lstrip(self, chars)
        return _part(self, left.rstrip(chars), len(self) - len(left))

    def removeprefix(self, prefix: str, /) -> Traced:
        """The same without *prefix*."""
        return self[len(self) - len(super().removeprefix(prefix)) :]

    def removesuffix(self, suffix: str, /) -> Traced:
        """The same without *suffix*."""
        return self[: len(super().removesuffix(suffix))]

    def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> str:
        """The same with *new* instead of *old*."""
        most = int(count)
        return substituted(re.compile(re.escape(old)), lambda _: new, self, max(most, 0)) if most else self

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[Any]:
        """Its parts between *sep*."""
        parts: list[Traced] = []
        start = 0
        for part in super().split(sep, maxsplit):
            start = self.index(part, start)
            parts.append(self[start : start + len(part)])
            start += len(part) + len(sep or "")
        return parts

    def splitlines(self, keepends: bool = False) -> list[Any]:  # noqa: FBT001, FBT002  # as str has it
        """Its lines."""
        lines: list[Traced] = []
        start = 0
        for whole, line in zip(super().splitlines(keepends=True), super().splitlines(keepends), strict=True):
            lines.append(self[start : start + len(line)])
            start += len(whole)
        return lines

    def partition(self, sep: str, /) -> tuple[Any, Any, Any]:
        """What is before, at and after the first *sep*."""
        before, found, _ = super().partition(sep)
        middle = len(before) + len(found)
        return self[: len(before)], self[len(before) : middle], self[middle:]

    def rpartition(self, sep: str, /) -> tuple[Any, Any, Any]:
        """What is before, at and after the last *sep*."""
        before, found, _ = super().rpartition(sep)
        middle = len(before) + len(found)
        return self[: len(before)], self[len(before) : middle], self[middle:]


def _traced(text: str, origin: tuple[OriginRun, ...]) -> Traced:
    traced = str.__new__(Traced, text)
    traced.origin = origin
    return traced


def from_model(text: str, place: int) -> Traced:
    """*text* of the model, from *place* on."""
    return _traced(text, (_run((len(text), place, "")),) if text else ())


def origin_of(text: str) -> tuple[OriginRun, ...]:
    """The origin of *text*; a plain text was put in."""
    if isinstance(text, Traced):
        return text.origin
    return (OriginRun(len(text)),) if text else ()


def join(parts: Sequence[str], separator: str = "") -> str:
    """*parts* as one text; traced if one of them is."""
    text = separator.join(parts)
    if Traced not in map(type, parts):
        return text
    origins = [part.origin if isinstance(part, Traced) else origin_of(part) for part in parts]
    if separator:
        between = origin_of(separator)
        origins = [origin for one in origins for origin in (between, one)][1:]
    return _traced(text, tuple(_joined(origins)))


def substituted(pattern: re.Pattern[str], new: Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
    """``pattern.sub``, which keeps the origin of everything that did not match."""
    if not isinstance(text, Traced):
        return pattern.sub(new, text, count)
    parts: list[str] = []
    done = 0
    for number, match in enumerate(pattern.finditer(text)):
        if count and number >= count:
            break
        parts += (text[done : match.start()], _replaced(text, match, new(match)))
        done = match.end()
    return join([*parts, text[done:]]) if parts else text


def _replaced(text: Traced, match: re.Match[str], new: str) -> str:
    return text[match.start() : match.end()] if new == match.group() else new


def lines_of(text: str) -> list[str]:
    """The lines of *text*, each with its own line end; the last one has none."""
    ends = [place + 1 for place, character in enumerate(str(text)) if character == "\n"]
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]


def line_ends(text: str) -> str:
    """The line ends of *text*, without everything else."""
    return join([line[-1:] for line in lines_of(text)[:-1]])


def is_same(one: str, other: str) -> bool:
    """Whether both are the same text from the same place."""
    return one is other or (one == other and origin_of(one) == origin_of(other))


def rewritten(before: str, after: str) -> str:
    """*after*, which was made of *before*: what is equal at both ends has its origin, and what is between was put in.

    A step that keeps no origin itself is one edit.
    """
    if not isinstance(before, Traced) or isinstance(after, Traced):
        return after
    was = str(before)  # a traced text is slow to read
    most = min(len(was), len(after))
    start = next((place for place in range(most) if was[place] != after[place]), most)
    end = next((place for place in range(most - start) if was[-1 - place] != after[-1 - place]), most - start)
    return before[:start] + after[start : len(after) - end] + before[len(before) - end :]


def explained(text: str, why: str) -> str:
    """*text*, in which everything that was put in without a reason was put in because of *why*."""
    if not isinstance(text, Traced) or all(run.why or run.start >= 0 for run in text.origin):
        return text
    return Traced(text, _joined([[run if run.why or run.start >= 0 else run._replace(why=why) for run in text.origin]]))


def made_by(text: str, why: str) -> Traced:
    """*text* as a traced text, with *why* as the reason of everything that was put in without one."""
    return Traced(text, (run if run.why or run.start >= 0 else run._replace(why=why) for run in origin_of(text)))


def ranges(*texts: str) -> list[Range]:
    """Where the characters of *texts* stand in the model's text, in order: neighbours together."""
    runs = sorted((run.start, run.start + run.size) for text in texts for run in origin_of(text) if run.start >= 0)
    return union(runs)


def union(found: Iterable[Range]) -> list[Range]:
    """*found*, which is in order, with neighbours and overlaps together."""
    whole: list[Range] = []
    for start, end in found:
        if whole and start <= whole[-1][1]:
            whole[-1] = (whole[-1][0], max(end, whole[-1][1]))
        elif end > start:
            whole.append((start, end))
    return whole


def without(found: Iterable[Range], others: Sequence[Range]) -> list[Range]:
    """What *found* has and *others* do not; both are in order."""
    left: list[Range] = []
    for begin, end in found:
        start = begin
        for place in range(bisect_right(others, begin, key=itemgetter(1)), len(others)):
            other_start, other_end = others[place]
            if other_start >= end:
                break
            if other_start > start:
                left.append((start, other_start))
            start = other_end
        if start < end:
            left.append((start, end))
    return left


class RangeSet:
    """A set of places, as ranges."""

    def __init__(self) -> None:
        self.found: list[Range] = []
        """In order, with something between them."""

    def add(self, new: Iterable[Range]) -> list[Range]:
        """Add *new*; return what it did not have."""
        added: list[Range] = []
        for start, end in new:
            if start < end:
                low, high, touched = self._around(start, end)
                added += without([(start, end)], touched)
                self.found[low:high] = [
                    (min(start, touched[0][0]), max(end, touched[-1][1])) if touched else (start, end)
                ]
        return added

    def missing(self, found: Iterable[Range]) -> list[Range]:
        """What of *found* it does not have."""
        return [part for start, end in found for part in without([(start, end)], self._around(start, end)[2])]

    def _around(self, start: int, end: int) -> tuple[int, int, list[Range]]:
        low = bisect_left(self.found, start, key=itemgetter(1))
        high = bisect_right(self.found, end, key=itemgetter(0))
        return low, high, self.found[low:high]


def remaining(text: str, gone: Sequence[Range]) -> list[str]:
    """The parts of a traced *text* that stand in the model's text, but not in *gone*."""
    parts: list[str] = []
    plain = str(text)
    place = 0
    for run in origin_of(text):
        if run.start >= 0:
            shift = place - run.start
            for start, end in without([(run.start, run.start + run.size)], gone):
                parts.append(Traced(plain[start + shift : end + shift], (OriginRun(end - start, start),)))
        place += run.size
    return parts


def first_place(text: str) -> int:
    """Where the first character of *text* that the model wrote stands; -1 without one."""
    return next((run.start for run in origin_of(text) if run.start >= 0), -1)


def line_end_between(whole: str, before: str, after: str) -> str:
    """A line end, between two parts of *whole*: the model's own, if they are traced and one stands there."""
    if not isinstance(whole, Traced):
        return "\n"
    start, end = max((end for _, end in ranges(before)), default=0), first_place(after)
    gap = join(remaining(whole, [(0, start), *([(end, _FAR)] if end >= 0 else [])]))
    return gap[gap.index("\n") :][:1] if "\n" in gap else "\n"


def _part(whole: Traced, part: str, start: int) -> Traced:
    """*part* of *whole*, which begins at *start*."""
    size, origin = len(part), whole.origin
    if size == len(whole):
        return whole
    if not size:
        return _traced(part, ())
    if len(origin) > 1:
        return _traced(part, tuple(_runs_within(origin, start, start + size)))
    ((_, first, why),) = origin  # nearly always
    return _traced(part, (_run((size, first if first < 0 else first + start, why)),))


def _runs_within(origin: Iterable[OriginRun], start: int, end: int) -> Iterable[OriginRun]:
    place = 0
    for size, first, why in origin:
        if place >= end:
            break
        after = place + size
        if after > start:
            low, high = max(place, start), min(after, end)
            yield _run((high - low, first if first < 0 else first + low - place, why))
        place = after


def _put_together(origin: tuple[OriginRun, ...], after: tuple[OriginRun, ...]) -> tuple[OriginRun, ...]:
    if not origin or not after:
        return origin or after
    (size, start, why), (more, place, by) = origin[-1], after[0]
    if why != by or place != (start + size if start >= 0 else -1):
        return origin + after
    return (*origin[:-1], _run((size + more, start, why)), *after[1:])


def _joined(origins: Iterable[Iterable[OriginRun]]) -> Iterable[OriginRun]:
    size, start, why = 0, -1, ""
    for origin in origins:
        for run in origin:
            if not size:
                size, start, why = run
            elif run[1] == (start + size if start >= 0 else -1) and run[2] == why:
                size += run[0]
            else:
                yield OriginRun(size, start, why)
                size, start, why = run
    if size:
        yield OriginRun(size, start, why)
