"""Explanations of messages: the facts of a reply, told and kept for some days under the ids of its messages.

What is kept are sentences in no language; ``/explain`` renders them for the person who asks.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from ...concurrency.tasks import must_rise
from ...errors import InputError
from ...explain.sentences import Said, as_json, from_json
from ...explain.tracebacks import get_logger
from ...explain.words import ExplainedLine, explain_each
from ...facts import (
    ChunkHeard,
    Fact,
    Hook,
    LoggedFact,
    MessagePlanned,
    MessageSent,
    MessagesMerged,
    QueueCut,
    ReplyEnded,
    RequestSent,
    SendingBegan,
    StopAsked,
    TextCut,
    TextHeld,
    TextHidden,
    ToolCalled,
)
from ...types import Reply
from ..config.config import StoreConfig
from ..store.store import Namespace, Record, Store
from .bounded_dict import make_room

logger = get_logger(__name__)

MOST_FACTS = 2000
MOST_CHARACTERS = 400_000
"""The most that is collected of one turn; beyond that only sent messages with their edges, stops, cuts and the end."""
MOST_TURNS = 256
"""Turns that are collected at once; more than run at a time, in case one is never ended."""
MOST_REMEMBERED = 200
"""Messages kept in memory only: those of direct messages, and all if the store keeps none."""

_SIZE_OF_FACT = 100
_SIZE_OF_RUN = 10
"""Of what a fact has besides its texts, and of a run of an origin, in characters."""
_LONGEST_STORY = 20_000
_LONGEST_SOURCE = 30_000
_STORE_TAKES = 10.0
_DAY = 86_400.0
_ALWAYS = (MessageSent, StopAsked, QueueCut, ReplyEnded)
_NEVER = (TextHidden, SendingBegan)
"""Thoughts belong to the thought log: everybody in a channel may read an explanation.

That sending began adds nothing to ``MessageSent``.
"""
_CUT_OFF = ExplainedLine(None, Said("…"))
"""The last line of a story that is longer than what is kept."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of one message."""

    lines: tuple[ExplainedLine, ...]
    """Its story, as ``cadenza explain`` tells it, in no language yet."""
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
                lines = _bounded(explain_each(collection.facts()).get(message, []))
                return Explanation(lines, collection.picture_of(message)[:_LONGEST_SOURCE], turn)
        return None

    def _explained(self, turn: str, reply: Reply, author: str) -> Iterator[tuple[str, Explanation]]:
        collection = self._turns.pop(turn, None)
        stories = {} if collection is None else explain_each(collection.facts())
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
    """The facts of one turn. Consecutive chunks are merged: there is a fact for every token."""

    messages: dict[str, MessageSent] = field(default_factory=dict)
    """The fact that each message was sent, by message id."""
    _facts: list[LoggedFact] = field(default_factory=list)
    _size: int = 0
    _run: list[str] = field(default_factory=list)
    _last: tuple[ChunkHeard, LoggedFact] | None = None
    """The newest chunk of the run."""
    _held: tuple[str, str] = ("", "")
    """Why text is held back."""
    _is_awaited: bool = True
    """Whether the model has not begun yet: its first chunk stays alone, so that its time is kept."""

    def hear(self, logged: LoggedFact) -> None:
        """Take *logged* in."""
        match logged.fact:
            case ChunkHeard() as chunk:
                self._hear_chunk(chunk, logged)
            case TextHeld() as hold:
                self._hear_hold(hold, logged)
            case ToolCalled() as call:  # its arguments may be about other people
                self._hear_other(replace(call, arguments="…"), logged)
            case fact:
                self._hear_other(fact, logged)

    def facts(self) -> list[LoggedFact]:
        """All facts of the turn so far."""
        self._end_run()
        return self._facts

    def picture_of(self, message: str) -> str:
        """The Markdown of the table or formula that *message* shows as a picture, or nothing."""
        sent = self.messages[message]
        if not (sent.attachment or "").endswith(".png"):
            return ""
        facts = [logged.fact for logged in self._facts]
        planned = [fact for fact in facts if isinstance(fact, MessagePlanned) and fact.number in sent.posts]
        segments = {number for fact in planned for number in fact.segments}
        parts = [fact for fact in facts if isinstance(fact, TextCut) and fact.number in segments]
        painted = [part for part in parts if part.kind == "table"] or parts[-1:]  # a formula comes last
        return "".join(part.text for part in painted).strip()

    def _hear_chunk(self, chunk: ChunkHeard, logged: LoggedFact) -> None:
        if chunk.kind not in ("text", "thought"):
            return  # explanations do not mention other kinds
        if self._last is not None and self._last[0].kind != chunk.kind:
            self._end_run()
        self._last = chunk, logged
        if chunk.kind == "text":
            self._run.append(chunk.text)
        if self._is_awaited:
            self._is_awaited = False
            self._end_run()

    def _hear_hold(self, hold: TextHeld, logged: LoggedFact) -> None:
        """Take *hold* in if the reason changed; every line is undecided for a moment."""
        held = ("", "") if hold.why in ("line", "undecided") else (hold.why, hold.mark)
        if held != self._held:
            self._held = held
            self._hear_other(replace(hold, why=held[0], mark=held[1]), logged)

    def _hear_other(self, fact: Fact, logged: LoggedFact) -> None:
        self._end_run()
        self._is_awaited = self._is_awaited or isinstance(fact, RequestSent)
        if not isinstance(fact, _NEVER):
            self._add(fact, logged)

    def _end_run(self) -> None:
        last, self._last = self._last, None
        if last is not None:
            self._add(replace(last[0], text="".join(self._run)), last[1])
        self._run.clear()

    def _add(self, fact: Fact, logged: LoggedFact) -> None:
        is_full = len(self._facts) >= MOST_FACTS or self._size >= MOST_CHARACTERS
        is_overfull = len(self._facts) >= 2 * MOST_FACTS or self._size >= 2 * MOST_CHARACTERS
        kept = None if is_overfull else _trimmed(fact) if is_full else fact
        if kept is None:
            return
        self._facts.append(replace(logged, fact=kept))
        if isinstance(kept, MessageSent):
            self.messages[kept.message] = kept
        self._size += _size_of(kept)


def _size_of(fact: Fact) -> int:
    """About how many characters *fact* has as JSON."""
    texts = (getattr(fact, "text", None) or "", *getattr(fact, "before", ()), *getattr(fact, "after", ()))
    return _SIZE_OF_FACT + _SIZE_OF_RUN * len(getattr(fact, "origin", ())) + sum(map(len, texts))


def _trimmed(fact: Fact) -> Fact | None:
    """What is kept of *fact* when there is much already: nothing, but for what sent messages are told with."""
    match fact:
        case MessagePlanned():
            return replace(fact, text="", origin=(), covers=())
        case MessagesMerged():
            return replace(fact, text="")
        case _:
            return fact if isinstance(fact, _ALWAYS) else None


def _bounded(lines: Iterable[ExplainedLine]) -> tuple[ExplainedLine, ...]:
    """The first of *lines*, up to the size that is kept."""
    kept: list[ExplainedLine] = []
    room = _LONGEST_STORY
    for line in lines:
        room -= len(json.dumps(as_json(line.said), ensure_ascii=False))
        if room < 0:
            return (*kept, _CUT_OFF)
        kept.append(line)
    return tuple(kept)


def _as_value(known: Explanation) -> Mapping[str, object]:
    lines = [{"at": line.at, "said": as_json(line.said)} for line in known.lines]
    return {"lines": lines, "source": known.source, "turn": known.turn, "author": known.author}


def _of_value(value: Mapping[str, object]) -> Explanation:
    """The explanation in a stored value; what another version wrote differently is left out."""
    texts = {name: text for name in ("source", "turn", "author") if isinstance(text := value.get(name), str)}
    return Explanation(_lines_of(value.get("lines")), **texts)


def _lines_of(value: object) -> tuple[ExplainedLine, ...]:
    """The stored lines, without those in English, which older versions kept."""
    lines: list[ExplainedLine] = []
    for stored in value if isinstance(value, list | tuple) else ():
        match stored:
            case {"at": float() | int() | None as at, "said": said}:
                with suppress(InputError):
                    lines.append(ExplainedLine(at, from_json(said)))
    return tuple(lines)
