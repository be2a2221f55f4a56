"""Tables in GitHub's Markdown: a header, a line of dashes, rows.

A table may be in a quote; then all of its lines begin with the same quote mark.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from itertools import takewhile

_CELLS = re.compile(r"(?<!\\)\|")
_SEPARATOR_SO_FAR = re.compile(r"[ \t|:-]*")
_SEPARATOR_CELL = re.compile(r":?-+:?")
_SPOILER = re.compile(r"\|\|.+?\|\|")
_SPOILED_CELL = re.compile(r"\|\|[^|]+\|\|")
_OR = re.compile(r"(?<=[^\s|] )\|\|(?= [^\s|])")
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_QUOTE = re.compile(r"[ \t]{0,8}>[ \t]?")
_MOST_MISSING = 2000
"""How many cells may be missing: short rows under an endless header would fill the memory with empty ones."""


class Alignment(Enum):
    """The alignment of a column."""

    LEFT = "left"
    CENTRE = "center"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Table:
    """A parsed table: every row has as many cells as the header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    alignments: tuple[Alignment, ...]


def cells(line: str) -> list[str]:
    """The cells of a row, without the bars around it."""
    line = line.strip().removeprefix("|")
    if "\\" not in line:  # nearly always
        return [cell.strip() for cell in line.removesuffix("|").split("|")]
    if ends_with_bar(line):
        line = line[:-1]
    return [cell.strip() for cell in _CELLS.split(line)]


def quote(line: str) -> str:
    """The quote mark that *line* begins with, and the space around it; empty without one."""
    match = _QUOTE.match(line)
    return match.group() if match else ""


def could_be_header(line: str) -> bool:
    """Whether *line* looks like the first line of a table: two cells or more, and bars that are no spoilers."""
    line = line.strip()
    if line.startswith("||") and "|" not in _SPOILER.sub("", line):
        return False
    found = cells(line)
    return any(found) and (len(found) > 1 or line.startswith("|"))


def could_be_separator(line: str) -> bool:
    """Whether *line*, which may be incomplete, looks like the second line of a table."""
    return _SEPARATOR_SO_FAR.fullmatch(line) is not None


def is_separator(line: str, *, header: str) -> bool:
    """Whether *line* is the line of dashes under *header*."""
    dashes = cells(line)
    return "|" in line and len(dashes) == len(cells(header)) and all(map(_SEPARATOR_CELL.fullmatch, dashes))


def ends_with_bar(line: str) -> bool:
    """Whether *line* has a bar at its end."""
    line = line.rstrip()
    return line.endswith("|") and not line.endswith("\\|")


def head(table: str) -> str:
    """The first two lines of *table*, which every part of it repeats."""
    begin = _begin(table)
    head = table[: begin + sum(len(line) + 1 for line in table[begin:].split("\n", 2)[:2])]
    return head if head.endswith("\n") else head + "\n"


def has_rows(table: str) -> bool:
    """Whether *table* has more than its first two lines."""
    return any(row.strip() for row in table[_begin(table) :].split("\n")[2:])


def is_quoted(table: str) -> bool:
    """Whether *table* is in a quote."""
    return bool(quote(table))


def lines(table: str) -> list[str]:
    """The lines of *table*, without its quote marks."""
    found = table[_begin(table) :].strip("\n").split("\n")
    mark = quote(found[0])
    return [line.removeprefix(mark) for line in found] if mark else found


def is_shaped(markdown: str) -> bool:
    """Whether *markdown* begins like a table, with a header and a line of dashes."""
    header, separator, *_ = [*lines(markdown), ""]
    return could_be_header(header) and is_separator(separator, header=header)


def parse(markdown: str) -> Table | None:
    """Parse a table; ``None`` if it is none, or has a single column, no rows or too many missing cells.

    A short row is filled up. Cells beyond the header get columns without a name.
    """
    if not is_shaped(markdown):
        return None
    header, dashes, *rest = lines(markdown)
    names = _texts(header)
    named = len(names)
    rows = [_up_to_last_text(_texts(line, named), named) for line in takewhile(str.strip, rest)]
    width = max(map(len, (names, *rows)))
    if width < 2 or not rows or sum(width - len(row) for row in (names, *rows)) > _MOST_MISSING:
        return None
    names, *rows = [row if len(row) == width else row + ("",) * (width - len(row)) for row in (names, *rows)]
    sides = [*map(alignment, cells(dashes)), *[Alignment.LEFT] * (width - named)]
    return Table(names, tuple(rows), tuple(sides))


def _up_to_last_text(row: tuple[str, ...], least: int) -> tuple[str, ...]:
    """*row* without empty cells at its end, but with *least* cells if it has so many."""
    end = len(row)
    while end > least and not row[end - 1]:
        end -= 1
    return row[:end]


def alignment(dashes: str) -> Alignment:
    """The alignment that a cell of the second line sets."""
    if not dashes.endswith(":"):
        return Alignment.LEFT
    return Alignment.CENTRE if dashes.startswith(":") else Alignment.RIGHT


def _texts(line: str, width: int | None = None) -> tuple[str, ...]:
    """The texts of a row, with escaped bars as bars.

    If there are more than *width*, unescaped bars within code, of a spoiler or of an ``a || b`` also count as text.
    """
    found = cells(line)
    for pattern, sign in ((_CODE, "`"), (_SPOILED_CELL, "||"), (_OR, "||")):
        if width is not None and len(found) > width and sign in line:
            meant = pattern.sub(_with_bars_escaped, line)
            if len(cells(meant)) >= width:
                line, found = meant, cells(meant)
    return tuple(cell.replace("\\|", "|") for cell in found) if "\\" in line else tuple(found)


def _with_bars_escaped(part: re.Match[str]) -> str:
    return _CELLS.sub(r"\\|", part.group())


def _begin(table: str) -> int:
    """Where the header of *table* begins: bare quote marks may precede it on lines of their own."""
    begin = 0
    while (end := table.find("\n", begin)) >= 0 and table[begin:end].strip() == ">":
        begin = end + 1
    return begin
