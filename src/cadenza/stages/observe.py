"""Observe what passes between the stages from text to posts.

A tap wraps a stage, sees its input and output and reports facts. The texts of a traced reply know their places in the
model's text, so a tap need not guess what became of what. It also writes into them why a stage put something in.

Segments and posts are numbered in the order in which they are created, so that later facts can refer to them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from ..facts import (
    Edge,
    Fact,
    MessageEnd,
    MessagePlanned,
    ReplyHalted,
    TextChanged,
    TextCut,
    TextHeld,
    TextHidden,
)
from ..rules.rule import Rule
from ..text.origins import (
    OriginRun,
    Range,
    RangeSet,
    Traced,
    explained,
    first_place,
    join,
    origin_of,
    ranges,
    remaining,
    rewritten,
    union,
    without,
)
from ..text.raw_text import RawLedger
from ..text.units import WHITESPACE
from ..types import Aside, Attachment, Boundary, Ending, Halt, Identity, Kind, Post, Segment
from .s5_buffer import Buffer, HoldReason
from .s7_pacing import Pace
from .stage import Pipe, Stage

T = TypeVar("T")

Tell: TypeAlias = Callable[[Fact], None]
"""Takes a fact; must not raise."""

Decided: TypeAlias = Callable[[MessageEnd, str], tuple[str, object]]
"""The setting that decides an end, and its value; the text is the rule or the reason that ended the reply there."""

_See: TypeAlias = Callable[[Any, list[Any], str], None]
"""Takes the input of a stage (``None`` for a flush), its output, which it may annotate, and the name of its error."""


class _SeeBuffer(Protocol):
    """Takes the buffer, what it made, and whether nothing else comes."""

    def __call__(self, buffer: Buffer, made: Sequence[Any], *, is_over: bool) -> None: ...


_STOP = re.compile(rf"(?:[.。．｡]|[,;、，､；]+)(?=[{WHITESPACE}]|\Z)")
"""A full stop, a comma or a semicolon at the end of what stands before it."""
_FULL_STOPS = frozenset(".。．｡")
_GOES_ON = (
    MessageEnd.LIMIT,
    MessageEnd.LONG_TEXT,
    MessageEnd.OVERFLOW,
    MessageEnd.CODE_OVERFLOW,
    MessageEnd.MESSAGE_LIMIT,
    MessageEnd.FILE,
)
"""Where a text may go on in what follows the message, also with a full stop."""
_FAR = 1 << 62
_MARK = 8
"""Characters that are shown of what stands where a message ends."""


class SequenceNumbers(Generic[T]):
    """Numbers of objects, by identity: two equal texts are different objects."""

    def __init__(self) -> None:
        self.things: dict[int, T] = {}
        """Objects with their own number, in order."""
        self._known: dict[int, tuple[T, tuple[int, ...]]] = {}  # holds the object, so that its id is not reused

    def new(self, thing: T) -> int:
        """Give *thing* the next number."""
        number = len(self.things) + 1
        self.things[number] = thing
        self.inherit(thing, (number,))
        return number

    def inherit(self, thing: T, numbers: Iterable[int]) -> None:
        """Record that *thing* was made from the things with *numbers*."""
        self._known[id(thing)] = (thing, tuple(dict.fromkeys(numbers)))

    def of(self, thing: T | None) -> tuple[int, ...]:
        """The numbers of *thing*; empty if it is unknown."""
        return self._known[id(thing)][1] if id(thing) in self._known else ()


class PostNumbers(SequenceNumbers[Post]):
    """Numbers of posts, and what each stands for."""

    def __init__(self) -> None:
        super().__init__()
        self.replaced: dict[int, list[Range]] = {}
        """The model's text in whose place something else stands, by the number of the post."""

    def covers(self, post: Post) -> list[Range]:
        """The places in the model's text that *post* stands for."""
        texts = [post, *post.instead]
        shown = ranges(*(text for one in texts for text in (one.text, one.source or "")))
        return union(sorted([*shown, *(place for number in self.of(post) for place in self.replaced.get(number, ()))]))


class SegmentNumbers:
    """Numbers of segments, by their places in the model's text."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ranges: list[tuple[int, int, int]] = []
        self.count = 0
        """How many segments there are."""

    def new(self, segment: Segment) -> int:
        """Give *segment* the next number."""
        self.count += 1
        self.add(self.count, _places(segment))
        return self.count

    def add(self, number: int, found: Iterable[Range]) -> None:
        """The segment with this *number* stands for *found* too."""
        for start, end in found:
            place = bisect_right(self._starts, start)
            self._starts.insert(place, start)
            self._ranges.insert(place, (start, end, number))

    def of(self, found: Iterable[Range]) -> tuple[int, ...]:
        """The numbers of the segments that *found* touches, in order."""
        numbers: dict[int, None] = {}
        for start, end in found:
            place = max(0, bisect_right(self._starts, start) - 1)
            while place < len(self._ranges) and self._ranges[place][0] < end:
                if self._ranges[place][1] > start:
                    numbers[self._ranges[place][2]] = None
                place += 1
        return tuple(sorted(numbers))


class _Plan(NamedTuple):
    """What the composer says of a message that it plans."""

    pace: Pace
    last: Segment | None
    end: MessageEnd


class Taps:
    """The taps around the stages of one pipe."""

    def __init__(
        self,
        tell: Tell,
        segments: SegmentNumbers,
        posts: PostNumbers,
        decided: Decided,
        *,
        is_casual: bool,
        heard_from: int = 0,
    ) -> None:
        """Report to *tell*; *decided* knows the settings. The first text comes from *heard_from*."""
        self._tell = tell
        self._raw = RawLedger(heard_from)
        self.hear = self._raw.hear
        """Takes what has arrived from the model."""
        self._halted = ""
        self._ended_by = ""  # the rule or the reason that ended the reply
        self._end = MessageEnd.REPLY  # how the last message ends
        self._last_cut = 0, ""  # the number of the last segment, and its text or that of a hidden block behind it
        self._under_way: deque[str] = deque()  # segments that are in no message yet
        self._settled = RangeSet()  # the model's text that is in a message, or was dropped
        self._segments = segments
        self._posts = posts
        self._decided = decided
        self._is_casual = is_casual
        self._plans: deque[_Plan] = deque()
        self._given: list[str] = []  # what the composer has and no message shows yet
        self._replaced: list[tuple[str, Range]] = []  # by which rule or step of the buffer, and what
        self._shown_to = 0
        self._starts = Edge(MessageEnd.REPLY.value)
        self._waiting = HoldReason()

    def around(self, row: Pipe) -> Pipe:
        """The same row, with a tap around each stage; the last one is the composer."""
        *stages, composer = row.stages
        return Pipe(*map(self._tapped, stages), _Tap(composer, self._see_composer))

    def planned(self, _: Post, pace: Pace, segments: Sequence[Segment], end: MessageEnd) -> None:
        """A post was planned: its pause, the segments that it is made of, and why it ends."""
        self._plans.append(_Plan(pace, segments[-1] if segments else None, end))

    def _tapped(self, stage: Stage[Any, Any]) -> Stage[Any, Any]:
        match stage:
            case Buffer():
                return _BufferTap(stage, self._see_buffer)
            case Rule():
                return _RuleTap(stage, self._tell_change, self._segments)
            case _:
                return stage

    def interrupt(self, end: MessageEnd, by: str = "") -> None:
        """The model's answer ends early, with *end*, because of *by*."""
        self._end, self._ended_by = end, by

    def end(self, reason: str) -> None:
        """The round is over because of *reason*, if no stage has ended it: report the text that no stage takes any more."""
        by = self._halted or reason
        left = [part for text in self._under_way for part in remaining(text, self._settled.found)]
        self._under_way.clear()
        for text in left:
            gone = ranges(text)
            self._tell(TextChanged(by, "composer", "dropped", self._segments.of(gone), (str(text),), (), tuple(gone)))
        for place, text in self._raw.unknown():
            self._tell(TextChanged(by, "buffer", "dropped", (), (text,), (), (place,)))

    def _settle(self, places: Iterable[Range]) -> None:
        self._settled.add(places)
        while self._under_way and not remaining(self._under_way[0], self._settled.found):
            self._under_way.popleft()

    def _tell_change(self, fact: Fact) -> None:
        """Report what a rule did, and remember what it replaced."""
        match fact:
            case TextChanged(ranges=places, after=after):
                self._settle(places)
                self._replaced += ((fact.by, place) for place in (places if after else ()))
            case ReplyHalted(by, reason):
                self._halted, self._ended_by, self._end = reason, by, MessageEnd.RULE
            case _:
                pass
        self._tell(fact)

    # --- the buffer ------------------------------------------------------------------------

    def _see_buffer(self, buffer: Buffer, made: Sequence[Any], *, is_over: bool) -> None:
        if made or buffer.losses:
            self._see_items(buffer, made)
        if is_over:
            for place, was in self._raw.open():
                if _put_in_at(self._last_cut[1], place)[1]:
                    self._tell_put_in(*self._last_cut, place, was)
                    self._raw.know([place])
        if (waiting := buffer.waiting()) != self._waiting:  # after the segments that have left, which are not held
            self._waiting = waiting
            self._tell(TextHeld(waiting.why, waiting.mark, buffer.size))

    def _see_items(self, buffer: Buffer, made: Iterable[Any]) -> None:
        losses, buffer.losses[:] = [*buffer.losses], ()
        self._raw.know(place for text, _ in losses for place in ranges(text))
        for item in made:
            match item:
                case Segment():
                    self._tell_cut(item)
                case Aside(kind, text):
                    places = ranges(item.source)
                    hidden = ((places[0][0], places[-1][1]),) if places else ()
                    self._raw.know(hidden)
                    self._last_cut = self._last_cut[0], item.source or self._last_cut[1]
                    self._tell(TextHidden(kind.value, str(text), hidden))
                case Halt(reason):
                    self._halted = reason.value
                    self._tell(ReplyHalted("buffer", reason.value))
        for text, why in losses:
            self._tell(TextChanged(why, "buffer", "dropped", (), (str(text),), (), tuple(ranges(text))))

    def _tell_cut(self, segment: Segment) -> None:
        number = self._segments.new(segment)
        setting, value = "", None
        match segment.boundary:
            case Boundary.OVERFLOW:
                is_prose = segment.kind is Kind.PROSE
                end = MessageEnd.OVERFLOW if is_prose else MessageEnd.CODE_OVERFLOW
                setting, value = self._decided(end, "")
            case Boundary.PERIOD:
                setting, value = self._decided(MessageEnd.SENTENCE, "")
            case _:
                pass  # the model decided
        text = segment.text
        mark = _mark_at_end(text)
        kind, origin = segment.kind.value, origin_of(text)
        self._tell(TextCut(number, str(text), segment.boundary.value, mark, setting, value, kind, origin))
        self._under_way.append(text)
        places = ranges(text)
        self._raw.know(places)
        for place, was in self._raw.unknown(places[-1][1]) if places else ():
            self._tell_put_in(number, text, place, was)
        self._last_cut = number, text

    def _tell_put_in(self, number: int, text: str, place: Range, was: str) -> None:
        """Report what stands in the segment *number*, or at the end of the one before it, instead of what *was* there."""
        segment, last = self._last_cut
        by, became = _put_in_at(last, place)
        if not became:
            (by, became), segment = _put_in_at(text, place), number
        by = "tilde_fence" if by == "intake" and "~~~" in was else by  # the closing one, which is replaced too
        effect = "changed" if became else "dropped"
        if became:
            self._segments.add(segment, [place])
            self._replaced.append((by, place))
        self._tell(TextChanged(by, "buffer", effect, (segment,), (was,), (became,) if became else (), (place,)))

    # --- the composer ------------------------------------------------------------------------

    def _see_composer(self, given: Segment | Attachment | None, made: list[Any], error: str) -> None:  # noqa: ARG002  # the round reports the error
        if isinstance(given, Segment):
            self._given += filter(None, (given.joint, given.text))
        for place, item in enumerate(made):
            match item:
                case Post():
                    made[place] = self._tell_post(item)
                case Halt(reason):
                    self._halted = reason.value
                    self._tell(ReplyHalted("composer", reason.value))
                    self._lose(self._given, reason.value)
                    self._given = []
        if given is None:  # a flush: nothing else comes
            self._lose(self._given, "composer")
            self._given = []

    def _tell_post(self, post: Post) -> Post:
        post = self._annotated(post)
        number = self._posts.new(post)
        for text in post.instead:
            self._posts.inherit(text, (number,))
        plans = [self._plans.popleft() for _ in post.instead or (post,) if self._plans]
        plan = plans[-1] if plans else _Plan(Pace(), None, MessageEnd.REPLY)
        pace = plans[0].pace if plans else Pace()
        # A later part of a table has an empty source: its first part stands for all of it.
        texts = [one.text for one in post.instead or (post,) if one.source != ""]
        self._posts.replaced[number] = [place for text in texts for place in self._claimed(text)]
        if post.attachment is not None:
            self._posts.replaced[number] += self._whole_texts(self._posts.covers(post))
        covers = self._posts.covers(post)
        self._settle(covers)
        self._leave(post, covers, union(sorted(self._posts.replaced[number])))
        end = self._end if plan.end is MessageEnd.REPLY else plan.end
        if post.attachment is not None and plan.end not in (MessageEnd.FILE, MessageEnd.ATTACHMENT):
            end = MessageEnd.MESSAGE_LIMIT  # the rest of the reply is the file
        starts, self._starts = self._starts, self._edge(end, plan.last, covers)
        instead = tuple(
            self._edge(plan.end, plan.last, self._posts.covers(text))
            for plan, text in zip(plans, post.instead, strict=False)
        )
        if end not in _GOES_ON and covers:
            self._leave_stop(covers[-1][1])
        self._tell(
            MessagePlanned(
                number,
                self._segments.of(covers),
                str(post.text),
                origin_of(post.text),
                tuple(covers),
                starts,
                self._starts,
                post.pause,
                pace.typing,
                pace.breath,
                pace.thinking,
                pace.cut,
                name_of(post.identity),
                str(post.label),
                post.reply,
                bool(post.instead),
                post.attachment.name if post.attachment else None,
                instead,
            )
        )
        return post

    def _claimed(self, text: str) -> list[Range]:
        """The model's text in whose place something of *text* stands: it is between what is left on both sides."""
        claimed: list[Range] = []
        runs = origin_of(text)
        place = 0
        for number, run in enumerate(runs):
            if run.start >= 0:
                self._shown_to = max(self._shown_to, run.start + run.size)
            elif run.why == "casual":
                claimed += self._written_as(str(text)[place : place + run.size])
            elif self._replaced:
                follows = next((after.start for after in runs[number + 1 :] if after.start >= 0), None)
                claimed += self._replaced_by(run.why, follows)
            place += run.size
        return claimed

    def _whole_texts(self, covers: Sequence[Range]) -> list[Range]:
        """The given texts that *covers* reach: a file has all of a block, also its fences."""
        end = covers[-1][1] if covers else 0
        given = (text for text in self._given if first_place(text) < end and text.strip(WHITESPACE))
        return [place for text in given for place in ranges(text.strip(WHITESPACE))]

    def _written_as(self, lowered: str) -> list[Range]:
        """Where the model wrote what is *lowered* in the message: it is the next of the text that is in no message yet."""
        for text in self._given:
            for part in remaining(text, [(0, self._shown_to)]):
                found = part.lower().find(lowered)
                if found >= 0:
                    places = ranges(part[found : found + len(lowered)])
                    self._shown_to = max([self._shown_to, *(end for _, end in places)])
                    return places
        return []

    def _replaced_by(self, why: str, follows: int | None) -> list[Range]:
        """What *why* replaced before *follows*; if nothing follows, the next that it replaced."""
        self._replaced = [one for one in self._replaced if one[1][0] >= self._shown_to]
        own = sorted(place for by, place in self._replaced if by == why and (follows is None or place[1] <= follows))
        if follows is None:  # a part of what was replaced last, if the model's own text is before the next
            own = [] if own and self._has_text(self._shown_to, own[0][0]) else own[:1]
        self._shown_to = max([self._shown_to, *(end for _, end in own)])
        return own

    def _has_text(self, start: int, end: int) -> bool:
        """Whether text of the model stands there that is in no message yet."""
        parts = (part for text in self._given for part in remaining(text, [(0, start), (end, _FAR)]))
        return any(part.strip(WHITESPACE) for part in parts)

    def _edge(self, end: MessageEnd, last: Segment | None, covers: Sequence[Range]) -> Edge:
        setting, value = self._decided(end, self._ended_by)
        over = covers[-1][1] if covers else 0
        after = next((text for text in self._given if covers and first_place(text) >= over), "")
        white = after[: len(after) - len(after.lstrip(WHITESPACE))]
        if after and not white and last is not None:  # the cut left out what stands before *after*, as a comma
            until = max(first_place(after), *(end for _, end in ranges(last.text)), over)
            white = "".join(remaining(last.text, [(0, over), (first_place(after), until)]))
        mark = str(white[:_MARK] or _mark_at_end(_before(last.text, over) if last else ""))
        is_left_out = end is MessageEnd.SENTENCE and mark.isalnum()  # the full stop
        return Edge(end.value, setting, value, str(after[:1]) or mark if is_left_out else mark)

    def _annotated(self, post: Post) -> Post:
        """*post* with the reasons of what the composer put in."""
        text = _explained(post.text)
        instead = tuple(map(self._annotated, post.instead))
        if text is post.text and all(map(_is_same, instead, post.instead)):
            return post
        return replace(post, text=text, instead=instead)

    def _leave(self, post: Post, covers: Sequence[Range], claimed: Sequence[Range]) -> None:
        """Report what the composer left out before the end of *post*; something else stands for what is *claimed*."""
        seen = ranges(post.text, *(text.text for text in post.instead))
        if post.attachment is not None:
            seen = union(sorted([*seen, *covers]))
        end = max((end for _, end in (*seen, *claimed)), default=0)
        empty = [text for text in self._given if first_place(text) < end and _is_left_out(text, seen)]
        self._lose(empty, "empty_code")
        seen = union(sorted([*seen, *ranges(*empty)])) if empty else seen
        left = [part for text in self._given for part in remaining(text, seen)]
        self._given = [part for text in left for part in remaining(text, [(0, end)])]
        lost = [part for text in left for part in remaining(text, [(end, _FAR)])]
        self._lose([part for text in lost for part in remaining(text, claimed)], "composer", seen[:1])
        for lowered in (part for text in lost for part in remaining(text, without(ranges(text), claimed))):
            self._tell_step("casual", lowered, str(lowered).lower())

    def _leave_stop(self, end: int) -> None:
        """Report the full stop or the comma that a message leaves out at its *end*."""
        for place, text in enumerate(self._given):
            if first_place(text) == end and (stop := _STOP.match(str(text))):
                self._lose([text[: stop.end()]], "composer")
                self._given[place] = text[stop.end() :]
                return

    def _lose(self, texts: Iterable[str], why: str, seen: Sequence[Range] = ()) -> None:
        for text in texts:
            if not (gone := ranges(text)):
                continue
            self._settle(gone)
            by = why
            if not text.strip(WHITESPACE):
                is_inside = seen and gone[0][0] > seen[0][0]
                by = "spacing" if is_inside else "joint"
            elif why == "composer":
                by = "split" if not self._is_casual or text.strip(WHITESPACE) in _FULL_STOPS else "casual"
            self._tell_step(by, text)

    def _tell_step(self, by: str, text: str, *after: str) -> None:
        """Report that the composer left *text* out, or wrote *after* in its place."""
        setting, value = "", None
        if by == "casual":
            setting, value = self._decided(MessageEnd.CASUAL, "")
        elif by == "split" and text.strip(WHITESPACE) in _FULL_STOPS:
            setting, value = self._decided(MessageEnd.SENTENCE, "")
        effect, gone = "changed" if after else "dropped", ranges(text)
        segments = self._segments.of(gone)
        self._tell(
            TextChanged(
                by, "composer", effect, segments, (str(text),), after, tuple(gone), setting=setting, value=value
            )
        )


def _is_left_out(text: str, seen: Sequence[Range]) -> bool:
    """Whether *text* is a block of code, and nothing of it is seen."""
    return "```" in text and without(places := ranges(text), seen) == places


def _put_in_at(text: str, place: Range) -> tuple[str, str]:
    """Why the buffer put something into *text* instead of what stands at *place*, and what; nothing, if it was dropped."""
    before: int | None = None
    at, whys, found = 0, "", ""
    for size, start, why in (*origin_of(text), OriginRun(0, _FAR)):
        if start < 0:
            whys, found = whys or why or "intake", found + str(text)[at : at + size]
        elif found and (before == place[0] or start == place[1] or (before is None and start == _FAR)):
            return whys, found
        else:
            whys, found = "", ""
        before = before if start < 0 else start + size
        at += size
    return "intake", ""


def _explained(text: str) -> str:
    """*text*, in which all that the composer put in has a reason. What no step gave one is a line end."""
    if isinstance(text, Traced) and all(run.why or run.start >= 0 for run in text.origin):
        return text
    runs: list[OriginRun] = []
    place = 0
    for run in origin_of(text):
        put_in, place = str(text)[place : place + run.size], place + run.size
        why = "line_end" if put_in.isspace() else "composer"
        runs.append(run if run.why or run.start >= 0 else run._replace(why=why))
    return Traced(text, runs) if runs else text


def _before(text: str, place: int) -> str:
    """*text* up to *place* in the model's text; all of it, if it is cut nowhere."""
    end = 0
    for size, start, _ in origin_of(text):
        if start + size > place > start >= 0:
            return text[: end + place - start]
        end += size
    return text


def _mark_at_end(text: str) -> str:
    """What stands at the end of *text*: its line end, or its last character."""
    white = text[len(text.rstrip(WHITESPACE)) :]
    return str(white[:_MARK] if white else text[-1:])


def _is_same(one: object, other: object) -> bool:
    return one is other


class _BufferTap:
    """Wraps the buffer and reports what it makes and holds."""

    __slots__ = ("_buffer", "_see")

    def __init__(self, buffer: Buffer, see: _SeeBuffer) -> None:
        self._buffer = buffer
        self._see = see

    def feed(self, text: str, /) -> Sequence[Any]:
        made = self._buffer.feed(text)
        if type(made) is not tuple:  # most tokens change only the size
            self._see(self._buffer, made, is_over=False)
        return made

    def flush(self, why: Ending, /) -> Sequence[Any]:
        made = self._buffer.flush(why)
        self._see(self._buffer, made, is_over=True)
        return made


class _Tap:
    """Wraps a stage and reports its input and output."""

    __slots__ = ("_see", "_stage")

    def __init__(self, stage: Stage[Any, Any], see: _See) -> None:
        self._stage = stage
        self._see = see

    def feed(self, item: Any, /) -> Iterable[Any]:
        try:
            results = self._stage.feed(item)
        except Exception as error:
            self._see(item, [], type(error).__name__)
            raise
        return self._seen(item, results)

    def flush(self, why: Ending, /) -> Iterable[Any]:
        try:
            results = self._stage.flush(why)
        except Exception as error:
            self._see(None, [], type(error).__name__)
            raise
        return self._seen(None, results)

    def _seen(self, given: Any, results: Iterable[Any]) -> Iterable[Any]:
        made: list[Any] = []
        try:
            made += results
        except Exception as error:  # noqa: BLE001  # it is raised later, at the same point as without a tap
            self._see(given, made, type(error).__name__)
            return _broken_off(made, error)
        self._see(given, made, "")
        return tuple(made)


def _broken_off(made: Iterable[Any], error: Exception) -> Iterator[Any]:
    """Yield what a stage made, then raise its error, as the stage itself would."""
    yield from made
    raise error


class _RuleTap(_Tap):
    """Reports the changes of one rule."""

    __slots__ = ("_held", "_name", "_numbers", "_tell")

    def __init__(self, rule: Rule, tell: Tell, numbers: SegmentNumbers) -> None:
        super().__init__(rule, self._see_rule)
        self._name = rule.name
        self._tell = tell
        self._numbers = numbers
        self._held: list[Segment] = []

    def _seen(self, given: Segment | None, results: Iterable[Any]) -> Iterable[Any]:
        if type(results) is tuple and len(results) == 1 and results[0] is given and not self._held:
            return results  # nearly always
        return super()._seen(given, results)

    def _see_rule(self, given: Segment | None, made: list[Any], error: str) -> None:
        pending = [*self._held, *(() if given is None else (given,))]
        held = self._held
        self._trace(pending, made)
        after = [item for item in made if isinstance(item, Segment)]
        halts = [item for item in made if isinstance(item, Halt)]
        is_over = given is None or bool(error or halts)
        used, self._held = self._parted(pending, after, is_over=is_over)
        self._tell_used(used, after, error, held)
        if given is not None and self._held and self._held[-1] is given:
            self._tell_change("held", [given], [])
        for halt in halts:
            self._tell(ReplyHalted(self._name, halt.reason.value))

    def _trace(self, pending: Sequence[Segment], made: list[Any]) -> None:
        """Give each new segment the origin of its text, and say why something was put in."""
        for place, item in enumerate(made):
            if not isinstance(item, Segment) or _is_in(item, pending):
                continue
            text: str = item.text
            if not isinstance(text, Traced):
                text = rewritten(join([segment.text for segment in pending]), text) if len(made) == 1 else text
                text = text if isinstance(text, Traced) else Traced(text, origin_of(text))
            text = explained(text, self._name)
            if text is not item.text:
                made[place] = replace(item, text=text)

    def _parted(
        self, pending: Sequence[Segment], after: Sequence[Segment], *, is_over: bool
    ) -> tuple[list[Segment], list[Segment]]:
        """What of *pending* the rule has used or dropped, and what it still holds."""
        if is_over:
            return list(pending), []
        found = union(sorted(place for segment in after for place in _places(segment)))
        passed = [
            _is_in(segment, after) or without(places, found) != places or bool(after and not segment.text)
            for segment, places in ((segment, _places(segment)) for segment in pending)
        ]
        if all(not segment.text.strip(WHITESPACE) for segment in after):  # only an empty line may overtake held text
            used = [segment for segment, is_past in zip(pending, passed, strict=True) if is_past]
        else:
            last = max((place for place, is_past in enumerate(passed) if is_past), default=len(pending) - 1)
            used = list(pending[: last + 1])
        return used, [segment for segment in pending if not _is_in(segment, used)]

    def _tell_used(
        self, used: Sequence[Segment], after: Sequence[Segment], error: str, held: Sequence[Segment]
    ) -> None:
        if error:
            self._tell_change("failed", used, after)
            return
        gone = _gone(used, after)
        if gone and (len(gone) == len(used)) <= (not after):
            self._tell_change("dropped", gone, [])
            used = [segment for segment in used if not _is_in(segment, gone)]
        before = [segment for segment in used if _is_in(segment, held) or not _is_in(segment, after)]
        kept = [segment for segment in after if _is_in(segment, held) or not _is_in(segment, used)]
        if before or kept:
            was_held = any(_is_in(segment, held) for segment in before)
            self._tell_change(_effect(before, kept, was_held=was_held), before, kept)

    def _tell_change(self, effect: str, before: Sequence[Segment], after: Sequence[Segment]) -> None:
        if not before and not after:
            return
        were, are = (ranges(*(segment.text for segment in segments)) for segments in (before, after))
        places = union(sorted(place for segment in (*before, *after) for place in _places(segment)))
        self._tell(
            TextChanged(
                self._name,
                "rules",
                effect,
                self._numbers.of(places),
                tuple(str(segment.text) for segment in before),
                tuple(str(segment.text) for segment in after),
                () if effect == "held" else tuple(without(were, are)),
                name_of(identity := _new_identity(before, after)),
                str(after[-1].label) if after else "",
                sprite=identity.sprite if identity else "",
            )
        )


def _is_in(segment: Segment, others: Iterable[Segment]) -> bool:
    return any(segment is other for other in others)


def _gone(used: Iterable[Segment], after: Iterable[Segment]) -> list[Segment]:
    """The segments of *used* of which nothing is in *after*."""
    found = union(sorted(place for segment in after for place in _places(segment)))
    missing = (segment for segment in used if not _is_in(segment, after))
    return [segment for segment in missing if (places := _places(segment)) and without(places, found) == places]


def _places(segment: Segment) -> list[Range]:
    """Where the text of *segment* comes from, with what it stands for."""
    return ranges(segment.joint, segment.text, segment.source)


def _effect(before: Sequence[Segment], after: Sequence[Segment], *, was_held: bool) -> str:
    """The change from *before* to *after*, in one word."""
    were, are = ("".join(segment.text for segment in segments) for segments in (before, after))
    if not before:
        return "added"
    if were.strip(WHITESPACE) and not are.strip(WHITESPACE):
        return "dropped"
    if len(after) > len(before):
        return "split"
    return "released" if was_held and were == are else "changed"


def _new_identity(before: Sequence[Segment], after: Sequence[Segment]) -> Identity | None:
    """The identity under which *after* is shown, if it is another one than before."""
    if not after or (before and before[-1].identity == after[-1].identity):
        return None
    return after[-1].identity


def name_of(identity: Identity | None) -> str | None:
    """The displayed name; ``None`` is the persona itself."""
    return identity.name if identity else None
