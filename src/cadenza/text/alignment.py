"""Find which parts of an old text a new text was made from, if the new one is the old one with some changes.

Both are read once, from left to right. Where they differ, the nearest position is searched at which they agree again.
Insertions, deletions and replacements are found exactly while they are small, and guessed otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .units import WHITESPACE

_WHITE = re.compile(f"[{WHITESPACE}]+")
_NEAR = 24
"""The most characters that differ in a small change."""
_SAMPLE = 4
"""How many characters in a row must agree after a small change."""
_FAR = 4096
"""How far the end of a large change is searched."""
_LARGE_SAMPLE = 12
_LARGEST = 400
"""The most characters that a large change inserts."""
_STRIDE = 64
_NUMBER = re.compile(r"\d{1,24}.?", re.DOTALL)


class Aligned(NamedTuple):
    """Which part of the old text each character of the new text was made from."""

    cuts: Sequence[int]
    """Where in the old text the part for each new character begins; the last entry is where the last part ends."""
    matched: int
    """How many of the new characters are in the old text."""

    @property
    def is_good(self) -> bool:
        """Whether at least half of the new text is from the old one."""
        return 2 * self.matched >= len(self.cuts) - 1


def squeezed(text: str) -> str:
    """*text* without white space, which any stage may tidy."""
    return _WHITE.sub("", text)


def aligned(old: str, new: str) -> Aligned:
    """Align *new* with *old*, from its beginning; *new* may end before *old* does."""
    if old.startswith(new):
        return Aligned(range(len(new) + 1), len(new))
    cuts: list[int] = []
    here = matched = 0
    while True:
        same = _common(old, here, new, len(cuts))
        cuts += range(here, here + same)
        here, matched = here + same, matched + same
        if len(cuts) == len(new):
            return Aligned([*cuts, here], matched)
        left_out, put_in = _change(old, here, new, len(cuts))
        if put_in:
            cuts += [here, *[here + left_out] * (put_in - 1)]
            here += left_out
        else:  # what was left out belongs to the character after it
            cuts.append(here)
            here, matched = here + left_out + 1, matched + 1


def rewritten(old: str, new: str) -> Sequence[int]:
    """Where in *old* the part for each character of *new* begins, and where the last ends; all of *old* is covered."""
    same = _common_end(old, new)
    cuts = [*aligned(old[: len(old) - same], new[: len(new) - same]).cuts]
    if len(cuts) > 1 and (not same or cuts[-1] == cuts[-2]):
        cuts[-1] = len(old) - same  # it was replaced; otherwise it was left out before what follows
    return [*cuts, *range(len(old) - same + 1, len(old) + 1)]


def _common_end(old: str, new: str) -> int:
    """How many characters are equal at the end of both."""
    count, most = 0, min(len(old), len(new))
    while count < most and old[len(old) - count - 1] == new[len(new) - count - 1]:
        count += 1
    return count


def _common(old: str, here: int, new: str, there: int) -> int:
    """How many characters are equal from *here* and *there* on."""
    count, most = 0, min(len(old) - here, len(new) - there)
    while count < most and old.startswith(new[there + count : there + count + _STRIDE], here + count):
        count = min(most, count + _STRIDE)
    while count < most and old[here + count] == new[there + count]:
        count += 1
    return count


def _change(old: str, here: int, new: str, there: int) -> tuple[int, int]:
    """How many characters were left out *here* and inserted *there*, before both agree again."""
    left = len(new) - there
    for size in range(1, _NEAR + 1):
        # The rest may hold nothing of the old text: then a few equal characters prove nothing.
        least = 1 if size < left else _SAMPLE
        for left_out in range(max(0, size - left + least), size + 1):
            begin = there + size - left_out
            sample, place = new[begin : begin + _SAMPLE], here + left_out
            if old.startswith(sample, place) and old.startswith(_whole(sample, new, begin), place):
                return left_out, size - left_out
    return _large_change(old, here, new, there) or (0, left)


def _large_change(old: str, here: int, new: str, there: int) -> tuple[int, int] | None:
    found: tuple[int, int] | None = None
    for put_in in range(min(_LARGEST, len(new) - there - _LARGE_SAMPLE) + 1):
        if found is not None and put_in >= sum(found):
            break
        begin = there + put_in
        place = old.find(_whole(new[begin : begin + _LARGE_SAMPLE], new, begin), here, here + _FAR)
        if place >= 0 and (found is None or place - here + put_in < sum(found)):
            found = place - here, put_in
    return found


def _whole(sample: str, text: str, begin: int) -> str:
    """*sample* of *text*; a number is taken whole with the next character, because ids begin alike."""
    number = _NUMBER.match(text, begin) if sample.isdecimal() else None
    return number[0] if number else sample
