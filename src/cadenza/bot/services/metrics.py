"""What machines read of a bot: how many turns, how they ended, how long people waited, what Discord said."""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ...explain.steps import TraceStep
from ...types import Broke, Empty, Reply, Stopped, ToolUse, Usage
from .counters import COUNTING, Counters
from .invalid_requests import InvalidRequests

logger = logging.getLogger(__name__)

_REPLIES = 10_000
"""How many replies are followed at once; of more than that the oldest is given up."""
_SENDS = (
    ("POST /channels/:id/messages", "bot"),
    ("POST /webhooks/:id/:token", "webhook"),
    ("POST /interactions/:id/:token/callback", "interaction"),
    ("POST /webhooks/:application/:token", "interaction"),
)
"""By which calls something is said, and under whose name."""


@dataclass(slots=True)
class _Followed:
    """What is remembered of a reply until it is over."""

    planned: dict[int, float] = field(default_factory=dict)
    """When each of its messages was ready to be sent."""
    has_spoken: bool = False
    stopped_at: float | None = None


class Metrics:
    """Counts. One for a bot; without ``prometheus-client`` it counts nothing and says so once."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.refusals = InvalidRequests(clock=clock)
        self._counters = Counters(clock) if COUNTING else None
        self._replies: OrderedDict[str, _Followed] = OrderedDict()
        if self._counters is None:
            logger.info("prometheus-client is not installed, so nothing is counted; 'pip install prometheus-client'")
        else:
            self._counters.invalid_requests.set_function(self.refusals.recent)

    def hear(self, traced: TraceStep) -> None:
        """A hook: one step of a reply."""
        if self._counters is None:
            return
        match traced.step:
            case "post":
                self._of(traced).planned[_number(traced.about["number"])] = traced.at
            case "sent":
                self._sent(traced, self._counters)
            case "stop":
                self._of(traced).stopped_at = traced.at
            case "try":
                self._tried(str(traced.about["why"]), self._counters)
            case "request" if traced.about["error"] is not None:
                self.recovered("request_changed")
            case "brought_back" | "taken_back" | "unsent" | "left_out":
                self.recovered(traced.step)
            case "end":
                self._ended(traced, self._counters)
            case _:
                pass  # the other steps are told, but nothing of them is counted

    def turn_ended(self, reply: Reply, *, seconds: float, waited: float) -> None:
        """A turn is over that took *seconds*, after it had *waited* in the queue."""
        counters = self._counters
        if counters is None:
            return
        outcome, reason = _named(reply)
        counters.turns.labels(outcome, reason).inc()
        counters.turn_seconds.observe(seconds)
        counters.queue_seconds.observe(waited)
        self._used(reply.model, reply.usage, counters)
        self._ran(reply.tools, counters)

    def called(self, route: str, status: int, *, scope: str = "") -> None:
        """Discord has answered a call; *scope* says whose limit it was that a 429 is about."""
        self.refusals.answered(status, is_shared=scope == "shared")
        counters = self._counters
        if counters is None:
            return
        counters.calls.labels(counters.routes.bounded(route), str(status)).inc()
        if status == 429:
            counters.too_many.labels(scope if scope in ("user", "global", "shared") else "unknown").inc()
        for prefix, way in _SENDS:
            if status < 300 and route == prefix:
                counters.sends.labels(way).inc()

    def recovered(self, kind: str) -> None:
        """Something went wrong and was made good, or as good as it could be; *kind* is one of few words."""
        if self._counters is not None:
            self._counters.recoveries.labels(self._counters.kinds.bounded(kind)).inc()

    def refused(self, excess: str) -> None:
        """Somebody was not answered because they, or their server, had enough of *excess*."""
        if self._counters is not None:
            self._counters.refused.labels(self._counters.kinds.bounded(excess)).inc()

    def watch(
        self,
        *,
        active: Callable[[], float] | None = None,
        waiting: Callable[[], float] | None = None,
        left_behind: Callable[[], float] | None = None,
        servers: Callable[[], float] | None = None,
    ) -> None:
        """Ask these whenever somebody reads: turns that run, messages that wait, turns that do not end, servers."""
        if (counters := self._counters) is None:
            return
        for gauge, ask in (
            (counters.active_turns, active),
            (counters.waiting_messages, waiting),
            (counters.left_behind, left_behind),
            (counters.servers, servers),
        ):
            if ask is not None:
                gauge.set_function(ask)

    def rendered(self) -> bytes:
        """All of it, in Prometheus' own text."""
        return b"" if self._counters is None else self._counters.rendered()

    def _of(self, traced: TraceStep) -> _Followed:
        followed = self._replies.setdefault(traced.turn, _Followed())
        if len(self._replies) > _REPLIES:
            self._replies.popitem(last=False)
        return followed

    def _sent(self, traced: TraceStep, counters: Counters) -> None:
        followed = self._of(traced)
        if not followed.has_spoken:
            followed.has_spoken = True
            counters.first_message_seconds.observe(traced.at)
        numbers = traced.about["posts"]
        for number in numbers if isinstance(numbers, Iterable) else ():
            if (ready := followed.planned.pop(_number(number), None)) is not None:
                counters.reader_wait_seconds.observe(traced.at - ready)

    def _tried(self, why: str, counters: Counters) -> None:
        if why != "first":
            counters.fallbacks.labels(counters.kinds.bounded(why.replace(" ", "_"))).inc()

    def _ended(self, traced: TraceStep, counters: Counters) -> None:
        followed = self._replies.pop(traced.turn, None)
        if followed is not None and followed.stopped_at is not None:
            counters.stop_seconds.observe(traced.at - followed.stopped_at)

    def _used(self, model: str, usage: Usage, counters: Counters) -> None:
        name = counters.models.bounded(model or "unknown")
        for kind, tokens in (
            ("input", usage.input_tokens),
            ("output", usage.output_tokens),
            ("cached", usage.cached_tokens),
            ("thought", usage.thought_tokens),
        ):
            counters.tokens.labels(name, kind).inc(max(0, tokens))

    def _ran(self, uses: Iterable[ToolUse], counters: Counters) -> None:
        for use in uses:
            outcome = "error" if use.result.is_error else "ok"
            counters.tools.labels(counters.tool_names.bounded(use.call.name), outcome).inc()


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _named(reply: Reply) -> tuple[str, str]:
    """How *reply* ended, and why if that is one of few reasons: a model's own words would be without end."""
    outcome = reply.outcome
    name = type(outcome).__name__.lower()
    match outcome:
        case Stopped(reason):
            return name, reason.value
        case Broke(error):
            kind = getattr(error, "kind", None)
            return name, str(getattr(kind, "value", "")) or type(error).__name__
        case Empty("speaker_guard"):
            return name, "speaker_guard"
        case _:
            return name, ""
