"""The story of each message of a reply: why it starts and ends where it does, its source text, what was held and changed.

``docs/films.md`` lists the fields of a story. Terminal, JSON and page all use it. Feed the steps of a trace one by one,
live or from a file. A story comes out with the step that a message was sent; a fate comes out as soon as some text is
known to be in no message.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Literal

from .provenance import Provenance
from .step_words import number_of, numbers_of, text_of, texts_of
from .steps import TraceStep

_PAUSE = ("typing", "breath", "thinking", "cut")
_MOMENT = 0.01
"""Seconds from a segment to its post, at most, if nothing holds it."""
_ENDS_WAIT = frozenset({"wait", "sending", "sent", "cut", "withdrawn", "deleted", "unsent", "left_out", "end"})


@dataclass(frozen=True, slots=True)
class MessageStory:
    """A story or a fate that has just become known."""

    kind: Literal["story", "fate"]
    about: Mapping[str, object]
    """For a story ``message`` and ``story``; for a fate ``raw`` and ``fate``."""


@dataclass(slots=True)
class _Hold:
    """The buffer held text."""

    order: int
    """The number of its step."""
    begun: float
    why: str
    mark: str
    over: float | None = None
    pieces: int = 0
    """The number of text chunks when it was over."""


@dataclass(frozen=True, slots=True)
class _Wait:
    """A message waited before it was sent."""

    posts: tuple[int, ...]
    why: str
    begun: float
    over: float


@dataclass(slots=True)
class _Plans:
    """Steps about segments and posts."""

    segments: dict[int, TraceStep] = field(default_factory=dict)
    orders: dict[int, int] = field(default_factory=dict)
    """The number of the step of each segment."""
    rules: dict[int, list[TraceStep]] = field(default_factory=dict)
    posts: dict[int, TraceStep] = field(default_factory=dict)
    merged: dict[int, str] = field(default_factory=dict)
    """Why a post was merged with others."""

    def note(self, step: TraceStep, order: int) -> None:
        """Remember *step*, if it is about segments or posts."""
        about = step.about
        match step.step:
            case "segment":
                number = int(number_of(about, "number"))
                self.segments[number], self.orders[number] = step, order
            case "rule":
                for number in dict.fromkeys(numbers_of(about, "segments")):
                    self.rules.setdefault(number, []).append(step)
            case "post":
                self.posts[int(number_of(about, "number"))] = step
            case "merged":
                self.merged |= dict.fromkeys(numbers_of(about, "posts"), text_of(about, "why"))

    def rules_of(self, segments: Sequence[int]) -> list[TraceStep]:
        """The rule steps of *segments*, without duplicates."""
        rules = {id(rule): rule for number in segments for rule in self.rules.get(number, ())}
        return sorted(rules.values(), key=attrgetter("at"))


class Stories:
    """The stories of one reply, which began at *begins* on the clock of the stories."""

    def __init__(self, begins: float = 0.0) -> None:
        self._begins = begins
        self._order = 0
        self._count = 0
        self._ended = "reply"
        self._origin = Provenance()
        self._plans = _Plans()
        self._pieces = 0  # the number of text chunks so far
        self._holds: list[_Hold] = []
        self._waits: list[_Wait] = []
        self._waiting: tuple[tuple[int, ...], str, float] | None = None
        self._sending: float | None = None

    def feed(self, step: TraceStep) -> list[MessageStory]:
        """Process *step*; return the new stories and fates."""
        self._order += 1
        told: list[MessageStory] = []
        self._note(step)
        if step.step == "sent":
            told.append(self._story(step))
        else:
            self._origin.feed(step)
        fates, self._origin.fates = self._origin.fates, []
        for owned, fate in fates:
            told.append(MessageStory("fate", {"raw": self._origin.ranges(owned), "fate": fate}))
        return told

    def _note(self, step: TraceStep) -> None:
        if step.step in _ENDS_WAIT:
            self._end_wait(step.at - (number_of(step.about, "seconds") if step.step in ("sent", "deleted") else 0.0))
        match step.step:
            case "chunk" if step.about.get("kind") == "text":
                self._pieces += 1
            case "hold":
                self._hold(step)
            case "wait":
                self._waiting = tuple(numbers_of(step.about, "posts")), text_of(step.about, "why"), step.at
            case "sending":
                self._sending = step.at
            case "try" if number_of(step.about, "number") > 1:
                self._ended = "reply"  # another model starts again
            case _:
                self._plans.note(step, self._order)

    def _hold(self, step: TraceStep) -> None:
        if self._holds and self._holds[-1].over is None:
            self._holds[-1].over, self._holds[-1].pieces = step.at, self._pieces
        if why := text_of(step.about, "why"):
            self._holds.append(_Hold(self._order, step.at, why, text_of(step.about, "mark")))

    def _end_wait(self, at: float) -> None:
        if self._waiting is not None:
            posts, why, begun = self._waiting
            self._waiting = None
            if at > begun:
                self._waits.append(_Wait(posts, why, begun, at))

    # --- a message -------------------------------------------------------------------------

    def _story(self, sent: TraceStep) -> MessageStory:
        about = sent.about
        numbers = numbers_of(about, "posts")
        posts = [self._plans.posts[number] for number in numbers if number in self._plans.posts]
        segments = list(dict.fromkeys(segment for post in posts for segment in self._segments_of(post)))
        file = text_of(about, "attachment") or None
        owned = self._origin.sent(numbers, text_of(about, "text"), is_whole=file is not None)
        self._count += 1
        starts, ends = self._ended, text_of(posts[-1].about, "boundary") if posts else ""
        self._ended = ends or self._ended
        story = {
            "number": self._count,
            "text": text_of(about, "text"),
            "name": text_of(about, "identity") or None,
            "file": file,
            "starts": starts,
            "ends": ends,
            "raw": self._origin.ranges(owned),
            "segments": segments,
            "posts": numbers,
            "holds": [*self._holds_of(owned, segments), *self._kept_of(posts)],
            "rules": [self._rule(rule) for rule in self._plans.rules_of(segments)],
            "pause": _pause(posts[0].about) if posts else _pause({}),
            "waits": self._waits_of(numbers),
            "times": self._times(sent, posts, owned),
            "merged": self._merged(numbers),
        }
        self._sending = None
        return MessageStory("story", {"message": text_of(about, "message"), "story": story})

    def _segments_of(self, post: TraceStep) -> Sequence[int]:
        return self._origin.segments.get(int(number_of(post.about, "number"))) or numbers_of(post.about, "segments")

    def _holds_of(self, owned: Sequence[int], segments: Sequence[int]) -> list[Mapping[str, object]]:
        """The holds of *owned* in the buffer, from its first character until the last of *segments* left."""
        left = [number for number in segments if number in self._plans.segments]
        if not owned or not left:
            return []
        last = max(left, key=self._plans.orders.__getitem__)
        left_at, order = self._plans.segments[last].at, self._plans.orders[last]
        came_at, piece = self._origin.heard.heard_at(min(owned))
        holds: list[Mapping[str, object]] = []
        for place in range(bisect_left(self._holds, order, key=attrgetter("order")) - 1, -1, -1):
            hold = self._holds[place]
            begun, over = max(came_at, hold.begun), left_at if hold.over is None else min(left_at, hold.over)
            if hold.over is not None and hold.pieces <= piece + 1:
                break  # it and all earlier ones were over when the text began
            if over > begun:
                holds.append({"from": self._at(begun), "to": self._at(over), "why": hold.why, "mark": hold.mark})
        return holds[::-1]

    def _kept_of(self, posts: Sequence[TraceStep]) -> list[Mapping[str, object]]:
        """The holds of *posts* after the buffer; several posts may share one."""
        kept: list[Mapping[str, object]] = []
        for post in posts:
            kept += [hold for hold in self._kept_before(post) if hold not in kept[-2:]]
        return kept

    def _kept_before(self, post: TraceStep) -> Iterator[Mapping[str, object]]:
        """The holds of *post* before it was planned: by a rule, or to gather more text."""
        segments = self._segments_of(post)
        left = [*filter(None, map(self._plans.segments.get, segments))]
        gathered = min((step.at for step in left), default=post.at)
        held_since: dict[str, float] = {}
        for rule in self._plans.rules_of(segments):
            name = text_of(rule.about, "rule")
            if rule.about.get("effect") == "held":
                held_since.setdefault(name, rule.at)
            elif name in held_since:
                yield from self._kept(held_since.pop(name), rule.at, "rule", name)
                gathered = max(gathered, rule.at)
        for name, since in held_since.items():
            yield from self._kept(since, post.at, "rule", name)
        if not held_since:
            yield from self._kept(gathered, post.at, "gathered", "")

    def _kept(self, begun: float, over: float, why: str, mark: str) -> Iterator[Mapping[str, object]]:
        if over - begun > _MOMENT:
            yield {"from": self._at(begun), "to": self._at(over), "why": why, "mark": mark}

    def _rule(self, rule: TraceStep) -> Mapping[str, object]:
        about = rule.about
        return {
            "at": self._at(rule.at),
            "rule": text_of(about, "rule"),
            "effect": text_of(about, "effect"),
            "before": texts_of(about, "before"),
            "after": texts_of(about, "after"),
            "identity": text_of(about, "identity") or None,
        }

    def _waits_of(self, numbers: Sequence[int]) -> list[Mapping[str, object]]:
        own = [wait for wait in self._waits if not set(wait.posts).isdisjoint(numbers)]
        self._waits = [wait for wait in self._waits if wait not in own]
        return [{"from": self._at(wait.begun), "to": self._at(wait.over), "why": wait.why} for wait in own]

    def _times(self, sent: TraceStep, posts: Sequence[TraceStep], owned: Sequence[int]) -> Mapping[str, float]:
        sending = sent.at - number_of(sent.about, "seconds") if self._sending is None else self._sending
        planned = posts[-1].at if posts else sending
        heard = self._origin.heard.heard_at(max(owned))[0] if owned else planned
        times = {"heard": heard, "planned": planned, "sending": sending, "sent": sent.at}
        return {name: self._at(at) for name, at in times.items()}

    def _merged(self, numbers: Sequence[int]) -> Mapping[str, object] | None:
        if len(numbers) < 2:
            return None
        why = next((self._plans.merged[number] for number in numbers if number in self._plans.merged), "stop")
        return {"count": len(numbers), "why": why}

    def _at(self, at: float) -> float:
        return round(self._begins + at, 6)


def _pause(about: Mapping[str, object]) -> Mapping[str, float]:
    """The planned pause before a message, and its parts."""
    return {"planned": number_of(about, "pause"), **{part: number_of(about, part) for part in _PAUSE}}
