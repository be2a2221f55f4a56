"""The behaviour of the simulated Discord: rate limits, latency and faults."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Literal, assert_never

from ...sim.faults import Fault
from ...sim.rate_limits import Quota, RateLimits
from ...sim.server import Server
from ...sim.wire import Json
from ..films.fault_names import AS_BOT, AS_SOMEBODY, What
from .world import PlayWorld

_SAYING = (AS_BOT, AS_SOMEBODY)
"""The calls that send a message: as the bot, and through a webhook."""
_SAID = ", ".join(_SAYING)
_USUAL = (5, 5.0)
_PLENTY = Quota("* /**", 1000, 1.0)
_SECONDS = 3.0
_REFUSED = 50013
"""Discord's code for a permission that is missing."""


@dataclass(frozen=True, slots=True)
class _Trouble:
    """A fault that a page asked for."""

    id: str
    what: What
    times: int
    fault: Fault

    @property
    def left(self) -> int:
        """How often it will still strike."""
        return self.times - self.fault.struck


class FaultControls:
    """The behaviour of one session's Discord."""

    def __init__(self, server: Server, play_world: PlayWorld) -> None:
        self._server = server
        self._play_world = play_world
        self._limits: tuple[int, float] | None = _USUAL
        self._latency = 0.0
        self._delay: Fault | None = None
        self._troubles: list[_Trouble] = []
        self._numbers = count(1)

    def as_json(self) -> Json:
        """As JSON."""
        self._troubles = [trouble for trouble in self._troubles if trouble.left]
        limits = None if self._limits is None else {"messages": self._limits[0], "seconds": self._limits[1]}
        faults = [{"id": trouble.id, "what": trouble.what, "left": trouble.left} for trouble in self._troubles]
        return {"limits": limits, "latency": self._latency, "faults": faults}

    def limit(self, messages: int, seconds: float) -> None:
        """Set the rate limit for messages."""
        self._limits = (messages, seconds)
        if self._limits == _USUAL:
            self._server.rest.limits = RateLimits()
        else:
            self._server.rest.limits = RateLimits(*(Quota(match, messages, seconds) for match in _SAYING))

    def lift_limits(self) -> None:
        """Remove the rate limits. Responses still state a high limit: without one, the bot would slow itself down."""
        self._limits = None
        self._server.rest.limits = RateLimits(_PLENTY, others=(), overall=None, webhook_channel=None, invalid=None)

    def slow_down(self, latency: float) -> None:
        """Answer every call after *latency* seconds."""
        if self._delay is not None:
            self._delay.end()
        self._latency = latency
        self._delay = self._server.faults.delay("* /**", latency) if latency else None

    def strike(self, what: What, times: int = 1, seconds: float | None = None) -> None:
        """Arrange *what* for the next messages; ``disconnect`` and ``webhook_gone`` happen once, at once."""
        if what == "disconnect":
            self._server.gateway.cut()
        elif what == "webhook_gone":
            self._drop_webhooks()
        else:
            made = self._made(what, times, _SECONDS if seconds is None else seconds)
            self._troubles.append(_Trouble(str(next(self._numbers)), what, times, made))

    def clear(self) -> None:
        """Remove all faults."""
        for trouble in self._troubles:
            trouble.fault.end()
        self._troubles.clear()

    def _made(
        self, what: Literal["rate_limit", "refused", "lost", "slow", "broken"], times: int, seconds: float
    ) -> Fault:
        faults = self._server.faults
        match what:
            case "rate_limit":
                return faults.storm(_SAID, seconds, times)
            case "refused":
                return faults.fail(_SAID, 403, _REFUSED, message="Missing Permissions", times=times)
            case "lost":
                return faults.lose(_SAID, times=times)
            case "slow":
                return faults.delay(_SAID, seconds, times=times)
            case "broken":
                return faults.lose(_SAID, is_carried_out=False, times=times)
            case _:
                assert_never(what)

    def _drop_webhooks(self) -> None:
        me, guild = self._play_world.me.id, self._play_world.demo_server.guild.id
        for webhook in self._server.world.guild_webhooks(me, guild):
            self._server.world.delete_webhook(me, webhook["id"])
