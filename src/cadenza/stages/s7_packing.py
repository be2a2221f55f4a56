"""Stage 7: where a text that is too long for one message is cut.

A reply on its way out is a row of *pieces*: lines, parts of lines, code blocks and tables. Each piece says how bad a cut
in front of it would be. The best cut that fits is made: between blocks, then between list items, the outer ones first,
then between lines and sentences, and last after a heading.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import assert_never

from ..text.origins import explained, join
from ..text.repair import continue_block, enclose, split_fence, tidy_block, without_closing
from ..text.units import WHITESPACE
from ..types import Boundary, Kind, Segment
from .s7_blocks import Cut, TextPiece

_EARLY = 4
"""A better cut counts only if it leaves at least this part of what fits in front of it."""
_REPEATED = WHITESPACE + ">*_~|#-"
"""What a cut may have added at the ends of a text."""
_INDENT = re.compile(r"[ \t]*")
_PROSE, _CODE = Kind.PROSE, Kind.CODE  # a global is faster to look up
_HEAD = 2
"""Lines at the top of a table that each of its parts has."""


Measure = Callable[[str], int]
"""Measures a text as the chat does."""


def messages(pieces: Sequence[TextPiece], limit: int, measure: Measure) -> Iterator[Sequence[TextPiece]]:
    """Cut *pieces* into messages of at most *limit*; a last piece that is longer is left to the caller."""
    if len(pieces) == 1:
        yield pieces
        return
    sizes = [measure(_text(piece)) for piece in pieces]
    if pieces and sum(sizes) <= limit - _marks(pieces[0]) - len(pieces[-1].segment.ends_in):  # most messages fit
        yield pieces
        return
    start = 0
    while start < len(pieces):
        end = _end(pieces, sizes, start, limit, measure)
        yield pieces[start:end]
        start = end


def _end(pieces: Sequence[TextPiece], sizes: Sequence[int], start: int, limit: int, measure: Measure) -> int:
    """Where the message that begins with the piece at *start* ends."""
    end, used = start, 0
    room = limit - _marks(pieces[start])
    while end < len(pieces):
        used += sizes[end]
        if used + len(pieces[end].segment.ends_in) > room and not _fits(pieces[start : end + 1], limit, measure):
            break
        end += 1
    if end == len(pieces) or end <= start + 1:
        return _with_glued(pieces, sizes, max(end, start + 1), start, limit)
    fill, best, most = 0, (Cut.NEVER + 1, 0), sum(sizes[start:end])
    for place in range(start + 1, end + 1):
        fill += sizes[place - 1]
        cut = pieces[place].cut
        if cut < Cut.LINE and fill * _EARLY < most:
            cut = Cut.GLUED  # a better place with more in front of it may follow
        if cut <= best[0]:
            best = (cut, place)
    return _with_glued(pieces, sizes, best[1], start, limit)


def _with_glued(pieces: Sequence[TextPiece], sizes: Sequence[int], end: int, start: int, limit: int) -> int:
    """*end*, or one piece more: a heading goes with the beginning of a block that is too long for any message."""
    is_glued = end < len(pieces) and pieces[end].cut is Cut.GLUED and sizes[end] > limit
    return end + 1 if is_glued and 2 * sum(sizes[start:end]) < limit else end


def _marks(piece: TextPiece) -> int:
    return len(piece.segment.opens_in) + len(piece.context)


def _fits(pieces: Sequence[TextPiece], limit: int, measure: Measure) -> bool:
    return measure(shown(pieces)) <= limit


def shown(pieces: Sequence[TextPiece]) -> str:
    """*pieces* as one message: emphasis that was open before is reopened, and what stays open is closed."""
    pieces = _joined(pieces)
    first, last = pieces[0], pieces[-1]
    parts = pieces if len(pieces) == 1 else _dedented(pieces)
    texts = [part.text if part.segment.kind is _PROSE else _text(part) for part in parts]
    if first.segment.opens_in or last.segment.ends_in:
        opens_in, ends_in = marks_of(first, first.segment.opens_in), marks_of(last, last.segment.ends_in)
        core = enclose(
            join(_with_ends(texts, pieces) if opens_in else texts).strip(WHITESPACE), opens_in, ends_in
        ).strip(WHITESPACE)
    else:
        core = join(texts).strip(WHITESPACE)
    return explained(first.context + core, "quote").strip(WHITESPACE) if first.context and core else core


def marks_of(piece: TextPiece, marks: str) -> str:
    """Of *marks*, those that mean something around *piece*: code is hidden by a spoiler, and never bold."""
    return marks if piece.segment.kind is Kind.PROSE else "||" * ("||" in marks)


def _with_ends(texts: list[str], pieces: Sequence[TextPiece]) -> list[str]:
    """*texts* with the marks closed that are open at the end of a piece and not at the beginning of the next.

    The model never closed them; the line that they were in is over.
    """
    closed: list[str] = []
    for text, piece, after in zip(texts, pieces, [*pieces[1:], None], strict=True):
        is_over = after is not None and piece.segment.ends_in and not after.segment.opens_in
        closed.append(enclose(text, "", piece.segment.ends_in) if is_over else text)
    return closed


def wrote(pieces: Sequence[TextPiece]) -> str:
    """What the model wrote for *pieces*, with its white space."""
    pieces = _joined(pieces)
    return join([_source(piece) if piece.segment.source or piece.segment.joint else piece.text for piece in pieces])


def _joined(pieces: Sequence[TextPiece]) -> Sequence[TextPiece]:
    """*pieces* with the parts of one code block put together."""
    if len(pieces) == 1 or all(piece.segment.kind is _PROSE for piece in pieces):
        return pieces
    joined: list[TextPiece] = []
    for piece in pieces:
        if joined and _is_next_part(joined[-1].segment, piece.segment):
            piece = _with_next_part(joined.pop(), piece)  # noqa: PLW2901  # the same block, longer
        joined.append(piece)
    return joined


def _is_next_part(before: Segment, segment: Segment) -> bool:
    return before.kind is segment.kind is Kind.CODE and before.boundary is Boundary.OVERFLOW


def _with_next_part(before: TextPiece, piece: TextPiece) -> TextPiece:
    first, last = before.segment, piece.segment
    text = continue_block(before.text, piece.text, is_torn=first.is_torn)
    source = ""
    if first.source or last.source:
        source = continue_block(first.source or before.text, last.source or piece.text, is_torn=first.is_torn)
    return before._replace(segment=replace(last, source=source, joint=first.joint), text=text)


def _text(piece: TextPiece) -> str:
    return tidy_block(piece.text) if piece.segment.kind is _CODE and not piece.segment.is_painted else piece.text


def _source(piece: TextPiece) -> str:
    source = piece.segment.source
    if not source:
        return piece.segment.joint + piece.text
    is_line = piece.text.endswith("\n") and not source.endswith("\n")
    return piece.segment.joint + source + (piece.text[-1:] if is_line else "")


def _dedented(pieces: Sequence[TextPiece]) -> Iterable[TextPiece]:
    """*pieces* with the indent of the first line taken from the lines below that have it too.

    A chat trims the first line of a message; an item below it would look nested.
    """
    first = pieces[0]
    if first.is_blank:
        first = next((piece for piece in pieces if not piece.is_blank), first)
    indent = _indent(first)
    return _without(indent, first, pieces) if indent and first.segment.kind is _PROSE else pieces


def _without(indent: str, first: TextPiece, pieces: Sequence[TextPiece]) -> Iterator[TextPiece]:
    goes_on = True
    for piece in pieces:
        if goes_on and piece is not first and not piece.is_blank and piece.segment.kind is Kind.PROSE:
            goes_on = _indent(piece).startswith(indent)
            if goes_on:
                yield piece._replace(text=piece.text.replace(indent, "", 1))
                continue
        yield piece


def _indent(piece: TextPiece) -> str:
    if piece.text[:1] not in " \t":  # nearly always
        return ""
    match = _INDENT.match(piece.text)
    return match.group() if match and piece.cut is not Cut.SENTENCE else ""


def slices(raw: str, texts: Sequence[str], kind: Kind) -> list[str] | None:
    """What *raw* holds for each of *texts*, which it was cut into; ``None`` if they do not say the same.

    A cut closes and reopens emphasis and code, and repeats quote marks and the head of a table; none of that is in *raw*.
    """
    if len(texts) < 2:
        return [raw] if texts else None
    starts = [0]
    place = 0
    head = "".join(texts[0].splitlines(keepends=True)[:_HEAD])
    for number, text in enumerate(texts):
        core = _core(text, kind, head if number else "")
        found = raw.find(core, place)
        if found < 0:
            return None
        if number:
            starts.append(_begin(raw, found, place) if kind is Kind.PROSE else found)
        place = found + len(core)
    return [raw[start:end] for start, end in zip(starts, [*starts[1:], len(raw)], strict=True)]


def _core(text: str, kind: Kind, head: str) -> str:
    """What is certainly in the raw text of *text*; *head* is what each part of a table begins with but the first."""
    match kind:
        case Kind.CODE:
            fence, body = split_fence(text)
            return without_closing(body, fence).strip("\n")
        case Kind.TABLE:
            return text.removeprefix(head)
        case Kind.PROSE:
            return text.strip(_REPEATED)
        case _:
            assert_never(kind)


def _begin(raw: str, found: int, end: int) -> int:
    """Where the part of *raw* begins that was found at *found*, after one that ends at *end*: with its own marks."""
    while found > end and raw[found - 1] not in WHITESPACE:
        found -= 1
    return found
