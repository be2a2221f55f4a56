"""Records the facts of a reply for its hook.

A reply with a hook has a ``Trace``, and every part that decides something calls it. Tracing changes nothing in a reply:
a hook that fails is logged once and not called again.

Facts hold no secrets: no key, header or address, and only the type of a foreign exception.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any, assert_never
from uuid import uuid4

from ..errors import CadenzaError, DeliveryError, ProviderError, Sentence
from ..facts import (
    AttemptBegan,
    AttemptEnded,
    ChunkHeard,
    Edge,
    Fact,
    Hook,
    LoggedFact,
    MessageDeleted,
    MessageEnd,
    MessageLeftOut,
    MessageRefused,
    MessageSent,
    MessagesMerged,
    MessagesSpared,
    MessagesSuperseded,
    MessageWaits,
    ModelSkipped,
    ModelStalled,
    NoticeShown,
    QueueCut,
    QueueRestored,
    QueueWithdrawn,
    ReadingPaused,
    ReplyBegan,
    ReplyEnded,
    ReplyQueued,
    RequestSent,
    RoundEnded,
    SendingBegan,
    SendRefused,
    StopAsked,
    TextChanged,
    ToolCalled,
    values_of,
)
from ..settings import Settings, settings_fields
from ..stages.observe import PostNumbers, SegmentNumbers, Taps, name_of
from ..targets.target import Limits
from ..text.origins import Range, explained, origin_of, ranges, rewritten, union, without
from ..text.redaction import without_secrets
from ..types import (
    Attachment,
    Broke,
    Chunk,
    Completed,
    Empty,
    Failed,
    Finished,
    NeedsTools,
    Notice,
    Outcome,
    Post,
    Prompt,
    Receipt,
    RefusedAttempt,
    Reply,
    Scene,
    Served,
    Stalled,
    Stopped,
    StopReason,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    ToolUse,
    Usage,
)
from .deciding import deciding_setting, plain
from .tracebacks import get_logger

logger = get_logger(__name__)


@contextmanager
def tracing(hook: Hook | None, kind: str, scene: Scene, settings: Settings, turn: str = "") -> Iterator[Trace | None]:
    """The trace of a reply; ``None`` without a hook."""
    if hook is None:
        yield None
        return
    trace = Trace(hook, turn)
    trace.begins(kind, scene, settings)
    try:
        yield trace
    except BaseException as error:
        trace.breaks_off(error)
        raise


class Trace:
    """Sends the facts of one reply to its hook."""

    def __init__(self, hook: Hook, turn: str = "", *, clock: Callable[[], float] | None = None) -> None:
        self._hook: Hook | None = hook
        self._turn = turn or uuid4().hex[:12]
        self._settings = Settings()
        self.now = clock or asyncio.get_running_loop().time
        self._begun = self._heard_at = self.now()
        self.heard_size = 0
        """Characters of the model's text so far, in all attempts."""
        self._hidden: set[str] = set()
        self._segments = SegmentNumbers()
        self._taps: Taps | None = None
        self._outgoing = _Outgoing()
        self._sending_since = self._begun
        self._waiting: tuple[MessageWaits, float] | None = None
        self._waits: dict[tuple[tuple[int, ...], str], float] = {}
        self._attempts = self._requests = self._rounds = 0
        self._stop: StopReason | None = None
        self._is_undelivered = False  # whether a send has failed, after which nothing more is sent

    def tell(self, fact: Fact) -> None:
        """Call the hook with *fact*, unless it has failed before."""
        if self._hook is None:
            return
        told = _without(fact, self._hidden) if self._hidden else fact
        try:
            self._hook(LoggedFact(told, round(self.now() - self._begun, 6), self._turn))
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # it is foreign code, and whatever it does must not disturb a reply
            self._hook = None
            logger.warning("a trace hook failed; it is not called again in this reply", exc_info=error)

    def hide(self, secrets: Iterable[str]) -> None:
        """Remove *secrets* from all later facts."""
        self._hidden |= set(secrets)

    # --- the reply -------------------------------------------------------------------------

    def begins(self, kind: str, scene: Scene, settings: Settings) -> None:
        """A reply to *scene* begins."""
        self._settings = settings
        channel, persona = str(scene.channel), str(scene.persona.name)
        began = ReplyBegan(kind, channel, persona, scene.reply_to, _changed(settings))
        self._begun = self._heard_at = self.now()
        self.tell(began)

    def ends(self, reply: Reply) -> None:
        """The reply ended normally."""
        messages, failures, notices = map(len, (reply.receipts, reply.failures, reply.notices))
        outcome = self._outcome(reply.outcome)
        self._end_text(outcome)
        self.tell(ReplyEnded(outcome, messages, reply.model, failures, notices, asdict(reply.usage)))

    def breaks_off(self, error: BaseException) -> None:
        """The reply ended because *error* was raised, for instance a cancellation."""
        outcome: Mapping[str, object] = {"kind": "raised", "reason": type(error).__name__, "error": None}
        self._end_text(outcome)
        self.tell(ReplyEnded(outcome, 0, "", 0, 0, asdict(Usage())))

    def _end_text(self, outcome: Mapping[str, object]) -> None:
        if self._taps is not None:
            self._taps.end(str(outcome["reason"] if outcome["kind"] == "stopped" else outcome["kind"]))

    # --- models and tools ------------------------------------------------------------------------

    def passes_over(self, model: str, why: str, error: CadenzaError | None, seconds: float | None = None) -> None:
        """*model* is skipped because of *why* and an *error*; it is available again in *seconds*."""
        self.tell(ModelSkipped(model, why, seconds, self._error(error)))

    def tries(self, model: str, key: str | None, why: str, about: Mapping[str, Any]) -> None:
        """An attempt with *model* and *key* starts, because of *why*."""
        self._attempts, self._requests = self._attempts + 1, 0
        self.tell(AttemptBegan(self._attempts, model, key, why, **about))

    def tried(self, model: str, outcome: Outcome, cure: str) -> None:
        """The attempt ended with *outcome*; *cure* is what is done about it."""
        self.tell(AttemptEnded(self._attempts, model, self._outcome(outcome), cure))

    def requests(self, prompt: Prompt, size: int, rung: str, *, remembered: bool, error: CadenzaError | None) -> None:
        """A request with *prompt* is sent, reduced to this *rung* of the ladder because of *error* or of an earlier refusal."""
        self._requests += 1
        turns, tools = len(prompt.turns), len(prompt.tools)
        self.tell(RequestSent(self._requests, rung, remembered, self._error(error), turns, tools, size))
        self._heard_at = self.now()

    def round_over(self, outcome: Outcome, said: int, usage: Usage) -> None:
        """The stream of a model ended."""
        self._rounds += 1
        self._end_text(self._outcome(outcome))
        self.tell(RoundEnded(self._rounds, self._outcome(outcome), said, asdict(usage)))

    def used(self, use: ToolUse, *, remembered: bool) -> None:
        """A tool was run, or its earlier result was *remembered*."""
        call, result = use.call, use.result
        self.tell(
            ToolCalled(
                call.id,
                call.name,
                without_secrets(call.arguments, *self._hidden),
                _seconds(use.seconds),
                result.is_error,
                remembered,
                size=len(result.text),
                media=sum(not isinstance(part, str) for part in result.parts),
            )
        )

    # --- the stream and the stages -------------------------------------------------------------

    def heard(self, chunk: Chunk) -> None:
        """A chunk arrived from the model."""
        now = self.now()
        since, self._heard_at = now - self._heard_at, now
        if isinstance(chunk, TextDelta):  # nearly always
            text = chunk.text
            self.heard_size += len(text)
            if self._taps is not None:
                self._taps.hear(text)
            self.tell(ChunkHeard("text", round(since, 6), text, {}))
        else:
            self.tell(self._described(chunk, round(since, 6)))

    def _interrupt(self, end: MessageEnd, by: str = "") -> None:
        if self._taps is not None:
            self._taps.interrupt(end, by)

    def _described(
        self, chunk: ThoughtDelta | ToolCall | Usage | Served | Attachment | Finished | Failed, since: float
    ) -> ChunkHeard:
        match chunk:
            case ThoughtDelta(text):
                return ChunkHeard("thought", since, text)
            case ToolCall():
                arguments = without_secrets(chunk.arguments, *self._hidden)
                return ChunkHeard("call", since, "", {"id": chunk.id, "name": chunk.name, "arguments": arguments})
            case Usage():
                return ChunkHeard("usage", since, "", asdict(chunk))
            case Served(by):
                return ChunkHeard("served", since, "", {"by": by})
            case Attachment():
                return ChunkHeard("file", since, "", {"name": chunk.name, "size": len(chunk.data)})
            case Finished(reason):
                if reason == "length":
                    self._interrupt(MessageEnd.TOKEN_LIMIT)
                return ChunkHeard("finished", since, "", {"reason": reason})
            case Failed(error):
                self._interrupt(MessageEnd.BROKE_OFF)
                return ChunkHeard("failed", since, "", {"error": self._error(error)})
            case _:
                assert_never(chunk)

    def taps(self, settings: Settings, limits: Limits | None) -> Taps:
        """Taps for a row of stages with *settings*, for a target with *limits*."""
        decided = deciding_setting(settings, limits)
        is_casual = settings.delivery.manner.casual
        numbers, size = self._outgoing.numbers, self.heard_size
        self._taps = Taps(self.tell, self._segments, numbers, decided, is_casual=is_casual, heard_from=size)
        return self._taps

    def stopped(self, reason: StopReason, by: str) -> None:
        """A stop was requested; each reason is recorded once."""
        if reason is not self._stop:
            self._stop = reason
            self._interrupt(MessageEnd.STOP, reason.value)
            self.tell(StopAsked(reason.value, by))

    def stalled(self, *, has_begun: bool) -> None:
        """The model sent nothing for too long."""
        self._interrupt(MessageEnd.SILENCE)
        self.tell(ModelStalled(has_begun, _seconds(self.now() - self._heard_at)))

    # --- the outbox ----------------------------------------------------------------------------

    def queued(self, ahead: int, seconds: float) -> None:
        """It is the reply's turn in its channel, after it waited *seconds* behind the *ahead* replies before it."""
        self.tell(ReplyQueued(ahead, _seconds(seconds)))

    def pressed_back(self, seconds: float) -> None:
        """Reading from the model paused for *seconds*, because the queue was full."""
        self.tell(ReadingPaused(_seconds(seconds)))

    def waits(self, post: Post, reason: str, shortened: str = "") -> None:
        """*post*, the first in the queue, waits because of *reason*; *shortened* says why it waits for less than planned."""
        before = self._waiting
        tail = self._settings.delivery.typing_tail if shortened else None
        wait = MessageWaits(self._outgoing.numbers.of(post), reason, shortened, tail)
        self._stop_waiting()
        self._waiting = wait, self.now()
        if wait.posts and (before is None or before[0] != wait):  # a continued wait is recorded once
            self.tell(wait)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            wait, since = self._waiting
            self._waiting, key = None, (wait.posts, wait.why)
            self._waits[key] = self._waits.get(key, 0.0) + self.now() - since

    def became(self, post: Post, posts: Sequence[Post]) -> None:
        """*posts* are sent instead of *post*."""
        if [*posts] != [post]:
            self._changes([post], posts, "names")
        if post.instead and posts[0].attachment is None:
            segments = self._segments.of(self._outgoing.numbers.covers(post))
            texts = tuple(str(one.text) for one in posts)
            self.tell(TextChanged("unpainted", "outbox", "changed", segments, (str(post.text),), texts, ()))

    def merges(self, post: Post, posts: Sequence[Post], why: str) -> None:
        """The queued *posts* are merged into *post* because of *why*."""
        self._changes(posts, [post], why)
        self.tell(MessagesMerged(self._outgoing.numbers.of(post), str(post.text), why))

    def _changes(self, before: Sequence[Post], after: Sequence[Post], why: str) -> None:
        """*after* is sent instead of *before*: say which of the model's words are gone."""
        gone = self._outgoing.replace(before, after, why)
        if gone:
            were, are = (tuple(str(post.text) for post in posts) for posts in (before, after))
            self.tell(TextChanged(why, "outbox", "changed", self._segments.of(gone), were, are, tuple(gone)))

    def sends(self, post: Post) -> None:
        """*post* is being sent; it cannot be cut any more."""
        self._stop_waiting()
        self._sending_since = self.now()
        self.tell(SendingBegan(self._outgoing.begin(post)))

    def sent(self, receipt: Receipt) -> None:
        """The post that was being sent has arrived."""
        post, url, numbers = receipt.post, receipt.url, self._outgoing.under_way
        text = self._outgoing.text_of_sent(post)
        self._refusals(numbers, receipt.refusals)
        self.tell(
            MessageSent(
                posts=numbers,
                text=str(text),
                origin=origin_of(text),
                covers=tuple(self._outgoing.covers_of_sent()),
                message=str(receipt.message_id),
                url=None if url is None else without_secrets(str(url), *self._hidden),
                identity=name_of(receipt.identity or post.identity),
                attachment=post.attachment.name if post.attachment else None,
                waited=self._waited_for(numbers),
                seconds=_seconds(self.now() - self._sending_since),
            )
        )

    def unsent(self, error: DeliveryError, posts: Sequence[Post]) -> None:
        """Nothing more can be sent: *posts* has the message that failed, if one was being sent."""
        self._is_undelivered = True
        numbers = self._outgoing.settle(posts)
        self._refusals(numbers, error.refusals)
        self.tell(MessageRefused(numbers, self._waited_for(numbers), self._error(error)))

    def leaves_out(self, post: Post, why: str, error: DeliveryError | None = None) -> None:
        """*post* is not sent, maybe because of an *error* of the chat."""
        numbers = self._outgoing.settle([post])
        self._refusals(numbers, error.refusals if error else ())
        self.tell(MessageLeftOut(numbers, why, self._error(error)))

    def _refusals(self, numbers: tuple[int, ...], refusals: Iterable[RefusedAttempt]) -> None:
        for refusal in refusals:
            self.tell(SendRefused(numbers, refusal.reason, refusal.code, refusal.remedy))

    def cuts(self, keep: str, waiting_posts: Sequence[Post], cut: Sequence[Post]) -> None:
        """The reply has ended: of the queued posts, which were *cut*, only *waiting_posts* are still sent."""
        self._stop_waiting()
        for post in waiting_posts:
            self._outgoing.recognise(post, cut)
        kept, dropped = self._outgoing.cut(waiting_posts, cut)
        gone = self._outgoing.gone
        if gone:
            text = str(waiting_posts[0].text)
            self.tell(TextChanged("stop", "outbox", "dropped", self._segments.of(gone), (), (text,), tuple(gone)))
        is_stop = self._stop is not None and not self._is_undelivered and (dropped or gone or not kept)
        ends = Edge(MessageEnd.STOP.value, *self._decided_stop()) if is_stop else None
        lost = tuple(str(self._outgoing.numbers.things[number].text) for number in dropped)
        self.tell(QueueCut(keep, kept, dropped, str(waiting_posts[0].text) if waiting_posts else None, ends, lost))

    def _decided_stop(self) -> tuple[str, object]:
        """The setting that decides that the reply is stopped, and its value."""
        by = self._stop.value if self._stop else ""
        return deciding_setting(self._settings, None)(MessageEnd.STOP, by)

    def withdraws(self, posts: Sequence[Post]) -> None:
        """The queued *posts* of a failed attempt are put aside."""
        self._stop_waiting()
        self.tell(QueueWithdrawn(self._outgoing.settle(posts)))

    def brings_back(self, posts: Sequence[Post]) -> None:
        """No other model answered: *posts* are sent after all."""
        self.tell(QueueRestored(self._outgoing.restore(posts)))

    def supersedes(self, receipts: Iterable[Receipt]) -> None:
        """*receipts* are deleted as soon as there is something else to send."""
        self.tell(MessagesSuperseded(_ids(receipts)))

    def spares(self, receipts: Iterable[Receipt]) -> None:
        """*receipts* are not deleted after all."""
        self.tell(MessagesSpared(_ids(receipts)))

    def deletes(self) -> None:
        """A message is being deleted."""
        self._stop_waiting()
        self._sending_since = self.now()

    def deleted(self, receipt: Receipt, error: BaseException | None) -> None:
        """The message of *receipt* was deleted, unless there is an *error*."""
        seconds = _seconds(self.now() - self._sending_since)
        self.tell(MessageDeleted(str(receipt.message_id), seconds, self._error(error)))

    def notified(self, notice: Notice, *, is_shown: bool) -> None:
        """A notice was shown, or could not be shown."""
        self.tell(NoticeShown(notice.title, notice.text, notice.urgency.value, is_shown))

    def _waited_for(self, numbers: Iterable[int]) -> dict[str, float]:
        """How long those posts waited, by reason."""
        waits: dict[str, float] = {}
        for key in [key for key in self._waits if not set(key[0]).isdisjoint(numbers)]:
            waits[key[1]] = _seconds(waits.get(key[1], 0.0) + self._waits.pop(key))
        return waits

    # --- outcomes and errors -------------------------------------------------------------------------

    def _outcome(self, outcome: Outcome) -> Mapping[str, object]:
        error = outcome.error if isinstance(outcome, Broke) else None
        kind, reason = _named(outcome)
        return {"kind": kind, "reason": reason, "error": self._error(error)}

    def _error(self, error: BaseException | None) -> Mapping[str, object] | None:
        """*error* without secrets, and without the text of a foreign exception."""
        if error is None:
            return None
        text = _said_safely(error.sentence, self._hidden) if isinstance(error, CadenzaError) else ""
        about: dict[str, object] = {"type": type(error).__name__, "text": text, "kind": "", "code": "", "detail": ""}
        match error:
            case ProviderError(kind=kind, code=code, detail=detail):
                return about | {"kind": kind.value, "code": code, "detail": without_secrets(detail, *self._hidden)}
            case DeliveryError(kind=kind, code=number):
                return about | {"kind": kind.value, "code": "" if number is None else str(number)}
            case _:
                return about


class _Outgoing:
    """The planned posts on their way to the chat: their numbers, and what the outbox makes of their texts."""

    def __init__(self) -> None:
        self.numbers = PostNumbers()
        self.under_way: tuple[int, ...] = ()
        self.gone: list[Range] = []
        """What the last message after a stop leaves out of the posts that it is made of."""
        self._post: Post | None = None
        self._shortened: Post | None = None  # the last one of a stopped reply, which is part of planned ones
        self._settled: set[int] = set()  # posts that were sent, dropped or withdrawn
        self._texts: dict[int, str] = {}  # of posts that the outbox made, by id
        self._stands_for: dict[int, list[Range]] = {}  # what it replaced in them, by id

    def text(self, post: Post) -> str:
        """The text of *post*, with its origin."""
        return self._texts.get(id(post), post.text)

    def replace(self, before: Sequence[Post], after: Sequence[Post], why: str) -> list[Range]:
        """Note that *after* is sent instead of *before*; return what of the model's text is gone."""
        numbers = self.numbers_of(before)
        for post in after:
            self.numbers.inherit(post, numbers)
            text = rewritten(self.text(before[0]), post.text) if len(before) == len(after) == 1 else post.text
            self._texts[id(post)] = explained(text, why)
        were, are = ([place for post in posts for place in self._covers(post)] for posts in (before, after))
        gone = without(union(sorted(were)), union(sorted(are)))
        if len(before) == len(after) == 1:
            self._stands_for[id(after[0])] = gone
        return gone

    def begin(self, post: Post) -> tuple[int, ...]:
        """*post* is being sent."""
        self._post = post
        self.under_way = self.settle([post])
        return self.under_way

    def text_of_sent(self, post: Post) -> str:
        """The text of the *post* that has arrived, as the target sent it."""
        text = self.text(self._post or post)
        return text if text == post.text else explained(rewritten(text, str(post.text)), "target")

    def covers_of_sent(self) -> list[Range]:
        """What of the model's text has arrived."""
        return [] if self._post is None else self._covers(self._post)

    def _covers(self, post: Post) -> list[Range]:
        shown = ranges(self.text(post), post.source or "")
        covers = union(sorted([*self.numbers.covers(post), *shown, *self._stands_for.get(id(post), ())]))
        return [place for place in covers if place[0] < shown[-1][1]] if post is self._shortened and shown else covers

    def settle(self, posts: Iterable[Post]) -> tuple[int, ...]:
        """Nothing more happens to *posts*; return their numbers."""
        numbers = self.numbers_of(posts)
        self._settled.update(numbers)
        return numbers

    def restore(self, posts: Iterable[Post]) -> tuple[int, ...]:
        """*posts* are queued again; return their numbers."""
        numbers = self.numbers_of(posts)
        self._settled.difference_update(numbers)
        return numbers

    def cut(self, kept: Sequence[Post], cut: Sequence[Post]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Of the posts that were *cut* only *kept* are still sent; return their numbers and those of the dropped posts."""
        numbers = self.numbers_of(kept)
        dropped = tuple(number for number in self._unsent(cut) if number not in numbers)
        planned = [place for number in numbers for place in self.numbers.covers(self.numbers.things[number])]
        sent = [place for post in kept for place in self._covers(post)]
        self.gone = without(union(sorted(planned)), union(sorted(sent))) if kept else []
        self._settled.update(dropped)
        return numbers, dropped

    def recognise(self, post: Post, cut: Sequence[Post]) -> None:
        """Number an unknown *post*, the last one of a stopped reply: it is made of the posts that were *cut*."""
        if self.numbers.of(post):
            return
        places = self.numbers.covers(post)
        planned = {number: self.numbers.covers(one) for number, one in self._unsent(cut).items()}
        made_of = [number for number, own in planned.items() if without(own, places) != own]
        self._shortened = post
        self.numbers.inherit(post, made_of or [*planned][:1])
        self._texts[id(post)] = explained(post.text, "stop")

    def numbers_of(self, posts: Iterable[Post]) -> tuple[int, ...]:
        """The numbers of *posts*, without duplicates."""
        return tuple(dict.fromkeys(number for post in posts for number in self.numbers.of(post)))

    def _unsent(self, cut: Sequence[Post]) -> dict[int, Post]:
        """The planned posts that are not settled, and those with a piece that was *cut*."""
        pieces = self.numbers_of(cut)
        return {
            number: post
            for number, post in self.numbers.things.items()
            if number in pieces or number not in self._settled
        }


def _said_safely(sentence: Sentence, secrets: Iterable[str]) -> str:
    """*sentence*, which can be said in any language; only its English text, if a secret had to be removed."""
    safe = without_secrets(str(sentence), *secrets)
    return sentence if safe == str(sentence) else safe


def _named(outcome: Outcome) -> tuple[str, str]:
    """The kind of *outcome*, and its reason."""
    match outcome:
        case Completed(reason):
            return "completed", reason
        case Empty(reason):
            return "empty", reason
        case Stopped(reason):
            return "stopped", reason.value
        case Stalled(has_begun):
            return "stalled", "in the middle" if has_begun else "before the first word"
        case NeedsTools(calls):
            return "needs_tools", ", ".join(call.name for call in calls)
        case Broke(error):
            return "broke", type(error).__name__
        case _:
            assert_never(outcome)


def _changed(settings: Settings) -> dict[str, object]:
    """The settings that differ from the defaults, without those that may hold a secret."""
    values = ((spec, getattr(getattr(settings, section), spec.name)) for section, spec in settings_fields())
    return {spec.name: plain(value) for spec, value in values if spec.repr and value != spec.default}


def _without(fact: Fact, secrets: Iterable[str]) -> Fact:
    """*fact* without *secrets*. Stars stand for each character of one, so that all places in the text stay true."""
    values = values_of(fact)
    clean = {name: _hidden(value, secrets) for name, value in values.items()}
    changed = {name: value for name, value in clean.items() if value != values[name]}
    return replace(fact, **changed) if changed else fact


def _hidden(value: Any, secrets: Iterable[str]) -> Any:
    match value:
        case str():
            for secret in secrets:
                value = value.replace(secret, "*" * len(secret))
            return value
        case Mapping():
            return {name: _hidden(inner, secrets) for name, inner in value.items()}
        case Edge():
            return replace(value, value=_hidden(value.value, secrets), mark=_hidden(value.mark, secrets))
        case tuple() | list():
            return tuple(_hidden(inner, secrets) for inner in value)
        case _:
            return value


def _seconds(seconds: float) -> float:
    """*seconds* without rounding errors."""
    return round(seconds, 6)


def _ids(receipts: Iterable[Receipt]) -> tuple[str, ...]:
    return tuple(str(receipt.message_id) for receipt in receipts)
