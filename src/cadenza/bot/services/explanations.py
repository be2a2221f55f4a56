"""Explanations of messages: the trace of a reply, kept for some days under the ids of its messages."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from ...concurrency.tasks import must_rise
from ...explain.step_words import numbers_of, text_of
from ...explain.steps import Hook, TraceStep, line_of
from ...explain.tracebacks import get_logger
from ...explain.words import explain_each
from ...types import Reply
from ..config.config import StoreConfig
from ..store.store import Namespace, Record, Store
from .bounded_dict import make_room

logger = get_logger(__name__)

MOST_STEPS = 2000
MOST_CHARACTERS = 400_000
"""The most that is collected of one turn; beyond that only sent messages, stops, cuts and the end."""
MOST_TURNS = 256
"""Turns that are collected at once; more than run at a time, in case one is never ended."""
MOST_REMEMBERED = 200
"""Messages kept in memory only: those of direct messages, and all if the store keeps none."""

_LONGEST_STORY = 20_000
_LONGEST_SOURCE = 30_000
_STORE_TAKES = 10.0
_DAY = 86_400.0
_ALWAYS = frozenset({"sent", "stop", "cut", "end"})
_NEVER = frozenset({"aside", "sending"})
"""Thoughts belong to the thought log: everybody in a channel may read an explanation.

``sending`` adds nothing to ``sent``.
"""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of one message."""

    lines: tuple[str, ...]
    """Its story, as ``cadenza explain`` prints it."""
    source: str = ""
    """The Markdown of the table or formula, if the message shows one as a picture."""
    turn: str = ""
    author: str = ""
    """The id of the person who was answered."""


class Explanations:
    """The explanations of one bot."""

    def __init__(
        self, store: Store, config: Callable[[], StoreConfig], *, clock: Callable[[], float] = time.time
    ) -> None:
        self._store = store
        self._config = config
        self._clock = clock
        self._turns: dict[str, _Collection] = {}  # the oldest first, here and below
        self._remembered: dict[str, Explanation] = {}

    def listen(self, turn: str) -> Hook:
        """The trace hook for ``reply``, for the turn with this id."""
        make_room(self._turns, MOST_TURNS)
        collection = self._turns[turn] = _Collection()
        return collection.hear

    async def keep(self, turn: str, reply: Reply, *, server: str, author: str) -> None:
        """Keep the explanations of a turn that ended; those of direct messages stay in memory. Never raises."""
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
            logger.warning("explanations of messages could not be kept", exc_info=error)

    def drop(self, turn: str) -> None:
        """Discard a turn that produced no reply."""
        self._turns.pop(turn, None)

    async def about(self, message: str) -> Explanation | None:
        """The explanation of the message with this id; while its turn runs, the part so far."""
        if known := self._remembered.get(message) or self._running(message):
            return known
        record = await self._store.get(Namespace.EXPLANATIONS, message)
        return None if record is None else _of_value(record.value)

    def forget(self, author: str) -> int:
        """Forget explanations of answers to *author* that are only in memory; return how many."""
        gone = [message for message, known in self._remembered.items() if known.author == author]
        for message in gone:
            del self._remembered[message]
        return len(gone)

    def _running(self, message: str) -> Explanation | None:
        for turn, collection in self._turns.items():
            if message in collection.messages:
                lines = _bounded(explain_each(collection.steps()).get(message, []))
                return Explanation(lines, collection.picture_of(message)[:_LONGEST_SOURCE], turn)
        return None

    def _explained(self, turn: str, reply: Reply, author: str) -> Iterator[tuple[str, Explanation]]:
        collection = self._turns.pop(turn, None)
        stories = {} if collection is None else explain_each(collection.steps())
        for receipt in reply.receipts:
            lines = _bounded(stories.get(receipt.message_id, []))
            source = receipt.post.picture[:_LONGEST_SOURCE] if receipt.post.shows_source else ""
            if lines or source:
                yield receipt.message_id, Explanation(lines, source, turn, author)

    async def _is_written(self, found: Mapping[str, Explanation], server: str, expires: float) -> bool:
        """Write *found* to the store; return whether that worked."""
        records = [
            Record(
                Namespace.EXPLANATIONS, message, _as_value(known), owner=known.author, server=server, expires=expires
            )
            for message, known in found.items()
        ]
        try:
            async with asyncio.timeout(_STORE_TAKES):
                await self._store.put(*records)
        except BaseException as error:
            if must_rise(error):
                raise
            logger.warning("explanations of messages could not be stored", exc_info=error)
            return False
        return True


@dataclass(slots=True)
class _Collection:
    """The steps of one turn. Consecutive chunks are merged: there is a step for every token."""

    messages: dict[str, TraceStep] = field(default_factory=dict)
    """The ``sent`` step of each message, by message id."""
    _steps: list[TraceStep] = field(default_factory=list)
    _size: int = 0
    _run: list[str] = field(default_factory=list)
    _last: TraceStep | None = None
    """The newest chunk of the run."""
    _held: tuple[object, object] = ("", "")
    """Why text is held back."""
    _is_awaited: bool = True
    """Whether the model has not begun yet: its first chunk stays alone, so that its time is kept."""

    def hear(self, step: TraceStep) -> None:
        """Take *step* in."""
        if step.step == "chunk":
            self._hear_chunk(step)
            return
        kept = self._hold(step) if step.step == "hold" else _without_arguments(step)
        if kept is None:
            return
        self._end_run()
        self._is_awaited = self._is_awaited or step.step == "request"
        if step.step not in _NEVER:
            self._add(kept)

    def steps(self) -> list[TraceStep]:
        """All steps of the turn so far."""
        self._end_run()
        return self._steps

    def picture_of(self, message: str) -> str:
        """The Markdown of the table or formula that *message* shows as a picture, or nothing."""
        sent = self.messages[message].about
        if not text_of(sent, "attachment").endswith(".png"):
            return ""
        posts, segments = set(numbers_of(sent, "posts")), set[int]()
        for step in self._steps:
            if step.step == "post" and step.about.get("number") in posts:
                segments |= set(numbers_of(step.about, "segments"))
        parts = [step.about for step in self._steps if step.step == "segment" and step.about.get("number") in segments]
        painted = [about for about in parts if about.get("kind") == "table"] or parts[-1:]  # a formula comes last
        return "".join(text_of(about, "text") for about in painted).strip()

    def _hear_chunk(self, step: TraceStep) -> None:
        kind = step.about.get("kind")
        if kind not in ("text", "thought"):
            return  # explanations do not mention other kinds
        if self._last is not None and self._last.about.get("kind") != kind:
            self._end_run()
        self._last = step
        if kind == "text":
            self._run.append(str(step.about.get("text", "")))
        if self._is_awaited:
            self._is_awaited = False
            self._end_run()

    def _hold(self, step: TraceStep) -> TraceStep | None:
        """*step*, if the reason changed; every line is undecided for a moment."""
        why, mark = step.about.get("why"), step.about.get("mark")
        held = ("", "") if why == "undecided" else (why, mark)
        if held == self._held:
            return None
        self._held = held
        return replace(step, about={"why": held[0], "mark": held[1]})

    def _end_run(self) -> None:
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


def _without_arguments(step: TraceStep) -> TraceStep:
    """*step* without the arguments of a tool, which may be about other people."""
    return replace(step, about={**step.about, "arguments": "…"}) if step.step == "tool" else step


def _bounded(lines: list[str]) -> tuple[str, ...]:
    """The first of *lines*, up to the size that is kept."""
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
    """The explanation in a stored value, perhaps of another version; missing parts are left out."""
    lines = value.get("lines")
    texts = {name: text for name in ("source", "turn", "author") if isinstance(text := value.get(name), str)}
    return Explanation(tuple(map(str, lines)) if isinstance(lines, list | tuple) else (), **texts)
