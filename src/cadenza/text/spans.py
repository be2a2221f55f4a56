"""The scanner: an incremental parser of Discord's Markdown that every cut and every rule relies on.

"Is this code?", "may I cut here?", "is this bracket open?": all of Cadenza asks this one scanner. ``survey`` scans a
whole text; stage 5 feeds a ``Scanner`` token by token.

How it works
    ``feed`` appends text; ``find`` scans on from where it stopped and returns the next ``Find``, or ``None``.
    The scan jumps from one special character to the next. ``_HANDLERS`` maps each one to the method that reads it.
    A handler that needs to see more (is this ``*`` one star or two? is this ``<`` a tag?) returns ``_WAIT``, and the
    scan stays in front of that character. So the result depends on the text alone, never on how it was sliced.

What it keeps
    ``openers``  marks that are open, outermost first. A closing mark without an opener (``:)``, ``27"``) is text.
    ``spans``    what has closed. A cut should not fall inside one.

Text waits at most ``hold`` characters for an opener to close. An opener that does not close was plain text, unless it is
believed: a spoiler, which hides something, and emphasis that is longer than ``hold`` within one line. The text inside a
believed opener may be sent in parts, and ``open_marks`` says what is open at a cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from ..types import AsideKind
from . import formulas, sentences, tables
from .intake import ODD
from .tags import (
    BLOCK_EDGES,
    BLOCK_TAG,
    DETAILS_END,
    DISCORD_TAG,
    LONGEST_EDGE,
    BlockTag,
    block_tag,
    could_be_block_tag,
    could_be_discord_tag,
)
from .units import WHITESPACE

PAIRS = {"「": "」", "『": "』", "｢": "｣", "〈": "〉", "《": "》", "（": "）"}
"""Marks that always open, with those that always close."""
_OPENS = {closer: opener for opener, closer in PAIRS.items()}

QUOTES = {"“": "”", "„": "“”", "«": "»", "»": "«", "‹": "›", "›": "‹"}
"""Marks that open in one language and close in another; their neighbours decide which it is."""

NEVER = 1 << 60

_LONG = 500
"""Emphasis that never closed is believed for its length only if ``hold`` is at least so long."""

_OVER_EMPTY_LINE = 500
"""Emphasis over an empty line closes within so many characters, and within a quarter of ``hold``."""

_DEEPEST = 64
"""How many marks may be open at once; a mark that opens deeper is plain text."""

_LOOKAHEAD = 32
"""How much white space or punctuation after a line end is looked at before the line end is decided without it."""


class SpanKind(Enum):
    """What a span is, for the purpose of cutting."""

    EMPHASIS = auto()
    """Bold, italic, underline, strike-through or spoiler: closed and reopened when it has to be cut."""
    ENCLOSED = auto()
    """In quotes or brackets: kept together while it fits."""
    LINK = auto()
    """``[text](address)``."""
    CODE = auto()
    """Code within a line."""
    URL = auto()
    """An address; never cut while it fits into a message."""
    TAG = auto()
    """A mention, emoji, channel, timestamp or command."""
    MATH = auto()
    """A formula in LaTeX, marks included."""


ATOMS = frozenset({SpanKind.LINK, SpanKind.CODE, SpanKind.URL, SpanKind.TAG, SpanKind.MATH})
"""Spans that rules never change, and that break when they are cut."""


class Span(NamedTuple):
    """A range of text that belongs together."""

    # A tuple: one is made for every mark that closes, and a frozen dataclass takes three times as long to make.

    kind: SpanKind
    start: int
    end: int
    marker: str = ""
    """For emphasis: the mark that opens and closes it."""


@dataclass(slots=True)
class Opener:
    """A mark that opened and may close."""

    mark: str
    start: int
    width: int
    """How many characters of the mark are not closed yet: ``***a** b*`` closes in two steps."""
    reach: int = 0
    """How many characters text waits for it: a quarter as long if it did not close on its own line."""
    believable: bool = False
    """Whether it is believed if it is still open when the wait is over."""
    holds: bool = True
    """Whether the text after it waits for it. When the wait is over it may still close, if nothing was sent."""
    believed: bool = False
    """Whether it means something though it has not closed: a cut after it closes and reopens it."""
    ended: int = 0
    """Where the line ended that had to close it, if text after it was sent by then; it lasts up to the next cut."""


class Found(Enum):
    """Why the scan stopped."""

    LINE_END = auto()
    SENTENCE_END = auto()
    FENCE_OPEN = auto()
    FENCE_CLOSE = auto()
    TABLE_OPEN = auto()
    TABLE_CLOSE = auto()
    BLOCK_TAG = auto()
    LONE_FENCE = auto()
    """Backticks in the shape of a fence that are plain text."""
    LONE_MARKER = auto()
    """A line with nothing but ``-#``: the range of the find becomes one space that joins it to the next line."""
    RELEASED = auto()
    """The text after an opener stops waiting for it."""
    FULL = auto()
    """The scan has reached ``bound``."""


class Find(NamedTuple):
    """Something that the owner of the text must handle before the scan goes on."""

    what: Found
    start: int
    end: int
    tag: BlockTag | None = None


# A global is faster to look up than a member of an enumeration.
_LINE_END = Found.LINE_END
_SENTENCE_END = Found.SENTENCE_END

_WAIT = Find(Found.FULL, -1, -1)
"""Returned by a handler that needs more text."""

_PROSE = '\n`*_~|<"()[]:\\$' + "".join([*PAIRS, *_OPENS, *QUOTES]) + "”"
_WIDEST = {"*": 3, "_": 3, "~": 3}
"""More marks in a row than this are no emphasis but a drawn line."""
_VARIATION = "\ufe0f"
_LONGEST_RUN = 64
"""The scan reads at most so many equal marks in a row."""
FENCE_PREFIX = r"[ \t>]{0,20}"
"""What may precede a fence on its line."""
_FENCE_PREFIX = re.compile(FENCE_PREFIX)
LONGEST_FENCE = 8
"""A longer run of backticks counts as several fences, so that every message has room to close one."""
_IN_FENCE = frozenset("`~") | ODD
LONGEST_INFO = 100
"""A longer info string after a fence is not repeated when the block is split."""
INFO = re.compile(r"[\w+#.-]{0,40}(?:[ \t]+[\w-]+=\S+|[ \t]*\{[^}\n]*\})*[ \t]*")
"""What may follow a fence on its line: a language, and options."""
_LANGUAGE = re.compile(r"[\w+#.-]+(?:[ \t{].*)?")
_TILDES = re.compile(rf"\n{FENCE_PREFIX}(~{{3,}})[ \t]{{0,32}}(?=\n|\Z)")
_SIX = 6
"""So many backticks could close a block of three and open the next: only a long fence that is sure to close is one."""
_CLOSING = {"~": _TILDES, "`": re.compile(rf"\n{FENCE_PREFIX}(`{{{_SIX},}})[ \t]{{0,32}}(?=\n|\Z)")}
_BACKTICKS = re.compile(f"`{{1,{LONGEST_FENCE}}}")
_RUN_OF_BACKTICKS = re.compile(f"`{{1,{_LONGEST_RUN}}}")
_MARK = re.compile(r"\\[(\[]|([^\n])\1*")
_BACKTICKS_OR_EMPTY_LINE = re.compile(f"`{{1,{LONGEST_FENCE}}}|\n[ \t]*\n")
_DOLLARS = re.compile(r"\${1,64}")
_MATH_MARK = re.compile(r"\\[\s\S]|\${1,2}|[`\\]|\n[ \t>]{0,32}(?=\n|\Z)")
"""What may end a formula, or prove that there is none."""
_SPACE = re.compile(f"[{WHITESPACE}]")
_SPACES = re.compile(f"[{WHITESPACE}]{{0,{_LOOKAHEAD}}}")
_CARRIED = re.compile(f"[.,!?;。！？、，]{{1,{_LOOKAHEAD}}}")
_COLONS = frozenset(":：")
_LONE_COLON = re.compile(f"[:：][ \\t]{{0,{_LOOKAHEAD}}}(?=[ \\t\n]|\\Z)")
SHAPED = re.compile(r"[ \t]{0,8}(?:>+[ \t]|-?#{1,3} )")
"""How a line begins that is a quote, a heading or subtext up to its end."""
_ROW = re.compile(r"\s*\|(?!\|)")
"""How a line begins that looks like the row of a table."""
_LOOKS_AHEAD = frozenset(WHITESPACE + ".,!?;。！？、，")
"""Characters after a line end that may belong to the line before it."""
_AFTER_CARRIED = frozenset([*WHITESPACE, "", '"', "“", "「"])
_LONGEST_ADDRESS = 2000
"""A masked link longer than a message is plain text."""
_ADDRESS_MARK = re.compile(r"[()<`\n]")
_DEPTH = {"(": 1, ")": -1, "<": 0}
_SCHEME = re.compile(r"(?:https?|ftps?)\Z")
_URL_END = re.compile(rf"[{WHITESPACE}<>\"`()\[\]*~|「」『』（）。、，]")
_BLANK = frozenset(["", *WHITESPACE])
_AFTER_URL = frozenset(".,;:!?'…")
_AFTER_URL_IN_ITALICS = _AFTER_URL | {"_"}
_ASCII_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_IN_ITALICS = frozenset('*~|"“「(')
_BEFORE_ITALICS = frozenset(["", *WHITESPACE, *"*~|"])
_BEFORE_SMILEY = frozenset(":;=8'")
_QUOTED_BACKSLASH = re.compile(r'"\\("?)(?=\W|\Z)')
_BEFORE_QUOTE = frozenset(WHITESPACE + "([{<*_~|>-–—:/「『（“")


def _stopping_at(characters: str) -> tuple[frozenset[str], Callable[..., re.Match[str] | None]]:
    """The characters that stop a scan, and a search for the next of them."""
    # Most colons begin no address, and text about emoji is full of them.
    if_useful = r"(?:(?<!:)|(?=/|\Z))" if ":" in characters else ""
    return frozenset(characters) | ODD, re.compile(f"[{re.escape(characters)}]{if_useful}").search


_IN_TABLE, _SEARCH_TABLE = _stopping_at("\n`<\\")
_WITHOUT_STOPS = _stopping_at(_PROSE)
_WITH_STOPS = _stopping_at(_PROSE + sentences.STOPS)


class Scanner:
    """Text that has not been sent yet, and what is known about it."""

    __slots__ = (
        "_barred",
        "_before",
        "_ends_barred",
        "_first_release",
        "_interesting",
        "_line",
        "_lone",
        "_lone_words",
        "_may_break_off",
        "_quote_mark",
        "_quoting",
        "_search",
        "_seek",
        "_seek_depth",
        "_seek_for",
        "_url",
        "_url_bracket",
        "_url_depth",
        "bound",
        "fast_room",
        "fence",
        "hold",
        "in_details",
        "is_cut",
        "label",
        "openers",
        "position",
        "spans",
        "stops_at",
        "table",
        "text",
        "unjoined",
    )

    def __init__(
        self,
        *,
        sentence_ends: bool = False,
        lone_words: bool = False,
        hold: int = NEVER,
        may_break_off: bool = False,
    ) -> None:
        """Wait at most *hold* characters for a mark to close; with *sentence_ends*, find these too.

        With *lone_words*, a sentence of a single word counts as one; otherwise it belongs to its neighbour on the line.
        With *may_break_off* the text is what a model says: code that is open at its end was broken off, otherwise its
        backtick is text, and the tag of a hidden block within a line is one only if the block ends within *hold*.
        """
        self.text = ""
        self.position = 0
        self.bound = NEVER
        self.hold = hold
        self._may_break_off = may_break_off
        self._lone_words = lone_words
        self.openers: list[Opener] = []
        self.spans: list[Span] = []
        self.is_cut = False
        """Whether emphasis may be open at a cut outside all spans."""
        self.fence = ""
        """The marks that opened the current code block; empty outside one."""
        self.table = False
        self.in_details = False
        """Whether a ``<details>`` block that is shown is open, so that its closing tag means something."""
        self.label: re.Pattern[str] | None = None
        """The label of the persona. A hidden block behind it begins the line."""
        self._barred = False  # whether the rows of the table begin with a bar
        self._ends_barred = False  # whether they end with a bar and begin without one
        self._quote_mark = ""  # the quote mark in front of its lines
        self._before = ""  # the character that preceded the text, of what was dropped
        self._line = 0  # where the current line begins; negative if its beginning was dropped
        self._quoting = False  # whether a >>> is open
        self._seek = 0  # how far the handler that waits at _seek_for has looked ahead
        self._seek_for = -1
        self._seek_depth = 0
        self._lone: dict[int, int] = {}  # per width: up to where no run of so many backticks can close code
        self._first_release = -1  # where the wait for the first opener ends; -1: to be computed
        self._url = -1  # where the current address begins; -1 outside one
        self._url_depth = 0
        self._url_bracket = 0  # where the outermost bracket in the address opens
        self.unjoined: list[str] = []
        """Scanned text without special characters that is not joined to ``text`` yet."""
        self.fast_room = 0
        """How much more of it may come before the scan has to go on."""
        self._interesting, self._search = _WITH_STOPS if sentence_ends else _WITHOUT_STOPS
        self.stops_at = self._interesting
        """The special characters."""

    # --- the text ---------------------------------------------------------------

    def append_plain(self, text: str) -> bool:
        """Append *text* if it holds no special character, as most tokens do. This is the fast path."""
        length = len(text)
        if length < self.fast_room and self.stops_at.isdisjoint(text):
            self.fast_room -= length
            self.unjoined.append(text)
            return True
        return False

    def pause(self) -> None:
        """Close the fast path until the next ``find``."""
        self.fast_room = 0

    def feed(self, text: str) -> None:
        """Append *text*."""
        self.fast_room = 0
        if self.unjoined:
            self._join()
        self.text += text

    def part(self, start: int, end: int) -> str:
        """The text from *start* to *end*."""
        return self.text[start:end]

    def drop(self, count: int) -> None:
        """Forget the first *count* characters, which were sent."""
        self._join()
        if count <= 0:
            return
        if 0 <= self._line < count and self.text.startswith(">>> ", self._line):
            self._quoting = True  # the line is cut, and its beginning dropped
        self._before = self.text[count - 1]
        self.text = self.text[count:]
        self.position = self.position - count if self.position > count else 0
        self._line -= count
        self._seek = self._seek - count if self._seek > count else 0
        self._seek_for -= count
        self._lone = {width: until - count for width, until in self._lone.items()} if self._lone else self._lone
        self._url = self._url - count if self._url >= count else -1
        self._url_bracket -= count
        if self.openers:
            self._drop_openers(count)
        if self.spans:
            self.spans = [
                Span(span.kind, span.start - count, span.end - count, span.marker)
                for span in self.spans
                if span.start >= count or (count < span.end and 0 < len(span.marker) <= count - span.start)
            ]
        if self.is_cut:
            self.is_cut = bool(self.openers or self.spans)
        elif self.spans:
            self.is_cut = any(span.start < 0 for span in self.spans)

    def _drop_openers(self, count: int) -> None:
        kept: list[Opener] = []
        for opener in self.openers:
            if opener.start < count:
                is_hiding = opener.mark == "|" and opener.believable
                if not (opener.believed or is_hiding) or opener.start + opener.width > count:
                    continue
                if opener.ended and opener.ended <= count:
                    continue
                self._believe(opener)
            opener.start -= count
            opener.ended -= count if opener.ended else 0
            kept.append(opener)
        self._forget(kept)

    def discard(self, count: int) -> None:
        """Forget the first *count* characters, which were no speech, and every mark that opened in them."""
        self._forget([opener for opener in self.openers if not 0 <= opener.start < count])
        self.drop(count)

    def stop_waiting(self) -> None:
        """Wait for no mark any longer; what is still open is plain text, except a spoiler."""
        for opener in self.openers:
            if opener.holds:
                opener.holds = False
                if opener.mark == "|" and opener.believable:
                    self._believe(opener)
        self._first_release = -1

    def cut_out(self, start: int) -> str:
        """Remove and return the text from *start* on; the next ``feed`` continues there."""
        self._join()
        rest = self.part(start, len(self.text))
        self.text = self.text[:start]
        self.position = start
        self._seek_for = -1  # other text may follow
        self._lone.clear()
        return rest

    def begin_anew(self) -> None:
        """Count what follows as the beginning of a text, with nothing open; nothing may be in front of it."""
        self._line = 0
        self._forget([])

    def replace(self, start: int, end: int, text: str, why: str) -> None:
        """Replace ``text[start:end]``, which is scanned already; the scan goes on after it. A traced text keeps *why*."""
        self.text = self.text[:start] + text + self.text[end:]
        self.position = start + len(text)
        self._lone.clear()

    def put_in_front(self, text: str, why: str) -> None:
        """Insert *text*, as scanned, at the beginning: it reopens a code block or a table. A traced text keeps *why*."""
        self._join()
        self.text = text + self.text
        self.position += len(text)
        self._lone.clear()
        self._line = self._line + len(text) if self._line >= 0 else -1

    # --- what is known ------------------------------------------------------------

    @property
    def size(self) -> int:
        """The length of the text, unjoined parts included."""
        return len(self.text) + sum(map(len, self.unjoined))

    @property
    def unsure(self) -> str:
        """The character at which the scan waits for more text; empty if it does not wait."""
        return "" if self.unjoined else self.text[self.position : self.position + 1]

    @property
    def is_quoting(self) -> bool:
        """Whether a ``>>>`` is open, whose lines stay together."""
        return self._quoting

    @property
    def sought(self) -> str:
        """The mark whose other half the scan looks for, as a backtick's, if a line has ended behind it."""
        if self.unjoined or self.text.find("\n", self.position + 1) < 0:
            return ""
        mark = _MARK.match(self.text, self.position)
        return mark.group()[:LONGEST_FENCE] if mark else ""

    @property
    def undecided_tag(self) -> re.Match[str] | None:
        """The tag of a block that may be hidden, if the scan waits for the block to end."""
        return BLOCK_TAG.match(self.text, self.position) if self.unsure == "<" else None

    def held_from(self) -> int:
        """Where the first opener is that text waits for; the length of the text without one."""
        for opener in self.openers:
            if opener.holds:
                return opener.start
        return len(self.text)

    def is_inside(self, index: int) -> bool:
        """Whether a cut before *index* falls inside a span, closed or still open."""
        if index > self.held_from() or 0 <= self._url < index:
            return True
        for span in self.spans:  # noqa: SIM110  # a loop is faster than a generator, and this runs for every line
            if 0 <= span.start < index < span.end:
                return True
        return False

    def may_be_inside(self, index: int) -> bool:
        """Whether a cut before *index* falls inside a span or could: after an opener that may still close."""
        for opener in self.openers:  # the outermost first
            if not opener.believed:
                return opener.start < index or self.is_inside(index)
        return self.is_inside(index)

    def outside(self, index: int) -> int:
        """The last index up to *index* at which a cut is outside all spans; 0 if there is none."""
        while True:
            starts = [span.start for span in self.spans if 0 <= span.start < index < span.end]
            starts += [start for start in (self.held_from(), self._url) if 0 <= start < index]
            if not starts:
                return index
            index = min(starts)

    def outside_marks(self, index: int) -> int:
        """*index*, or the beginning of the mark of emphasis that a cut there would tear."""
        places = [(opener.start, opener.width) for opener in self.openers]
        for span in self.spans:
            places += [(span.start, len(span.marker)), (span.end - len(span.marker), len(span.marker))]
        return next((start for start, width in places if 0 < start < index < start + width), index)

    def open_marks(self, begin: int, index: int) -> str:
        """The marks of emphasis that are open at *index*, outermost first, if the text before *begin* was sent."""
        found = [
            (opener.start, opener.mark * opener.width)
            for opener in self.openers
            if opener.believed and opener.start + opener.width <= index and (not opener.ended or begin < opener.ended)
        ]
        found += [
            (span.start, span.marker)
            for span in self.spans
            if span.marker and span.start + len(span.marker) <= index <= span.end - len(span.marker)
        ]
        return "".join(mark for _, mark in sorted(found)) if found else ""

    # --- the scan -----------------------------------------------------------------

    def find(self, *, final: bool = False) -> Find | None:
        """Scan on and return the next find; ``None`` asks for more text.

        With *final* there is no more text, so nothing waits.
        """
        if self.unjoined:
            self._join()
        self.fast_room = 0
        while True:
            if self._first_release < 0:
                self._find_first_release()
            # This runs for every special character, and a call of ``min`` takes three times as long.
            stop = self._first_release if self._first_release < self.bound else self.bound  # noqa: FURB136
            position, length = self.position, len(self.text)
            if position >= stop:
                return self._reached(stop)
            end = length if length < stop else stop  # noqa: FURB136
            find = self._step(position, end, final) if position < end else None
            if find is not None:
                return None if find is _WAIT else find
            if self.position == length < stop and self._first_release >= 0:
                self._open_fast_path(stop, final)
                return None

    def _step(self, position: int, end: int, final: bool) -> Find | None:
        if self.fence:
            return self._in_fence(end, final)
        if self._url >= 0:
            return self._in_url(end)
        match = (_SEARCH_TABLE if self.table else self._search)(self.text, position, end)
        if match is None:
            self.position = end
            return None
        self.position = index = match.start()
        return _HANDLERS[match.group()](self, index, final)

    def _find_first_release(self) -> None:
        """Compute where the wait for the first opener ends."""
        first = NEVER
        for opener in self.openers:
            if opener.holds and (end := opener.start + opener.reach) < first:
                first = end
        self._first_release = first

    def _release_at(self, opener: Opener) -> int:
        """Where text stops waiting for *opener*."""
        return opener.start + opener.reach

    def _reached(self, stop: int) -> Find:
        for opener in self.openers:
            if opener.holds and self._release_at(opener) <= stop:
                opener.holds = False
                if opener.believable:
                    self._believe(opener)
                elif opener.reach <= _OVER_EMPTY_LINE < self.hold // 4:
                    self.openers.remove(opener)  # only an empty line shortens a wait that much, and it has not closed
                self._first_release = -1
                return Find(Found.RELEASED, opener.start, self.position)
        return Find(Found.FULL, 0, self.position)

    def _open_fast_path(self, stop: int, final: bool) -> None:
        """Everything is scanned: open the fast path up to *stop*."""
        if self._url < 0:
            self.stops_at = _IN_FENCE if self.fence else _IN_TABLE if self.table else self._interesting
            self.fast_room = stop - self.position
        elif final:
            self._url_over(len(self.text))

    def _join(self) -> None:
        """Append the parts of the fast path to the text."""
        self.fast_room = 0
        if self.unjoined:
            self.text += "".join(self.unjoined)
            self.unjoined.clear()
            self.position = len(self.text)

    def _needs_more(self, index: int, final: bool) -> bool:
        return index >= len(self.text) and not final

    def _character_before(self, index: int) -> str:
        return self.text[index - 1] if index > 0 else self._before

    def _open(self, mark: str, start: int, width: int, *, believable: bool = False) -> None:
        if len(self.openers) < _DEEPEST:
            opener = Opener(mark, start, width, self.hold, believable)
            self.openers.append(opener)
            if self._first_release >= 0:
                self._first_release = min(self._first_release, self._release_at(opener))

    def _believe(self, opener: Opener) -> None:
        """Text need not wait for *opener* any more, but a cut inside it closes and reopens it."""
        opener.holds, opener.believed = False, True
        self.is_cut = True

    def _forget(self, kept: list[Opener]) -> None:
        """Keep only the openers *kept*."""
        self.openers = kept
        self._first_release = -1

    def _close(self, opener: Opener, kind: SpanKind, end: int, *, marker: str = "") -> None:
        """Close *opener*. What opened after it and is still open was plain text, unless a part of it was sent.

        A spoiler may still close, but is not believed any more: it may be the operator in ``(a ||b)``.
        """
        outer = self.openers.index(opener)
        left = self.openers[:outer]
        for inner in self.openers[outer + 1 :]:
            if inner.start < 0:
                left.append(inner)
            elif inner.mark == "|":
                inner.believable = inner.believed = False
                left.append(inner)
        self._forget(left)
        self.spans.append(Span(kind, opener.start, end, marker))

    def _last_open(self, mark: str) -> Opener | None:
        for opener in reversed(self.openers):
            if opener.mark == mark and not opener.ended:
                return opener
        return None

    # --- lines and tables -----------------------------------------------------------

    def _line_end(self, index: int, final: bool) -> Find | None:
        text, following = self.text, index + 1
        after = text[following : following + 1]
        looks_ahead = not after or after in _LOOKS_AHEAD  # most lines are followed by a word
        if looks_ahead:
            following = self._next_visible(index, final)
            if following < 0:
                return _WAIT
        if self.table:
            return self._row_end(index, following, final)
        if self._line >= 0 and text.startswith("-#", self._line) and not text[self._line + 2 : index].strip(" \t"):
            return self._lone_marker(index, final=final)
        opens_table = self._opens_table(index, final)
        if opens_table is None:
            return _WAIT
        if opens_table:
            return self._table_open()
        end = following
        if looks_ahead:
            end = self._carry_end(index, following, final)
        elif after in _COLONS:
            end = self._lone_colon_end(index, following, final)
        if end < 0:
            return _WAIT
        may_be_quote = self._quoting or (self._line >= 0 and text.startswith(">", self._line))
        in_quote = may_be_quote and self._stays_quoted(index, following)
        self._end_line(index, end)
        if in_quote or (end >= len(text) and end == index + 1):
            return None  # in the second case the flush takes it
        return Find(_LINE_END, index, end)

    def _stays_quoted(self, index: int, following: int) -> bool:
        """Whether the line that ends at *index* and the next one are one quote, which is not cut.

        In model output a ``>>>`` lasts until the next empty line. A bare ``>`` is an empty line of a quote.
        """
        opening = self.text[self._line : self._line + 4] if self._line >= 0 else ""
        if opening == ">>> ":
            self._quoting = True
        if self._quoting:
            self._quoting = "\n" not in self.text[index + 1 : min(following, index + _LOOKAHEAD)]
            return self._quoting
        is_empty = opening[:1] == ">" and not self.text[self._line : index].strip(" \t>")
        return is_empty and self.text.startswith(">", following)

    def _next_visible(self, index: int, final: bool) -> int:
        """The index of the first visible character after the line end at *index*; -1 if it has not arrived."""
        text = self.text
        spaces = _SPACES.match(text, index + 1)
        following = spaces.end() if spaces else index + 1
        if following - index > _LOOKAHEAD:
            return len(text)  # too far away to wait for, so it must not count even if it has arrived
        if following < len(text) or final:
            return following
        # An empty line ends a table, whatever follows.
        return following if self.table and "\n" in text[index + 1 : following] else -1

    def _lone_marker(self, index: int, *, final: bool) -> Find | None:
        end = index + 1
        while self.text.startswith("\n", end) and end - index < _LOOKAHEAD:
            end += 1
        if end == len(self.text):
            if not final and end - index < _LOOKAHEAD:
                return _WAIT
            self.position = end
            return None
        self.position = end
        return Find(Found.LONE_MARKER, self._line + 2, end)

    def _end_line(self, index: int, end: int) -> None:
        if self.openers:
            if self._line >= 0 and not self.text[self._line : index].strip(WHITESPACE):
                self._end_paragraph()
            else:
                self._pair_openers()
                self._doubt_openers(end)
        self._line = end if end == index + 1 else self.text.rfind("\n", index, end) + 1
        self.position = end

    def _end_paragraph(self) -> None:
        """An empty line: keep spoilers, and emphasis, which has to close soon. Everything else was plain text."""
        reach = min(self.hold // 4, _OVER_EMPTY_LINE)
        kept: list[Opener] = []
        for opener in self.openers:
            if opener.holds and opener.mark in "*_~":
                if opener.reach > reach:
                    opener.reach = reach
                    self._first_release = -1
                kept.append(opener)
            elif opener.believed or opener.mark == "|":
                kept.append(opener)
        if len(kept) < len(self.openers):
            self._forget(kept)

    def _pair_openers(self) -> None:
        """The line ends: the marks in ``**a **b`` are even, so none of them waits for another to close it.

        Discord reads the first two as bold if they are on one line and at least two characters wide.
        """
        if len(self.openers) < 2:
            return
        groups: dict[str, list[Opener]] = {}
        for opener in self.openers:
            if opener.mark in "*_~" and opener.reach == self.hold and not opener.believed:
                groups.setdefault(opener.mark * opener.width, []).append(opener)
        for marker, group in groups.items():
            if len(group) % 2:
                continue
            for first, second in zip(group[::2], group[1::2], strict=True):
                if len(marker) > 1 and first.start >= self._line:
                    self.spans.append(Span(SpanKind.EMPHASIS, first.start, second.start + len(marker), marker))
            self._forget([opener for opener in self.openers if opener not in group])

    def _doubt_openers(self, end: int) -> None:
        """The line ends: doubt all openers except bold, strike-through and spoilers."""
        reach = self.hold // 4
        for opener in self.openers:
            if opener.mark == "|":
                continue
            opener.believable = False
            if opener.believed:
                opener.ended = opener.ended or end
            elif opener.reach > reach and (opener.width == 1 or opener.mark not in "*_~"):
                opener.reach = reach
                self._first_release = -1
        if self.is_cut:  # what is still whole may be plain text again
            self._forget([opener for opener in self.openers if opener.start < 0 or not opener.ended])

    def _carry_end(self, index: int, following: int, final: bool) -> int:
        """Where the text ends that belongs to the line end at *index*; -1 if that is not known yet.

        Some models put the stop of a sentence on the next line; it belongs to the line before.
        """
        text = self.text
        run = _CARRIED.match(text, following)
        if run is None:
            return self._lone_colon_end(index, following, final)
        marks = run.group()
        is_whole = len(marks) < _LOOKAHEAD
        if run.end() == len(text) and not final and is_whole:
            return -1
        after = text[run.end() : run.end() + 1] if is_whole else ""
        if marks == "." and after == " ":
            if self._needs_more(run.end() + 1, final):
                return -1
            if text[run.end() + 1 : run.end() + 2] == ".":
                return index + 1  # . . . is an ellipsis
        if marks.startswith("..") or (marks[-1].isascii() and after not in _AFTER_CARRIED):
            return index + 1  # an ellipsis stands for itself, and "!help", ";)" or "![" begins something new
        return run.end()

    def _lone_colon_end(self, index: int, following: int, final: bool) -> int:
        """The same for a colon, which belongs to the line before only if it is alone on its own: not in ``:)``."""
        colon = _LONE_COLON.match(self.text, following)
        if colon is None or colon.end() - following > _LOOKAHEAD:
            return index + 1
        if self._needs_more(colon.end(), final):
            return -1
        return following + 1 if self.text[colon.end() : colon.end() + 1] in ("", "\n") else index + 1

    def _opens_table(self, index: int, final: bool) -> bool | None:
        """Whether the line that ends at *index* is a table's header; ``None`` if that is not known yet."""
        if self._line < 0 or self.text.find("|", self._line, index) < 0:
            return False
        header = self.text[self._line : index]
        quote = tables.quote(header)
        header = header[len(quote) :]
        if not tables.could_be_header(header):
            return False
        end = self.text.find("\n", index + 1)
        separator = self.text[index + 1 :] if end < 0 else self.text[index + 1 : end]
        if len(separator) > self.hold:
            return False
        if not separator.startswith(quote):
            return None if end < 0 and not final and quote.startswith(separator) else False
        separator = separator[len(quote) :]
        if not tables.could_be_separator(separator):
            return False
        if end < 0 and not final:
            return None
        return tables.is_separator(separator, header=header)

    def _table_open(self) -> Find:
        start = self._line
        header_end = self.text.index("\n", start)
        separator_end = self.text.find("\n", header_end + 1)
        header = self.text[start:header_end]
        self.table = True
        self._quote_mark = tables.quote(header)
        self._barred = header.removeprefix(self._quote_mark).lstrip().startswith("|")
        self._ends_barred = not self._barred and tables.ends_with_bar(header)
        self._enter_block("")
        self.position = len(self.text) if separator_end < 0 else separator_end
        self._line = header_end + 1
        return Find(Found.TABLE_OPEN, self._quote_begin(start), self.position)

    def _quote_begin(self, start: int) -> int:
        """Where the table at *start* begins if the bare quote marks in front of it are counted in."""
        while self._quote_mark and start > 0:
            line = self.text.rfind("\n", 0, start - 1) + 1
            if self.text[line:start].strip() != ">":
                break
            start = line
        return start

    def _row_end(self, index: int, following: int, final: bool) -> Find | None:
        goes_on = self._row_follows(index, following, final=final)
        if goes_on is None:
            return _WAIT
        self._forget([opener for opener in self.openers if opener.believed])
        self.position = self._line = index + 1
        if goes_on or self.position == len(self.text):
            return None  # in the second case the flush takes it
        self.table = False
        return Find(Found.TABLE_CLOSE, 0, index + 1)

    def _row_follows(self, index: int, following: int, *, final: bool) -> bool | None:
        """Whether the line after *index* is a row, which an empty line never is; ``None`` if that is not known yet."""
        if "\n" in self.text[index + 1 : following]:
            return False
        if self._quote_mark:
            following = self._after_quote_mark(index + 1, final=final)
            if following <= 0:
                return None if following else False
        if self._barred:
            return self.text[following : following + 1] == "|"
        end = self.text.find("\n", following)
        if end < 0 and not final and len(self.text) - index <= self.hold:
            # A row that needs a bar at its end is known by its end, any other by its first bar.
            return None if self._ends_barred or self.text.find("|", following) < 0 else True
        reach = min(index + self.hold, end if end >= 0 else len(self.text))
        if self._ends_barred:
            return reach != index + self.hold and tables.ends_with_bar(self.text[following:reach])
        return self.text.find("|", following, reach) >= 0

    def _after_quote_mark(self, start: int, *, final: bool) -> int:
        """The first visible index after the quote mark at *start*; 0 if there is none, -1 if it has not arrived."""
        mark, text = self._quote_mark, self.text
        if not text.startswith(mark, start):
            return -1 if not final and mark.startswith(text[start:]) else 0
        spaces = _SPACES.match(text, start + len(mark))
        following = spaces.end() if spaces else start
        if "\n" in text[start:following] or following - start > _LOOKAHEAD:
            return 0
        return -1 if self._needs_more(following, final) else following

    def _sentence_end(self, index: int, final: bool) -> Find | None:
        looks_at = 1 if self.text[index] in sentences.FULL_WIDTH_STOPS else 2  # the digit decides "No. 5"
        looks_at += self.text.startswith("\\", index + 2)
        if self._needs_more(index + looks_at, final):
            return _WAIT
        self.position = index + 1
        after = self.text[index + 1 : index + 2]
        if self.table or self._quoting or not sentences.ends_sentence(self.text, index):
            return None
        if after == "\n" or not (after or self.text[index] in sentences.FULL_WIDTH_STOPS):
            return None  # the line end is a better place for the cut; at the end of the text the flush takes it
        if self._line >= 0 and SHAPED.match(self.text, self._line):
            return None  # the mark that opens the line applies to all of it
        if not self._lone_words:
            if not final and sentences.may_leave_lone_word(self.text, index):
                self.position = index
                return _WAIT
            if sentences.leaves_lone_word(self.text, index):
                return None
        return Find(_SENTENCE_END, index, index + 1)

    # --- code -------------------------------------------------------------------------

    def _backticks(self, index: int, final: bool) -> Find | None:
        run = _RUN_OF_BACKTICKS.match(self.text, index)
        end = run.end() if run else index + 1
        if end - index < _LONGEST_RUN and self._needs_more(end, final):
            return _WAIT
        if end - index < 3:
            return self._inline_code(index, end, final=final)
        opens: bool | None = self._opens_line(index) and end - index <= LONGEST_FENCE
        if end - index >= _SIX:
            opens = opens and self._opens_sure_fence(index, end, final=final)
        elif not opens:
            opens = self._opens_fence_in_line(index, end, final=final)
        if opens is None:
            return _WAIT
        if not opens:
            self.position = end
            return Find(Found.LONE_FENCE, index, end)
        return self._fence_open(index, end)

    def _opens_fence_in_line(self, index: int, end: int, *, final: bool) -> bool | None:
        """Whether the backticks at *index*, within a line, open a code block; ``None`` if that is not known yet.

        They do if only a language follows on the line, if something closes them nearby, or if the reply breaks off on
        the same line. Without that, as in ``Use ``` to open a block``, they are text.
        """
        self._start_seeking(index, end)
        furthest = index + self.hold // 4
        line_end = self.text.find("\n", end)
        line = self.text[end : line_end if line_end >= 0 else len(self.text)]
        if len(line) <= LONGEST_INFO:
            if line_end < 0 and not final and "`" not in line:
                return None
            if INFO.fullmatch(line):
                return True
        for run in _BACKTICKS.finditer(self.text, self._seek):
            if run.start() > furthest:
                return False
            if run.end() - run.start() >= 3:
                return True
            if self._needs_more(run.end(), final):
                self._seek = run.start()
                return None
            self._seek = run.end()
        if final:
            return line_end < 0 or not self.text[line_end:].strip(WHITESPACE)
        return None if len(self.text) <= furthest else False

    def _opens_line(self, index: int) -> bool:
        """Whether only what may precede a fence is before *index* on its line."""
        return self._line >= 0 and _FENCE_PREFIX.fullmatch(self.text, self._line, index) is not None

    def _fence_open(self, index: int, end: int) -> Find:
        if self.table:
            self.table = False
            return Find(Found.TABLE_CLOSE, 0, max(0, self._line))
        start = self._line if self._opens_line(index) else index
        self.fence = self.text[index:end]
        self._quoting = False
        self._enter_block("*_~|")
        self.position = end
        return Find(Found.FENCE_OPEN, start, end)

    def _enter_block(self, marks: str) -> None:
        """A code block or a table begins: only spoilers, and *marks* that text still waits for, may enclose it."""
        kept: list[Opener] = []
        for opener in self.openers:
            if opener.mark != "|":
                opener.believable = False
            elif opener.believable:
                self._believe(opener)
            if opener.believed or (opener.holds and opener.mark in marks):
                kept.append(opener)
        self._forget(kept)

    def _opens_sure_fence(self, index: int, end: int, *, final: bool) -> bool | None:
        """Whether tildes or many backticks at *index* open a code block; ``None`` if that is not known yet.

        With a language after them they do. Alone on a line they may be a drawn line, so they do only if another such
        line closes the block within ``hold``.
        """
        self._start_seeking(index, end)
        line_end = self.text.find("\n", end)
        info = self.text[end : line_end if line_end >= 0 else len(self.text)]
        if self.text[index] in info or len(info) > LONGEST_INFO:
            return False
        if line_end < 0:
            return False if final else None
        if _LANGUAGE.fullmatch(info):
            return True
        line = _CLOSING[self.text[index]]
        closing = line.search(self.text, max(self._seek, line_end))
        while closing and closing.end(1) - closing.start(1) < end - index:
            closing = line.search(self.text, closing.end(1))
        if closing and (final or closing.end() < len(self.text)):
            # The answer must not depend on how much of the text has arrived.
            return closing.end() + (closing.end() < len(self.text)) - index <= self.hold
        self._seek = self.text.rfind("\n") if closing is None else closing.start()
        return False if final or len(self.text) - index > self.hold else None

    def _in_tilde_fence(self, stop: int, *, final: bool) -> Find | None:
        begin = max(0, self.text.rfind("\n", 0, self.position))
        for closing in _TILDES.finditer(self.text, begin):
            if closing.start(1) + 3 > stop:
                break
            if closing.end() == len(self.text) and not final:
                self.position = closing.start()
                return _WAIT
            if closing.end(1) - closing.start(1) >= len(self.fence):
                self.position = closing.end(1)
                return self._fence_close()
        self.position = stop
        return None

    def _fence_close(self) -> Find:
        self.fence = ""
        self._line = -1  # the rest of this line does not begin one
        return Find(Found.FENCE_CLOSE, 0, self.position)

    def _in_fence(self, stop: int, final: bool) -> Find | None:
        if self.fence[0] == "~":
            return self._in_tilde_fence(stop, final=final)
        run = _BACKTICKS.search(self.text, self.position)
        if run is None or run.start() >= stop:
            self.position = stop
            return None
        self.position = run.start()
        if run.end() - run.start() < LONGEST_FENCE and self._needs_more(run.end(), final):
            return _WAIT
        width = run.end() - run.start()
        self.position = run.end()
        if width < len(self.fence):
            return None
        if width >= 2 * len(self.fence):
            self.position = run.start() + len(self.fence)  # it closes this block and opens the next
        return self._fence_close()

    def _inline_code(self, index: int, end: int, *, final: bool) -> Find | None:
        width = end - index
        # An earlier search found nothing up to _lone. Without it, many backticks after backslashes are searched again
        # and again.
        self._start_seeking(index, max(end, self._lone.get(width, 0)))
        line_end = self.text.find("\n", end)
        furthest = index + self.hold  # on its own line; across a line end a quarter of that, as for a mark
        if line_end >= 0:
            furthest = max(index + self.hold // 4, min(line_end, furthest))
        # A row ends with its line, and code in it too.
        reach = line_end if self.table and line_end >= 0 else len(self.text)
        if self.in_details and (closing := self.text.find("\n" + DETAILS_END, end, reach)) >= 0:
            reach = closing
        for run in _BACKTICKS_OR_EMPTY_LINE.finditer(self.text, self._seek, reach):
            if run.group()[0] == "\n" or run.end() - run.start() >= 3 or run.start() > furthest:
                self._lone[width] = run.start()
                break
            if self._needs_more(run.end(), final):
                self._seek = run.start()
                return _WAIT
            if run.end() - run.start() == width:
                if _begins_hidden(self.text[end : run.start()]):
                    break
                self.spans.append(Span(SpanKind.CODE, index, run.end()))
                self.position = run.end()
                return None
        else:
            self._lone[width] = reach if final or reach < len(self.text) else _before_line_end(self.text, end)
            if reach == len(self.text) <= furthest:
                return self._open_code(index, width, final=final)
        self.position = end
        return None

    def _open_code(self, index: int, width: int, *, final: bool) -> Find | None:
        """Nothing closes the code yet. At the end it is code that was broken off, or a lone backtick."""
        if not final:
            self._seek = _before_line_end(self.text, self._seek)
            return _WAIT
        self.position = index + width
        before, after = self._character_before(index), self.text[index + width : index + width + 1]
        opens = (not before or before in _BEFORE_QUOTE) and after and after not in WHITESPACE
        if (
            self._may_break_off and opens and not BLOCK_TAG.search(self.text, index)
        ):  # a lone backtick is better than a thought that is shown
            self._open("`", index, width)
            self.position = len(self.text)
        return None

    def _start_seeking(self, index: int, start: int) -> None:
        """Continue where the handler for *index* stopped looking, or begin at *start*."""
        if self._seek_for != index:
            self._seek_for, self._seek, self._seek_depth = index, start, 0

    # --- emphasis -----------------------------------------------------------------------

    def _emphasis(self, index: int, final: bool) -> Find | None:
        mark = self.text[index]
        longest = min(len(self.text), index + _LONGEST_RUN)
        end = index + 1
        while end < longest and self.text[end] == mark:
            end += 1
        width = end - index
        if width < _LONGEST_RUN and self._needs_more(end, final):
            return _WAIT
        if mark == "~" and 3 <= width <= LONGEST_FENCE and self._opens_line(index):
            opens = self._opens_sure_fence(index, end, final=final)
            if opens is None:
                return _WAIT
            if opens:
                return self._fence_open(index, end)
        self.position = end
        if width > _WIDEST[mark] or (mark == "~" and width < 2):
            return None
        before, after = self._character_before(index), self.text[end : end + 1]
        if self._may_close(mark, width, before, after) and self._close_emphasis(mark, index, end):
            return None
        if after == _VARIATION:
            return None  # a keycap emoji
        if _touches(after, before, mark) and (mark != "_" or width > 1 or _opens_italics(before, after)):
            self._open(mark, index, width, believable=self.hold >= _LONG)
        return None

    def _may_close(self, mark: str, width: int, before: str, after: str) -> bool:
        if _touches(before, after, mark):
            return True
        opener = self._last_open(mark)
        if opener is None or opener.width != width:
            return False
        if before and before not in WHITESPACE:
            return mark != "_"  # within a word only a mark of the same width closes: **API**s
        # Discord closes a wide mark behind a space, too: **Note: ** this.
        return width > 1 and opener.start >= self._line and (not after or after in WHITESPACE)

    def _close_emphasis(self, mark: str, start: int, end: int) -> bool:
        position = start
        while position < end and (opener := self._last_open(mark)):
            used = min(end - position, opener.width)
            position += used
            if used == opener.width:
                self._close(opener, SpanKind.EMPHASIS, position, marker=mark * used)
            else:  # ***a** b*: the inner part closes, the outer one stays open
                opener.width -= used
                self.spans.append(Span(SpanKind.EMPHASIS, opener.start + opener.width, position, mark * used))
        return position > start

    def _spoiler(self, index: int, final: bool) -> Find | None:
        pair = self.text[index : index + 2]
        if pair in ("|", "||") and self._needs_more(index + len(pair), final):
            return _WAIT
        if pair != "||" or self._is_row():
            self.position = index + 1
            return None
        self.position = index + 2
        opener = self._last_open("|")
        if opener:
            self._close(opener, SpanKind.EMPHASIS, index + 2, marker="||")
        elif (after := self.text[index + 2 : index + 3]) and after not in WHITESPACE:
            # Within a word it is an operator, a||b, unless it closes.
            self._open("|", index, 2, believable=not _is_word(self._character_before(index), "*"))
        return None

    def _is_row(self) -> bool:
        return self.table or _ROW.match(self.text, max(0, self._line), self.position + 2) is not None

    # --- quotes and brackets ------------------------------------------------------------

    def _straight_quote(self, index: int, final: bool) -> Find | None:
        if self._needs_more(index + 1, final):
            return _WAIT
        before, after = self._character_before(index), self.text[index + 1 : index + 2]
        opener = self._last_open('"')
        self.position = index + 1
        if opener and before not in WHITESPACE:
            self._close(opener, SpanKind.ENCLOSED, index + 1)
        elif (not before or before in _BEFORE_QUOTE) and after and after not in WHITESPACE:
            backslash = _QUOTED_BACKSLASH.match(self.text, index)
            if backslash and not final and backslash.end() == len(self.text):
                self.position = index
                return _WAIT
            if backslash and backslash[1]:
                self.position = backslash.end()  # "\" is whole: nothing in it is escaped
            else:
                self._open('"', index, 1)
        return None

    def _quote(self, index: int, final: bool) -> Find | None:
        if self._needs_more(index + 1, final):
            return _WAIT
        mark = self.text[index]
        self.position = index + 1
        for opener in reversed(self.openers):
            if mark in QUOTES.get(opener.mark, ""):
                self._close(opener, SpanKind.ENCLOSED, index + 1)
                return None
        before, after = self._character_before(index), self.text[index + 1 : index + 2]
        if mark in QUOTES and not _is_word(before, "*") and after and after not in WHITESPACE:
            self._open(mark, index, 1)
        return None

    def _bracket_open(self, index: int, final: bool) -> Find | None:
        mark = self.text[index]
        self.position = index + 1
        before = self._character_before(index)
        nose = self.text[index - 2 : index] in (":-", ";-", "=-")
        if mark == "(" and (before in _BEFORE_SMILEY or nose) and before:
            return None  # :( is a face, not a bracket
        self._open(mark, index, 1)
        return None

    def _bracket_close(self, index: int, final: bool) -> Find | None:
        mark = self.text[index]
        self.position = index + 1
        opener = self._last_open("(" if mark == ")" else _OPENS[mark])
        if opener:
            self._close(opener, SpanKind.ENCLOSED, index + 1)
        return None

    # --- links, addresses and tags --------------------------------------------------------

    def _link_text_end(self, index: int, final: bool) -> Find | None:
        opener = self._last_open("[")
        if opener is None:
            self.position = index + 1
            return None
        if self._needs_more(index + 1, final):
            return _WAIT
        if self.text[index + 1 : index + 2] != "(":
            self._forget([other for other in self.openers if other is not opener])
            self.spans.append(Span(SpanKind.ENCLOSED, opener.start, index + 1))
            self.position = index + 1
            return None
        end = self._address_end(index, final=final)
        if end is None:
            return _WAIT
        self.position = index + 1
        if end > 0:
            self._close(opener, SpanKind.LINK, end)
            self.position = end
        else:
            self._forget([other for other in self.openers if other is not opener])
        return None

    def _address_end(self, index: int, *, final: bool) -> int | None:
        """Where the address after the ``](`` at *index* ends; 0 if there is none, ``None`` if that is not known yet."""
        self._start_seeking(index, index + 2)
        last, furthest = index + self.hold // 4, index + min(self.hold, _LONGEST_ADDRESS)
        if len(self.text) > last and (space := _SPACE.search(self.text, index + 2, furthest)) is not None:
            last = min(max(last, space.start()), furthest)
        else:  # only an address without a space is worth a longer wait
            last = furthest
        if (final or len(self.text) >= last) and self.text.find(")", index + 2, last) < 0:
            return 0  # nothing can end it, and this search is quick
        for mark in _ADDRESS_MARK.finditer(self.text, self._seek, min(last, len(self.text))):
            character = mark.group()
            if character in "\n`" or (character == "<" and BLOCK_TAG.match(self.text, mark.start())):
                return 0  # an address has no line end, no code and no hidden block
            if character == "<" and not final and could_be_block_tag(self.text, mark.start()):
                return None
            self._seek = mark.end()
            if character == ")" and not self._seek_depth:
                return mark.end()
            self._seek_depth += _DEPTH[character]
        self._seek = len(self.text)
        return None if not final and len(self.text) < last else 0

    def _colon(self, index: int, final: bool) -> Find | None:
        slashes = self.text[index : index + 4]
        if len(slashes) < 4 and "://".startswith(slashes[:3]) and not final:
            return _WAIT
        self.position = index + 1
        if not slashes.startswith("://") or len(slashes) < 4 or _URL_END.match(slashes, 3):
            return None  # http://[your-ip]/ has still to be filled in
        scheme = _SCHEME.search(self.text, max(0, index - 5), index)
        if scheme:
            self._url = scheme.start()
            self._url_depth = 0
            self.position = index + 3
        return None

    def _in_url(self, stop: int) -> Find | None:
        match = _URL_END.search(self.text, self.position, stop)
        if match is None:
            self.position = stop
            return None
        character = match.group()
        self.position = match.end()
        if character == "(":
            self._url_depth += 1
            if self._url_depth == 1:
                self._url_bracket = match.start()
        elif character == ")" and self._url_depth:
            self._url_depth -= 1
        elif character not in "*~|" or self._last_open(character):
            self.position = match.start()
            self._url_over(match.start())
        return None

    def _url_over(self, end: int) -> None:
        start, self._url = self._url, -1
        if self._url_depth and self.text[end : end + 1] == " ":
            end = self._url_bracket  # a bracket that closes after a space is not part of the address
        after = _AFTER_URL_IN_ITALICS if self._last_open("_") else _AFTER_URL
        while self.text[end - 1] in after and end > self.position - 8:
            end -= 1  # the stop of the sentence does not belong to the address
        self.position = end
        if self.text[start - 1 : start] == "<" and self.text[end : end + 1] == ">":
            start, end = start - 1, end + 1
            self.position = end
        self.spans.append(Span(SpanKind.URL, start, end))

    def _angle(self, index: int, final: bool) -> Find | None:
        match = BLOCK_TAG.match(self.text, index)
        if match:
            return self._block_tag(match, final=final)
        if self.in_details and self.text.startswith(DETAILS_END, index):
            end = index + len(DETAILS_END)
            if self._needs_more(end, final):
                return _WAIT
            end += self.text.startswith("\n", end)  # the line of the tag is no line of the text
            return Find(Found.BLOCK_TAG, index, end, BlockTag(AsideKind.DETAILS, closes=True))
        if not final and (could_be_block_tag(self.text, index) or could_be_discord_tag(self.text, index)):
            return _WAIT
        tag = DISCORD_TAG.match(self.text, index)
        self.position = tag.end() if tag else index + 1
        if tag:
            self.spans.append(Span(SpanKind.TAG, index, tag.end()))
        return None

    def _block_tag(self, match: re.Match[str], *, final: bool) -> Find | None:
        tag = block_tag(match)
        is_tag: bool | None = tag.closes or not self._may_break_off or self._begins_line(match.start())
        if not is_tag:
            is_tag = self._block_closes(tag.kind, match, final=final)
        if is_tag is None:
            return _WAIT
        self.position = match.start() if is_tag else match.end()
        return Find(Found.BLOCK_TAG, match.start(), match.end(), tag) if is_tag else None

    def _begins_line(self, index: int) -> bool:
        """Whether only quote marks, an indent and the persona's label precede *index* on its line."""
        prefix = _FENCE_PREFIX.match(self.text, self._line, index) if self._line >= 0 else None
        if prefix is None:
            return False
        start = prefix.end()
        return start == index or bool(self.label and self.label.fullmatch(self.text, start, index))

    def _block_closes(self, kind: AsideKind, tag: re.Match[str], *, final: bool) -> bool | None:
        """Whether the block of *kind* that *tag* opens ends within ``hold``; ``None`` if that is not known yet."""
        self._start_seeking(tag.start(), tag.end())
        last = tag.end() + self.hold
        reach = min(last, len(self.text))
        if self.text.find("</", self._seek, reach) >= 0:
            for edge in BLOCK_EDGES[kind].finditer(self.text, self._seek, reach):
                self._seek = edge.end()
                self._seek_depth += 1 if edge.lastgroup == "opens" else -1
                if self._seek_depth < 0:
                    return True
            self._seek = max(self._seek, reach - LONGEST_EDGE)
        return None if reach < last and not final else False

    def _backslash(self, index: int, final: bool) -> Find | None:
        if self._needs_more(index + 1, final):
            return _WAIT
        if self.text[index : index + 2] in formulas.CLOSINGS:
            return self._formula(index, index + 2, final=final)
        self.position = index + (2 if self.text[index + 1 : index + 2] in _ASCII_PUNCTUATION else 1)
        return None

    # --- formulas -------------------------------------------------------------------------

    def _dollar(self, index: int, final: bool) -> Find | None:
        run = _DOLLARS.match(self.text, index)
        end = run.end() if run else index + 1
        if end - index < 3 and self._needs_more(end, final):
            return _WAIT
        before = self._character_before(index)
        is_glued = before == "$" or (before.isascii() and before.isalnum())  # US$5
        is_spaced = end - index == 1 and self.text[end : end + 1] in _BLANK
        if end - index > 2 or is_glued or is_spaced:
            self.position = end
            return None
        return self._formula(index, end, final=final)

    def _formula(self, index: int, end: int, *, final: bool) -> Find | None:
        """Read the formula that the mark from *index* to *end* opens; without one the mark is text."""
        self._start_seeking(index, end)
        closing = 0 if self.table else self._formula_end(index, end, final=final)
        if closing is None:
            return _WAIT
        self.position = closing or end
        if closing:
            self.spans.append(Span(SpanKind.MATH, index, closing))
            if (line_end := self.text.rfind("\n", index, closing)) >= 0:
                self._line = line_end + 1
        return None

    def _formula_end(self, index: int, end: int, *, final: bool) -> int | None:
        """Where the formula at *index* ends, its marks included; 0 if it is none, ``None`` if that is not known yet."""
        opening = self.text[index:end]
        furthest = index + (self.hold if opening in formulas.DISPLAY else self.hold // 4)
        if opening == "$" and formulas.begins_amount(self.text, end):
            return 0
        for mark in _MATH_MARK.finditer(self.text, self._seek):
            if mark.start() > furthest:
                return 0
            # One character more is needed: it may continue the mark, or show that it closes nothing.
            if self._needs_more(mark.end(), final):
                self._seek = mark.start()
                return None
            if mark.group() == formulas.CLOSINGS[opening]:
                return mark.end() if self._is_formula(index, end, mark) else 0
            if not self._may_hold(index, opening, mark.group()):
                return 0
            self._seek = mark.end()
        self._seek = max(self._seek, len(self.text))
        return None if not final and len(self.text) <= furthest else 0

    def _may_hold(self, index: int, opening: str, mark: str) -> bool:
        """Whether a formula may hold *mark*: no code, no second opening, and one empty line at most, on lines of its own."""
        if mark[0] == "\n":
            self._seek_depth += 1
            return self._seek_depth == 1 and opening in formulas.DISPLAY and self._opens_line(index)
        return mark not in ("`", opening) and not (mark == "$$" and opening == "$")

    def _is_formula(self, index: int, end: int, closing: re.Match[str]) -> bool:
        opening, latex = self.text[index:end], self.text[end : closing.start()]
        after = self.text[closing.end() : closing.end() + 1]
        if opening == "$" and (after.isdigit() or latex[-1:] in _BLANK):
            return False  # $5-$10
        if opening == "\\[" and after == "(":
            return False  # the text of a link that was escaped
        if "<" in latex and BLOCK_TAG.search(latex):
            return False
        opens_line = self._opens_line(index) and after in ("", "\n")
        return formulas.is_mathematical(opening, latex, opens_line=opens_line)


def _begins_hidden(code: str) -> bool:
    """Whether *code* is no code: its backtick is text, and a hidden block begins after it."""
    if not (code[0] in WHITESPACE or "\n" in code):
        return False  # `<think>` and the like, in text about tags
    tags = list(BLOCK_TAG.finditer(code))
    if tags and code[0] in WHITESPACE and block_tag(tags[0]) == BlockTag(AsideKind.THOUGHT, closes=False):
        return True
    if not tags or block_tag(tags[-1]).closes:
        return False
    return "</details>" not in code[tags[-1].end() :]


def _before_line_end(text: str, start: int) -> int:
    """Where to continue in *text*, all of it seen: a line end followed by blanks may begin an empty line."""
    line_end = text.rfind("\n", start)
    return line_end if line_end >= 0 and not text[line_end:].strip(" \t\n") else len(text)


def _touches(inner: str, outer: str, mark: str) -> bool:
    """Whether a mark with *inner* towards its text and *outer* on the other side opens or closes something."""
    return bool(inner) and inner not in WHITESPACE and not _is_word(outer, mark)


def _opens_italics(before: str, after: str) -> bool:
    """Whether a single underscore between *before* and *after* opens italics: not in ``^_^``, ``*_*`` or ``-_-``."""
    return after.isalnum() or (after in _IN_ITALICS and before in _BEFORE_ITALICS and before != after)


def _is_word(character: str, mark: str) -> bool:
    if not (character.isalnum() or character == mark == "_"):
        return False
    # Scripts without spaces may have a star in the middle of a sentence.
    return not (mark == "*" and ("\u3040" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7af"))


_Handler = Callable[[Scanner, int, bool], Find | None]
_HANDLERS: dict[str, _Handler] = {
    "\n": Scanner._line_end,
    "`": Scanner._backticks,
    "|": Scanner._spoiler,
    '"': Scanner._straight_quote,
    "]": Scanner._link_text_end,
    ":": Scanner._colon,
    "<": Scanner._angle,
    "\\": Scanner._backslash,
    "$": Scanner._dollar,
    **dict.fromkeys("*_~", Scanner._emphasis),
    **dict.fromkeys("([", Scanner._bracket_open),
    **dict.fromkeys(PAIRS, Scanner._bracket_open),
    **dict.fromkeys([*QUOTES, "”"], Scanner._quote),
    ")": Scanner._bracket_close,
    **dict.fromkeys(_OPENS, Scanner._bracket_close),
    **dict.fromkeys(sentences.STOPS, Scanner._sentence_end),
}


# --- a whole text at once ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Survey:
    """The result of one scan of a whole text."""

    spans: tuple[Span, ...]
    line_ends: tuple[int, ...]
    """The index of each ``\\n`` outside all spans."""
    sentence_ends: tuple[int, ...]
    """The index of each stop that ends a sentence outside all spans."""


_SURVEY_HOLD = 32_000
"""Longer than any message: it bounds the search for a mark that never closes."""


def survey(text: str, *, sentence_ends: bool = False, lone_words: bool = False) -> Survey:
    """Scan the whole of *text*; with *lone_words*, a single word may be a sentence."""
    scanner = Scanner(sentence_ends=sentence_ends, lone_words=lone_words, hold=_SURVEY_HOLD)
    scanner.feed(str(text))  # a traced text is slow to read
    lines: list[int] = []
    stops: list[int] = []
    while find := scanner.find(final=True):
        if find.what is Found.LINE_END:
            lines.append(find.start)
            if sentence_ends and find.end > find.start + 1 and text[find.end - 1] in sentences.STOPS:
                stops.append(find.end - 1)  # it is on the next line, and the scan has jumped over it
        elif find.what is Found.SENTENCE_END:
            stops.append(find.start)
        elif find.what is Found.BLOCK_TAG:
            scanner.position = find.end
    spans = tuple(sorted(scanner.spans, key=lambda span: (span.start, -span.end)))
    return Survey(spans, _outside(lines, spans), _outside(stops, spans))


def _outside(places: list[int], spans: tuple[Span, ...]) -> tuple[int, ...]:
    """The *places* that are inside no span."""
    if not places:
        return ()
    covered = _Cover(spans)
    return tuple(place for place in places if not covered(place))


class _Cover:
    """Answers for growing indices whether one is inside a span."""

    def __init__(self, spans: tuple[Span, ...]) -> None:
        self._spans = spans
        self._next = 0
        self._reach = 0

    def __call__(self, index: int) -> bool:
        while self._next < len(self._spans) and self._spans[self._next].start <= index:
            self._reach = max(self._reach, self._spans[self._next].end)
            self._next += 1
        return index < self._reach
