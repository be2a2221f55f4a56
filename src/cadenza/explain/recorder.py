"""Records the steps of a reply for its hook.

A reply with a hook has a ``Trace``, and every part that decides something calls it. Tracing changes nothing in a reply:
a hook that fails is logged once and not called again.

Steps hold no secrets: no key, header or address, and only the type of a foreign exception.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from math import isfinite
from typing import assert_never
from uuid import uuid4

from ..errors import CadenzaError, DeliveryError, ProviderError
from ..settings import Settings, settings_fields
from ..stages.observe import SequenceNumbers, Taps, name_of
from ..text.redaction import HIDDEN, without_secrets
from ..types import (
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
    Reply,
    Scene,
    Segment,
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
from .steps import Hook, TraceStep
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
    """Sends the steps of one reply to its hook."""

    def __init__(self, hook: Hook, turn: str = "", *, clock: Callable[[], float] | None = None) -> None:
        self._hook: Hook | None = hook
        self._turn = turn or uuid4().hex[:12]
        self.now = clock or asyncio.get_running_loop().time
        self._begun = self._heard_at = self.now()
        self._hidden: set[str] = set()
        self._segments: SequenceNumbers[Segment] = SequenceNumbers()
        self._posts: SequenceNumbers[Post] = SequenceNumbers()
        self._settled: set[int] = set()  # posts that were sent, dropped or withdrawn
        self._sending: tuple[int, ...] = ()
        self._sending_since = self._begun
        self._waiting: tuple[tuple[int, ...], str, float] | None = None
        self._waits: dict[tuple[tuple[int, ...], str], float] = {}
        self._tries = self._requests = self._rounds = 0
        self._stop: StopReason | None = None

    def tell(self, step: str, about: Mapping[str, object]) -> None:
        """Call the hook with *step*, unless it has failed before."""
        if self._hook is None:
            return
        told = {name: _plain(value, self._hidden) for name, value in about.items()}
        try:
            self._hook(TraceStep(step, _seconds(self.now() - self._begun), told, self._turn))
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # it is foreign code, and whatever it does must not disturb a reply
            self._hook = None
            logger.warning("a trace hook failed; it is not called again in this reply", exc_info=error)

    def hide(self, secrets: Iterable[str]) -> None:
        """Remove *secrets* from all later steps."""
        self._hidden |= set(secrets)

    # --- the reply -------------------------------------------------------------------------

    def begins(self, kind: str, scene: Scene, settings: Settings) -> None:
        """A reply to *scene* begins."""
        about = {"kind": kind, "channel": scene.channel, "persona": scene.persona.name, "reply_to": scene.reply_to}
        self.tell("reply", {**about, "settings": _changed(settings)})

    def ends(self, reply: Reply) -> None:
        """The reply ended normally."""
        self._end(self._outcome(reply.outcome), reply)

    def breaks_off(self, error: BaseException) -> None:
        """The reply ended because *error* was raised, for instance a cancellation."""
        self._end({"kind": "raised", "reason": type(error).__name__, "error": None}, Reply(Empty()))

    def _end(self, outcome: Mapping[str, object], reply: Reply) -> None:
        about = {
            "outcome": outcome,
            "messages": len(reply.receipts),
            "model": reply.model,
            "failures": len(reply.failures),
            "notices": len(reply.notices),
            "usage": asdict(reply.usage),
        }
        self.tell("end", about)

    # --- models and tools ------------------------------------------------------------------------

    def passes_over(self, model: str, why: str, seconds: float | None = None) -> None:
        """*model* is skipped; it is available again in *seconds*."""
        self.tell("passed_over", {"model": model, "why": why, "seconds": seconds})

    def tries(self, model: str, key: str | None, why: str, about: Mapping[str, object]) -> None:
        """An attempt with *model* and *key* starts, because of *why*."""
        self._tries, self._requests = self._tries + 1, 0
        self.tell("try", {"number": self._tries, "model": model, "key": key, "why": why, **about})

    def tried(self, model: str, outcome: Outcome, cure: str) -> None:
        """The attempt ended with *outcome*; *cure* is what is done about it."""
        about = {"number": self._tries, "model": model, "outcome": self._outcome(outcome), "cure": cure}
        self.tell("tried", about)

    def requests(self, prompt: Prompt, size: int, rung: str, *, remembered: bool, error: CadenzaError | None) -> None:
        """A request with *prompt* is sent, reduced to this *rung* of the ladder because of *error* or of an earlier refusal."""
        self._requests += 1
        about = {"number": self._requests, "rung": rung, "remembered": remembered, "error": self._error(error)}
        self.tell("request", {**about, "turns": len(prompt.turns), "tools": len(prompt.tools), "bytes": size})
        self._heard_at = self.now()

    def round_over(self, outcome: Outcome, said: int, usage: Usage) -> None:
        """The stream of a model ended."""
        self._rounds += 1
        about = {"number": self._rounds, "outcome": self._outcome(outcome), "said": said, "usage": asdict(usage)}
        self.tell("round", about)

    def used(self, use: ToolUse, *, remembered: bool) -> None:
        """A tool was run, or its earlier result was *remembered*."""
        call, is_error = use.call, use.result.is_error
        about = {"call": call.id, "name": call.name, "arguments": without_secrets(call.arguments, *self._hidden)}
        self.tell("tool", {**about, "seconds": _seconds(use.seconds), "is_error": is_error, "remembered": remembered})

    # --- the stream and the stages -------------------------------------------------------------

    def heard(self, chunk: Chunk) -> None:
        """A chunk arrived from the model."""
        now = self.now()
        since, self._heard_at = now - self._heard_at, now
        kind, text, detail = self._described(chunk)
        self.tell("chunk", {"kind": kind, "since": _seconds(since), "text": text, "detail": detail})

    def _described(self, chunk: Chunk) -> tuple[str, str, Mapping[str, object]]:
        match chunk:
            case TextDelta(text):
                return "text", text, {}
            case ThoughtDelta(text):
                return "thought", text, {}
            case ToolCall():
                arguments = without_secrets(chunk.arguments, *self._hidden)
                return "call", "", {"id": chunk.id, "name": chunk.name, "arguments": arguments}
            case Usage():
                return "usage", "", asdict(chunk)
            case Served(by):
                return "served", "", {"by": by}
            case Finished(reason):
                return "finished", "", {"reason": reason}
            case Failed(error):
                return "failed", "", {"error": self._error(error)}
            case _:
                assert_never(chunk)

    def taps(self) -> Taps:
        """Taps for a row of stages."""
        return Taps(self.tell, self._segments, self._posts)

    def stopped(self, reason: StopReason, by: str) -> None:
        """A stop was requested; each reason is recorded once."""
        if reason is not self._stop:
            self._stop = reason
            self.tell("stop", {"reason": reason.value, "by": by})

    def stalled(self, *, has_begun: bool) -> None:
        """The model sent nothing for too long."""
        self.tell("stall", {"has_begun": has_begun, "seconds": _seconds(self.now() - self._heard_at)})

    # --- the outbox ----------------------------------------------------------------------------

    def pressed_back(self, seconds: float) -> None:
        """Reading from the model paused for *seconds*, because the queue was full."""
        self.tell("back_pressure", {"seconds": _seconds(seconds)})

    def waits(self, post: Post, reason: str) -> None:
        """*post*, the first in the queue, waits because of *reason*."""
        numbers, before = self._posts.of(post), self._waiting
        self._stop_waiting()
        self._waiting = (numbers, reason, self.now())
        if numbers and (before is None or before[:2] != (numbers, reason)):  # a continued wait is recorded once
            self.tell("wait", {"posts": numbers, "why": reason})

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            numbers, reason, since = self._waiting
            self._waiting = None
            self._waits[numbers, reason] = self._waits.get((numbers, reason), 0.0) + self.now() - since

    def became(self, post: Post, posts: Iterable[Post]) -> None:
        """*posts* are sent instead of *post*."""
        for made in posts:
            self._posts.inherit(made, self._posts.of(post))

    def merges(self, post: Post, posts: Sequence[Post], why: str) -> None:
        """The queued *posts* are merged into *post* because of *why*."""
        numbers = self._numbers_of(posts)
        self._posts.inherit(post, numbers)
        self.tell("merged", {"posts": numbers, "text": post.text, "why": why})

    def sends(self, post: Post) -> None:
        """*post* is being sent; it cannot be cut any more."""
        self._stop_waiting()
        self._sending, self._sending_since = self._posts.of(post), self.now()
        self._settled.update(self._sending)
        self.tell("sending", {"posts": self._sending})

    def sent(self, receipt: Receipt) -> None:
        """The post that was being sent has arrived."""
        post, url = receipt.post, receipt.url
        about = {
            "posts": self._sending,
            "text": post.text,
            "message": str(receipt.message_id),
            "url": None if url is None else without_secrets(str(url), *self._hidden),
            "identity": name_of(receipt.identity or post.identity),
            "attachment": post.attachment.name if post.attachment else None,
            "waited": self._waited_for(self._sending),
            "seconds": _seconds(self.now() - self._sending_since),
        }
        self.tell("sent", about)

    def unsent(self, error: BaseException) -> None:
        """The post could not be sent."""
        waited = self._waited_for(self._sending)
        self.tell("unsent", {"posts": self._sending, "waited": waited, "error": self._error(error)})

    def leaves_out(self, post: Post, why: str) -> None:
        """*post* is not sent."""
        self._settled.update(self._posts.of(post))
        self.tell("left_out", {"posts": self._posts.of(post), "why": why})

    def cuts(self, keep: str, waiting_posts: Sequence[Post]) -> None:
        """The reply has ended: of the queued posts only *waiting_posts* are still sent."""
        self._stop_waiting()
        for post in waiting_posts:
            self._recognise(post)
        kept = self._numbers_of(waiting_posts)
        dropped = [number for number in self._open() if number not in kept]
        self._settled.update(dropped)
        text = waiting_posts[0].text if waiting_posts else None
        self.tell("cut", {"keep": keep, "posts": kept, "dropped": dropped, "text": text})

    def withdraws(self, posts: Sequence[Post]) -> None:
        """The queued *posts* of a failed attempt are put aside."""
        self._stop_waiting()
        self._settled.update(self._numbers_of(posts))
        self.tell("withdrawn", {"posts": self._numbers_of(posts)})

    def brings_back(self, posts: Sequence[Post]) -> None:
        """No other model answered: *posts* are sent after all."""
        self._settled.difference_update(self._numbers_of(posts))
        self.tell("brought_back", {"posts": self._numbers_of(posts)})

    def supersedes(self, receipts: Iterable[Receipt]) -> None:
        """*receipts* are deleted as soon as there is something else to send."""
        self.tell("superseded", {"messages": _ids(receipts)})

    def spares(self, receipts: Iterable[Receipt]) -> None:
        """*receipts* are not deleted after all."""
        self.tell("spared", {"messages": _ids(receipts)})

    def deletes(self) -> None:
        """A message is being deleted."""
        self._stop_waiting()
        self._sending_since = self.now()

    def deleted(self, receipt: Receipt, error: BaseException | None) -> None:
        """The message of *receipt* was deleted, unless there is an *error*."""
        seconds = _seconds(self.now() - self._sending_since)
        about = {"message": str(receipt.message_id), "seconds": seconds, "error": self._error(error)}
        self.tell("deleted", about)

    def notified(self, notice: Notice, *, is_shown: bool) -> None:
        """A notice was shown, or could not be shown."""
        about = {"title": notice.title, "text": notice.text, "urgency": notice.urgency.value, "is_shown": is_shown}
        self.tell("notice", about)

    def _numbers_of(self, posts: Iterable[Post]) -> list[int]:
        return list(dict.fromkeys(number for post in posts for number in self._posts.of(post)))

    def _open(self) -> dict[int, Post]:
        """Planned posts that are not settled."""
        return {number: post for number, post in self._posts.things.items() if number not in self._settled}

    def _recognise(self, post: Post) -> None:
        """Number an unknown *post*, the last one of a stopped reply: it is made of the queued posts that its text holds."""
        if self._posts.of(post):
            return
        rest, numbers = post.text, list[int]()
        if not rest:  # a picture
            numbers += [*self._open()][:1]
        for number, planned in self._open().items():
            for text in (piece.text for piece in planned.instead or (planned,)):
                if rest and (rest.startswith(text) or text.startswith(rest)):
                    numbers.append(number)
                    rest = rest[len(text) :].lstrip("\n")
        self._posts.inherit(post, numbers)

    def _waited_for(self, numbers: Iterable[int]) -> dict[str, float]:
        """How long those posts waited, by reason."""
        waits: dict[str, float] = {}
        for key in [key for key in self._waits if not set(key[0]).isdisjoint(numbers)]:
            waits[key[1]] = _seconds(waits.get(key[1], 0.0) + self._waits.pop(key))
        return waits

    # --- as JSON data -------------------------------------------------------------------------

    def _outcome(self, outcome: Outcome) -> Mapping[str, object]:
        error = outcome.error if isinstance(outcome, Broke) else None
        kind, reason = _named(outcome)
        return {"kind": kind, "reason": reason, "error": self._error(error)}

    def _error(self, error: BaseException | None) -> Mapping[str, object] | None:
        """*error* without secrets, and without the text of a foreign exception."""
        if error is None:
            return None
        text = without_secrets(str(error), *self._hidden) if isinstance(error, CadenzaError) else ""
        about: dict[str, object] = {"type": type(error).__name__, "text": text, "kind": "", "code": "", "detail": ""}
        match error:
            case ProviderError(kind=kind, code=code, detail=detail):
                return about | {"kind": kind.value, "code": code, "detail": without_secrets(detail, *self._hidden)}
            case DeliveryError(kind=kind, code=number):
                return about | {"kind": kind.value, "code": "" if number is None else str(number)}
            case _:
                return about


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
    return {spec.name: value for spec, value in values if spec.repr and value != spec.default}


def _plain(value: object, hidden: Iterable[str]) -> object:
    """*value* as JSON data, without *hidden* texts."""
    match value:
        case str():
            for secret in hidden:
                value = value.replace(secret, HIDDEN)
            return value
        case float():
            return value if isfinite(value) else str(value)
        case None | bool() | int():
            return value
        case Mapping():
            return {str(name): _plain(inner, hidden) for name, inner in value.items()}
        case Iterable():
            return [_plain(inner, hidden) for inner in value]
        case _:
            return str(value)


def _seconds(seconds: float) -> float:
    """*seconds* without rounding errors."""
    return round(seconds, 6)


def _ids(receipts: Iterable[Receipt]) -> list[str]:
    return [str(receipt.message_id) for receipt in receipts]
