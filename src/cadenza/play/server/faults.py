"""How the simulated Discord behaves: how much it takes, how slow it is, and what goes wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Literal, assert_never

from ...sim.faults import Fault
from ...sim.rate_limits import Quota, RateLimits
from ...sim.server import Server
from ...sim.wire import Json
from ..films.fault_names import AS_BOT, AS_SOMEBODY, What
from .world import Grounds

_SAYING = (AS_BOT, AS_SOMEBODY)
"""How a bot says something: as itself, or under another name."""
_SAID = ", ".join(_SAYING)
_USUAL = (5, 5.0)
_PLENTY = Quota("* /**", 1000, 1.0)
_SECONDS = 3.0
_REFUSED = 50013
"""Discord's code for a permission that is missing."""


@dataclass(frozen=True, slots=True)
class _Trouble:
    """Something that was asked for, and the fault that does it."""

    id: str
    what: What
    times: int
    fault: Fault

    @property
    def left(self) -> int:
        """How often it will still happen."""
        return self.times - self.fault.struck


class Weather:
    """One for each session."""

    def __init__(self, server: Server, grounds: Grounds) -> None:
        self._server = server
        self._grounds = grounds
        self._limits: tuple[int, float] | None = _USUAL
        self._latency = 0.0
        self._delay: Fault | None = None
        self._troubles: list[_Trouble] = []
        self._numbers = count(1)

    def as_json(self) -> Json:
        """As a page is told of it."""
        self._troubles = [trouble for trouble in self._troubles if trouble.left]
        limits = None if self._limits is None else {"messages": self._limits[0], "seconds": self._limits[1]}
        faults = [{"id": trouble.id, "what": trouble.what, "left": trouble.left} for trouble in self._troubles]
        return {"limits": limits, "latency": self._latency, "faults": faults}

    def limit(self, messages: int, seconds: float) -> None:
        """Take so many messages in so many seconds from now on."""
        self._limits = (messages, seconds)
        if self._limits == _USUAL:
            self._server.rest.limits = RateLimits()
        else:
            self._server.rest.limits = RateLimits(*(Quota(match, messages, seconds) for match in _SAYING))

    def lift_limits(self) -> None:
        """Take whatever comes. It still says how much that is: a bot that is told nothing is careful by itself."""
        self._limits = None
        self._server.rest.limits = RateLimits(_PLENTY, others=(), overall=None, webhook_channel=None, invalid=None)

    def slow_down(self, latency: float) -> None:
        """Take *latency* seconds for every answer."""
        if self._delay is not None:
            self._delay.end()
        self._latency = latency
        self._delay = self._server.faults.delay("* /**", latency) if latency else None

    def strike(self, what: What, times: int = 1, seconds: float | None = None) -> None:
        """Let *what* go wrong with the next messages; some things happen at once, and once."""
        if what == "disconnect":
            self._server.gateway.cut()
        elif what == "webhook_gone":
            self._drop_webhooks()
        else:
            made = self._made(what, times, _SECONDS if seconds is None else seconds)
            self._troubles.append(_Trouble(str(next(self._numbers)), what, times, made))

    def clear(self) -> None:
        """Let nothing go wrong any more."""
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
        me, guild = self._grounds.me.id, self._grounds.scenery.guild.id
        for webhook in self._server.world.guild_webhooks(me, guild):
            self._server.world.delete_webhook(me, webhook["id"])
