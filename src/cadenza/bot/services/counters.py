"""The counters themselves, as Prometheus knows them, in a registry of their own.

No label grows without end: there is none for people, channels, servers or messages, and names that somebody makes up
(of models, tools and routes) are bounded, the rest being ``other``.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from importlib import metadata
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prometheus_client import Counter, Gauge, Histogram

COUNTING = find_spec("prometheus_client") is not None
"""Whether there is anybody who counts: it comes with the extra ``bot``."""

_OTHER = "other"
_QUICK = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_LONG = (0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)


class Bounded:
    """The values of a label: so many, whoever comes first; all others are one."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: set[str] = set()

    def bounded(self, value: str) -> str:
        """*value*, or ``other`` if there are too many already."""
        if value not in self._known and len(self._known) >= self._most:
            return _OTHER
        self._known.add(value)
        return value


class Counters:
    """All of them, from the start of the bot."""

    def __init__(self, clock: Callable[[], float]) -> None:
        from prometheus_client import CollectorRegistry, Info  # noqa: PLC0415  # an extra

        self._registry = CollectorRegistry()
        self.models, self.tool_names = Bounded(50), Bounded(100)
        self.routes, self.kinds = Bounded(200), Bounded(50)
        self.turns = self._counter("turns", "Turns that are over, by how they ended.", "outcome", "reason")
        self.turn_seconds = self._histogram("turn_seconds", "How long a turn took.", _LONG)
        self.queue_seconds = self._histogram("queue_seconds", "How long a message waited for its turn.", _LONG)
        self.first_message_seconds = self._histogram(
            "first_message_seconds", "From the start of a reply to its first message.", _QUICK
        )
        self.reader_wait_seconds = self._histogram(
            "reader_wait_seconds", "From a message being ready to its being sent.", _QUICK
        )
        self.stop_seconds = self._histogram("stop_seconds", "From a stop to the end of the reply.", _QUICK)
        self.sends = self._counter("sends", "Messages that were sent, by the way they took.", "way")
        self.calls = self._counter("discord_calls", "Calls of Discord, by route and status.", "route", "status")
        self.too_many = self._counter("discord_429", "Calls that came too early, by whose limit it was.", "scope")
        self.invalid_requests = self._gauge(
            "discord_invalid_requests", "Calls that were refused in the last ten minutes; Discord bans at 10000."
        )
        self.recoveries = self._counter("recoveries", "What went wrong and was made good.", "kind")
        self.fallbacks = self._counter("fallbacks", "Tries after the first, by what was done otherwise.", "kind")
        self.refused = self._counter("refused", "Messages that were not answered because of a limit.", "limit")
        self.tokens = self._counter("tokens", "Tokens as providers count them.", "model", "kind")
        self.tools = self._counter("tools", "Tools that were run.", "tool", "outcome")
        self.active_turns = self._gauge("active_turns", "Turns that run at present.")
        self.waiting_messages = self._gauge("waiting_messages", "Messages that wait for their turn.")
        self.left_behind = self._gauge("left_behind_turns", "Turns that did not end although they were cancelled.")
        self.servers = self._gauge("servers", "Servers that the bot is in.")
        began = clock()
        self._gauge("uptime_seconds", "How long the bot has been running.").set_function(lambda: clock() - began)
        info = Info("build", "What is running.", namespace="cadenza", registry=self._registry)
        info.info({"version": _version(), "python": platform.python_version()})

    def rendered(self) -> bytes:
        """All of it, in Prometheus' own text."""
        from prometheus_client import generate_latest  # noqa: PLC0415  # as above

        return generate_latest(self._registry)

    def _counter(self, name: str, about: str, *labels: str) -> Counter:
        from prometheus_client import Counter  # noqa: PLC0415  # as above

        return Counter(name, about, labels, namespace="cadenza", registry=self._registry)

    def _gauge(self, name: str, about: str) -> Gauge:
        from prometheus_client import Gauge  # noqa: PLC0415  # as above

        return Gauge(name, about, namespace="cadenza", registry=self._registry)

    def _histogram(self, name: str, about: str, buckets: tuple[float, ...]) -> Histogram:
        from prometheus_client import Histogram  # noqa: PLC0415  # as above

        return Histogram(name, about, namespace="cadenza", registry=self._registry, buckets=buckets)


def _version() -> str:
    """Which Cadenza this is, as it was installed."""
    try:
        return metadata.version("cadenza")
    except metadata.PackageNotFoundError:  # it runs from a folder
        return "unknown"
