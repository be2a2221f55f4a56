"""What became of the model's text: each character is in one message, or has one fate.

The facts say which text a message stands for; all other text gets a fate as soon as it can be in no message any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush
from operator import attrgetter
from typing import NamedTuple

from ..facts import MessagePlanned, MessageSent, TextChanged
from ..text.origins import Range, RangeSet, union, without
from .heard_text import HeardText

_HIDDEN = ("thought", "details")
_KEPT = frozenset(
    {
        *("overlap", "intake", "empty_code", "code_overflow", "tilde_fence", "lone_fence", "lone_marker", "lone_tag"),
        *("backticks", "left_open", "joint", "spacing", "split", "casual", "composer"),
    }
)
"""Steps besides the rules that drop text, and do not end the reply by it."""


class _Gone(NamedTuple):
    """Text that a stage took out or replaced. What ends first comes first."""

    end: int
    number: int
    """In the order of the facts."""
    start: int
    fate: str


class Places:
    """The places of one reply."""

    def __init__(self) -> None:
        self.heard = HeardText()
        self.fates: list[tuple[list[Range], str]] = []
        """What is in no message and was not told yet; its reader clears the list."""
        self._told = RangeSet()  # in a message that was sent, or with a fate
        self._planned = RangeSet()
        self._posts: dict[int, list[Range]] = {}  # of planned messages that are not sent yet
        self._gone: list[_Gone] = []  # a heap: a message settles only what is before its end
        self._count = 0
        self._last = 0  # where the last planned message ends

    # --- on the way ------------------------------------------------------------------------

    def hidden(self, kind: str, found: Iterable[Range]) -> None:
        """A hidden block is over."""
        self._lose(found, "details" if kind == "details" else "thought")

    def changed(self, fact: TextChanged) -> None:
        """A stage changed or dropped text."""
        if fact.stage == "outbox":
            if fact.effect == "dropped":
                self._lose(fact.ranges, "cut")  # the reply was stopped
            return
        is_dropped = fact.stage == "rules" or fact.by in _KEPT
        fate = "dropped" if is_dropped else fact.by if fact.by in _HIDDEN else "cut"
        for start, end in fact.ranges:
            self._count += 1
            heappush(self._gone, _Gone(end, self._count, start, fate))

    def planned(self, fact: MessagePlanned) -> None:
        """A message is planned."""
        owned = list(fact.covers)
        self._posts[fact.number] = owned
        self._planned.add(owned)
        if owned:
            self._last = max(self._last, owned[-1][1])
        self._settle_gone()

    def _settle_gone(self) -> None:
        """Tell the fate of what was taken out before the end of the last planned message."""
        settled: list[_Gone] = []
        while self._gone and self._gone[0].end <= self._last:
            settled.append(heappop(self._gone))
        for gone in sorted(settled, key=attrgetter("number")):
            self._lose(self._planned.missing([(gone.start, gone.end)]), gone.fate)

    # --- messages --------------------------------------------------------------------------

    def sent(self, fact: MessageSent) -> list[Range]:
        """The text that is in the message of *fact*."""
        found = list(fact.covers)
        for number in fact.posts:
            owned = self._posts.pop(number, [])
            end = found[-1][1] if found else 0
            later = [place for place in without(owned, found) if place[0] >= end]
            if number == fact.posts[-1] and found and self.heard.trimmed(later):
                self._posts[number] = later  # as when there is no picture of a table: it is several messages
                owned = without(owned, later)
            found = union(sorted([*found, *owned]))
        return self._told.add(found)

    def lose_posts(self, numbers: Iterable[int], fate: str) -> None:
        """The planned messages with *numbers* are not sent."""
        for number in numbers:
            self._lose(self._posts.pop(number, ()), fate)

    def lose_rest(self, fate: str) -> None:
        """Nothing more comes of text that is in no planned message."""
        self._last = max(self._last, self.heard.size)
        self._settle_gone()
        self._lose(self._planned.missing([(0, self.heard.size)]), fate)

    def lose_all(self, fate: str) -> None:
        """The reply is over."""
        self.lose_posts([*self._posts], fate)

    def _lose(self, found: Iterable[Range], fate: str) -> None:
        if lost := self.heard.trimmed(self._told.add(found)):
            self.fates.append((lost, fate))
