"""The metrics of a bot: turns and their outcomes, waiting times, tokens, tools, and responses of Discord."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ...explain.tracebacks import get_logger
from ...facts import (
    AttemptBegan,
    LoggedFact,
    MessageDeleted,
    MessageLeftOut,
    MessagePlanned,
    MessageRefused,
    MessageSent,
    QueueRestored,
    ReplyEnded,
    RequestSent,
    StopAsked,
    ToolCalled,
    Values,
)
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

    def hear(self, logged: LoggedFact) -> None:
        """Trace hook: take in one fact of a reply."""
        counters, at = self._counters, logged.at
        if counters is None:
            return
        match logged.fact:
            case MessagePlanned(number=number):
                self._of(logged).planned[number] = at
            case MessageSent(posts=posts):
                self._sent(posts, logged, counters)
            case StopAsked():
                self._of(logged).stopped_at = at
            case AttemptBegan(why=why) if why != "first":
                counters.fallbacks.labels(counters.label("kind", why.replace(" ", "_"))).inc()
            case RequestSent(error=error) if error is not None:
                self.recovered("request_changed")
            case QueueRestored() | MessageDeleted() | MessageRefused() | MessageLeftOut(why="repeated" | "skipped"):
                self.recovered(logged.fact.name)
            case ToolCalled(tool=tool, is_error=is_error, remembered=False):
                counters.tools.labels(counters.label("tool", tool), "error" if is_error else "ok").inc()
            case ReplyEnded() as end:
                self._ended(end, logged, counters)
            case _:
                pass  # nothing is counted for the other facts

    def turn_ended(self, *, seconds: float, waited: float) -> None:
        """Count a turn that took *seconds*, after it had *waited* in the queue."""
        if self._counters is not None:
            self._counters.turn_seconds.observe(seconds)
            self._counters.queue_seconds.observe(waited)

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
        cooldown: Callable[[], float] | None = None,
    ) -> None:
        """Call these whenever the metrics are read.

        They return running turns, queued messages, turns that do not end, servers, and the seconds for which Discord
        shuts the bot out.
        """
        asks = {
            "active_turns": active,
            "waiting_messages": waiting,
            "left_behind_turns": left_behind,
            "servers": servers,
            "discord_cooldown_seconds": cooldown,
        }
        for gauge, ask in asks.items():
            if self._counters is not None and ask is not None:
                self._counters.watch(gauge, ask)

    def rendered(self) -> bytes:
        """All metrics in the Prometheus text format."""
        return b"" if self._counters is None else self._counters.rendered()

    def _of(self, logged: LoggedFact) -> _ReplyState:
        if logged.turn not in self._replies:
            make_room(self._replies, _REPLIES)
            self._replies[logged.turn] = _ReplyState()
        return self._replies[logged.turn]

    def _sent(self, posts: tuple[int, ...], logged: LoggedFact, counters: Counters) -> None:
        state = self._of(logged)
        if not state.has_spoken:
            state.has_spoken = True
            counters.first_message_seconds.observe(logged.at)
        for number in posts:
            if (ready := state.planned.pop(number, None)) is not None:
                counters.reader_wait_seconds.observe(logged.at - ready)

    def _ended(self, end: ReplyEnded, logged: LoggedFact, counters: Counters) -> None:
        counters.turns.labels(str(end.outcome["kind"]), _reason(end.outcome)).inc()
        model = counters.label("model", end.model or "unknown")
        for kind in ("input", "output", "cached", "thought"):
            tokens = end.usage[f"{kind}_tokens"]
            counters.tokens.labels(model, kind).inc(max(0, tokens) if isinstance(tokens, int) else 0)
        state = self._replies.pop(logged.turn, None)
        if state is not None and state.stopped_at is not None:
            counters.stop_seconds.observe(logged.at - state.stopped_at)


def _reason(outcome: Values) -> str:
    """Why a reply ended, if that is one of a bounded set."""
    match outcome:
        case {"kind": "broke", "error": {"kind": kind, "type": type_}}:
            return str(kind or type_)
        case {"kind": "stopped" | "raised", "reason": reason} | {"kind": "empty", "reason": "speaker_guard" as reason}:
            return str(reason)
        case _:
            return ""
