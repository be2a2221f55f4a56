"""Show a table as text that a chat can show: columns in a code block, or a list if they would be too wide.

The Markdown of the table goes along as the segment's source: for a picture, for whoever wants to see it, and for the
model, which should later see what it wrote.
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
"""How long a table may become: a few messages, or so many times as long as it was written.

A name as long as a page stands in a list once for every row, and one long cell makes the lines of all others long.
"""


class Tables(Rule):
    """Puts every table that it understands into another form; whatever else looks like one stays as it is."""

    @property
    def is_idle(self) -> bool:
        """Whether tables are shown as they were written."""
        return self.context.settings.tables == "source"

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        """Put *segment* into its other form if it is a table."""
        return (_shown(segment) if segment.kind is Kind.TABLE else segment,)


def _shown(segment: Segment) -> Segment:
    table = tables.parse(segment.text)
    if table is None:
        # One column is a list with bars, and stays together as one.
        return segment if tables.is_shaped(segment.text) else replace(segment, kind=Kind.PROSE)
    mark = _QUOTED if tables.is_quoted(segment.text) else ""
    most = max(_SMALL, _GROWTH * len(segment.text))
    for kind, text in _forms(table, WIDTH - len(mark)):
        if 0 < len(text) <= most:
            return replace(
                segment,
                # Whoever comes next asks whether the line is over.
                text=_quoted(text, mark) + "\n" * segment.text.endswith("\n"),
                kind=kind,
                source=segment.text.strip("\n"),
            )
    return segment


def _forms(table: tables.Table, width: int) -> Iterator[tuple[Kind, str]]:
    """How *table* can be shown, the best first."""
    yield Kind.CODE, as_columns(table, width=width) or ""
    yield Kind.PROSE, as_records(table)


def _quoted(text: str, mark: str) -> str:
    return "\n".join(mark + line for line in text.split("\n")) if mark else text
