"""The Prometheus counters, gauges and histograms, in a registry of their own.

Labels are bounded: there is none for people, channels, servers or messages, and names of models, tools and routes beyond
a limit become ``other``.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from functools import partial
from importlib import metadata
from importlib.util import find_spec
from types import MappingProxyType

COUNTING = find_spec("prometheus_client") is not None
"""Whether ``prometheus-client`` is installed; it comes with the extra ``bot``."""

_GAUGES: Mapping[str, str] = MappingProxyType(
    {
        "discord_invalid_requests": "Discord requests refused in the last ten minutes; Discord bans at 10000.",
        "discord_cooldown_seconds": "Time until Discord may be asked again, as it shuts the bot out; 0 if it does not.",
        "active_turns": "Running turns.",
        "waiting_messages": "Messages in the queue.",
        "left_behind_turns": "Turns that ignored their cancellation.",
        "servers": "Servers the bot is in.",
        "uptime_seconds": "Time since the bot started.",
    }
)
_LABELS: Mapping[str, int] = MappingProxyType({"model": 50, "tool": 100, "route": 200, "kind": 50})
"""How many values each label may have whose values are names from elsewhere."""
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


class Counters:
    """All metrics of one bot, from its start."""

    def __init__(self, clock: Callable[[], float]) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info  # noqa: PLC0415  # an extra

        self._registry = CollectorRegistry()
        counter = partial(Counter, namespace="cadenza", registry=self._registry)
        histogram = partial(Histogram, namespace="cadenza", registry=self._registry)
        gauge = partial(Gauge, namespace="cadenza", registry=self._registry)
        self._labels = {name: Bounded(most) for name, most in _LABELS.items()}
        self.turns = counter("turns", "Turns that ended, by outcome.", ["outcome", "reason"])
        self.turn_seconds = histogram("turn_seconds", "Duration of a turn.", buckets=_LONG)
        self.queue_seconds = histogram("queue_seconds", "Time a message waited in the queue.", buckets=_LONG)
        self.first_message_seconds = histogram(
            "first_message_seconds", "Time from the start of a reply to its first message.", buckets=_QUICK
        )
        self.reader_wait_seconds = histogram(
            "reader_wait_seconds", "Time from a message being ready to its being sent.", buckets=_QUICK
        )
        self.stop_seconds = histogram("stop_seconds", "Time from a stop to the end of the reply.", buckets=_QUICK)
        self.sends = counter("sends", "Messages sent, by bot, webhook or interaction.", ["way"])
        self.calls = counter("discord_calls", "Discord requests, by route and status.", ["route", "status"])
        self.too_many = counter("discord_429", "Rate-limited Discord requests, by scope.", ["scope"])
        self.recoveries = counter("recoveries", "Errors that were recovered from.", ["kind"])
        self.fallbacks = counter("fallbacks", "Attempts after the first, by what changed.", ["kind"])
        self.refused = counter("refused", "Messages not answered because of a limit.", ["limit"])
        self.tokens = counter("tokens", "Tokens as counted by providers.", ["model", "kind"])
        self.tools = counter("tools", "Tool calls.", ["tool", "outcome"])
        self._gauges = {name: gauge(name, about) for name, about in _GAUGES.items()}
        began = clock()
        self.watch("uptime_seconds", lambda: clock() - began)
        info = Info("build", "Versions of Cadenza and Python.", namespace="cadenza", registry=self._registry)
        info.info({"version": _version(), "python": platform.python_version()})

    def label(self, name: str, value: str) -> str:
        """*value*, or ``other`` if the label *name* is full."""
        return self._labels[name].bounded(value)

    def watch(self, gauge: str, ask: Callable[[], float]) -> None:
        """Call *ask* for the value of *gauge* whenever the metrics are read."""
        self._gauges[gauge].set_function(ask)

    def rendered(self) -> bytes:
        """All metrics in the Prometheus text format."""
        from prometheus_client import generate_latest  # noqa: PLC0415  # as above

        return generate_latest(self._registry)


def _version() -> str:
    try:
        return metadata.version("cadenza")
    except metadata.PackageNotFoundError:  # a source tree that is not installed
        return "unknown"
