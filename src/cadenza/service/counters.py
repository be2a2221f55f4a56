"""The Prometheus counters, gauges and histograms, in a registry of their own.

Labels are bounded: there is none for people, channels, servers or messages, and names of models, tools and routes beyond
a limit become ``other``.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from importlib import metadata
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prometheus_client import Counter, Gauge, Histogram

COUNTING = find_spec("prometheus_client") is not None
"""Whether ``prometheus-client`` is installed; it comes with the extra ``bot``."""

_GAUGES: Mapping[str, str] = MappingProxyType(
    {
        "discord_invalid_requests": "Discord requests refused in the last ten minutes; Discord bans at 10000.",
        "active_turns": "Running turns.",
        "waiting_messages": "Messages in the queue.",
        "left_behind_turns": "Turns that ignored their cancellation.",
        "servers": "Servers the bot is in.",
        "uptime_seconds": "Time since the bot started.",
    }
)
_OTHER = "other"
_QUICK = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_LONG = (0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)


class Bounded:
    """The values of a label: the first *most* of them, then ``other``."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: set[str] = set()

    def bounded(self, value: str) -> str:
        """*value*, or ``other`` once the label is full."""
        if value not in self._known and len(self._known) >= self._most:
            return _OTHER
        self._known.add(value)
        return value


class Labels:
    """The labels whose values are names from elsewhere."""

    def __init__(self) -> None:
        self.models, self.tools = Bounded(50), Bounded(100)
        self.routes, self.kinds = Bounded(200), Bounded(50)


class Counters:
    """All metrics of one bot, from its start."""

    def __init__(self, clock: Callable[[], float]) -> None:
        from prometheus_client import CollectorRegistry, Info  # noqa: PLC0415  # an extra

        self._registry = CollectorRegistry()
        self.labels = Labels()
        self.turns = self._counter("turns", "Turns that ended, by outcome.", "outcome", "reason")
        self.turn_seconds = self._histogram("turn_seconds", "Duration of a turn.", _LONG)
        self.queue_seconds = self._histogram("queue_seconds", "Time a message waited in the queue.", _LONG)
        self.first_message_seconds = self._histogram(
            "first_message_seconds", "Time from the start of a reply to its first message.", _QUICK
        )
        self.reader_wait_seconds = self._histogram(
            "reader_wait_seconds", "Time from a message being ready to its being sent.", _QUICK
        )
        self.stop_seconds = self._histogram("stop_seconds", "Time from a stop to the end of the reply.", _QUICK)
        self.sends = self._counter("sends", "Messages sent, by bot, webhook or interaction.", "way")
        self.calls = self._counter("discord_calls", "Discord requests, by route and status.", "route", "status")
        self.too_many = self._counter("discord_429", "Rate-limited Discord requests, by scope.", "scope")
        self.recoveries = self._counter("recoveries", "Errors that were recovered from.", "kind")
        self.fallbacks = self._counter("fallbacks", "Attempts after the first, by what changed.", "kind")
        self.refused = self._counter("refused", "Messages not answered because of a limit.", "limit")
        self.tokens = self._counter("tokens", "Tokens as counted by providers.", "model", "kind")
        self.tools = self._counter("tools", "Tool calls.", "tool", "outcome")
        self._gauges = {name: self._gauge(name, about) for name, about in _GAUGES.items()}
        began = clock()
        self.watch("uptime_seconds", lambda: clock() - began)
        info = Info("build", "Versions of Cadenza and Python.", namespace="cadenza", registry=self._registry)
        info.info({"version": _version(), "python": platform.python_version()})

    def watch(self, gauge: str, ask: Callable[[], float]) -> None:
        """Call *ask* for the value of *gauge* whenever the metrics are read."""
        self._gauges[gauge].set_function(ask)

    def rendered(self) -> bytes:
        """All metrics in the Prometheus text format."""
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
    try:
        return metadata.version("cadenza")
    except metadata.PackageNotFoundError:  # a source tree that is not installed
        return "unknown"
