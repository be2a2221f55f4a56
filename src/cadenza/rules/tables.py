"""Show a table as text that a chat can display: columns in a code block, or a list if they are too wide.

The Markdown of the table stays as the segment's source: for a picture, for readers who want to see it, and for the
model, which later sees what it wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..text import tables
from ..text.plain_table import WIDTH, as_columns, as_records
from ..types import Kind, Segment
from .rule import Rule

_QUOTED = "> "
_SMALL, _GROWTH = 8000, 4
"""The limit of a converted table: a few messages, or so many times its source.

A page-long name is repeated in a list for every row, and one long cell makes all lines long.
"""


class Tables(Rule):
    """Converts every table that it can parse; anything else that looks like one stays as it is."""

    @property
    def is_idle(self) -> bool:
        """Whether tables are shown as they were written."""
        return self.context.settings.tables == "source"

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        """Convert *segment* if it is a table."""
        return (_shown(segment) if segment.kind is Kind.TABLE else segment,)


def _shown(segment: Segment) -> Segment:
    table = tables.parse(str(segment.text))  # the origin of its cells is lost anyway
    if table is None:
        # A table of one column is a list with bars, and stays together.
        return segment if tables.is_shaped(segment.text) else replace(segment, kind=Kind.PROSE)
    mark = _QUOTED if tables.is_quoted(segment.text) else ""
    most = max(_SMALL, _GROWTH * len(segment.text))
    for kind, text in _forms(table, WIDTH - len(mark)):
        if 0 < len(text) <= most:
            return replace(
                segment,
                # The next rule asks whether the line is over.
                text=_quoted(text, mark) + "\n" * segment.text.endswith("\n"),
                kind=kind,
                is_painted=True,
                source=segment.source or segment.text.strip("\n"),
            )
    return segment


def _forms(table: tables.Table, width: int) -> Iterator[tuple[Kind, str]]:
    """The ways to show *table*, the best first."""
    yield Kind.CODE, as_columns(table, width=width) or ""
    yield Kind.PROSE, as_records(table)


def _quoted(text: str, mark: str) -> str:
    return "\n".join(mark + line for line in text.split("\n")) if mark else text
