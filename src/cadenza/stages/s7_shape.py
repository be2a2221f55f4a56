"""Stage 7: segments in, bundles out. A bundle is what becomes one message, if it fits.

The shaper sorts the lines of a reply into *blocks*: paragraphs, lists, quotes, verses, code, tables. A heading or a
title waits for the block that follows it; so does a lead-in ("Here are three:") in the shape ``blocks``.

What is then bundled depends on the shape:
    ``reply``      everything.
    ``blocks``     neighbouring blocks, until a message holds about ``gather`` characters.
    ``lines``      each line, and each list, quote, verse or block of code as a whole.
    ``sentences``  the same with sentences.

Only the text decides, never the clock or how the text was sliced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ..facts import MessageEnd
from ..targets.target import Markup
from ..text.line_sorts import (
    BLANK_LINE,
    TEXT_LINE,
    LineSort,
    is_lead_in,
    is_sentence,
    is_short,
    is_verse,
    line_context,
    looks_like_verse,
    sort_line,
)
from ..text.spans import survey
from ..text.units import WHITESPACE
from ..types import Boundary, Identity, Kind, Segment
from .s7_blocks import Block, Cut, TextPiece, Verse, is_large, pieces_of, size_of, verse_after

_FEW_LINES = 6
"""Code and tables of more lines have a message of their own, with their lead-in."""
_TINY = 24
"""A shorter first block does not leave alone."""
_CODE_INDENT = 4
_PUNCTUATION = re.compile(r"[ \t]*[.,!?;:。！？、，]+[ \t]*(?:\n|\Z)")
"""A line of punctuation, which belongs to the line before it."""


_NESTED = (Cut.ITEM, Cut.NESTED, Cut.DEEP)

# A global is faster to look up than a member of an enumeration.
_PROSE = Kind.PROSE
_LINE = MessageEnd.LINE
_NEWLINE, _SECTION, _OVERFLOW = Boundary.NEWLINE, Boundary.SECTION, Boundary.OVERFLOW
_PERIOD, _CODE_OPEN = Boundary.PERIOD, Boundary.CODE_OPEN
_TEXT, _ITEM, _TITLE, _CODE = LineSort.TEXT, LineSort.ITEM, LineSort.TITLE, LineSort.CODE
_BLANK, _QUOTE, _INDENTED = LineSort.BLANK, LineSort.QUOTE, LineSort.INDENTED
_ENDED_BY_TEXT = (LineSort.ITEM, LineSort.QUOTE)
_NO_VERSE, _PERHAPS, _VERSE = Verse.NO, Verse.PERHAPS, Verse.YES
_BETWEEN, _NEXT_LINE, _IN_LINE, _GLUED, _NEVER = Cut.BLOCK, Cut.LINE, Cut.SENTENCE, Cut.GLUED, Cut.NEVER


Cutter = Callable[[Sequence[TextPiece]], Iterable[Sequence[TextPiece]]]
"""Cuts pieces into messages that fit."""


class Bundle(NamedTuple):
    """The pieces of one message."""

    pieces: Sequence[TextPiece]
    is_plain: bool = False
    """Whether it is a line or sentence of prose, which has no structure to keep."""
    end: MessageEnd = MessageEnd.BLOCK
    """Why it ends where it ends."""


class Shaper:
    """Sorts the segments of one reply into bundles."""

    def __init__(
        self, shape: str, *, gather: int, limit: int, markup: Markup, cut: Cutter, has_begun: bool = False
    ) -> None:
        """Bundle messages of at most *limit*; *cut* cuts what is longer."""
        self._shape = shape
        self._gathers = shape in ("reply", "blocks")
        self._gather = min(gather, limit)
        self._full = MessageEnd.LIMIT if gather >= limit or shape == "reply" else MessageEnd.NEXT_TOO_LONG
        self._limit = limit
        self._measure = markup.size
        self._cut = cut
        self._has_begun = has_begun  # whether a message of this reply was bundled before
        self._block: Block | None = None
        self._group: list[Block] = []  # blocks that belong together: the last one waits for what follows
        self._message: list[list[Block]] = []  # groups that share a message
        self._used = 0  # how long they are together
        self._loose: list[TextPiece] = []  # empty lines that follow no block
        self._speaker: Identity | None = None  # who says what is waiting
        self._line: str | None = None  # the beginning of the current line, if it goes on
        self._sorted = sort_line("")  # what that line is

    def take(self, segment: Segment) -> list[Bundle]:
        """Take *segment*; return the bundles that no later text can change."""
        out: list[Bundle] = []
        if (segment.label or segment.identity is not self._speaker) and self._has_other_speaker(segment):
            out += self.rest(MessageEnd.SPEAKER)
        if segment.kind is not _PROSE or segment.is_painted:
            self._take_block(segment, out)
        else:
            text = segment.text if segment.text.endswith("\n") else _with_line_end(segment)
            if text == "\n" and self._line is None:
                self._sorted = BLANK_LINE
                self._take_blank(TextPiece(segment, text, _NEVER), out)
            elif not self._gathers and self._is_plain(segment, text):
                self._end_block(out)
                loose, self._loose = self._loose, []
                piece = TextPiece(segment, text, _BETWEEN)
                out.append(Bundle((*loose, piece), is_plain=True, end=end_of(piece)))
                return out
            elif segment.source or text.find("\n", 0, -1) < 0:  # nearly always
                self._take_line(segment, text, out)
            else:
                for line in _lines(text):
                    self._take_line(segment, line, out)
            if segment.boundary is _SECTION:
                self._end_section(out)
        return out

    def _is_plain(self, segment: Segment, text: str) -> bool:
        """Whether *segment* is a line or sentence that belongs to nothing: most are, where a line is a message."""
        block, loose = self._block, self._loose
        if self._group or self._line is not None or (block is not None and block.sort not in _ENDED_BY_TEXT):
            return False
        if (block or loose) and self._measure(text) > self._limit:
            return False
        is_text = False
        if segment.boundary is _NEWLINE:
            is_text = is_sentence(text)
            if text.find("\n") != len(text) - 1 or (not is_text and (block or self._may_be_verse(text))):
                return False
            if loose and loose[-1].segment.ends_in:
                return False
        elif block or not self._is_sentence(segment, text):
            return False
        self._sorted = TEXT_LINE if is_text else sort_line(text)
        if self._sorted.sort is not _TEXT:
            return False
        self._has_begun = True
        self._line = None if text.endswith("\n") else text
        return True

    def _may_be_verse(self, text: str) -> bool:
        """Whether *text* waits for the next line; the first line of a reply does not wait for a guess."""
        if not self._has_begun:
            return is_verse(text)
        return looks_like_verse(text) and (is_short(text) or self._measure(text) > self._limit)

    def _is_sentence(self, segment: Segment, text: str) -> bool:
        """Whether *segment* is a sentence within a line, where each is a message."""
        if self._shape != "sentences" or (self._loose and ("\n" in text or self._loose[-1].segment.ends_in)):
            return False
        return segment.boundary is Boundary.PERIOD and not segment.ends_in

    def rest(self, end: MessageEnd) -> list[Bundle]:
        """Return everything that is left; the last message ends because of *end*."""
        out: list[Bundle] = []
        self._end_block(out)
        self._end_group(out)
        self._end_message(out, end)
        if self._loose:
            out.append(Bundle(self._loose))
            self._loose = []
        self._line = None
        self._has_begun = self._has_begun or end is MessageEnd.FILE  # which is a message
        return [*out[:-1], out[-1]._replace(end=end)] if out else out

    def _has_other_speaker(self, segment: Segment) -> bool:
        if not segment.text.strip(WHITESPACE):
            return False
        is_waiting = self._block or self._group or self._message
        is_other = segment.identity != self._speaker or (bool(segment.label) and self._shape != "reply")
        self._speaker = segment.identity
        return bool(is_waiting) and is_other

    # --- lines ------------------------------------------------------------------------------

    def _take_line(self, segment: Segment, text: str, out: list[Bundle]) -> None:
        if self._line is not None:
            self._go_on(segment, text, out)
            return
        line = self._sorted = sort_line(text)
        sort, indent = line
        if sort is _BLANK:
            self._take_blank(TextPiece(segment, text, _NEVER), out)
            return
        is_quoting = segment.boundary is _OVERFLOW and text.startswith(">>> ")  # its lines are quoted too
        self._line = None if text.endswith("\n") and not is_quoting else text
        if self._block is None or not self._belongs(self._block, sort, indent):
            self._begin(sort, out)
        block = self._block
        if block is None:
            return
        cut = self._cut_before(block, sort, indent)
        self._add(block, TextPiece(segment, text, cut), out)
        if self._line is None:
            self._end_line(block, text, out)
        else:
            self._end_part(segment, block, out)

    def _end_part(self, segment: Segment, block: Block, out: list[Bundle]) -> None:
        if self._shape == "sentences" and block.sort is _TEXT and segment.boundary is Boundary.PERIOD:
            self._end_block(out)

    def _go_on(self, segment: Segment, text: str, out: list[Bundle]) -> None:
        """Take the next part of a line that has begun."""
        begun = self._line or ""
        if text.endswith("\n"):
            self._line = None
        block = self._block
        if block is None:  # the line was too long, and what came before it has left
            block = self._block = Block(self._sorted.sort)
        is_code = bool(block.pieces) and block.pieces[-1].segment.kind is not _PROSE
        context = "" if is_code else line_context(begun)
        cut = _NEVER if not text.strip(WHITESPACE) else _IN_LINE
        self._add(block, TextPiece(segment, text, cut, context), out)
        if self._line is None:
            self._end_line(block, text, out)
        else:
            self._end_part(segment, block, out)

    def _take_blank(self, piece: TextPiece, out: list[Bundle]) -> None:
        block = self._block
        if block is not None:
            block.add(piece, len(piece.text))
            block.has_ended = True
            if block.sort is _TEXT or block.sort is _QUOTE:
                self._end_block(out)
        elif self._group:
            self._group[-1].add(piece, len(piece.text))
            self._group[-1].has_ended = True
        elif self._message:
            self._message[-1][-1].add(piece, len(piece.text))
            self._used += len(piece.text)
        else:
            self._loose.append(piece)

    def _belongs(self, block: Block, sort: LineSort, indent: int) -> bool:
        """Whether a line of *sort* is a part of *block*."""
        of = block.sort
        if of is _ITEM:
            return sort is _ITEM or indent >= 2
        if of is _TEXT or of is _INDENTED:
            is_text = (sort is _TEXT or sort is _INDENTED) and not block.has_ended
            return is_text and (self._gathers or block.verse is not _NO_VERSE)
        if of is _QUOTE:
            return sort is _QUOTE and not block.has_ended
        if of is _CODE:
            is_title = sort is _TITLE and not block.has_ended and len(block.pieces) > 1
            return sort is _CODE or sort is _INDENTED or is_title
        return False

    def _cut_before(self, block: Block, sort: LineSort, indent: int) -> Cut:
        if not block.pieces or (block.pieces[-1].is_blank and not block.last_line):
            return _BETWEEN
        if sort is _ITEM and block.sort is _ITEM:
            if block.indents[-1:] != [indent]:
                block.indents = [outer for outer in block.indents if outer < indent - 1]
                block.indents.append(indent)
            return _NESTED[min(len(block.indents), len(_NESTED)) - 1]
        return _NEXT_LINE

    def _begin(self, sort: LineSort, out: list[Bundle]) -> None:
        """A block of *sort* begins."""
        before = self._block
        is_next = before is not None and not before.has_ended
        self._end_block(out)
        self._join(sort, is_next=is_next, out=out)
        if sort is _INDENTED:
            sort = _CODE if self._sorted.indent >= _CODE_INDENT else _TEXT
        block = self._block = Block(sort)
        block.pieces = self._loose
        self._loose = []

    def _add(self, block: Block, piece: TextPiece, out: list[Bundle]) -> None:
        if block.pieces and block.pieces[-1].segment.ends_in:
            piece = piece._replace(cut=max(piece.cut, _GLUED))
        if block.sort is _ITEM and not block.indents:
            block.indents = [self._sorted.indent]
        block.add(piece, self._measure(piece.text))
        if self._group or block.size + self._used > self._limit:
            self._shed(out)

    def _end_line(self, block: Block, text: str, out: list[Bundle]) -> None:
        """A line of *block* is over."""
        sort = block.sort
        if sort is _TITLE:
            self._end_block(out)
        elif sort is _TEXT or sort is _INDENTED:
            if self._gathers:
                return
            block.verse = verse_after(block.verse, text)
            if block.verse is _NO_VERSE:
                self._end_block(out)
        elif sort is _CODE and block.pieces[0].segment.kind is not _PROSE:
            self._end_block(out)

    # --- code and tables --------------------------------------------------------------------

    def _take_block(self, segment: Segment, out: list[Bundle]) -> None:
        """Take a code block or a table."""
        block = self._block
        indent = segment.joint or segment.text[: len(segment.text) - len(segment.text.lstrip(" \t"))]
        if block is not None and block.sort is _ITEM and indent:  # it is a part of the item
            cut = _GLUED if is_lead_in(block.last_line) else _NEXT_LINE
            self._add(block, TextPiece(segment, segment.text, cut), out)
        elif block is not None and self._line is not None:  # it stands within a line
            self._add(block, TextPiece(segment, segment.text, _IN_LINE), out)
        else:
            self._begin(_CODE, out)
            block = self._block
            if block is not None:
                block.is_large = segment.text.count("\n") > _FEW_LINES + 1
                self._add(block, TextPiece(segment, segment.text, _BETWEEN), out)
        self._line = None if segment.text.endswith("\n") else ""
        if self._line is None and block is self._block and block is not None and block.sort is _CODE:
            self._end_block(out)

    # --- blocks, groups and messages ----------------------------------------------------------

    def _end_block(self, out: list[Bundle]) -> None:
        """The current block is whole."""
        block, self._block = self._block, None
        if block is None:
            return
        self._group.append(block)
        if not self._waits(block):
            self._end_group(out)

    def _waits(self, block: Block) -> bool:
        """Whether *block* belongs to what follows it, or may."""
        if not self._gathers:
            return block.sort is _TITLE
        return block.announces or block.is_title or (block.sort is _TEXT and not block.has_ended)

    def _join(self, sort: LineSort, *, is_next: bool, out: list[Bundle]) -> None:
        """A block of *sort* begins: end the group, unless its last block waits for this one."""
        if not self._group:
            return
        last = self._group[-1]
        if last.sort is _TITLE or (self._gathers and last.is_title):
            return
        is_structure = sort is _ITEM or sort is _CODE or sort is _QUOTE
        if self._gathers and is_structure and (last.announces or (is_next and last.sort is _TEXT)):
            return
        self._end_group(out)

    def _end_group(self, out: list[Bundle]) -> None:
        """The blocks that belong together are whole: bundle them, or keep them for what follows."""
        group, self._group = self._group, []
        if not group:
            return
        if not self._gathers:
            out += self._bundled([group])
            return
        size = size_of(group)
        if self._message and self._shape == "blocks" and (end := self._ended_by(group, size)):
            self._end_message(out, end)
        self._message.append(group)
        self._used += size
        if self._shape == "reply":
            return
        if not self._has_begun and size >= _TINY:
            self._end_message(out, MessageEnd.FIRST_BLOCK)
        elif is_large(group):
            self._end_message(out, MessageEnd.LARGE_BLOCK)
        elif self._used >= self._gather:
            self._end_message(out, MessageEnd.GATHERED)
        elif group[-1].quotes_all:
            self._end_message(out, MessageEnd.QUOTE_OF_ALL)

    def _ended_by(self, group: Sequence[Block], size: int) -> MessageEnd | None:
        """Why the message is better ended before *group*, if it is."""
        if is_large(group):
            return MessageEnd.LARGE_BLOCK
        if self._used + size > self._gather:
            return MessageEnd.NEXT_TOO_LONG
        return MessageEnd.HEADING if 2 * self._used >= self._gather and group[0].is_title else None

    def _end_section(self, out: list[Bundle]) -> None:
        """A ``---`` stood here."""
        self._end_block(out)
        self._end_group(out)
        if self._shape == "blocks" and 2 * self._used >= self._gather:
            self._end_message(out, MessageEnd.SECTION)

    def _end_message(self, out: list[Bundle], end: MessageEnd) -> None:
        groups, self._message, self._used = self._message, [], 0
        if groups:
            out += self._bundled(groups, end)

    def _bundled(self, groups: Sequence[Sequence[Block]], end: MessageEnd = MessageEnd.BLOCK) -> list[Bundle]:
        self._has_begun = True
        pieces = pieces_of(groups)
        block = groups[0][0]
        is_plain = not self._gathers and len(groups) == len(groups[0]) == 1 and block.sort is _TEXT
        is_plain = is_plain and all(piece.segment.kind is _PROSE for piece in pieces)
        if is_plain and len(pieces) > 1 and sum(not piece.is_blank for piece in pieces) > 1:
            if block.verse is _VERSE or not all(piece.text.endswith("\n") for piece in pieces[:-1]):
                is_plain = False
            else:  # lines that could have been a verse
                alone = [TextPiece(piece.segment, piece.text, _BETWEEN, piece.context) for piece in pieces]
                return [Bundle([piece], is_plain=True, end=end_of(piece)) for piece in alone]
        last = groups[-1][-1]
        if end is MessageEnd.BLOCK and last.sort is _TEXT:
            piece = pieces[-1]
            if piece.is_blank:
                piece = next((one for one in reversed(pieces) if not one.is_blank), piece)
            own = end_of(piece)
            end = own if last.verse is not _VERSE or own is MessageEnd.SENTENCE else end  # a verse is a block
        return [Bundle(pieces, is_plain, end)]

    def _shed(self, out: list[Bundle]) -> None:
        """Bundle what certainly does not fit into a message with what follows."""
        block = self._block
        if block is None or self._shape == "reply":
            return
        open_size = block.size + (size_of(self._group) if self._group else 0)
        if open_size <= self._limit:
            if self._message and open_size + self._used > self._limit:
                self._end_message(out, self._full)
            return
        self._end_message(out, self._full)
        pieces = pieces_of([[*self._group, block]])
        *full, rest = self._cut(pieces)
        if full:
            self._has_begun = True
            out += (Bundle(part, end=MessageEnd.LIMIT) for part in full)
            if all(piece.is_blank for piece in rest):  # the block is whole
                out[-1] = out[-1]._replace(end=self._end_of_long([*self._group, block]))
            self._group = []
            block.pieces = list(rest)
            block.size = sum(self._measure(piece.text) for piece in rest)

    def _end_of_long(self, group: Sequence[Block]) -> MessageEnd:
        """Why a message ends with the end of *group*, which is too long for one."""
        if not self._gathers:
            return MessageEnd.BLOCK
        return MessageEnd.LARGE_BLOCK if is_large(group) else MessageEnd.LIMIT


def end_of(piece: TextPiece) -> MessageEnd:
    """Why a message ends that ends with *piece* alone."""
    segment = piece.segment
    if segment.kind is not _PROSE or segment.is_painted or segment.boundary is _CODE_OPEN:
        return MessageEnd.BLOCK
    return _LINE if segment.boundary is not _PERIOD or piece.text.endswith("\n") else MessageEnd.SENTENCE


def _with_line_end(segment: Segment) -> str:
    """The text of *segment*, with the line end that a rule may have trimmed."""
    text = segment.text
    return text + "\n" if segment.boundary is _NEWLINE and "\n" not in text and text else text


def _lines(text: str) -> list[str]:
    """The lines of *text* with their ends; a span over a line end, or a lone mark, keeps its lines together."""
    if text.find("\n", 0, -1) < 0:
        return [text]
    if not text.strip("\n"):
        return list(text)
    ends = survey(text).line_ends
    starts = [0, *(end + 1 for end in ends if not _PUNCTUATION.match(text, end + 1))]
    return [line for start, end in zip(starts, [*starts[1:], len(text)], strict=True) if (line := text[start:end])]
