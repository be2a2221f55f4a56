"""Tables in GitHub's writing: a header, a line of dashes, rows. Only those whose lines begin with a bar."""

from __future__ import annotations

import re

_CELLS = re.compile(r"(?<!\\)\|")
_SEPARATOR_SO_FAR = re.compile(r"[ \t]*(?:\|[ \t|:-]*)?")
_SEPARATOR_CELL = re.compile(r":?-+:?")


def cells(line: str) -> list[str]:
    """The cells of a row, without the bars around it."""
    line = line.strip().removeprefix("|")
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    return [cell.strip() for cell in _CELLS.split(line)]


def could_be_header(line: str) -> bool:
    """Whether *line* has the shape of a table's first line."""
    line = line.strip()
    return line.startswith("|") and not line.startswith("||") and len(line) > 2 and any(cells(line))


def could_be_separator(line: str) -> bool:
    """Whether *line*, which may still grow, has the shape of a table's second line."""
    return _SEPARATOR_SO_FAR.fullmatch(line) is not None


def is_separator(line: str, *, header: str) -> bool:
    """Whether *line* is the line of dashes under *header*."""
    dashes = cells(line)
    return len(dashes) == len(cells(header)) and all(map(_SEPARATOR_CELL.fullmatch, dashes))


def head(table: str) -> str:
    """The first two lines of *table*, as a part of it must repeat them."""
    return "\n".join(table.split("\n", 2)[:2]) + "\n"
