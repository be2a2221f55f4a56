"""Tables in GitHub's writing: a header, a line of dashes, rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

_CELLS = re.compile(r"(?<!\\)\|")
_SEPARATOR_SO_FAR = re.compile(r"[ \t|:-]*")
_SEPARATOR_CELL = re.compile(r":?-+:?")
_SPOILER = re.compile(r"\|\|.+?\|\|")


class Alignment(Enum):
    """Where the text of a column stands."""

    LEFT = "left"
    CENTRE = "center"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Table:
    """A table that was understood: every row has as many cells as the header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    alignments: tuple[Alignment, ...]


def cells(line: str) -> list[str]:
    """The cells of a row, without the bars around it."""
    line = line.strip().removeprefix("|")
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    return [cell.strip() for cell in _CELLS.split(line)]


def could_be_header(line: str) -> bool:
    """Whether *line* has the shape of a table's first line: two cells or more, and bars that are no spoilers."""
    line = line.strip()
    if line.startswith("||") and "|" not in _SPOILER.sub("", line):
        return False
    has_edge = line.startswith("|") or line.endswith("|")
    bars = len(_CELLS.findall(line))
    if bars < 1 if has_edge else bars < 2:
        return False
    found = cells(line)
    return any(found) and (len(found) > 1 or line.startswith("|"))


def could_be_separator(line: str) -> bool:
    """Whether *line*, which may still grow, has the shape of a table's second line."""
    return _SEPARATOR_SO_FAR.fullmatch(line) is not None


def is_separator(line: str, *, header: str) -> bool:
    """Whether *line* is the line of dashes under *header*."""
    dashes = cells(line)
    return "|" in line and len(dashes) == len(cells(header)) and all(map(_SEPARATOR_CELL.fullmatch, dashes))


def head(table: str) -> str:
    """The first two lines of *table*, as a part of it must repeat them."""
    return "\n".join(table.split("\n", 2)[:2]) + "\n"


def has_rows(table: str) -> bool:
    """Whether anything stands behind the first two lines of *table*."""
    return any(row.strip() for row in table.split("\n")[2:])
