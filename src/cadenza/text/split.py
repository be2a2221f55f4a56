"""Split a segment into messages: by line or sentence, as the degree says, and by Discord's length limit.

Every message stands alone. A code block that is split is closed and reopened with its whole first line, a table repeats
its header, and emphasis is closed and reopened. An address, a tag or a visible character is only cut if it is longer
than a message.

How prose is split
    1. Server emoji that stand alone and, at degree 3, addresses become messages of their own (``standalone_parts``).
    2. The text between them is cut at line ends (degrees 1 to 3) and sentence ends (degree 3), never inside a span.
    3. What is still too long is cut at the least bad place (``fit``).
    4. A message of nothing but punctuation joins its neighbour.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import zip_longest
from operator import attrgetter
from typing import NamedTuple, assert_never

from ..facts import MessageEnd
from ..types import Kind
from . import tables
from .line_sorts import LONE_PUNCTUATION, line_context
from .origins import explained
from .repair import Fence, enclose, split_fence, tidy_block, without_closing
from .sentences import ends_with_stop, is_lone_word
from .spans import ATOMS, SHAPED, Span, SpanKind, Survey, survey
from .standalone import StandalonePart, has_standalone, standalone_parts
from .units import WHITESPACE, fits, fitting, units, whole_grapheme

_LINE_END = re.compile("\n")
_WORD = re.compile(r"\w")
_SPACE = re.compile(f"[{WHITESPACE}]+")
_SENTENCE_MARKS = frozenset(".!?。！？．｡…")
_FULL_WIDTH_PAUSE = re.compile("[。！？、，．｡､]")
_PUNCTUATION = re.compile("[.,!?;:。！？、，]")
_OPENS_ATOM = re.compile(r"https?://|ftps?://|<a?:|<http|```")
BLOCK_QUOTE = re.compile(r"[ \t]{0,8}>>>[ \t]")
_TO_LOOK_FOR = (re.compile("<"), re.compile("[<\n]"), re.compile("[<\n]"), re.compile(r"[<\n]|://|[.。．｡](?=.)"))
"""By degree: without one of these a segment need not be split."""
_NATURAL, _TIGHT = 0.5, 0.9
"""A message is not shortened below this share of the limit for the sake of a better end.

If every line or sentence is a message anyway, a long one may end early with a whole sentence. If a message is to hold
as much as possible, only its last tenth is searched for a space.
"""


class Part(NamedTuple):
    """A part of a text that becomes a message, and why it ends where it ends."""

    text: str
    end: MessageEnd = MessageEnd.LIMIT


_whole = partial(tuple.__new__, Part)
"""Makes a part of a tuple, in half the time."""


def split(text: str, kind: Kind, degree: int, limit: int, *, lone_words: bool = False) -> list[str]:
    """Split a segment into messages of at most *limit* UTF-16 units, without blank ones.

    With *lone_words*, a sentence of a single word may be a message at degree 3.
    """
    match kind:
        case Kind.PROSE:
            return [part.text for part in split_prose(text, degree, limit, lone_words=lone_words)]
        case Kind.CODE:
            return split_code(text, limit)
        case Kind.TABLE:
            return split_table(text, limit)
        case _:
            assert_never(kind)


def split_prose(text: str, degree: int, limit: int, *, lone_words: bool = False) -> list[Part]:
    """Split prose likewise, and say why each message ends; the last one ends where *text* does."""
    text = text.strip(WHITESPACE)
    if degree < 3 and "\n" not in text and fits(text, limit) and not ("<" in text and has_standalone(text)):
        return [_whole((text, MessageEnd.LIMIT))] if text else []  # most segments are one short line
    share = _NATURAL if degree in (1, 2) else _TIGHT
    if not _TO_LOOK_FOR[degree].search(text):
        parts = _fitted(Part(_piece(text, degree)), limit, share)
    else:
        pieces = _pieces(text, degree, lone_words=lone_words)
        parts = [part for piece in pieces for part in _fitted(piece, limit, share)]
    if not parts:
        parts = _fitted(Part(text), limit, share)  # a lone full stop is the whole text
    return _merge_punctuation(parts, limit) if len(parts) > 1 else parts


def _fitted(part: Part, limit: int, share: float) -> list[Part]:
    texts = fit(part.text, limit, share)
    return [*map(Part, texts[:-1]), Part(texts[-1], part.end)] if texts else []


def _pieces(text: str, degree: int, *, lone_words: bool) -> Iterator[Part]:
    found = survey(text, sentence_ends=degree >= 3, lone_words=lone_words)
    alone = standalone_parts(text, found.spans, addresses=degree >= 3)
    ends = sorted(found.line_ends + found.sentence_ends) if degree else []
    if not lone_words:
        alone = list(_beside_more_than_a_word(text, alone, ends))
    begin = 0
    for loner in (*alone, StandalonePart(len(text), len(text), "")):
        yield from _by_degree(text, begin, loner.start, ends, degree)
        yield Part(loner.text, MessageEnd.STANDALONE)
        begin = loner.end


def _beside_more_than_a_word(text: str, alone: list[StandalonePart], ends: list[int]) -> Iterator[StandalonePart]:
    """*alone* without the addresses that would leave a single word of their sentence: ``See https://e.org now``."""
    begin = 0
    for loner, following in zip_longest(alone, alone[1:]):
        number = bisect_left(ends, loner.start)
        before = max(begin, ends[number - 1] + 1 if number else 0)
        number = bisect_left(ends, loner.end)
        after = min(following.start if following else len(text), ends[number] if number < len(ends) else len(text))
        is_emoji = text[loner.start] == "<"
        if is_emoji or not (is_lone_word(text, before, loner.start) or is_lone_word(text, loner.end, after)):
            yield loner
            begin = loner.end


def _by_degree(text: str, begin: int, end: int, ends: list[int], degree: int) -> Iterator[Part]:
    """The lines or sentences of ``text[begin:end]``; at degrees 1 and 2 only the outer space is trimmed."""
    block = text[begin:end]
    end -= len(block) - len(block.rstrip(WHITESPACE))
    begin += len(block) - len(block.lstrip(WHITESPACE))
    for stop in ends[bisect_left(ends, begin) : bisect_left(ends, end)]:
        is_line = text.find("\n", stop, _next_visible(text, stop + 1)) >= 0
        yield Part(_piece(text[begin : stop + 1], degree), MessageEnd.LINE if is_line else MessageEnd.SENTENCE)
        begin = stop + 1
    yield Part(_piece(text[begin:end], degree), MessageEnd.STANDALONE)


def _piece(text: str, degree: int) -> str:
    return _without_stop(text.strip(WHITESPACE)) if degree >= 3 else text.strip("\n")


def _merge_punctuation(parts: list[Part], limit: int) -> list[Part]:
    """Append a message that would be a lone "!!" to the one before it, or prepend it to the next."""
    merged: list[Part] = []
    front = ""
    for part in parts:
        text, end = part
        if LONE_PUNCTUATION.fullmatch(text):
            mark = text.strip(WHITESPACE)
            if merged and units(merged[-1].text) + units(mark) <= limit:
                merged[-1] = Part(merged[-1].text + mark, end)
            elif units(front) + units(mark) <= limit:
                front += mark
            else:
                merged += [Part(front), Part(mark, end)]
                front = ""
        elif (is_atom := bool(_OPENS_ATOM.match(text))) or units(front) + units(text) > limit:
            before = Part(front, MessageEnd.STANDALONE if is_atom else MessageEnd.LIMIT)
            merged += [before, part] if front else [part]
            front = ""
        else:
            merged.append(Part(front + text, end))
            front = ""
    return [*merged, Part(front)] if front else merged


def _without_stop(sentence: str) -> str:
    """*sentence* without its full stop, as people write one-sentence messages; that of an ellipsis or a quote stays."""
    if SHAPED.match(sentence) or not ends_with_stop(sentence):
        return sentence
    return sentence[:-1].rstrip(WHITESPACE)


# --- code and tables ----------------------------------------------------------------------


def split_code(text: str, limit: int) -> list[str]:
    """Split a closed code block at line ends; every part is a code block with the same first line."""
    text = tidy_block(text)
    fence, body = split_fence(text)
    body = without_closing(body, fence)
    if not text:
        return []
    if units(text) <= limit:
        return [text.strip("\n").lstrip(" \t")]
    around = units(fence.opening) + units(fence.closing) + 1
    if around > limit // 2:  # a small message has no room to repeat the first line, which becomes a line of code
        body = fence.info + "\n" + body if fence.info else body
        fence = Fence("", fence.run, "")
        around = units(fence.opening) + units(fence.closing) + 1
    packs = _packed(body.removesuffix("\n"), limit - around)
    opening, closing = str(fence.opening), "\n" + fence.closing
    packs = [pack for pack in packs if pack.strip(WHITESPACE + fence.prefix)]
    parts = [explained(opening + pack + closing, "fence") for pack in packs]
    if parts and text.startswith(opening):  # the first part begins with the model's own fence
        parts[0] = text[: len(opening)] + parts[0][len(opening) :]
    if parts and text.endswith(closing):
        parts[-1] = parts[-1][: -len(closing)] + text[-len(closing) :]
    return parts


def split_table(text: str, limit: int) -> list[str]:
    """Split a table between its rows; every part begins with the header."""
    text = text.strip("\n")
    if units(text) <= limit:
        return [text] if text.strip(WHITESPACE) else []
    head = tables.head(text)
    if units(head) > limit // 2:
        return fit(text, limit)
    packs = _packed(text[len(head) :], limit - units(head))
    packs = [pack for pack in packs if pack.strip(WHITESPACE)]
    return [head + packs[0], *(explained(str(head) + pack, "repeated") for pack in packs[1:])] if packs else []


def _packed(text: str, room: int) -> list[str]:
    """Pack whole lines of *text*, as many as fit; a line that does not fit alone is cut."""
    packs: list[str] = []
    begin = end = place = used = 0
    for line in str(text).split("\n"):
        for part in _hard_cuts(line, room):
            size = units(part)
            if place > begin and used + size > room:
                packs.append(text[begin:end])
                begin, used = place, 0
            place += len(part)
            end, used = place, used + size
        place, used = place + 1, used + 1  # the line end
    packs.append(text[begin:end])
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


def fit(text: str, limit: int, share: float = _NATURAL) -> list[str]:
    """Cut prose into pieces of at most *limit* units: whole lines while they fit, long ones at the best places."""
    if fits(text, limit):
        return [text] if text.strip(WHITESPACE) else []
    packs: list[str] = []
    current = quote = ""
    for line_end, line in _lines(text, survey(text)):
        if BLOCK_QUOTE.match(line):
            quote = ">>> "  # it quotes everything after it, in the next message too
        if current and units(current) + 1 + units(line) <= limit:
            current += line_end + line
            continue
        packs.append(current)
        begin = quote if current and not line.startswith(quote) else ""
        *whole, current = _cut_line(explained(begin + line, "quote") if begin else line, limit, share)
        packs += whole
    packs.append(current)
    return [pack.rstrip(WHITESPACE) for pack in packs if pack.strip(WHITESPACE)]


def _lines(text: str, found: Survey) -> Iterator[tuple[str, str]]:
    """The lines of *text*, each after the line end in front of it; a span across a line end keeps its lines together."""
    before = begin = 0
    for end in found.line_ends:
        yield text[before:begin], text[begin:end]
        before, begin = end, end + 1
    yield text[before:begin], text[begin:]


def _cut_line(line: str, limit: int, share: float) -> list[str]:
    """Cut one long line; emphasis is closed and reopened, quote marks and list indentation are repeated."""
    if fits(line, limit):
        return [line]
    spans = survey(line).spans
    context = line_context(line)
    if units(context) > limit // 4:
        context = ""
    pieces: list[str] = []
    start, prefix, opens_in, passed = 0, "", "", 0
    while start < len(line):
        while passed < len(spans) and spans[passed].end <= start:
            passed += 1
        near = spans[passed : bisect_left(spans, start + limit, key=attrgetter("start"))]
        if (
            prefix
            and near
            and near[0].start == start
            and limit - units(prefix) < units(line[start : near[0].end]) <= limit
        ):
            prefix = ""  # better without its quote marks than in two pieces
        end, ends_in = _best_piece(line, start, limit - units(prefix) - units(opens_in), near, share)
        piece = enclose(line[start:end].rstrip(WHITESPACE), opens_in, ends_in)
        if piece:
            pieces.append(explained(prefix + piece, "quote") if prefix else piece)
        start, opens_in = _next_visible(line, end), ends_in
        prefix = "" if _begins_line(line, start) and not BLOCK_QUOTE.match(context) else context
    return pieces or [""]


def _next_visible(text: str, start: int) -> int:
    while start < len(text) and text[start] in WHITESPACE:
        start += 1
    return start


def _begins_line(text: str, index: int) -> bool:
    """Whether only white space is between *index* and a line end before it."""
    before = index
    while before > 0 and text[before - 1] in WHITESPACE:
        before -= 1
    return "\n" in text[before:index]


def _best_piece(text: str, start: int, room: int, spans: tuple[Span, ...], share: float) -> tuple[int, str]:
    """Where the piece from *start* ends, and which marks of emphasis are open there, outermost first."""
    if fitting(text, room, start) == len(text):
        return len(text), ""
    reserved = 0
    while True:
        end = _best_cut(text, start, max(1, room - reserved), spans, share)
        opened = [span for span in spans if span.kind is SpanKind.EMPHASIS and span.start < end < span.end]
        marks = "".join(span.marker for span in opened if span.start + len(span.marker) <= end)
        if units(text[start:end]) + units(marks) <= room or reserved >= room // 2:
            return end, marks
        reserved = units(marks)


def _best_cut(text: str, start: int, room: int, spans: tuple[Span, ...], share: float) -> int:
    """The best place to cut between *start* and what fits into *room*.

    In order of preference: a space outside every span, if possible after a line or a sentence; a full-width pause;
    before a span that fits into a message of its own; a space or a pause inside a span; between two characters.
    """
    last = fitting(text, room, start)
    least = start + int((last - start) * share)
    near = [span for span in spans if span.start < last and span.end > start]
    spaces = [space for space in _SPACE.finditer(text, least, last) if not _inside(space.end(), near)]
    if share == _NATURAL:
        for is_good in (_holds_line_end, _follows_sentence):
            for space in reversed(spaces):
                if is_good(space):
                    return space.end()
    if text[last : last + 1] in WHITESPACE and not _inside(last, near):
        return last
    if spaces:
        return spaces[-1].end()
    pauses = [pause.end() for pause in _FULL_WIDTH_PAUSE.finditer(text, least, last)]
    for place in reversed(pauses):
        if not _inside(place, near):
            return place
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
    """Before the span that covers *last*, if that leaves something before it; otherwise *start*.

    A span that ends exactly at *last* counts too, if what follows belongs to it as a full stop does.
    """
    glued = bool(_PUNCTUATION.match(text, last))
    # A span longer than a message is cut where the message is full; an address after a word still moves.
    whole = (
        span
        for span in spans
        if span.end - span.start <= last - start or (span.kind in ATOMS and _WORD.search(text, start, span.start))
    )
    covering = [span.start for span in whole if span.start < last < span.end + glued]
    place = min(covering, default=start)
    return max(start, place)


def _cut_in_span(text: str, start: int, least: int, last: int, spans: list[Span]) -> int:
    hard = [span for span in spans if span.kind in ATOMS or _is_marker(span, last)]
    for pattern in (_LINE_END, _SPACE, _FULL_WIDTH_PAUSE):
        places = [match.end() for match in pattern.finditer(text, least, last)]
        places = [place for place in places if place > start and not _inside(place, hard)]
        if places:
            return places[-1]
    before = _before_span(text, last, start, hard)
    if before > start:
        return before
    return max(start + 1, whole_grapheme(text, last, start))


def _is_marker(span: Span, place: int) -> bool:
    """Whether *place* is within the marks of *span*."""
    width = len(span.marker)
    return span.start < place < span.start + width or span.end - width < place < span.end
