"""Why a message is as it is: the trace of a reply, kept for a while by the ids of its messages."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from ...concurrency.tasks import must_rise
from ...explain.step_words import numbers_of, text_of
from ...explain.steps import Hook, TraceStep, line_of
from ...explain.words import explain_each
from ...types import Reply
from ..config.config import StoreConfig
from ..store.store import Record, Shelf, Store
from .bounded_dict import make_room

logger = logging.getLogger(__name__)

MOST_STEPS = 2000
MOST_CHARACTERS = 400_000
"""What is collected of one turn; of what comes then only how it ended."""
MOST_TURNS = 256
"""Turns that are being collected; more than run at a time, so that whoever forgets to end one costs little."""
MOST_REMEMBERED = 200
"""Messages that are known without the store: those of direct messages, and all if nothing is to be written down."""

_LONGEST_STORY = 20_000
_LONGEST_SOURCE = 30_000
_STORE_TAKES = 10.0
_DAY = 86_400.0
_ALWAYS = frozenset({"sent", "stop", "cut", "end"})
_NEVER = frozenset({"aside", "sending"})
"""What was thought is for the thought log, if there is one; anybody may ask why a message is as it is.

When a message was on its way is known from when it arrived.
"""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is known of one message."""

    lines: tuple[str, ...]
    """Its story, as ``cadenza explain`` tells it."""
    source: str = ""
    """The Markdown of a table that it shows as a picture."""
    turn: str = ""
    author: str = ""
    """The id of whoever was answered."""


class Explanations:
    """One for a bot."""

    def __init__(
        self, store: Store, config: Callable[[], StoreConfig], *, clock: Callable[[], float] = time.time
    ) -> None:
        self._store = store
        self._config = config
        self._clock = clock
        self._turns: dict[str, _Collection] = {}  # the oldest first, here and below
        self._remembered: dict[str, Explanation] = {}

    def listen(self, turn: str) -> Hook:
        """What to give to ``reply`` as its trace, for the turn with this id."""
        make_room(self._turns, MOST_TURNS)
        collection = self._turns[turn] = _Collection()
        return collection.hear

    async def keep(self, turn: str, reply: Reply, *, server: str, author: str) -> None:
        """The turn is over: its messages can be asked about. Of direct messages nothing is written down. Never raises."""
        try:
            found = dict(self._explained(turn, reply, author))
            days = self._config().explanations_days
            if server and days > 0 and await self._is_written(found, server, self._clock() + days * _DAY):
                return
            for message, explanation in found.items():
                make_room(self._remembered, MOST_REMEMBERED)
                self._remembered[message] = explanation
        except BaseException as error:
            if must_rise(error):
                raise
            logger.warning("why messages are as they are could not be kept (%s)", type(error).__name__)

    def drop(self, turn: str) -> None:
        """The turn came to nothing."""
        self._turns.pop(turn, None)

    async def about(self, message: str) -> Explanation | None:
        """What is known of the message with this id; of one whose turn still runs, what is known so far."""
        if known := self._remembered.get(message) or self._running(message):
            return known
        record = await self._store.get(Shelf.EXPLANATIONS, message)
        return None if record is None else _of_value(record.value)

    def forget(self, author: str) -> int:
        """Forget what is known, but not written down, of answers to *author*; say how many. The store forgets the rest."""
        gone = [message for message, known in self._remembered.items() if known.author == author]
        for message in gone:
            del self._remembered[message]
        return len(gone)

    def _running(self, message: str) -> Explanation | None:
        for turn, collection in self._turns.items():
            if message in collection.messages:
                lines = _bounded(explain_each(collection.steps()).get(message, []))
                return Explanation(lines, collection.table_of(message)[:_LONGEST_SOURCE], turn)
        return None

    def _explained(self, turn: str, reply: Reply, author: str) -> Iterator[tuple[str, Explanation]]:
        collection = self._turns.pop(turn, None)
        stories = {} if collection is None else explain_each(collection.steps())
        for receipt in reply.receipts:
            lines = _bounded(stories.get(receipt.message_id, []))
            source = (receipt.post.source or "")[:_LONGEST_SOURCE] if receipt.post.shows_table else ""
            if lines or source:
                yield receipt.message_id, Explanation(lines, source, turn, author)

    async def _is_written(self, found: Mapping[str, Explanation], server: str, expires: float) -> bool:
        """Whether *found* is in the store now; if not, it is remembered for as long as the bot runs."""
        records = [
            Record(Shelf.EXPLANATIONS, message, _as_value(known), owner=known.author, server=server, expires=expires)
            for message, known in found.items()
        ]
        try:
            async with asyncio.timeout(_STORE_TAKES):
                await self._store.put(*records)
        except BaseException as error:
            if must_rise(error):
                raise
            logger.warning("why messages are as they are could not be written down (%s)", type(error).__name__)
            return False
        return True


@dataclass(slots=True)
class _Collection:
    """The steps of one turn. Words of the model that follow each other are summed up: there is a step a token."""

    messages: dict[str, TraceStep] = field(default_factory=dict)
    """What was sent, by its id."""
    _steps: list[TraceStep] = field(default_factory=list)
    _size: int = 0
    _run: list[str] = field(default_factory=list)
    _last: TraceStep | None = None
    """The newest of those that are summed up."""
    _held: tuple[object, object] = ("", "")
    """What keeps text back."""
    _is_awaited: bool = True
    """Whether the model has not begun yet: when it did is told, so its first word stands alone."""

    def hear(self, step: TraceStep) -> None:
        """Take *step* in."""
        if step.step == "chunk":
            self._hear_chunk(step)
            return
        kept = self._hold(step) if step.step == "hold" else _discreet(step)
        if kept is None:
            return
        self._sum_up()
        self._is_awaited = self._is_awaited or step.step == "request"
        if step.step not in _NEVER:
            self._add(kept)

    def steps(self) -> list[TraceStep]:
        """All that is told of the turn."""
        self._sum_up()
        return self._steps

    def table_of(self, message: str) -> str:
        """The Markdown of the table that *message* shows as a picture; nothing if it is none."""
        sent = self.messages[message].about
        if not text_of(sent, "attachment").endswith(".png"):
            return ""
        posts, segments = set(numbers_of(sent, "posts")), set[int]()
        for step in self._steps:
            if step.step == "post" and step.about.get("number") in posts:
                segments |= set(numbers_of(step.about, "segments"))
        tables = (step.about for step in self._steps if step.step == "segment" and step.about.get("kind") == "table")
        return "".join(text_of(about, "text") for about in tables if about.get("number") in segments).strip()

    def _hear_chunk(self, step: TraceStep) -> None:
        kind = step.about.get("kind")
        if kind not in ("text", "thought"):
            return  # nothing is told of those
        if self._last is not None and self._last.about.get("kind") != kind:
            self._sum_up()
        self._last = step
        if kind == "text":
            self._run.append(str(step.about.get("text", "")))
        if self._is_awaited:
            self._is_awaited = False
            self._sum_up()

    def _hold(self, step: TraceStep) -> TraceStep | None:
        """*step*, if it is worth a place: every line waits a moment for what follows."""
        why, mark = step.about.get("why"), step.about.get("mark")
        held = ("", "") if why == "undecided" else (why, mark)
        if held == self._held:
            return None
        self._held = held
        return replace(step, about={"why": held[0], "mark": held[1]})

    def _sum_up(self) -> None:
        last, self._last = self._last, None
        if last is not None:
            self._add(replace(last, about={"kind": last.about.get("kind"), "text": "".join(self._run)}))
        self._run.clear()

    def _add(self, step: TraceStep) -> None:
        is_full = len(self._steps) >= MOST_STEPS or self._size >= MOST_CHARACTERS
        is_overfull = len(self._steps) >= 2 * MOST_STEPS or self._size >= 2 * MOST_CHARACTERS
        if is_overfull or (is_full and step.step not in _ALWAYS):
            return
        self._steps.append(step)
        if step.step == "sent":
            self.messages[text_of(step.about, "message")] = step
        self._size += len(line_of(step))


def _discreet(step: TraceStep) -> TraceStep:
    """*step* without what a tool was told: that may be about anybody."""
    return replace(step, about={**step.about, "arguments": "…"}) if step.step == "tool" else step


def _bounded(lines: list[str]) -> tuple[str, ...]:
    """As many of *lines* as may be kept."""
    kept: list[str] = []
    room = _LONGEST_STORY
    for line in lines:
        if len(line) > room:
            return (*kept, "…")
        room -= len(line)
        kept.append(line)
    return tuple(kept)


def _as_value(known: Explanation) -> Mapping[str, object]:
    return {"lines": list(known.lines), "source": known.source, "turn": known.turn, "author": known.author}


def _of_value(value: Mapping[str, object]) -> Explanation:
    """What was kept, perhaps by another version: what is missing is left out."""
    lines = value.get("lines")
    texts = {name: text for name in ("source", "turn", "author") if isinstance(text := value.get(name), str)}
    return Explanation(tuple(map(str, lines)) if isinstance(lines, list | tuple) else (), **texts)
