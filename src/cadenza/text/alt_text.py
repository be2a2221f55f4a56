"""What a picture says to those who cannot see it, and to a program that reads the channel later.

Discord calls it the description of a file.
"""

from __future__ import annotations

from . import tables
from .formulas import is_formula
from .readable_formulas import in_table
from .split import fit
from .units import units

LONGEST = 1024
"""UTF-16 units that fit however Discord counts its 1024 characters."""


def within(text: str) -> str:
    """*text*, cut if it is too long."""
    return text if units(text) <= LONGEST else fit(text, LONGEST - 1)[0].rstrip() + "…"


def of_picture(source: str) -> str:
    """The alt text for a picture of *source*: the source itself, or as many whole rows of its table as fit."""
    source = source.strip("\n")
    table = None if is_formula(source) or units(source) <= LONGEST else tables.parse(in_table(source))
    if table is None:
        return within(source)
    rows: list[str] = []
    room = LONGEST - 1
    for row in (table.header, *table.rows):
        line = " | ".join(row)
        room -= units(line) + 1
        if room < 0:
            break
        rows.append(line)
    return "\n".join([*rows, "…"])
