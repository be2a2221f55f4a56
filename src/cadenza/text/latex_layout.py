"""Several lines of text beside each other: the rows of a matrix in tall brackets, equations aligned at their signs."""

from __future__ import annotations

from collections.abc import Sequence

from .units import display_width

_BRACKETS = {"(": "⎛⎜⎝", ")": "⎞⎟⎠", "[": "⎡⎢⎣", "]": "⎤⎥⎦", "{": "⎧⎪⎩", "}": "⎫⎪⎭", "|": "│││", "‖": "║║║"}
"""The top, the middle and the bottom of a tall bracket."""
_WAISTS = {"{": "⎨", "}": "⎬"}


def aligned(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """*rows* with what follows their first cell in one column."""
    if all(len(row) == 1 for row in rows):
        return tuple(row[0] for row in rows)
    width = max(display_width(row[0]) for row in rows)
    gap = " " if width else ""
    return tuple(" " * (width - display_width(row[0])) + (row[0] + gap + " ".join(row[1:])).rstrip() for row in rows)


def columns(rows: Sequence[Sequence[str]], gap: str) -> tuple[str, ...]:
    """*rows* with their cells in columns."""
    count = max(map(len, rows), default=0)
    filled = [[*row, *[""] * (count - len(row))] for row in rows]
    widths = [max(display_width(row[column]) for row in filled) for column in range(count)]
    return tuple(gap.join(_padded(cell, width) for cell, width in zip(row, widths, strict=True)) for row in filled)


def fenced(lines: Sequence[str], opening: str, closing: str) -> tuple[str, ...]:
    """*lines* in tall brackets, of which one or both may be missing."""
    width = max(map(display_width, lines), default=0)
    left = [f"{bracket} " if opening else "" for bracket in _tall(opening, len(lines))]
    right = [f" {bracket}" if closing else "" for bracket in _tall(closing, len(lines))]
    return tuple(
        (before + _padded(line, width) + after).rstrip() for before, line, after in zip(left, lines, right, strict=True)
    )


def side_by_side(boxes: Sequence[Sequence[str]]) -> list[str]:
    """The *boxes* of lines from left to right, the lower ones beside the middle of the highest."""
    height = max(map(len, boxes))
    filled = [_centred(box, height) for box in boxes]
    return [" ".join(parts).rstrip() for parts in zip(*filled, strict=True)]


def _tall(bracket: str, height: int) -> list[str]:
    if height < 2 or bracket not in _BRACKETS:
        return [bracket] * height
    parts = list(_BRACKETS[bracket])
    inner = parts[1:2] * (height - 2)
    if inner and bracket in _WAISTS:
        inner[len(inner) // 2] = _WAISTS[bracket]
    return [parts[0], *inner, parts[2]]


def _centred(box: Sequence[str], height: int) -> list[str]:
    width = max(map(display_width, box))
    above = (height - len(box)) // 2
    below = height - len(box) - above
    return [_padded(line, width) for line in [*[""] * above, *box, *[""] * below]]


def _padded(text: str, width: int) -> str:
    return text + " " * (width - display_width(text))
