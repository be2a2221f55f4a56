"""Observe what passes between the stages from text to posts.

A tap wraps a stage and sees its input and output. It reports steps to a callable by name and plain values; the callable
adds the time. ``docs/trace.md`` lists the steps.

Segments and posts are numbered in the order in which they are created, so that later steps can refer to them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Generic, TypeAlias, TypeVar

from ..rules.rule import Rule
from ..text.units import WHITESPACE
from ..types import Aside, Ending, Halt, Identity, Post, Segment
from .s5_buffer import Buffer, HoldReason
from .s7_pacing import Pace
from .stage import Pipe, Stage

T = TypeVar("T")

Tell: TypeAlias = Callable[[str, Mapping[str, object]], None]
"""Takes the name of a step and its values; must not raise."""

_See: TypeAlias = Callable[[Any, Sequence[Any], str], None]
"""Takes the input of a stage (``None`` for a flush), its output, and the name of the error that ended it."""


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


class Taps:
    """The taps around the stages of one pipe."""

    def __init__(self, tell: Tell, segments: SequenceNumbers[Segment], posts: SequenceNumbers[Post]) -> None:
        """Report to *tell*."""
        self._tell = tell
        self._segments = segments
        self._posts = posts
        self._plans: deque[tuple[Pace, list[int]]] = deque()  # for each planned post: its pause and its segments
        self._left: list[int] = []  # the segments after the last planned post
        self._waiting = HoldReason()

    def around(self, row: Pipe) -> Pipe:
        """The same row, with a tap around each stage; the last one is the composer."""
        *stages, composer = row.stages
        return Pipe(*map(self._tapped, stages), _Tap(composer, self._see_composer))

    def planned(self, _: Post, pace: Pace, segments: Sequence[Segment]) -> None:
        """A post was planned: its pause, and the segments that it is made of."""
        numbers = [number for segment in segments for number in self._segments.of(segment)]
        self._plans.append((pace, numbers))

    def _tapped(self, stage: Stage[Any, Any]) -> Stage[Any, Any]:
        match stage:
            case Buffer():
                return _Tap(stage, partial(self._see_buffer, stage))
            case Rule():
                return _Tap(stage, _RuleWatch(stage.name, self._tell, self._segments).see)
            case _:
                return stage

    def _see_buffer(
        self,
        buffer: Buffer,
        _: str | None,
        made: Sequence[Segment | Aside | Halt],
        error: str,  # noqa: ARG002  # the round reports the error
    ) -> None:
        for item in made:
            match item:
                case Segment(text, boundary, kind):
                    number = self._segments.new(item)
                    about = {"number": number, "text": text, "boundary": boundary.value, "kind": kind.value}
                    self._tell("segment", about)
                case Aside(kind, text):
                    self._tell("aside", {"kind": kind.value, "text": text})
                case Halt(reason):
                    self._tell("halt", {"by": "buffer", "reason": reason.value})
        if (waiting := buffer.waiting()) != self._waiting:  # after the segments that have left, which are not held
            self._waiting = waiting
            self._tell("hold", {"why": waiting.why, "mark": waiting.mark, "size": buffer.size})

    def _see_composer(self, given: Segment | None, made: Sequence[Post | Halt], error: str) -> None:  # noqa: ARG002  # the round reports the error
        self._left += self._segments.of(given)
        for item in made:
            match item:
                case Post():
                    self._tell_post(item)
                case Halt(reason):
                    self._tell("halt", {"by": "composer", "reason": reason.value})

    def _tell_post(self, post: Post) -> None:
        number = self._posts.new(post)
        for text in post.instead:
            self._posts.inherit(text, (number,))
        plans = [self._plans.popleft() for _ in post.instead or (post,) if self._plans]
        pace = plans[0][0] if plans else Pace()
        segments = [segment for _, found in plans for segment in found]
        if post.attachment is not None and not self._plans:  # a file may hold all that came after its message
            segments += self._left
        self._left = [] if post.attachment is not None else [left for left in self._left if left not in segments]
        about = {
            "number": number,
            "segments": list(dict.fromkeys(segments)),
            "text": post.text,
            "boundary": post.boundary.value,
            "pause": post.pause,
            "typing": pace.typing,
            "breath": pace.breath,
            "thinking": pace.thinking,
            "cut": pace.cut,
            "identity": name_of(post.identity),
            "label": post.label,
            "reply": post.reply,
            "picture": bool(post.instead),
            "file": post.attachment.name if post.attachment else None,
        }
        self._tell("post", about)


class _Tap:
    """Wraps a stage and reports its input and output."""

    __slots__ = ("_see", "_stage")

    def __init__(self, stage: Stage[Any, Any], see: _See) -> None:
        self._stage = stage
        self._see = see

    def feed(self, item: Any, /) -> Iterable[Any]:
        return self._seen(item, partial(self._stage.feed, item))

    def flush(self, why: Ending, /) -> Iterable[Any]:
        return self._seen(None, partial(self._stage.flush, why))

    def _seen(self, given: Any, work: Callable[[], Iterable[Any]]) -> Iterable[Any]:
        made: list[Any] = []
        try:
            results = work()
        except Exception as error:
            self._see(given, (), type(error).__name__)
            raise
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


class _RuleWatch:
    """Reports the changes of one rule."""

    def __init__(self, name: str, tell: Tell, numbers: SequenceNumbers[Segment]) -> None:
        self._name = name
        self._tell = tell
        self._numbers = numbers
        self._held: list[Segment] = []

    def see(self, given: Segment | None, made: Sequence[Segment | Halt], error: str) -> None:
        segments = [item for item in made if isinstance(item, Segment)]
        if given is not None and not made and not error:
            self._hold(given)
        elif given is not None and [given] == segments and not error:
            self._numbers.inherit(segments[0], self._numbers.of(given))
            if given.text.strip(WHITESPACE):  # only an empty line may overtake held segments
                self._tell_rule("dropped", self._taken(), [])
        else:
            self._tell_change(given, segments, error)
        for halt in made:
            if isinstance(halt, Halt):
                self._tell("halt", {"by": self._name, "reason": halt.reason.value})

    def _hold(self, given: Segment) -> None:
        self._held.append(given)
        self._tell_rule("held", [given], [])

    def _taken(self) -> list[Segment]:
        held, self._held = self._held, []
        return held

    def _tell_change(self, given: Segment | None, after: Sequence[Segment], error: str) -> None:
        was_held = bool(self._held)
        before = [*self._taken(), *(() if given is None else (given,))]
        still_held = before[_spoken(before, after) :]
        before = before[: len(before) - len(still_held)]
        self._pass_on_numbers(before, after)
        self._tell_rule("failed" if error else _effect(before, after, was_held=was_held), before, after)
        self._held += still_held[:-1]
        if still_held:
            self._hold(still_held[-1])

    def _pass_on_numbers(self, before: Sequence[Segment], after: Sequence[Segment]) -> None:
        """An unchanged segment keeps its numbers; a new one has the numbers of all changed ones."""
        kept = {id(segment) for segment in before} & {id(segment) for segment in after}
        sources = [number for segment in before if id(segment) not in kept for number in self._numbers.of(segment)]
        for segment in after:
            if id(segment) not in kept:
                self._numbers.inherit(segment, sources)

    def _tell_rule(self, effect: str, before: Sequence[Segment], after: Sequence[Segment]) -> None:
        if not before and not after:
            return
        numbers = [number for segment in before for number in self._numbers.of(segment)]
        about = {
            "rule": self._name,
            "effect": effect,
            "segments": list(dict.fromkeys(numbers)),
            "before": [segment.text for segment in before],
            "after": [segment.text for segment in after],
            "identity": name_of(after[-1].identity) if after else None,
            "label": after[-1].label if after else "",
        }
        self._tell("rule", about)


def _spoken(before: Sequence[Segment], after: Sequence[Segment]) -> int:
    """How many of *before* are in *after*: all, unless the text shows that some are still held."""
    said, words = _squeezed(after), [_squeezed(before[: count + 1]) for count in range(len(before))]
    return words.index(said) + 1 if said and said in words[:-1] and said != words[-1] else len(before)


def _squeezed(segments: Iterable[Segment]) -> str:
    """Their text without whitespace, which a rule may change."""
    return "".join("".join(segment.text.split()) for segment in segments)


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


def name_of(identity: Identity | None) -> str | None:
    """The displayed name; ``None`` is the persona itself."""
    return identity.name if identity else None
