"""Stage 5: text in, segments out. Decides *when* a piece of the reply may leave.

The scanner finds the places where the text could be cut: line ends and, at degree 3, sentence ends. This stage keeps
these places and cuts at each one as soon as no later text can change it. A place inside an open quote, bracket or
emphasis waits: if the mark closes, the place is inside a span and is dropped; if the mark turns out to be plain text,
the cut is made. A text without a place is cut when it grows too long.

Code blocks and tables become segments of their own, and a long one is split with its fence or header repeated. A hidden
block (``<think>``, ``<details>``) becomes an ``Aside``; the text before and after it stays in order. If details are to
be shown, ``s5_spoiler`` puts their segments into a spoiler.

A cut inside emphasis inserts nothing. The segments on both sides say which marks are open there, and stage 7 closes and
reopens them where a message really ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias, assert_never

from ..settings import BufferSettings
from ..text import tables
from ..text.cuts import FORWARD, overflow_cut, up_to_last_clause
from ..text.intake import ODD, Intake
from ..text.labels import AnswerLabel, any_of, opening_label
from ..text.origins import Traced, explained, made_by, ranges, remaining
from ..text.raw_text import RawText
from ..text.repair import close_fence, close_openers, in_backticks, is_blank, split_fence
from ..text.sentences import STOPS, is_whole
from ..text.spans import Find, Found, Opener, Scanner
from ..text.tags import BlockTag, HiddenBlock, block_tag
from ..text.traced_scanner import TracedScanner
from ..text.units import WHITESPACE, whole_grapheme
from ..types import Aside, AsideKind, Boundary, Ending, Kind, Segment
from .s5_spoiler import SPOILER, ShownDetails

Item: TypeAlias = Segment | Aside

_LONGEST_PIECE = 2048
_ENDS = frozenset("\r\n" + STOPS)
"""After these a piece may be complete; the next character decides."""

# A global is faster to look up than a member of an enumeration.
_LINE_END = Found.LINE_END
_NEWLINE = Boundary.NEWLINE

_AROUND_CODE = (Boundary.CODE_OPEN, Boundary.CODE_CLOSE)
"""A place with such a boundary is always cut, inside emphasis too."""


class _Place(NamedTuple):
    """A place where the text could be cut."""

    end: int
    boundary: Boundary


class HoldReason(NamedTuple):
    """Why text that could be sent is held back."""

    why: str = ""
    """``code``, ``table``, ``hidden``, ``mark``, ``line`` or ``undecided``; empty if only the line is not over yet."""
    mark: str = ""
    """What the text waits for: an open mark, the fence, the kind of hidden block, or a character that may continue."""


class Buffer:
    """The text that has arrived and was not released yet."""

    def __init__(
        self,
        settings: BufferSettings | None = None,
        *,
        sentences: bool = False,
        lone_words: bool = False,
        speaker: str = "",
        traced_from: int | None = None,
    ) -> None:
        """Cut at the ends of *sentences* too, with *lone_words* also around one of a single word.

        In a thought that never closes, the label of *speaker* begins the answer.
        With *traced_from* the text is traced: its first character has that place in the model's text.
        """
        self._settings = settings or BufferSettings()
        self._sentences = sentences
        self._lone_words = lone_words
        speaker = speaker.strip(WHITESPACE)
        self._speaker = AnswerLabel(speaker) if speaker else None
        self._label = opening_label(any_of([speaker])) if speaker else None
        self._full = self._settings.overflow + FORWARD + 1
        self.losses: list[tuple[str, str]] = []
        """Of a traced text: what was dropped, and why. Its reader clears the list."""
        self._is_traced = traced_from is not None
        self._raw: RawText | None = None
        if traced_from is not None or self._settings.overlap:
            self._raw = RawText(traced_from, self.losses, repeats=self._settings.overlap)
        self._after_backticks = False  # whether a hidden block followed backticks
        self._begin()

    def feed(self, text: str, /) -> Sequence[Item]:
        """Take the next piece of the stream; an empty tuple says that only the size has changed."""
        if self._raw is not None:
            return self._feed_raw(text, self._raw)
        scanner, length = self._scanner, len(text)
        if length < scanner.fast_room and scanner.stops_at.isdisjoint(text):
            # This is ``append_plain``, written out: it runs for every token, and a call is not free.
            scanner.fast_room -= length
            scanner.unjoined.append(text)
            return ()
        return self._feed(text) if length <= _LONGEST_PIECE else self._feed_all(text)

    def _feed_raw(self, text: str, raw: RawText) -> Sequence[Item]:
        """Do the same for a traced reply, and for an API that may send text twice."""
        scanner, size = self._scanner, len(text)
        text = raw.take(text)
        if len(text) < size:
            scanner.pause()  # what comes next does not follow on what was scanned
        if scanner.append_plain(text):
            return ()
        text = raw.traced(text)
        items = self._feed(text) if len(text) <= _LONGEST_PIECE else self._feed_all(text)
        if isinstance(scanner, TracedScanner):
            scanner.place = raw.place
        return items

    def _feed_all(self, text: str) -> list[Item]:
        """Feed long input in pieces: each cut copies the rest, so keep that short. Slicing never changes the result."""
        return [
            item
            for start in range(0, len(text), _LONGEST_PIECE)
            for item in self._feed(text[start : start + _LONGEST_PIECE])
        ]

    def _feed(self, text: str) -> Sequence[Item]:
        if self._intake.held or not ODD.isdisjoint(text):
            text = explained(self._intake.feed(text), "intake")
        if self._after_backticks and text and self._hidden is None:
            text = _apart(text)
            self._after_backticks = False
        out: list[Item] = []
        self._outside = 0
        if self._hidden is not None:
            self._read_hidden(text, out)
        else:
            self._scanner.feed(text)
        find = self._scanner.find()
        if find is not None:
            self._handle(find, out)
            self._scan(out, final=False)
        if self._hidden is not None or self._after_backticks or self._intake.held:
            self._scanner.pause()  # what comes next is not for the scanner, or not yet
        if self._shown is not None:
            out[self._outside :] = self._in_spoiler(self._shown.wrapped(out[self._outside :]))
        return out

    def flush(self, why: Ending, /) -> Sequence[Item]:
        """Release everything and start over. A file does not end hidden text or code: the rest would be taken for prose."""
        if why is Ending.FILE and (self._hidden is not None or self._scanner.fence):
            return ()
        out: list[Item] = list(self._feed(explained(self._intake.flush(), "intake")))
        if speech := self._speech_in_thought():
            self._add_aside(AsideKind.THOUGHT, *self._end_hidden(), out)
            out += self._feed_all(speech)
        self._outside = len(out)
        if why in (Ending.STOP, Ending.DISCARD):
            self._hide_undecided(out)
        self._scan(out, final=True)
        if why is not Ending.DISCARD:
            self._release_rest(why, out)
        self._end_details(why.boundary, out)
        if self._hidden is not None:
            self._add_aside(self._hidden.kind, self._hidden.content(), self._hidden.source(), out)
        self._begin()
        return out

    # --- for the trace ----------------------------------------------------------------

    def waiting(self) -> HoldReason:
        """Why text is held back; only a trace asks."""
        scanner = self._scanner
        if self._hidden is not None:
            return HoldReason("hidden", self._hidden.kind.value)
        if scanner.fence:
            return HoldReason("code", scanner.fence)
        if scanner.table:
            return HoldReason("table")
        if tag := scanner.undecided_tag:
            return HoldReason("mark", tag.group())
        mark = self._intake.held or scanner.unsure
        is_unsure = mark in _ENDS or bool(self._intake.held)
        opener = next((opener for opener in scanner.openers if opener.holds), None)
        if opener is not None and (self._places or is_unsure):  # without the mark the text could be cut
            return HoldReason("mark", opener.mark * opener.width)
        if is_unsure:
            is_more = scanner.position + 1 < len(scanner.text)  # the next line decides, as after the head of a table
            return HoldReason("line" if is_more and mark == scanner.unsure else "undecided", mark)
        if mark := scanner.sought or ">>>" * (scanner.is_quoting and "\n" in scanner.text):
            return HoldReason("mark", mark)
        return HoldReason("mark", SPOILER) if self._shown is not None and self._shown.size else HoldReason()

    @property
    def size(self) -> int:
        """How many characters are held back."""
        shown = 0 if self._shown is None else self._shown.size
        return self._scanner.size + len(self._intake.held) + shown

    def _begin(self) -> None:
        self._intake = Intake()
        scanner = TracedScanner if self._is_traced else Scanner
        self._scanner: Scanner = scanner(
            sentence_ends=self._sentences,
            lone_words=self._lone_words,
            hold=self._settings.hold,
            may_break_off=True,
        )
        self._scanner.label = self._label
        self._places: list[_Place] = []
        self._after_backticks = False  # whether a hidden block followed backticks
        self._reopened = False  # whether the current code block continues one that was split
        self._hidden: HiddenBlock | None = None
        self._shown: ShownDetails | None = None
        self._inner_details = 0  # how many blocks are open inside the one that is shown
        self._outside = 0  # how many items of this feed do not belong to it
        if self._raw is not None:
            self._raw.begin()
        self._set_bound()

    def _set_bound(self) -> None:
        """Tell the scanner how much text may gather before it reports ``FULL``."""
        scanner = self._scanner
        if scanner.fence or scanner.table:
            begin = self._places[-1].end if self._places else 0  # of code that waits for the emphasis around it
            scanner.bound = begin + self._settings.code_overflow
        else:
            scanner.bound = self._full

    # --- what the scan finds --------------------------------------------------------

    def _scan(self, out: list[Item], *, final: bool) -> None:
        while find := self._scanner.find(final=final):
            self._handle(find, out)

    def _handle(self, find: Find, out: list[Item]) -> None:
        if find.what is _LINE_END:  # by far the most frequent
            self._may_cut(find.end, _NEWLINE, out)
        elif find.what is Found.SENTENCE_END:
            self._may_cut(find.end, Boundary.PERIOD, out)
        else:
            self._handle_rare(find, out)

    def _handle_rare(self, find: Find, out: list[Item]) -> None:
        match find.what:
            case Found.LINE_END | Found.SENTENCE_END:
                pass  # handled already
            case Found.FENCE_OPEN:
                self._cut_around_code(find.start, Boundary.CODE_OPEN, out)
            case Found.FENCE_CLOSE:
                self._close_code(find.end, out)
            case Found.TABLE_OPEN:
                self._cut(find.start - self._release(out), Boundary.NEWLINE, Kind.PROSE, out)
            case Found.TABLE_CLOSE:
                self._cut(find.end, Boundary.NEWLINE, self._table_kind(find.end), out)
            case Found.LONE_FENCE:
                self._replace(find, "\\`" * (find.end - find.start), "lone_fence")
            case Found.LONE_MARKER:
                self._replace(find, " ", "lone_marker")
            case Found.BLOCK_TAG:
                self._enter_or_leave(find, out)
            case Found.RELEASED:
                self._release(out)
            case Found.FULL:
                self._overflow(find.end, out)
            case _:
                assert_never(find.what)

    def _replace(self, find: Find, text: str, why: str) -> None:
        self._scanner.replace(find.start, find.end, text, why)

    def _may_cut(self, end: int, boundary: Boundary, out: list[Item]) -> None:
        """Cut at *end* now, or when what surrounds it is decided."""
        scanner = self._scanner
        is_open = scanner.openers or scanner.is_cut or self._places
        if is_open or (scanner.spans and scanner.is_inside(end)):
            self._places.append(_Place(end, boundary))
            self._release(out)
        else:  # nothing that it could be inside of
            out.append(Segment(scanner.part(0, end), boundary))
            scanner.drop(end)
            scanner.bound = self._full

    def _release(self, out: list[Item]) -> int:
        """Cut at every place that later text cannot change; returns how much was released."""
        scanner = self._scanner
        certain = scanner.held_from()
        begin = done = 0
        may_be_cut = scanner.is_cut
        for place in self._places:
            if place.end > certain:
                break
            done += 1
            if place.boundary in _AROUND_CODE:
                kind = Kind.CODE if place.boundary is Boundary.CODE_CLOSE else Kind.PROSE
                if place.end > begin:
                    out.append(self._segment(begin, place.end, place.boundary, kind))
                    begin, may_be_cut = place.end, True
            elif not scanner.is_inside(place.end):
                if may_be_cut:
                    out.append(self._segment(begin, place.end, place.boundary, Kind.PROSE))
                else:
                    out.append(Segment(scanner.part(begin, place.end), place.boundary))
                begin = place.end
        del self._places[:done]
        self._drop(begin)
        return begin

    def _segment(self, begin: int, end: int, boundary: Boundary, kind: Kind) -> Segment:
        scanner = self._scanner
        text = scanner.part(begin, end)
        if kind is Kind.CODE:
            text = explained(in_backticks(text), "tilde_fence")
        if not (scanner.is_cut or scanner.spans):
            return Segment(text, boundary, kind)
        opens_in, ends_in = scanner.open_marks(begin, begin), scanner.open_marks(begin, end)
        return Segment(text, boundary, kind, opens_in=opens_in, ends_in=ends_in)

    def _cut_around_code(self, end: int, boundary: Boundary, out: list[Item]) -> None:
        """Cut where a code block begins or ends, as soon as it is known whether emphasis encloses the block."""
        self._places.append(_Place(end, boundary))
        self._release(out)
        self._set_bound()

    def _cut(self, end: int, boundary: Boundary, kind: Kind, out: list[Item]) -> None:
        if end > 0:
            out.append(self._segment(0, end, boundary, kind))
        self._drop(end)
        self._set_bound()

    def _drop(self, count: int) -> None:
        if count > 0:
            self._scanner.drop(count)
            if self._places:
                self._places = [
                    _Place(place.end - count, place.boundary) for place in self._places if place.end > count
                ]
            self._set_bound()

    # --- hidden blocks ----------------------------------------------------------------

    def _enter_or_leave(self, find: Find, out: list[Item]) -> None:
        tag: BlockTag | None = find.tag
        if tag is None:
            return
        if tag.kind is AsideKind.DETAILS and (tag.closes or self._shows_details):
            self._cut_out_tag(find, out)
            self._leave_details(out) if tag.closes else self._enter_details(out)
        elif tag.closes:
            # Some templates open the block themselves, so only its end is seen: the text held here was a thought.
            scanner = self._scanner
            if scanner.text[: find.start].strip(WHITESPACE):
                self._add_aside(tag.kind, scanner.part(0, find.start), scanner.part(0, find.end), out)
            else:
                self._lose(scanner.part(0, find.end), "lone_tag")
            self._scanner.discard(find.end)
            self._scanner.table = False
            self._places.clear()
            self._set_bound()
        else:
            self._hide(find.start, find.end, tag.kind, out)

    def _hide(self, start: int, end: int, kind: AsideKind, out: list[Item]) -> None:
        """Read the block of *kind* whose tag is from *start* to *end*."""
        rest = self._scanner.cut_out(start)
        self._hidden = HiddenBlock(kind, rest[: end - start])
        self._read_hidden(rest[end - start :], out)

    def _in_spoiler(self, items: list[Item]) -> list[Item]:
        """*items* with the reason of what makes a spoiler of them."""
        if not self._is_traced:
            return items
        return [
            replace(item, text=made_by(item.text, "details")) if isinstance(item, Segment) else item for item in items
        ]

    def _hide_undecided(self, out: list[Item]) -> None:
        """The reply is broken off: what may be a thought is not shown."""
        if tag := self._scanner.undecided_tag:
            self._hide(tag.start(), tag.end(), block_tag(tag).kind, out)

    def _read_hidden(self, text: str, out: list[Item]) -> None:
        hidden = self._hidden
        if hidden is None:
            return
        after = hidden.feed(text)
        if after is not None:
            self._add_aside(hidden.kind, *self._end_hidden(), out)
            if after:
                self._scanner.feed(_apart(after) if self._after_backticks else after)
                self._after_backticks = False

    def _end_hidden(self) -> tuple[str, str]:
        """The content of the hidden block, which has ended, and the whole block."""
        hidden, self._hidden = self._hidden, None
        self._after_backticks = self._scanner.text.endswith("`")
        return (hidden.content(), hidden.source()) if hidden is not None else ("", "")

    def _add_aside(self, kind: AsideKind, text: str, source: str, out: list[Item]) -> None:
        text = text.strip(WHITESPACE)
        if text:
            out.append(Aside(kind, text, source))
        else:
            self._lose(source, kind.value)

    def _lose(self, text: str, why: str) -> None:
        if isinstance(text, Traced) and text:
            self.losses.append((text, why))

    def _speech_in_thought(self) -> str:
        """The persona's answer within a thought that nothing has closed."""
        if self._hidden is None or self._speaker is None:
            return ""
        return self._hidden.speech(self._speaker)

    # --- details that are shown ---------------------------------------------------------

    @property
    def _shows_details(self) -> bool:
        """Whether a block that begins here is shown; in the row of a table it would tear the table."""
        return self._settings.details == "spoiler" and not self._scanner.table

    def _cut_out_tag(self, find: Find, out: list[Item]) -> None:
        """Release what precedes the tag, but no quote mark alone; what follows the tag begins a line."""
        scanner, start = self._scanner, find.start - self._release(out)
        scanner.table = False
        if scanner.text[:start].strip(WHITESPACE + ">"):
            self._cut(start, Boundary.NEWLINE, Kind.PROSE, out)
            start = 0
        end = start + find.end - find.start
        self._lose(scanner.part(0, end), "details")
        self._drop(end)
        scanner.begin_anew()

    def _enter_details(self, out: list[Item]) -> None:
        if self._shown is None:
            self._shown, self._outside = ShownDetails(), len(out)
            self._scanner.in_details = True
        else:
            self._inner_details += 1

    def _leave_details(self, out: list[Item]) -> None:
        if self._inner_details:
            self._inner_details -= 1
        else:
            self._end_details(Boundary.NEWLINE, out)

    def _end_details(self, boundary: Boundary, out: list[Item]) -> None:
        if self._shown is not None:
            out[self._outside :] = self._in_spoiler(self._shown.closed(out[self._outside :], boundary))
            self._shown, self._scanner.in_details = None, False

    # --- too much text ------------------------------------------------------------------

    def _overflow(self, position: int, out: list[Item]) -> None:
        if any(place.boundary in _AROUND_CODE for place in self._places):
            self._overflow_around_code(out)
        elif self._scanner.fence:
            self._overflow_code(position, out)
        elif self._scanner.table:
            self._overflow_table(position, out)
        else:
            self._overflow_prose(out)

    def _overflow_around_code(self, out: list[Item]) -> None:
        """The text gathers because emphasis may enclose code: in long code wait no more, else until the wait is over."""
        scanner = self._scanner
        if scanner.fence:
            scanner.stop_waiting()
        if not self._release(out):
            scanner.bound = scanner.held_from() + self._settings.hold + 1

    def _overflow_prose(self, out: list[Item]) -> None:
        scanner, target = self._scanner, self._settings.overflow
        cut = overflow_cut(scanner, target)
        if not cut and scanner.bound < target + FORWARD + self._settings.hold:
            scanner.bound += FORWARD  # all of it is inside something that may still close
            return
        space = scanner.text.rfind(" ", max(0, target - FORWARD), target) + 1
        cut = cut or space or scanner.outside_marks(whole_grapheme(scanner.text, target))
        self._cut(cut, Boundary.OVERFLOW, Kind.PROSE, out)

    def _overflow_code(self, position: int, out: list[Item]) -> None:
        """Release a part of a long code block: close it here, and reopen it with the same fence for the rest."""
        scanner = self._scanner
        fence, body = split_fence(scanner.text[:position])
        head = position - len(body)
        line_end = scanner.text.rfind("\n", head, position) + 1
        # One character less than is there: whether a character ends at the very end is not known yet.
        cut = line_end if line_end > head else whole_grapheme(scanner.text, position - 1, head)
        code = scanner.part(0, cut)
        is_torn = not code.endswith("\n")
        closed = explained(code + str("\n" * is_torn + fence.closing), "code_overflow")
        part = self._segment(0, cut, Boundary.OVERFLOW, Kind.CODE)
        out.append(replace(part, text=explained(in_backticks(closed), "tilde_fence"), is_torn=is_torn))
        scanner.drop(cut)
        scanner.put_in_front(fence.opening, "code_overflow")
        self._reopened = True

    def _close_code(self, end: int, out: list[Item]) -> None:
        if self._reopened and is_blank(*split_fence(self._scanner.text[:end])):
            self._lose(self._scanner.part(0, end), "code_overflow")
            self._drop(end)  # all of the block was released already
            self._set_bound()
        else:
            self._cut_around_code(end, Boundary.CODE_CLOSE, out)
        self._reopened = False

    def _overflow_table(self, position: int, out: list[Item]) -> None:
        """Release the rows so far; the rest repeats the header."""
        scanner = self._scanner
        head = tables.head(scanner.text)
        line_end = scanner.text.rfind("\n", len(head), position) + 1
        if line_end <= len(head):
            scanner.table = False  # one endless line is no row
            self._cut(whole_grapheme(scanner.text, position - 1), Boundary.OVERFLOW, Kind.PROSE, out)
            return
        self._cut(line_end, Boundary.OVERFLOW, Kind.TABLE, out)
        scanner.put_in_front(head, "code_overflow")

    def _table_kind(self, end: int) -> Kind:
        """The kind of a table up to *end*; a header without rows is prose."""
        return Kind.TABLE if tables.has_rows(self._scanner.text[:end]) else Kind.PROSE

    # --- the end --------------------------------------------------------------------------

    def _release_rest(self, why: Ending, out: list[Item]) -> None:
        scanner = self._scanner
        if any(place.boundary in _AROUND_CODE for place in self._places):
            scanner.stop_waiting()
            self._release(out)
        text, kind = scanner.part(0, len(scanner.text)), Kind.PROSE
        opens_in = ends_in = scanner.open_marks(0, 0)
        if scanner.fence:
            empty = self._reopened and is_blank(*split_fence(text))
            text, kind = "" if empty else explained(in_backticks(close_fence(text)), "left_open"), Kind.CODE
            if not text:
                self._lose(scanner.part(0, len(scanner.text)), "empty_code")
        elif scanner.table:
            kind = self._table_kind(len(text))
        else:
            is_over = why in (Ending.FINAL, Ending.FILE)
            if not is_over:
                whole, text = text, self._whole_clauses(text, why)
                for part in remaining(whole, ranges(text)):
                    self._lose(part, "unfinished_clause")
            here = [opener for opener in scanner.openers if opener.start >= 0]
            for opener in here:
                opener.believed = False  # the text itself gets its closing mark
            ends_in = scanner.open_marks(0, len(text))
            text = explained(close_openers(text, _broken_off(here, text, is_over=is_over)), "left_open")
        if text:
            out.append(Segment(text, why.boundary, kind, opens_in=opens_in, ends_in=ends_in))

    def _whole_clauses(self, text: str, why: Ending) -> str:
        """The remaining *text* up to its last whole clause.

        Without one all of it stays, unless the reply was stopped in the middle of a line.
        """
        clauses = up_to_last_clause(text, [span for span in self._scanner.spans if span.start >= 0])
        if clauses is not None:
            return clauses
        is_unwanted = why is Ending.STOP and not text.endswith("\n")
        return "" if is_unwanted else text


def _broken_off(openers: Sequence[Opener], text: str, *, is_over: bool) -> list[Opener]:
    """The *openers* that need closing when *text* ends.

    A single star left open was broken off. Several (``*args and **kwargs``), or one in a reply that ends with a whole
    sentence, like a footnote's, are meant as they are. A single underscore is part of a name.
    """
    left = [opener for opener in openers if opener.start < len(text) and (opener.mark != "_" or opener.width > 1)]
    emphasis = [opener for opener in left if opener.mark in "*_~"]
    footnote = is_over and len(emphasis) == 1 and emphasis[0].width == 1 and is_whole(text.rstrip(WHITESPACE))
    meant = len(emphasis) > 1 or footnote
    return [opener for opener in left if opener not in emphasis] if meant else left


def _apart(text: str) -> str:
    """*text*, with a space in front of a backtick: it keeps two runs of backticks apart."""
    return explained(" " + text, "backticks") if text[0] == "`" else text
