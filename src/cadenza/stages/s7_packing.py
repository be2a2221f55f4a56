"""Stage 7: where a text that is too long for one message is cut.

A reply on its way out is a row of *pieces*: lines, parts of lines, code blocks and tables. Each piece says how bad a cut
in front of it would be. The best cut that fits is made: between blocks, then between list items, the outer ones first,
then between lines and sentences, and last after a heading.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from ..text.repair import split_fence, tidy_block, without_closing
from ..text.units import WHITESPACE
from ..types import Kind
from .s7_shape import Cut, TextPiece

_EARLY = 4
"""A better cut counts only if it leaves at least this part of a message in front of it."""
_REPEATED = WHITESPACE + ">*_~|#-"
"""What a cut may have added at the ends of a text."""
_INDENT = re.compile(r"[ \t]*")
_PROSE, _CODE = Kind.PROSE, Kind.CODE  # a global is faster to look up


Measure = Callable[[str], int]
"""Measures a text as the chat does."""


def messages(pieces: Sequence[TextPiece], limit: int, measure: Measure) -> Iterator[Sequence[TextPiece]]:
    """Cut *pieces* into messages of at most *limit*; a single piece that is longer is left to the caller."""
    if len(pieces) == 1:
        yield pieces
        return
    sizes = [measure(piece.text) for piece in pieces]
    if pieces and sum(sizes) <= limit - _marks(pieces[0]):  # most messages fit
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
        if used > room and not _fits(pieces[start : end + 1], limit, measure):
            break
        end += 1
    if end == len(pieces) or end <= start + 1:
        return max(end, start + 1)
    fill, best = 0, (Cut.NEVER + 1, 0)
    for place in range(start + 1, end + 1):
        fill += sizes[place - 1]
        cut = pieces[place].cut
        if cut < Cut.LINE and fill * _EARLY < limit:
            cut = Cut.GLUED  # a better place with more in front of it may follow
        if cut <= best[0]:
            best = (cut, place)
    return best[1]


def _marks(piece: TextPiece) -> int:
    return len(piece.segment.opens_in) + len(piece.context)


def _fits(pieces: Sequence[TextPiece], limit: int, measure: Measure) -> bool:
    return measure(shown(pieces)) <= limit


def shown(pieces: Sequence[TextPiece]) -> str:
    """*pieces* as one message: emphasis that was open before is reopened, and what stays open is closed."""
    first, last = pieces[0], pieces[-1]
    parts = pieces if len(pieces) == 1 else _dedented(pieces)
    text = "".join([part.text if part.segment.kind is _PROSE else _text(part) for part in parts])
    core = text.strip(WHITESPACE)
    if core and (first.context or first.segment.opens_in or last.segment.ends_in):
        core = (first.context + _reopened(first, core)).lstrip(WHITESPACE)
        core = _closed(last, core)
    return core


def wrote(pieces: Sequence[TextPiece]) -> str:
    """What the model wrote for *pieces*, with its white space."""
    return "".join([_source(piece) if piece.segment.source or piece.segment.joint else piece.text for piece in pieces])


def _text(piece: TextPiece) -> str:
    return tidy_block(piece.text) if piece.segment.kind is _CODE and not piece.segment.is_painted else piece.text


def _source(piece: TextPiece) -> str:
    source = piece.segment.source
    if not source:
        return piece.segment.joint + piece.text
    return source + "\n" * (piece.text.endswith("\n") and not source.endswith("\n"))


def _reopened(piece: TextPiece, text: str) -> str:
    marks = piece.segment.opens_in
    if marks and text.startswith(marks[::-1]) and not text.startswith(marks[::-1] * 2):
        return text[len(marks) :].lstrip(WHITESPACE)  # it begins with the marks that close them
    return marks + text


def _closed(piece: TextPiece, text: str) -> str:
    marks = piece.segment.ends_in
    if marks and text.endswith(marks):
        return text[: -len(marks)].rstrip(WHITESPACE)  # it ends with the marks that open them
    return text + marks[::-1]


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

    A cut closes and reopens emphasis and code, and repeats quote marks; none of that is in *raw*.
    """
    if len(texts) < 2:
        return [raw] if texts else None
    starts = [0]
    place = 0
    for number, text in enumerate(texts):
        core = _code(text) if kind is Kind.CODE else text.strip(_REPEATED)
        found = raw.find(core, place)
        if found < 0:
            return None
        if number:
            starts.append(_begin(raw, found, place) if kind is Kind.PROSE else found)
        place = found + len(core)
    return [raw[start:end] for start, end in zip(starts, [*starts[1:], len(raw)], strict=True)]


def _code(text: str) -> str:
    fence, body = split_fence(text)
    return without_closing(body, fence).strip("\n")


def _begin(raw: str, found: int, end: int) -> int:
    """Where the part of *raw* begins that was found at *found*, after one that ends at *end*: with its own marks."""
    while found > end and raw[found - 1] not in WHITESPACE:
        found -= 1
    return found
