"""One segment to messages: by line or sentence as the degree says, and by length because Discord says so.

Every message stands alone. A code block that is cut closes and opens again with its whole first line, a table
repeats its head, emphasis closes and opens again, and an address, a tag or a character that people see as one
is only cut if it is longer than a whole message.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from operator import attrgetter
from typing import assert_never

from ..types import Kind
from . import tables
from .repair import Fence, first_line_as_code, is_blank, split_fence
from .sentences import FULL_WIDTH_STOPS, ends_sentence
from .spans import ATOMS, Span, SpanKind, survey
from .units import WHITESPACE, fitting, units, whole_grapheme

_SPACE = re.compile(f"[{WHITESPACE}]+")
_STOPS = "." + FULL_WIDTH_STOPS
_SENTENCE_MARKS = frozenset(".!?。！？．｡…")
_FULL_WIDTH_PAUSE = re.compile("[。！？、，．｡､]")
_LONE_PUNCTUATION = re.compile(rf"[{WHITESPACE}]*[.,!?;:。！？、，]+[{WHITESPACE}]*")
_QUOTE_PREFIX = re.compile(r"[ \t]{0,8}(?:>[ \t]?){1,4}")
_LEAST_SHARE = 0.5
"""A message is not made shorter than this share of what fits, only to end it at a nicer place."""


def split(text: str, kind: Kind, degree: int, limit: int) -> list[str]:
    """Split a segment into messages of at most *limit* UTF-16 units; blank ones are left out."""
    match kind:
        case Kind.CODE:
            return split_code(text, limit)
        case Kind.TABLE:
            return split_table(text, limit)
        case Kind.PROSE:
            pieces = [message for piece in _by_degree(text, degree) for message in fit(piece, limit)]
            return _merge_punctuation(pieces, limit)
        case _:
            assert_never(kind)


def _by_degree(text: str, degree: int) -> list[str]:
    text = text.strip(WHITESPACE)
    if degree == 0 or (degree < 3 and "\n" not in text):
        return [text]
    found = survey(text, sentence_ends=degree == 3)
    pieces = _cut_after(text, sorted(found.line_ends + found.sentence_ends))
    if degree == 3:
        return [_without_stop(piece.strip(WHITESPACE)) for piece in pieces]
    return [piece.strip("\n") for piece in pieces]


def _merge_punctuation(pieces: list[str], limit: int) -> list[str]:
    """Put a message that would be a lone "!!" behind the one before it, or in front of the next."""
    merged: list[str] = []
    front = ""
    for piece in pieces:
        if _LONE_PUNCTUATION.fullmatch(piece) and len(pieces) > 1:
            mark = piece.strip(WHITESPACE)
            if merged and units(merged[-1]) + units(mark) <= limit:
                merged[-1] += mark
            elif units(front) + units(mark) <= limit:
                front += mark
            else:
                merged += [front, mark]
                front = ""
        elif units(front) + units(piece) <= limit:
            merged.append(front + piece)
            front = ""
        else:
            merged += [front, piece] if front else [piece]
            front = ""
    return [*merged, front] if front else merged


def _cut_after(text: str, ends: Iterable[int]) -> list[str]:
    pieces, start = [], 0
    for end in ends:
        pieces.append(text[start : end + 1])
        start = end + 1
    pieces.append(text[start:])
    return pieces


def _without_stop(sentence: str) -> str:
    """People who send a message a sentence do not put a full stop behind each; an ellipsis stays."""
    if len(sentence) > 1 and sentence[-1] in _STOPS and ends_sentence(sentence, len(sentence) - 1):
        return sentence[:-1].rstrip(WHITESPACE)
    return sentence


# --- code and tables ----------------------------------------------------------------------


def split_code(text: str, limit: int) -> list[str]:
    """Split a closed code block at line ends; every part is a code block with the same first line."""
    fence, body = split_fence(text)
    body = _without_closing(body, fence.run, fence.prefix)
    if is_blank(fence, body):
        text = first_line_as_code(fence)
        fence, body = split_fence(text)
        body = _without_closing(body, fence.run, fence.prefix)
    if not text:
        return []
    if units(text) <= limit:
        return [text.strip("\n")]
    around = units(fence.opening) + units(fence.closing) + 1
    if around > limit // 2:  # so small a message has no room to repeat the first line: it becomes a line like others
        body = f"{fence.info}\n{body}" if fence.info else body
        fence = Fence("", fence.run, "")
        around = units(fence.opening) + units(fence.closing) + 1
    packs = _packed(body.removesuffix("\n").split("\n"), limit - around)
    return [f"{fence.opening}{pack}\n{fence.closing}" for pack in packs if pack.strip(WHITESPACE + fence.prefix)]


def _without_closing(body: str, run: str, prefix: str) -> str:
    core = body.rstrip(WHITESPACE)
    if core.endswith(run):
        core = core.rstrip("`")
        return core.removesuffix(prefix) if prefix.strip() else core
    return body


def split_table(text: str, limit: int) -> list[str]:
    """Split a table between its rows; every part begins with the head."""
    text = text.strip("\n")
    if units(text) <= limit:
        return [text] if text.strip(WHITESPACE) else []
    head = tables.head(text)
    if units(head) > limit // 2:
        return fit(text, limit)
    packs = _packed(text[len(head) :].split("\n"), limit - units(head))
    return [head + pack for pack in packs if pack.strip(WHITESPACE)]


def _packed(lines: Iterable[str], room: int) -> list[str]:
    """Put whole lines together, as many as fit; a line that does not fit alone is cut."""
    packs: list[str] = []
    current: list[str] = []
    used = 0
    for line in (part for long_line in lines for part in _hard_cuts(long_line, room)):
        size = units(line)
        if current and used + 1 + size > room:
            packs.append("\n".join(current))
            current, used = [], 0
        used += size + bool(current)
        current.append(line)
    packs.append("\n".join(current))
    return packs


def _hard_cuts(line: str, room: int) -> list[str]:
    parts, start = [], 0
    while units(line[start:]) > room:
        end = whole_grapheme(line, fitting(line, room, start), start)
        parts.append(line[start:end])
        start = end
    parts.append(line[start:])
    return parts


# --- prose --------------------------------------------------------------------------------


def fit(text: str, limit: int) -> list[str]:
    """Cut prose into pieces of at most *limit* units, at the best places, with its emphasis closed and reopened."""
    if units(text) <= limit:
        return [text] if text.strip(WHITESPACE) else []
    spans = survey(text).spans
    pieces: list[str] = []
    start, prefix, behind = 0, "", 0
    while start < len(text):
        while behind < len(spans) and spans[behind].end <= start:
            behind += 1
        near = spans[behind : bisect_left(spans, start + limit, key=attrgetter("start"))]
        end, closing, reopening = _best_piece(text, start, limit - units(prefix), near)
        piece = text[start:end].rstrip(WHITESPACE)
        if piece:
            pieces.append(prefix + piece + closing)
        start, prefix = end, reopening
        while start < len(text) and text[start] in WHITESPACE:
            start += 1
    return pieces


def _best_piece(text: str, start: int, room: int, spans: tuple[Span, ...]) -> tuple[int, str, str]:
    """Where the piece from *start* ends, what closes it, and what opens the next."""
    if fitting(text, room, start) == len(text):
        return len(text), "", ""
    reserved = 0
    while True:
        end = _best_cut(text, start, max(1, room - reserved), spans)
        opened = [span for span in spans if span.kind is SpanKind.EMPHASIS and span.start < end < span.end]
        opened = [span for span in opened if span.start + len(span.marker) < end]
        closing = "".join(span.marker[::-1] for span in reversed(opened))
        if units(text[start:end]) + units(closing) <= room or reserved >= room // 2:
            return end, closing, _line_prefix(text, end) + "".join(span.marker for span in opened)
        reserved = units(closing)


def _line_prefix(text: str, index: int) -> str:
    """The quote marks of the line that is cut at *index*, for the piece behind the cut."""
    line = text.rfind("\n", 0, index) + 1
    if line == index:
        return ""
    match = _QUOTE_PREFIX.match(text, line, index)
    return match.group() if match else ""


def _best_cut(text: str, start: int, room: int, spans: tuple[Span, ...]) -> int:
    """The best place to cut between *start* and what fits into *room*.

    In this order: a line end, a sentence end or a space outside every span; in front of a span that fits into a
    message of its own; a space or a pause inside a span; between two characters.
    """
    last = fitting(text, room, start)
    least = start + int((last - start) * _LEAST_SHARE)
    near = [span for span in spans if span.start < last and span.end > start]
    spaces = [space for space in _SPACE.finditer(text, least, last) if not _inside(space.end(), near)]
    for is_good in (_holds_line_end, _follows_sentence, bool):
        for space in reversed(spaces):
            if space.end() < last and is_good(space):
                return space.end()
    before = _before_span(text, last, start, near)
    if before > start:
        return before
    return _cut_in_span(text, start, least, last, near)


def _holds_line_end(space: re.Match[str]) -> bool:
    return "\n" in space.group()


def _follows_sentence(space: re.Match[str]) -> bool:
    return space.string[space.start() - 1 : space.start()] in _SENTENCE_MARKS


def _inside(place: int, spans: Iterable[Span]) -> bool:
    return any(span.start < place < span.end for span in spans)


def _before_span(text: str, last: int, start: int, spans: Iterable[Span]) -> int:
    """In front of what covers *last*, as long as that leaves something before it; else *start*.

    A span that ends right at *last* counts too, if what follows belongs to it as a full stop does.
    """
    glued = text[last : last + 1] not in WHITESPACE
    covering = [span.start for span in spans if span.start < last < span.end + glued]
    place = min(covering, default=start)
    return max(start, place)


def _cut_in_span(text: str, start: int, least: int, last: int, spans: list[Span]) -> int:
    hard = [span for span in spans if span.kind in ATOMS or _is_marker(span, last)]
    for pattern in (_SPACE, _FULL_WIDTH_PAUSE):
        places = [match.end() for match in pattern.finditer(text, least, last)]
        places = [place for place in places if place > start and not _inside(place, hard)]
        if places:
            return places[-1]
    before = _before_span(text, last, start, hard)
    if before > start:
        return before
    return max(start + 1, whole_grapheme(text, last, start))


def _is_marker(span: Span, place: int) -> bool:
    """Whether *place* falls into the marks of *span* themselves."""
    width = len(span.marker)
    return span.start < place < span.start + width or span.end - width < place < span.end
