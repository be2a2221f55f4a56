"""Runs one round: everything that waits, races and is interrupted, around the pure stages.

Two tasks work for a reply. The *reader* takes chunks from the model and passes them to the round, which returns posts.
The *sender* in the outbox delivers posts, with their pauses. A short queue between them separates typing pauses from a
silent model, and a slow chat slows the model down instead of filling the memory.

A stop, a stall or a failed send does not wait for the next chunk: it overtakes the reader and is the round's next event.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterable, AsyncIterator, Iterable
from dataclasses import dataclass, replace
from itertools import count, groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from ..concurrency.stops import StopHandle
from ..concurrency.tasks import end_task, must_rise
from ..errors import CadenzaError
from ..explain.recorder import Trace
from ..explain.tracebacks import get_logger
from ..models.model import close_quietly, stream_error
from ..rules import RULES
from ..rules.repeated_emoji import recent_emoji
from ..rules.rule import Rule, RuleContext
from ..settings import BufferSettings, Settings, TurnSettings
from ..stages.s4_round import Round
from ..stages.s5_buffer import Buffer
from ..stages.s6_rules import rule_row
from ..stages.s7_delivery import Chance, Composer
from ..stages.stage import Pipe, Stage
from ..targets.target import Limits
from ..text.tags import BLOCK_TAG
from ..text.units import WHITESPACE
from ..types import (
    Broke,
    Chunk,
    Completed,
    Ending,
    Failed,
    FellSilent,
    Finished,
    Kind,
    Outcome,
    Persona,
    Scene,
    Segment,
    SendFailed,
    Served,
    Stopped,
    StopRequested,
    Usage,
)

if TYPE_CHECKING:  # ``reply`` makes it; its own imports go deep
    from .outbox.outbox import Outbox

logger = get_logger(__name__)

T = TypeVar("T")

_BREATH = 256
"""Chunks after which the reader yields to other tasks, however fast the model is."""

_UNBOUND = BufferSettings(overflow=sys.maxsize // 2, code_overflow=sys.maxsize // 2)
"""For a complete text, which is not cut for its length."""

_LINE_ENDS = re.compile("\n{3,}")


@dataclass(frozen=True, slots=True)
class Takes:
    """What a target can show."""

    limits: Limits | None = None
    """Its length, markup and whether it takes files; ``None`` is what Discord takes, without files."""
    pictures: bool = False
    """Whether tables are planned as pictures."""
    formula_pictures: bool = False
    """Whether formulas are."""


def text_row(
    scene: Scene,
    settings: Settings,
    chance: Chance,
    *,
    rules: Iterable[type[Rule]] = RULES,
    takes: Takes | None = None,
    planned: int = 0,
    may_retry: bool = False,
    trace: Trace | None = None,
) -> Pipe:
    """Build the stages from text to posts, for one attempt.

    *takes* is what the target can show. *planned* is the number of messages that earlier attempts left standing. With
    *may_retry* the model is asked again if a guard lets nothing of its answer pass. *trace* records what each stage does.
    """
    takes = takes or Takes()
    delivery = settings.delivery
    taps = trace.taps(settings, takes.limits) if trace else None
    row = Pipe(
        Buffer(
            settings.buffer,
            sentences=delivery.manner.shape == "sentences",
            lone_words=not delivery.grouping,
            speaker=scene.persona.name,
            traced_from=trace.heard_size if trace else None,
        ),
        _rules(replace(rule_context(scene, settings), may_retry=may_retry), rules),
        Composer(
            delivery,
            chance,
            reply_to=scene.reply_to,
            pictures=takes.pictures,
            formula_pictures=takes.formula_pictures,
            limits=takes.limits,
            planned=planned,
            see=taps.planned if taps else None,
        ),
    )
    return taps.around(row) if taps else row


def with_tap(row: Pipe, tap: Stage[Segment, Segment]) -> Pipe:
    """Return *row* with *tap* after the buffer, where it sees the segments before the rules do."""
    first, *rest = row.stages
    return Pipe(first, tap, *rest)


class _Failing:
    """Replaces a rule that could not be built and fails when it is used."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def feed(self, _: Segment, /) -> NoReturn:
        raise self._error

    def flush(self, _: Ending, /) -> NoReturn:
        raise self._error


def _rules(context: RuleContext, rules: Iterable[type[Rule]]) -> Pipe:
    """Build the row of *rules*. If building one fails, the response fails, as if the rule failed later."""
    try:
        return rule_row(context, rules)
    except CadenzaError:  # wrong settings are reported at once
        raise
    except Exception as error:  # noqa: BLE001  # a rule may be foreign code
        return Pipe(_Failing(error))


def rule_context(scene: Scene, settings: Settings) -> RuleContext:
    """Return the context of the rules for *scene*, with the speakers of its history."""
    heard = (line.speaker for line in scene.history if line.speaker and not line.is_own)
    roster = replace(scene.roster, speakers=tuple(dict.fromkeys((*scene.roster.speakers, *heard))))
    if not roster.recent_emoji and settings.rules.emoji_lookback:
        roster = replace(roster, recent_emoji=recent_emoji(scene.history, settings.rules.emoji_lookback))
    return RuleContext(scene.persona, roster, settings.rules, prefill=scene.prefill)


def clean(
    text: str, scene: Scene | None = None, *, settings: Settings | None = None, rules: Iterable[type[Rule]] = RULES
) -> str:
    """Apply the rules to *text*, which a tool or a command wrote in the persona's name.

    These are the rules of a model's stream; an opening label of any persona in the channel is removed as well.
    """
    scene = scene or Scene("", Persona(""))
    context = rule_context(replace(scene, prefill=""), settings or Settings())
    row = Pipe(Buffer(_UNBOUND), rule_row(replace(context, openers=tuple(context.roster.personas)), rules))
    items = row.feed(text) + row.flush(Ending.FINAL)
    return _with_fewer_line_ends(item for item in items if isinstance(item, Segment)).strip(WHITESPACE)


def spoken(text: str) -> str:
    """Return *text* of a model without its hidden blocks, and otherwise as it is."""
    if BLOCK_TAG.search(text) is None:
        return text
    buffer = Buffer(_UNBOUND)
    items = [*buffer.feed(text), *buffer.flush(Ending.FINAL)]
    return "".join(item.text for item in items if isinstance(item, Segment))


def _with_fewer_line_ends(segments: Iterable[Segment]) -> str:
    """Join *segments* with at most one empty line in a row, except in code."""
    parts: list[str] = []
    ends = ""  # the line ends after a block do not belong to it
    for kind, group in groupby(segments, attrgetter("kind")):
        text = ends + "".join(segment.text for segment in group)
        if kind is Kind.PROSE:
            parts.append(_LINE_ENDS.sub("\n\n", text))
            ends = ""
        else:
            block = text.rstrip("\n")
            parts.append(block)
            ends = text[len(block) :]
    return "".join(parts) + ends


class _Watch:
    """The timeouts of a model: before its first word, and between two words.

    Each chunk only notes the time; one timer checks it when a timeout may have passed.
    """

    def __init__(self, first: float, idle: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._idle = idle
        self._timeout = first
        self.has_begun = False
        """Whether the model has said anything."""
        self.is_over = False
        """Whether the round has ended."""
        self._since: float | None = self._loop.time()
        self.expired: asyncio.Future[None] = self._loop.create_future()
        self._timer = self._loop.call_later(first, self._look)

    def note(self, chunk: Chunk) -> None:
        """Note that the model sent *chunk*; usage or a served-by header is no first word."""
        self._since = self._loop.time()
        if not self.has_begun and not isinstance(chunk, Usage | Served):
            self.has_begun, self._timeout = True, self._idle
            self._timer.cancel()  # the first timeout may be much longer than the next
            self._timer = self._loop.call_later(self._idle, self._look)

    def rest(self) -> None:
        """Pause: something other than the model is awaited."""
        self._since = None

    def close(self) -> None:
        """Stop watching."""
        self.is_over = True
        self._timer.cancel()
        self.expired.cancel()

    def _look(self) -> None:
        now = self._loop.time()
        due = (now if self._since is None else self._since) + self._timeout
        if due > now:
            self._timer = self._loop.call_at(due, self._look)
        elif not self.expired.done():
            self.expired.set_result(None)


async def run_round(
    round_: Round,
    chunks: AsyncIterable[Chunk],
    outbox: Outbox,
    *,
    settings: Settings | None = None,
    stop: StopHandle | None = None,
    trace: Trace | None = None,
) -> Outcome:
    """Pump *chunks* through *round_* into *outbox* until the round has its outcome.

    Returns when the model is done, not when everything is sent: see ``settle``.
    """
    turn = (settings or Settings()).turn
    event = pending(outbox, stop, trace)
    if event:  # over before it began: the model is not asked
        await close_quietly(chunks)
        conclude(event, round_, outbox)
    else:
        await _pump(round_, chunks, outbox, turn=turn, stop=stop, trace=trace)
    if round_.fault:
        logger.warning("a rule or another stage failed", exc_info=round_.fault)
    return round_.delivered(is_whole=outbox.is_whole)


async def _pump(
    round_: Round,
    chunks: AsyncIterable[Chunk],
    outbox: Outbox,
    *,
    turn: TurnSettings,
    stop: StopHandle | None,
    trace: Trace | None,
) -> None:
    watch = _Watch(turn.first_timeout, turn.idle_timeout)
    reader = asyncio.create_task(_read(round_, chunks, outbox, watch, trace), name="cadenza reader")
    try:
        event: StopRequested | SendFailed | FellSilent | None
        event = await overtaking(reader, watch.expired, outbox=outbox, stop=stop, trace=trace)
        if event is None and watch.expired.done() and not reader.done():
            event = FellSilent(watch.has_begun)
            if trace:
                trace.stalled(has_begun=watch.has_begun)
        if event:  # decided now, however long the stream takes to close
            conclude(event, round_, outbox)
    finally:
        watch.close()
        await end_task(reader)


async def settle(
    round_: Round, outbox: Outbox, *, stop: StopHandle | None = None, trace: Trace | None = None
) -> Outcome:
    """Wait until everything is sent and return the outcome, which a stop or a failed send may still change."""
    sending = asyncio.create_task(outbox.finished(), name="cadenza settle")
    try:
        event = await overtaking(sending, outbox=outbox, stop=stop, trace=trace)
        if event:
            conclude(event, round_, outbox)
        await asyncio.wait([sending])
    finally:
        await end_task(sending)
    return round_.delivered(is_whole=outbox.is_whole)  # only now is it known whether the last words arrived


async def _read(
    round_: Round, chunks: AsyncIterable[Chunk], outbox: Outbox, watch: _Watch, trace: Trace | None
) -> None:
    source: AsyncIterator[Chunk] | None = None
    try:
        for number in count(1):
            try:
                if source is None:  # foreign code may fail here as well
                    source = aiter(chunks)
                chunk = await anext(source)
            except StopAsyncIteration:  # a stream that ends without a finish reason gets one
                chunk = Finished("end_of_stream")
            except BaseException as error:
                if must_rise(error):
                    raise
                chunk = Failed(stream_error(error))
            if trace:
                trace.heard(chunk)
            is_queued = _hand_over(chunk, round_, outbox)
            if round_.outcome is not None or watch.is_over:  # a stream may ignore that it was closed
                return
            if is_queued and not outbox.has_room:
                watch.rest()
                await outbox.room()
            if not number % _BREATH:
                watch.rest()
                await asyncio.sleep(0)  # a stream that is always ready must not starve other tasks
            watch.note(chunk)
    finally:
        await close_quietly(chunks if source is None else source)


def _hand_over(chunk: Chunk, round_: Round, outbox: Outbox) -> bool:
    """Pass *chunk* to *round_* and its posts to *outbox*, which is closed after the last one; say whether it took some.

    After a failure it stays open, for another attempt may follow; and if nothing was said, what an earlier one said may.
    """
    posts = round_.receive(chunk)
    if not posts and round_.outcome is None:
        return False  # most chunks make no post
    if isinstance(round_.outcome, Broke):
        outbox.hold(posts)
        return False
    outbox.add(posts)
    if isinstance(round_.outcome, Completed | Stopped) and round_.has_answered:
        outbox.close()
    return True


async def overtaking(
    *work: asyncio.Future[Any], outbox: Outbox, stop: StopHandle | None, trace: Trace | None
) -> StopRequested | SendFailed | None:
    """Wait for the first of *work*; return the stop or failed send that came before, if any."""
    awaited: set[asyncio.Future[Any]] = {*work, outbox.failed}
    if stop:
        awaited.add(stop.requested)
    await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
    return pending(outbox, stop, trace)


def pending(outbox: Outbox, stop: StopHandle | None, trace: Trace | None = None) -> StopRequested | SendFailed | None:
    """Return a stop or a failed send that has already happened."""
    if stop and stop.reason:
        if trace:
            trace.stopped(stop.reason, stop.by)
        return StopRequested(stop.reason)
    if outbox.failed.done():
        return SendFailed(outbox.failed.result())
    return None


def conclude(event: StopRequested | SendFailed | FellSilent, round_: Round, outbox: Outbox) -> Outcome:
    """Pass *event*, which overtook the round, to *round_*, and tell *outbox* what is still to be sent."""
    posts = round_.receive(event)
    if isinstance(event, FellSilent):
        outbox.hold(posts)
    else:  # it also applies to queued posts of a round that has ended
        outbox.cut(round_.keep, posts)
    return round_.delivered(is_whole=outbox.is_whole)
