"""The metrics of a bot: turns and their outcomes, waiting times, tokens, tools, and responses of Discord."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ...explain.steps import TraceStep
from ...explain.tracebacks import get_logger
from ...types import Broke, Empty, Reply, Stopped, ToolUse, Usage
from .bounded_dict import make_room
from .counters import COUNTING, Counters
from .invalid_requests import InvalidRequests

logger = get_logger(__name__)

_REPLIES = 10_000
"""How many running replies are tracked; beyond that the oldest is dropped."""
_SENDS = (
    ("POST /channels/:id/messages", "bot"),
    ("POST /webhooks/:id/:token", "webhook"),
    ("POST /interactions/:id/:token/callback", "interaction"),
    ("POST /webhooks/:application/:token", "interaction"),
)
"""Routes that send a message, and the value of the label ``way``."""


@dataclass(slots=True)
class _ReplyState:
    """The state of a reply that has not ended."""

    planned: dict[int, float] = field(default_factory=dict)
    """When each of its posts was ready to be sent."""
    has_spoken: bool = False
    stopped_at: float | None = None


class Metrics:
    """The metrics of one bot; without ``prometheus-client`` only refused requests are counted."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.refusals = InvalidRequests(clock=clock)
        self._counters = Counters(clock) if COUNTING else None
        self._replies: dict[str, _ReplyState] = {}  # the oldest first
        if self._counters is None:
            logger.info("there are no metrics: prometheus-client is not installed; 'pip install prometheus-client'")
        else:
            self._counters.watch("discord_invalid_requests", self.refusals.recent)

    def hear(self, traced: TraceStep) -> None:
        """Trace hook: take in one step of a reply."""
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
            case "brought_back" | "deleted" | "unsent" | "left_out":
                self.recovered(traced.step)
            case "end":
                self._ended(traced, self._counters)
            case _:
                pass  # nothing is counted for the other steps

    def turn_ended(self, reply: Reply, *, seconds: float, waited: float) -> None:
        """Count a turn that took *seconds*, after it had *waited* in the queue."""
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
        """Count a response of Discord; *scope* is the rate limit scope of a 429."""
        self.refusals.answered(status, is_shared=scope == "shared")
        counters = self._counters
        if counters is None:
            return
        counters.calls.labels(counters.label("route", route), str(status)).inc()
        if status == 429:
            counters.too_many.labels(scope if scope in ("user", "global", "shared") else "unknown").inc()
        for prefix, way in _SENDS:
            if status < 300 and route == prefix:
                counters.sends.labels(way).inc()

    def recovered(self, kind: str) -> None:
        """Count an error that was recovered from, at least in part; *kind* is one of a few words."""
        if self._counters is not None:
            self._counters.recoveries.labels(self._counters.label("kind", kind)).inc()

    def refused(self, excess: str) -> None:
        """Count a message that was not answered because the limit *excess* was reached."""
        if self._counters is not None:
            self._counters.refused.labels(self._counters.label("kind", excess)).inc()

    def watch(
        self,
        *,
        active: Callable[[], float] | None = None,
        waiting: Callable[[], float] | None = None,
        left_behind: Callable[[], float] | None = None,
        servers: Callable[[], float] | None = None,
    ) -> None:
        """Call these whenever the metrics are read: running turns, queued messages, turns that do not end, servers."""
        asks = {
            "active_turns": active,
            "waiting_messages": waiting,
            "left_behind_turns": left_behind,
            "servers": servers,
        }
        for gauge, ask in asks.items():
            if self._counters is not None and ask is not None:
                self._counters.watch(gauge, ask)

    def rendered(self) -> bytes:
        """All metrics in the Prometheus text format."""
        return b"" if self._counters is None else self._counters.rendered()

    def _of(self, traced: TraceStep) -> _ReplyState:
        if traced.turn not in self._replies:
            make_room(self._replies, _REPLIES)
            self._replies[traced.turn] = _ReplyState()
        return self._replies[traced.turn]

    def _sent(self, traced: TraceStep, counters: Counters) -> None:
        state = self._of(traced)
        if not state.has_spoken:
            state.has_spoken = True
            counters.first_message_seconds.observe(traced.at)
        numbers = traced.about["posts"]
        for number in numbers if isinstance(numbers, Iterable) else ():
            if (ready := state.planned.pop(_number(number), None)) is not None:
                counters.reader_wait_seconds.observe(traced.at - ready)

    def _tried(self, why: str, counters: Counters) -> None:
        if why != "first":
            counters.fallbacks.labels(counters.label("kind", why.replace(" ", "_"))).inc()

    def _ended(self, traced: TraceStep, counters: Counters) -> None:
        state = self._replies.pop(traced.turn, None)
        if state is not None and state.stopped_at is not None:
            counters.stop_seconds.observe(traced.at - state.stopped_at)

    def _used(self, model: str, usage: Usage, counters: Counters) -> None:
        name = counters.label("model", model or "unknown")
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
            counters.tools.labels(counters.label("tool", use.call.name), outcome).inc()


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _named(reply: Reply) -> tuple[str, str]:
    """The outcome of *reply*, and its reason if that is one of a bounded set."""
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
