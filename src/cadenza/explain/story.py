"""The story of each message of a reply: why it starts and ends where it does, its source text, what was held and changed.

``docs/films.md`` lists the fields of a story. Terminal, JSON and page all use it. Feed the facts of a reply one by one,
live or from a file. A story comes out with the fact that a message was sent; a fate comes out as soon as some text is
known to be in no message.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Literal

from ..facts import (
    AttemptBegan,
    ChunkHeard,
    Edge,
    Fact,
    LoggedFact,
    MessageDeleted,
    MessageEnd,
    MessageLeftOut,
    MessagePlanned,
    MessageRefused,
    MessageSent,
    MessagesMerged,
    MessageWaits,
    QueueCut,
    QueueRestored,
    QueueWithdrawn,
    ReplyEnded,
    ReplyHalted,
    RequestSent,
    RoundEnded,
    SendingBegan,
    SendRefused,
    TextChanged,
    TextCut,
    TextHeld,
    TextHidden,
    values_of,
)
from ..text.origins import Range, without
from ..text.units import WHITESPACE
from .places import Places
from .telling import told_story

_MOMENT = 0.01
"""Seconds from a segment to its post, at most, if nothing holds it."""
_ENDS_WAIT = (
    MessageWaits,
    SendingBegan,
    MessageSent,
    QueueCut,
    QueueWithdrawn,
    MessageDeleted,
    MessageRefused,
    MessageLeftOut,
    ReplyEnded,
)
_UNTOLD = ("joint", "spacing", "line_end")
"""Changes of white space, which every message has."""
_PAINTERS = ("tables", "formulas")
"""Rules that make text for chats without pictures; where there is a picture, the text is not shown."""
_OF_SPACES = ("backticks", "lone_marker")
"""Steps that put in white space, which changes how the text is shown."""
_FENCE = re.compile(r"^[ >]*(?:```|~~~).*$", re.MULTILINE)
_NOTICE = Edge(MessageEnd.NOTICE.value)
_UNKNOWN = Edge("")
"""Of a message whose plan is not among the facts."""


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
    """The number of its fact."""
    begun: float
    why: str
    mark: str
    over: float | None = None
    pieces: int = 0
    """The number of text chunks when it was over."""


@dataclass(frozen=True, slots=True)
class _Wait:
    """A message waited before it was sent."""

    fact: MessageWaits
    begun: float
    over: float


@dataclass(frozen=True, slots=True)
class _Change:
    """Something that changed the text of messages."""

    at: float
    fact: TextChanged


@dataclass(frozen=True, slots=True)
class _Planned:
    """A planned message."""

    at: float
    fact: MessagePlanned
    segments: Sequence[int]
    """The numbers of its segments; a later part of a table in columns has those of the part before it."""


@dataclass(slots=True)
class _Plans:
    """What is known of segments and planned messages."""

    cuts: dict[int, tuple[float, int]] = field(default_factory=dict)
    """When each segment left the buffer, and the number of that fact."""
    changes: dict[int, list[_Change]] = field(default_factory=dict)
    """By segment."""
    posts: dict[int, _Planned] = field(default_factory=dict)
    merged: dict[int, str] = field(default_factory=dict)
    """Why a post was merged with others."""

    def note(self, fact: Fact, at: float, order: int) -> None:
        """Remember *fact*, if it is about segments or posts."""
        match fact:
            case TextCut():
                self.cuts[fact.number] = at, order
            case TextChanged():
                change = _Change(at, fact)
                for number in dict.fromkeys(fact.segments):
                    self.changes.setdefault(number, []).append(change)
            case MessagePlanned():
                before = self.posts[fact.number - 1].segments if fact.number - 1 in self.posts else ()
                self.posts[fact.number] = _Planned(at, fact, fact.segments or before[-1:])
            case MessagesMerged():
                self.merged |= dict.fromkeys(fact.posts, fact.why)

    def of(self, segments: Sequence[int]) -> list[_Change]:
        """The changes of *segments*, without duplicates, in order."""
        changes = {id(change): change for number in segments for change in self.changes.get(number, ())}
        return sorted(changes.values(), key=attrgetter("at"))


class Stories:
    """The stories of one reply, which began at *begins* on the clock of the stories."""

    def __init__(self, begins: float = 0.0) -> None:
        self._begins = begins
        self._order = 0
        self._count = 0
        self._places = Places()
        self._plans = _Plans()
        self._holds: list[_Hold] = []
        self._waits: list[_Wait] = []
        self._waiting: tuple[MessageWaits, float] | None = None
        self._sending: float | None = None
        self._refusals: list[SendRefused] = []  # of the message that is being sent
        self._since = 0.0  # since when the model has been saying what is in no story yet
        self._cut: dict[int, Edge] = {}  # why the reply ends behind a post, if it was cut there
        self._withdrawn: set[int] = set()
        self._parts: dict[int, int] = {}  # how many messages were sent of a post for which there was no picture
        self._left: set[int] = set()  # the ids of changes that a story has told
        self._is_halted = False

    def feed(self, logged: LoggedFact) -> list[MessageStory]:
        """Process *logged*; return the new stories and fates."""
        fact, at = logged.fact, logged.at
        self._order += 1
        if isinstance(fact, ChunkHeard):  # most facts
            if fact.kind == "text":
                self._places.heard.add(fact.text, at)
            return []
        self._time(fact, at)
        self._plans.note(fact, at, self._order)
        told: list[MessageStory] = []
        if isinstance(fact, MessageSent):
            told.append(self._story(fact, at))
        else:
            self._place(fact)
        fates, self._places.fates = self._places.fates, []
        for found, fate in fates:
            told.append(MessageStory("fate", {"raw": self._places.heard.in_units(found), "fate": fate}))
        return told

    def _time(self, fact: Fact, at: float) -> None:
        """Note when something is held, waits or is sent."""
        if isinstance(fact, _ENDS_WAIT):
            self._end_wait(at - (fact.seconds if isinstance(fact, MessageSent | MessageDeleted) else 0.0))
        match fact:
            case TextHeld():
                self._hold(fact, at)
            case MessageWaits():
                self._waiting = fact, at
            case SendingBegan():
                self._sending, self._refusals = at, []
            case SendRefused():
                self._refusals.append(fact)
            case RequestSent():
                self._since = at

    def _hold(self, fact: TextHeld, at: float) -> None:
        if self._holds and self._holds[-1].over is None:
            self._holds[-1].over, self._holds[-1].pieces = at, self._places.heard.pieces
        if fact.why:
            self._holds.append(_Hold(self._order, at, fact.why, fact.mark))

    def _end_wait(self, at: float) -> None:
        if self._waiting is not None:
            fact, begun = self._waiting
            self._waiting = None
            if at > begun:
                self._waits.append(_Wait(fact, begun, at))

    def _place(self, fact: Fact) -> None:
        """Note where text is, and what becomes of it."""
        places = self._places
        match fact:
            case TextHidden():
                places.hidden(fact.kind, fact.ranges)
            case TextChanged():
                places.changed(fact)
            case MessagePlanned():
                places.planned(fact)
            case _:
                self._place_posts(fact)

    def _place_posts(self, fact: Fact) -> None:
        """Note what becomes of planned messages, and of the rest of the text."""
        places = self._places
        match fact:
            case AttemptBegan():
                self._is_halted = False
            case ReplyHalted():
                self._is_halted = True
            case MessageLeftOut():
                places.lose_posts(fact.posts, "cut" if fact.why == "closed" else "dropped")
            case QueueCut():
                places.lose_posts(fact.dropped, "cut")
                self._cut |= dict.fromkeys(fact.posts[-1:], fact.ends) if fact.ends else {}
            case MessageRefused():
                places.lose_posts(fact.posts, "cut")
            case QueueWithdrawn():
                self._withdrawn.update(fact.posts)
            case QueueRestored():
                self._withdrawn.difference_update(fact.posts)
            case RoundEnded():
                is_whole = fact.outcome.get("kind") in ("completed", "empty") and not self._is_halted
                places.lose_rest("dropped" if is_whole else "cut")
            case ReplyEnded():
                places.lose_rest("cut")
                places.lose_posts(sorted(self._withdrawn), "dropped")
                places.lose_all("cut")

    # --- a message -------------------------------------------------------------------------

    def _story(self, sent: MessageSent, at: float) -> MessageStory:
        posts = [self._plans.posts[number] for number in sent.posts if number in self._plans.posts]
        posts = [self._as_text(post) if sent.attachment is None else post for post in posts]
        segments = list(dict.fromkeys(segment for post in posts for segment in post.segments))
        owned = self._places.sent(sent)
        unplanned = _UNKNOWN if sent.posts else _NOTICE
        self._count += 1
        story: dict[str, object] = {
            "number": self._count,
            "text": sent.text,
            "name": sent.identity,
            "file": sent.attachment,
            "starts": values_of(posts[0].fact.starts if posts else unplanned),
            "ends": values_of(self._cut.get(posts[-1].fact.number, posts[-1].fact.ends) if posts else unplanned),
            "raw": self._places.heard.in_units(owned),
            "segments": segments,
            "posts": list(sent.posts),
            "holds": [*self._holds_of(owned, segments), *self._kept_of(posts)],
            "rules": [*self._rules_of(sent, segments, at, has_picture=_has_picture(sent, posts))],
            "pause": _pause(posts),
            "waits": self._waits_of(sent.posts),
            "refusals": [{"reason": one.reason, "code": one.code, "remedy": one.remedy} for one in self._refusals],
            "times": self._times(sent, at, posts, owned),
            "merged": self._merged(sent.posts),
        }
        story["told"] = told_story(story)
        self._sending, self._refusals = None, []
        return MessageStory("story", {"message": sent.message, "story": story})

    def _as_text(self, post: _Planned) -> _Planned:
        """*post* with the edges of its next message, if it is sent as text and not as a picture."""
        number, fact = post.fact.number, post.fact
        if not fact.instead:
            return post
        part = self._parts[number] = self._parts.get(number, -1) + 1
        ends = fact.instead[min(part, len(fact.instead) - 1)]
        starts = fact.instead[min(part, len(fact.instead)) - 1] if part else fact.starts
        return replace(post, fact=replace(fact, starts=starts, ends=ends))

    def _holds_of(self, owned: Sequence[Range], segments: Sequence[int]) -> list[Mapping[str, object]]:
        """The holds of *owned* in the buffer, from its first character until the last of *segments* left."""
        left = [self._plans.cuts[number] for number in segments if number in self._plans.cuts]
        if not owned or not left:
            return []
        left_at, order = max(left, key=lambda cut: cut[1])
        came_at, piece = self._places.heard.heard_at(owned[0][0])
        holds: list[Mapping[str, object]] = []
        for place in range(bisect_left(self._holds, order, key=attrgetter("order")) - 1, -1, -1):
            hold = self._holds[place]
            begun, over = max(came_at, hold.begun), left_at if hold.over is None else min(left_at, hold.over)
            if hold.over is not None and hold.pieces <= piece + 1:
                break  # it and all earlier ones were over when the text began
            if over > begun:
                holds.append({"from": self._at(begun), "to": self._at(over), "why": hold.why, "mark": hold.mark})
        return holds[::-1]

    def _kept_of(self, posts: Sequence[_Planned]) -> list[Mapping[str, object]]:
        """The holds of *posts* after the buffer; several posts may share one."""
        kept: list[Mapping[str, object]] = []
        for post in posts:
            kept += [hold for hold in self._kept_before(post) if hold not in kept[-2:]]
        return kept

    def _kept_before(self, post: _Planned) -> Iterator[Mapping[str, object]]:
        """The holds of *post* before it was planned: by a rule, or to gather more text."""
        segments = post.segments
        gathered = min((self._plans.cuts[one][0] for one in segments if one in self._plans.cuts), default=post.at)
        held_since: dict[str, float] = {}
        for change in self._plans.of(segments):
            name = change.fact.by
            if change.fact.effect == "held":
                held_since.setdefault(name, change.at)
            elif name in held_since:
                yield from self._kept(held_since.pop(name), change.at, "rule", name)
                gathered = max(gathered, change.at)
        for name, since in held_since.items():
            yield from self._kept(since, post.at, "rule", name)
        if not held_since:
            yield from self._kept(gathered, post.at, "gathered", "")

    def _kept(self, begun: float, over: float, why: str, mark: str) -> Iterator[Mapping[str, object]]:
        if over - begun > _MOMENT:
            yield {"from": self._at(begun), "to": self._at(over), "why": why, "mark": mark}

    # --- what changed it -------------------------------------------------------------------

    def _rules_of(
        self, sent: MessageSent, segments: Sequence[int], at: float, *, has_picture: bool
    ) -> Iterator[Mapping[str, object]]:
        """What changed the text: the rules, then the steps of other stages, each of them once."""
        changes = self._plans.of(segments)
        added = _put_in(sent)
        for change in changes:
            if change.fact.stage == "rules" or (change.fact.stage == "outbox" and change.fact.effect == "changed"):
                added.pop(change.fact.by, None)
                if change.fact.by == "unpainted":
                    if id(change) in self._left:
                        continue
                    self._left.add(id(change))
                about = self._change(change.at, change.fact)
                is_picture = has_picture and change.fact.by in _PAINTERS and not _is_shown(change.fact, sent)
                yield {**about, "effect": "pictured", "after": []} if is_picture else about
        dropped: dict[str, list[TextChanged]] = {}
        for change in changes:
            is_new = change.fact.stage != "rules" and id(change) not in self._left
            is_gone = change.fact.effect == "dropped" or (
                change.fact.effect == "changed" and change.fact.by == "intake"
            )
            if is_new and is_gone and _is_within(change.fact, sent) and not _is_white(change.fact):
                dropped.setdefault(change.fact.by, []).append(change.fact)
                self._left.add(id(change))
        if "fence" in added or "marks" in added or "repeated" in added:
            dropped.pop("split", None)  # what was taken off at a cut is put on again
        for name in _UNTOLD:
            dropped.pop(name, None)
        if lowered := [one.fact for one in changes if one.fact.stage == "composer" and _is_lowered_in(one.fact, sent)]:
            yield self._step("casual", lowered, [text for fact in lowered for text in fact.after], at)
            added.pop("casual", None)
        for name in [*dropped, *(name for name in added if name not in dropped)]:
            yield self._step(name, dropped.get(name, ()), added.get(name, ()), at)

    def _change(self, at: float, fact: TextChanged) -> Mapping[str, object]:
        return {
            "at": self._at(at),
            "rule": fact.by,
            "stage": fact.stage,
            "effect": fact.effect,
            "before": list(fact.before),
            "after": list(fact.after),
            "ranges": self._places.heard.in_units(fact.ranges),
            "identity": fact.identity,
            "label": fact.label,
            "setting": fact.setting,
            "value": fact.value,
            "sprite": fact.sprite,
        }

    def _step(self, name: str, facts: Sequence[TextChanged], added: Sequence[str], at: float) -> Mapping[str, object]:
        """What a step that is no rule took out of a message and put into it."""
        found = [place for fact in facts for place in fact.ranges]
        before = [text for fact in facts for text in fact.before] or self._places.heard.texts(found)
        after = [*added]
        effect = "changed" if before and after else "dropped" if before else "added"
        first = facts[0] if facts else TextChanged(name, "composer", effect, (), (), (), ())
        whole = replace(
            first, effect=effect, before=tuple(before), after=tuple(after), ranges=tuple(found), identity=None
        )
        return self._change(at, whole)

    # --- when --------------------------------------------------------------------------------

    def _waits_of(self, numbers: Sequence[int]) -> list[Mapping[str, object]]:
        own = [wait for wait in self._waits if not set(wait.fact.posts).isdisjoint(numbers)]
        self._waits = [wait for wait in self._waits if wait not in own]
        return [
            {
                "from": self._at(wait.begun),
                "to": self._at(wait.over),
                "why": wait.fact.why,
                "shortened": wait.fact.shortened,
                "tail": wait.fact.tail,
            }
            for wait in own
        ]

    def _times(
        self, sent: MessageSent, at: float, posts: Sequence[_Planned], owned: Sequence[Range]
    ) -> Mapping[str, float]:
        sending = at - sent.seconds if self._sending is None else self._sending
        planned = posts[-1].at if posts else sending
        is_heard = owned and owned[-1][1] <= self._places.heard.size
        heard = self._places.heard.heard_at(owned[-1][1] - 1)[0] if is_heard else planned
        since, self._since = min(self._since, heard), max(self._since, heard if posts else 0.0)
        times = {"since": since, "heard": heard, "planned": planned, "sending": sending, "sent": at}
        return {name: self._at(at) for name, at in times.items()}

    def _merged(self, numbers: Sequence[int]) -> Mapping[str, object] | None:
        if len(numbers) < 2:
            return None
        why = next((self._plans.merged[number] for number in numbers if number in self._plans.merged), "stop")
        return {"count": len(numbers), "why": why}

    def _at(self, at: float) -> float:
        return round(self._begins + at, 6)


def _pause(posts: Sequence[_Planned]) -> Mapping[str, float]:
    """The planned pause before a message, and its parts."""
    if not posts:
        return dict.fromkeys(("planned", "typing", "breath", "thinking", "cut"), 0.0)
    plan = posts[0].fact
    return {
        "planned": plan.pause,
        "typing": plan.typing,
        "breath": plan.breath,
        "thinking": plan.thinking,
        "cut": plan.cut,
    }


def _has_picture(sent: MessageSent, posts: Sequence[_Planned]) -> bool:
    """Whether *sent* shows a picture of a table or formula."""
    return sent.attachment is not None and any(post.fact.picture for post in posts)


def _is_shown(change: TextChanged, sent: MessageSent) -> bool:
    """Whether the text that a rule made is in the message."""
    return "".join(change.after).strip(WHITESPACE) in sent.text


def _put_in(sent: MessageSent) -> dict[str, list[str]]:
    """What was put into a message, by reason; without white space."""
    found: dict[str, list[str]] = {}
    place = 0
    for size, start, why in sent.origin:
        text = sent.text[place : place + size]
        text = text if why in _OF_SPACES else text.strip(WHITESPACE)
        if start < 0 and text and why and why not in _UNTOLD:
            found.setdefault(why, []).extend(_FENCE.findall(text) if why == "fence" else [text])
        place += size
    return found


def _is_within(fact: TextChanged, sent: MessageSent) -> bool:
    """Whether *fact* is about text between the first and the last character of a message, or beside them."""
    if not fact.ranges or not sent.covers:
        return bool(fact.segments)
    return fact.ranges[0][1] >= sent.covers[0][0] and fact.ranges[0][0] <= sent.covers[-1][1]


def _is_white(fact: TextChanged) -> bool:
    """Whether *fact* is about white space, which every message has."""
    return fact.by in (*_UNTOLD, "intake") and not "".join(fact.before).strip(WHITESPACE)


def _is_lowered_in(fact: TextChanged, sent: MessageSent) -> bool:
    """Whether *fact* is about words that the message shows in small letters."""
    return fact.effect == "changed" and without(fact.ranges, sent.covers) != [*fact.ranges]
