"""How the calls of discord.py are counted: its HTTP session is watched, and routes are told without ids."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Protocol

import aiohttp

_API = re.compile(r"/api/v\d+(?=/)")
_ID = re.compile(r"(?<=/)\d{15,20}(?=/|$)")
_WEBHOOK = re.compile(r"^/webhooks/(\d+)/[^/]+(.*)$")
_CALLBACK = re.compile(r"^/interactions/\d+/[^/]+(.*)$")
_REACTION = re.compile(r"(?<=/reactions/)[^/]+")
_INVITE = re.compile(r"(?<=^/invites/)[^/]+")


class Counts(Protocol):
    """Whoever is told of every answer, as ``service.metrics.Metrics`` is."""

    def called(self, route: str, status: int, *, scope: str = "") -> None:
        """Discord has answered a call."""


class Metering:
    """Counts the calls of one client: give its ``trace`` to ``discord.Client(http_trace=…)``."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self.application = ""
        """The id of the bot's application, once it is known: what is said through it answers interactions."""
        self.trace = aiohttp.TraceConfig()
        self.trace.on_request_end.append(self._answered)

    async def _answered(
        self, _session: aiohttp.ClientSession, _context: SimpleNamespace, answer: aiohttp.TraceRequestEndParams
    ) -> None:
        path = answer.url.path
        found = _API.search(path)
        if found is None:  # files, pictures and the gateway are no calls
            return
        route = route_of(answer.method, path[found.end() :], application=self.application)
        scope = answer.response.headers.get("X-RateLimit-Scope", "")
        self._counts.called(route, answer.response.status, scope=scope)


def route_of(method: str, path: str, *, application: str = "") -> str:
    """A call without whatever is of one channel, message or webhook alone: ``POST /channels/:id/messages``."""
    if found := _WEBHOOK.match(path):
        whose = ":application" if found[1] == application else ":id"
        path = f"/webhooks/{whose}/:token{found[2]}"
    elif found := _CALLBACK.match(path):
        path = f"/interactions/:id/:token{found[1]}"
    path = _INVITE.sub(":code", _REACTION.sub(":emoji", path))
    return f"{method} {_ID.sub(':id', path)}"
