"""The shell around the pure half: here is what waits, races and is interrupted.

Two tasks work for a reply. The *reader* takes chunks from the model and gives them to the round, which answers with
posts. The *sender* in the outbox delivers posts, with their pauses. Between them is a short queue, so that typing does
not look like a silent model and a slow chat slows the model down rather than filling the memory.

A stop, a stall or a failed send does not wait for the next chunk: it overtakes the reader and is the round's next event.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterable, AsyncIterator, Iterable
from dataclasses import replace
from itertools import count, groupby
from operator import attrgetter
from typing import Any, NoReturn, TypeVar

from ..concurrency.stops import StopHandle
from ..concurrency.tasks import end_task, must_rise
from ..errors import CadenzaError
from ..explain.recorder import Trace
from ..models.model import broken_off, hang_up
from ..rules import RULES
from ..rules.repeated_emoji import recent_emoji
from ..rules.rule import Rule, RuleContext
from ..settings import BufferSettings, Settings
from ..stages.s4_round import Round, kept, outcome_of
from ..stages.s5_buffer import Buffer
from ..stages.s6_rules import rule_row
from ..stages.s7_delivery import Chance, Composer
from ..stages.stage import Pipe, Stage
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
    RoundEvent,
    Scene,
    Segment,
    SendFailed,
    Served,
    Stopped,
    StopReason,
    StopRequested,
    Usage,
)
from .outbox.sender import Outbox

T = TypeVar("T")

_BREATH = 256
"""Chunks after which the reader lets others have a turn, however fast the model is."""

_UNBOUND = BufferSettings(overflow=sys.maxsize // 2, code_overflow=sys.maxsize // 2)
"""For a text that is known as a whole: it is not cut because it is long."""

_LINE_ENDS = re.compile("\n{3,}")


def text_row(
    scene: Scene,
    settings: Settings,
    chance: Chance,
    *,
    rules: Iterable[type[Rule]] = RULES,
    tap: Stage[Segment, Segment] | None = None,
    pictures: bool = False,
    files: bool = False,
    planned: int = 0,
    may_retry: bool = False,
    trace: Trace | None = None,
) -> Pipe:
    """The stages from text to posts, for one reply.

    *tap* sees the segments between stages 5 and 6; with *pictures*, tables are planned as pictures, and with
    *files* long code and what does not fit into the messages of a reply.
    *planned* messages stand already, of a model that this one goes on for; with *may_retry* the model is asked again
    if a guard lets nothing of its answer pass. *trace* is told what each of the stages does.
    """
    delivery = settings.delivery
    taps = trace.taps(gathers=delivery.degree == 0) if trace else None
    row = Pipe(
        Buffer(settings.buffer, sentences=delivery.degree == 3, speaker=scene.persona.name, goes_on=planned > 0),
        *((tap,) if tap else ()),
        _rules(replace(rule_context(scene, settings), may_retry=may_retry), rules),
        Composer(
            delivery,
            chance,
            reply_to=scene.reply_to,
            pictures=pictures,
            files=files,
            planned=planned,
            see=taps.paced if taps else None,
        ),
    )
    return taps.around(row) if taps else row


class _Failing:
    """Stands where a rule should that could not be built: the response ends when it comes to it."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def feed(self, _: Segment, /) -> NoReturn:
        raise self._error

    def flush(self, _: Ending, /) -> NoReturn:
        raise self._error


def _rules(context: RuleContext, rules: Iterable[type[Rule]]) -> Pipe:
    """The row of *rules*. If one fails while it is built, the response fails, as it does if one fails later."""
    try:
        return rule_row(context, rules)
    except CadenzaError:  # what is not right with the settings is said at once
        raise
    except Exception as error:  # noqa: BLE001  # a rule may be foreign code
        return Pipe(_Failing(error))


def rule_context(scene: Scene, settings: Settings) -> RuleContext:
    """What the rules of a reply to *scene* are built with; whoever spoke before is known to them."""
    heard = (line.speaker for line in scene.history if line.speaker and not line.is_own)
    roster = replace(scene.roster, speakers=tuple(dict.fromkeys((*scene.roster.speakers, *heard))))
    if not roster.recent_emoji and settings.rules.emoji_lookback:
        roster = replace(roster, recent_emoji=recent_emoji(scene.history, settings.rules.emoji_lookback))
    return RuleContext(scene.persona, roster, settings.rules, prefill=scene.prefill)


def clean(
    text: str, scene: Scene | None = None, *, settings: Settings | None = None, rules: Iterable[type[Rule]] = RULES
) -> str:
    """Make of *text*, which a tool or a command wrote in the persona's name, what people should see.

    It passes the very rules that a model's stream passes; an opening label of any persona in the channel goes too.
    """
    scene = scene or Scene("", Persona(""))
    context = rule_context(replace(scene, prefill=""), settings or Settings())
    row = Pipe(Buffer(_UNBOUND), rule_row(replace(context, openers=tuple(context.roster.personas)), rules))
    items = row.feed(text) + row.flush(Ending.FINAL)
    return _with_fewer_line_ends(item for item in items if isinstance(item, Segment)).strip(WHITESPACE)


def _with_fewer_line_ends(segments: Iterable[Segment]) -> str:
    """The text of *segments*, in which at most one empty line stands between two others, but for those of code."""
    parts: list[str] = []
    ends = ""  # the line ends behind a block are not a part of it
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
    """Notices when a model has been silent for too long: before its first word, or between two words.

    Every chunk only writes down the time; one timer looks at it when it might matter.
    """

    def __init__(self, first: float, idle: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._idle = idle
        self._timeout = first
        self.has_begun = False
        """Whether the model has said anything."""
        self.is_over = False
        """Whether nobody listens any more."""
        self._since: float | None = self._loop.time()
        self.expired: asyncio.Future[None] = self._loop.create_future()
        self._timer = self._loop.call_later(first, self._look)

    def note(self, chunk: Chunk) -> None:
        """The model spoke; some count tokens or say who answers before the first word."""
        self._since = self._loop.time()
        if not self.has_begun and not isinstance(chunk, Usage | Served):
            self.has_begun, self._timeout = True, self._idle
            self._timer.cancel()  # the first word may be waited for much longer than the next
            self._timer = self._loop.call_later(self._idle, self._look)

    def rest(self) -> None:
        """It is not the model that we wait for."""
        self._since = None

    def close(self) -> None:
        """Look no more."""
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
) -> Outcome:
    """Pump *chunks* through *round_* into *outbox* until the round has its outcome.

    Returns when the model is done, not when everything is sent: see ``settle``.
    """
    turn = (settings or Settings()).turn
    event = pending(outbox, stop)
    if event:  # it was over before it began: the model is not even asked
        await hang_up(chunks)
        return conclude(event, round_, outbox, turn.on_stop)
    watch = _Watch(turn.first_timeout, turn.idle_timeout)
    reader = asyncio.create_task(_read(round_, chunks, outbox, watch), name="cadenza reader")
    try:
        event = await overtaking(reader, outbox=outbox, stop=stop, watch=watch)
        if event:  # decided now: however long the stream takes to hang up, and whatever it says meanwhile
            conclude(event, round_, outbox, turn.on_stop)
    finally:
        watch.close()
        await end_task(reader)
    return conclude(None, round_, outbox, turn.on_stop)


async def settle(
    round_: Round, outbox: Outbox, *, settings: Settings | None = None, stop: StopHandle | None = None
) -> Outcome:
    """Wait until everything is sent; a stop or a failed send still counts, and may change the outcome."""
    turn = (settings or Settings()).turn
    sending = asyncio.create_task(outbox.finished(), name="cadenza settle")
    try:
        event = await overtaking(sending, outbox=outbox, stop=stop)
        outcome = conclude(event, round_, outbox, turn.on_stop)
        await asyncio.wait([sending])
    finally:
        await end_task(sending)
    # It may be seen only now that the last words did not arrive.
    return overtaken(outcome, outcome_of(event), outbox) if event and isinstance(outcome, Completed) else outcome


async def _read(round_: Round, chunks: AsyncIterable[Chunk], outbox: Outbox, watch: _Watch) -> None:
    hand_over = _hand_over if outbox.trace is None else _hand_over_seen
    source: AsyncIterator[Chunk] | None = None
    try:
        for number in count(1):
            try:
                if source is None:  # foreign code, which may fail here as well
                    source = aiter(chunks)
                chunk = await anext(source)
            except StopAsyncIteration:  # a stream that ends without a word gets one
                chunk = Finished("end_of_stream")
            except BaseException as error:
                if must_rise(error):
                    raise
                chunk = Failed(broken_off(error))
            hand_over(chunk, round_, outbox)
            if round_.outcome is not None or watch.is_over:  # a stream may go on as if it had not been told to end
                return
            if not outbox.has_room:
                watch.rest()
                await outbox.room()
            if not number % _BREATH:
                watch.rest()
                await asyncio.sleep(0)  # a stream that is always ready must not keep everybody else waiting
            watch.note(chunk)
    finally:
        await hang_up(chunks if source is None else source)


def _hand_over(chunk: Chunk, round_: Round, outbox: Outbox) -> None:
    """Give *chunk* to *round_* and what becomes of it to *outbox*, which should know when that was the last.

    Of an answer that came to nothing it cannot know: another may be tried.
    """
    posts = round_.receive(chunk)
    if not posts and round_.outcome is None:
        return  # so it is with most of them
    if isinstance(round_.outcome, Broke):
        outbox.hold(posts)
        return
    outbox.add(posts)
    if isinstance(round_.outcome, Completed | Stopped):
        outbox.close()


def _hand_over_seen(chunk: Chunk, round_: Round, outbox: Outbox) -> None:
    """The same, where somebody looks."""
    if outbox.trace:
        outbox.trace.heard(chunk)
    _hand_over(chunk, round_, outbox)


async def overtaking(
    work: asyncio.Task[Any], *, outbox: Outbox, stop: StopHandle | None, watch: _Watch | None = None
) -> RoundEvent | None:
    """Wait for *work* or for what overtakes it; give back the event that did."""
    awaited: set[asyncio.Future[Any]] = {work, outbox.failed}
    if watch:
        awaited.add(watch.expired)
    if stop:
        awaited.add(stop.requested)
    await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
    if event := pending(outbox, stop):
        return event
    if watch and watch.expired.done() and not work.done():
        if outbox.trace:
            outbox.trace.stalled(has_begun=watch.has_begun)
        return FellSilent(watch.has_begun)
    return None


def pending(outbox: Outbox, stop: StopHandle | None) -> RoundEvent | None:
    """What has already happened that ends a reply."""
    if stop and stop.reason:
        if outbox.trace:
            outbox.trace.stopped(stop.reason, stop.by)
        return StopRequested(stop.reason)
    if outbox.failed.done():
        return SendFailed(outbox.failed.result())
    return None


def conclude(event: RoundEvent | None, round_: Round, outbox: Outbox, on_stop: str) -> Outcome:
    """Tell *round_* of the event that overtook it, if there was one, and *outbox* what is still to be sent."""
    before = round_.outcome
    posts = round_.receive(event) if event else []
    if round_.outcome is None:
        msg = "a round ended without an outcome"
        raise AssertionError(msg)
    match event:
        case StopRequested(reason):  # it counts for what waits even if the round has ended for another reason
            outbox.cut(kept(Stopped(reason), on_stop=on_stop), posts)
            if isinstance(before, Completed):
                round_.outcome = overtaken(before, round_.outcome, outbox)
        case SendFailed():
            outbox.cut(kept(round_.outcome, on_stop=on_stop), posts)
        case _:
            outbox.hold(posts)
    return round_.outcome


def overtaken(outcome: Outcome, ended: Outcome, outbox: Outbox) -> Outcome:
    """How a reply ends that had come to *outcome* when something *ended* it before its last words were sent.

    One that is said wholly all the same is not cut off by our own end.
    """
    is_whole = isinstance(outcome, Completed) and outbox.is_whole
    return outcome if is_whole and ended == Stopped(StopReason.SHUTDOWN) else ended
