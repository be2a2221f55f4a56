"""Stage 7: the blocks of a reply, and the pieces that they consist of.

A *piece* is a line, a part of one, a code block or a table, and says how bad a cut in front of it would be. A *block* is
a paragraph, a list, a quote, a verse or code. Blocks that belong together are a *group*: a heading and what follows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum, IntEnum, auto
from typing import NamedTuple

from ..text.line_sorts import LineSort, is_lead_in, is_plain_title, is_short, is_verse, may_be_verse
from ..types import Segment


class Cut(IntEnum):
    """How bad a cut is, the best first."""

    BLOCK = 1
    """Between two blocks."""
    ITEM = 2
    """Between two items of a list; one or two more between nested ones."""
    NESTED = 3
    DEEP = 4
    LINE = 5
    SENTENCE = 6
    """Within a line, where stage 5 has cut it."""
    GLUED = 7
    """After a heading or a lead-in, or within emphasis."""
    NEVER = 8
    """In front of an empty line, or of what must not begin a message."""


class TextPiece(NamedTuple):
    """A line, a part of one, a code block or a table."""

    segment: Segment
    text: str
    cut: Cut
    """How bad a cut in front of it is."""
    context: str = ""
    """The quote marks and the indent of its line, if the line began in an earlier piece."""

    @property
    def is_blank(self) -> bool:
        """Whether it is an empty line."""
        return not self.text or self.text.isspace()


class Verse(Enum):
    """Whether the lines of a block look like verse."""

    NO = auto()
    PERHAPS = auto()
    """One line could be, so the next one decides."""
    YES = auto()


class Block:
    """A paragraph, a list, a quote, code …, as far as it has arrived."""

    __slots__ = ("has_ended", "indents", "is_large", "pieces", "size", "sort", "verse")

    def __init__(self, sort: LineSort) -> None:
        self.sort = sort
        self.pieces: list[TextPiece] = []
        self.size = 0
        self.indents: list[int] = []
        """How far the open items of a list are indented."""
        self.has_ended = False
        """Whether an empty line followed."""
        self.is_large = False
        """Whether it is code or a table of many lines."""
        self.verse = Verse.NO

    def add(self, piece: TextPiece, size: int) -> None:
        """Append *piece*."""
        self.pieces.append(piece)
        self.size += size

    @property
    def last_line(self) -> str:
        """Its last line that is not empty."""
        for piece in reversed(self.pieces):
            if not piece.is_blank:
                return piece.text
        return ""

    @property
    def announces(self) -> bool:
        """Whether it is a lead-in."""
        return (self.sort is LineSort.TEXT or self.sort is LineSort.ITEM) and is_lead_in(self.last_line)

    @property
    def quotes_all(self) -> bool:
        """Whether it is a ``>>>`` quote: everything behind it in the same message would be quoted too."""
        return self.sort is LineSort.QUOTE and any(piece.text.lstrip().startswith(">>> ") for piece in self.pieces)

    @property
    def is_title(self) -> bool:
        """Whether it is a title: marked as one, or a short line between empty ones that is no sentence."""
        if self.sort is not LineSort.TEXT or not self.has_ended:
            return self.sort is LineSort.TITLE
        lines = [piece.text for piece in self.pieces if piece.text and not piece.text.isspace()]
        return len(lines) == 1 and is_plain_title(lines[0])


def size_of(group: Iterable[Block]) -> int:
    """How long the blocks of *group* are together."""
    size = 0
    for block in group:
        size += block.size
    return size


def is_large(group: Iterable[Block]) -> bool:
    """Whether *group* has code or a table of many lines."""
    return any(block.is_large for block in group)


def pieces_of(groups: Iterable[Sequence[Block]]) -> list[TextPiece]:
    """The pieces of *groups*; a cut within a group is worse than one between two."""
    pieces: list[TextPiece] = []
    for group in groups:
        pieces += group[0].pieces
        for block in group[1:]:
            begin = len(pieces)
            pieces += block.pieces
            for number in range(begin, len(pieces)):
                piece = pieces[number]
                if not piece.is_blank:
                    pieces[number] = piece._replace(cut=max(piece.cut, Cut.GLUED))
                    break
    return pieces


def verse_after(so_far: Verse, line: str) -> Verse:
    """Whether a block is a verse after another *line*."""
    if not is_short(line):
        return Verse.NO
    if so_far is Verse.YES or is_verse(line):
        return Verse.YES
    return Verse.PERHAPS if so_far is Verse.NO and may_be_verse(line) else Verse.NO
