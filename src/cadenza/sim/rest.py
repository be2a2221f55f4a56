"""Discord's REST interface in memory: requests in, responses out, with rate limits and faults."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Final, assert_never

from . import guilds, webhooks
from .faults import Banning, Failing, Faults, Losing, LostResponse, Slowing, Verdict
from .rate_limits import Denial, RateLimits, Scope, Taken, round_up
from .routes import Ask, find_route
from .wire import Json, Refusal, Response, RestRequest
from .world import Bot, World

_KEPT = 10_000
"""How many calls are kept at least."""
_VIA: Final[Mapping[str, str]] = {"Via": "1.1 google"}
"""The header that only Discord itself sends, not Cloudflare before it."""
_BAN_PAGE = (
    "<!doctype html><html><head><title>Access denied</title></head>"
    "<body><h1>Error 1015</h1><p>You are being rate limited.</p></body></html>"
)


@dataclass(frozen=True, slots=True)
class RestCall:
    """One call and how it was answered."""

    at: float
    """When it was answered, on the world's clock."""
    route: str
    """Such as ``POST /channels/{channel}/messages``; for an unknown route, only the method."""
    status: int | None
    """``None`` if the answer was lost."""
    code: int = 0
    """Discord's error code."""
    retry_after: float | None = None
    """Seconds, for a 429."""
    channel: str = field(default="", kw_only=True)
    """The id of its channel; empty if it has none, or an unknown one."""
    request: RestRequest = field(repr=False, kw_only=True)
    """With its tokens."""


class Rest:
    """The REST interface of a world: first faults, then authentication, rate limits and the route's function."""

    def __init__(self, world: World, *, limits: RateLimits | None = None, faults: Faults | None = None) -> None:
        self.world = world
        self.limits = limits or RateLimits()
        self.faults = faults or Faults()
        self.calls: list[RestCall] = []
        """The last ten thousand or more, oldest first."""
        self._ears: list[Callable[[RestCall], None]] = []

    def listen(self, hear: Callable[[RestCall], None]) -> Callable[[], None]:
        """Call *hear* with every answered call; returns a function that stops it."""
        self._ears.append(hear)

        def stop() -> None:
            if hear in self._ears:
                self._ears.remove(hear)

        return stop

    async def handle(self, request: RestRequest) -> Response:
        """Answer a request; a lost answer raises ``LostResponse``."""
        if banned := self.limits.ban_left(self.world.now()):
            return self._note(request, _ban(banned))
        seconds, verdict = self.faults.strike(request.method, request.path)
        if seconds:
            await asyncio.sleep(seconds)
        response = self._answer(request, verdict)
        if response is None:
            self._remember(request, None, 0)
            msg = "The connection broke before the answer came."
            raise LostResponse(msg)
        return self._note(request, response)

    def _answer(self, request: RestRequest, verdict: Verdict | None) -> Response | None:
        match verdict:
            case None:
                return self._carry_out(request)
            case Failing(status, code, message, fields, retry_after, is_carried_out):
                if is_carried_out:
                    self._carry_out(request)
                return _refused(Refusal(status, code, message, fields=fields, retry_after=retry_after), {})
            case Losing(is_carried_out):
                if is_carried_out:
                    self._carry_out(request)
                return None
            case Slowing(retry_after, is_global, has_via):
                scope = Scope.GLOBAL if is_global else Scope.USER
                return _denied(Denial(retry_after, scope), {}, has_via=has_via)
            case Banning(retry_after):
                return _ban(retry_after)
            case _:
                assert_never(verdict)

    def _carry_out(self, request: RestRequest) -> Response:
        headers: Mapping[str, str] = {}
        try:
            found = find_route(request)
            if found is None:
                return _refused(Refusal(404, 0, "404: Not Found"), {})
            route, names = found
            bot = None if route.is_open else guilds.authenticate(self.world.state, request.token)
            taken = self._take(request, names, bot)
            headers = taken.headers
            if taken.denial:
                return _denied(taken.denial, headers)
            answer = route.handler(Ask(self.world.state, request, names, bot))
            return Response(204 if answer is None else route.status, answer, {**_VIA, **headers})
        except Refusal as refusal:
            return _refused(refusal, headers)

    def _take(self, request: RestRequest, names: Mapping[str, str], bot: Bot | None) -> Taken:
        return self.limits.take(
            request.method,
            request.path,
            who=bot.id if bot else "",
            now=self.world.now(),
            webhook_channel=self._home(names) if request.method == "POST" else "",
            is_exempt="interaction" in names,
        )

    def _home(self, names: Mapping[str, str]) -> str:
        """The channel of the webhook whose token is in the path; empty without one."""
        if "webhook" not in names or "token" not in names:
            return ""
        try:
            return str(webhooks.with_token(self.world.state, names["webhook"], names["token"])["channel_id"])
        except Refusal:
            return ""

    def _note(self, request: RestRequest, response: Response) -> Response:
        """Record a call, and count a refusal by Discord itself towards a ban."""
        is_refusal = response.status >= 400 and isinstance(response.body, dict)
        code = response.body.get("code", 0) if is_refusal else 0
        self._remember(request, response.status, code, _retry_after(response))
        if "Via" in response.headers:
            scope = response.headers.get("X-RateLimit-Scope")
            self.limits.note(response.status, Scope(scope) if scope else None, self.world.now())
        return response

    def _remember(self, request: RestRequest, status: int | None, code: int, retry_after: float | None = None) -> None:
        found = find_route(request)
        name = found[0].name if found else request.method
        channel = self._channel(request, found[1]) if found else ""
        call = RestCall(self.world.now(), name, status, code, retry_after, channel=channel, request=request)
        self.calls.append(call)
        if len(self.calls) > 2 * _KEPT:
            del self.calls[:-_KEPT]
        for hear in tuple(self._ears):
            hear(call)

    def _channel(self, request: RestRequest, names: Mapping[str, str]) -> str:
        """The channel of a call; a webhook may name a thread."""
        return names.get("channel") or request.query.get("thread_id") or self._home(names)


def _retry_after(response: Response) -> float | None:
    """Seconds until a retry after a 429; a ban has them in a header, if at all."""
    if response.status != 429:
        return None
    told = response.body.get("retry_after") if isinstance(response.body, dict) else response.headers.get("Retry-After")
    return None if told is None else float(told)


def _refused(refusal: Refusal, headers: Mapping[str, str]) -> Response:
    """The response to a refused call. A 429 of the world, such as slow mode, looks like any other."""
    if refusal.status == 429:
        denial = Denial(refusal.retry_after or 0.0, Scope.SHARED)
        return _denied(denial, headers, message=str(refusal), code=refusal.code)
    body: Json = {"message": str(refusal), "code": refusal.code}
    if refusal.fields is not None:
        body["errors"] = refusal.fields
    if refusal.retry_after is not None:
        body["retry_after"] = refusal.retry_after
    return Response(refusal.status, body, {**_VIA, **headers})


def _denied(
    denial: Denial, headers: Mapping[str, str], *, message: str = "", code: int = 0, has_via: bool = True
) -> Response:
    retry_after = round_up(denial.retry_after)
    is_global = denial.scope is Scope.GLOBAL
    whose = "The resource is" if denial.scope is Scope.SHARED else "You are"
    message = message or f"{whose} being rate limited."
    body: Json = {"message": message, "retry_after": retry_after, "global": is_global}
    if code:
        body["code"] = code
    told = {
        **(_VIA if has_via else {}),
        **headers,
        **({"X-RateLimit-Global": "true"} if is_global else {}),
        "X-RateLimit-Scope": denial.scope.value,
        "Retry-After": str(ceil(retry_after)),
    }
    return Response(429, body, told)


def _ban(seconds: float | None) -> Response:
    return Response(429, _BAN_PAGE, {} if seconds is None else {"Retry-After": str(ceil(seconds))})
