"""Discord's REST interface: calls in, answers out, with its limits and whatever is to go wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any, Final, assert_never

from .faults import Banning, Failing, Faults, Losing, LostResponse, Slowing, Verdict
from .rate_limits import Denial, RateLimits, Scope, Taken, round_up
from .routes import Ask, Route, find_route, no_such_route, unauthorised
from .wire import Json, Refusal, Response, RestRequest
from .world import Bot, World

_KEPT = 10_000
"""How many calls are remembered at least."""
_VIA: Final[Mapping[str, str]] = {"Via": "1.1 google"}
"""What says that Discord itself answered, and not Cloudflare before it."""
_BAN_PAGE = (
    "<!doctype html><html><head><title>Access denied</title></head>"
    "<body><h1>Error 1015</h1><p>You are being rate limited.</p></body></html>"
)


@dataclass(frozen=True, slots=True)
class RestCall:
    """One call that was made."""

    at: float
    """When it was answered, on the world's clock."""
    route: str
    """What it was: ``POST /channels/{channel}/messages``; of a call that there is not, only the method."""
    status: int | None
    """What it was answered with; ``None`` if the answer was lost."""
    code: int = 0
    """Discord's own code of a refusal."""
    retry_after: float | None = None
    """In how many seconds it may be made again, if it was one too many."""
    channel: str = field(default="", kw_only=True)
    """Which channel it was about; empty if none, or if nobody can tell."""
    request: RestRequest = field(repr=False, kw_only=True)
    """All of it, with the tokens that are in it."""


class Rest:
    """The REST interface of a world. Faults come first, then authentication, then limits, then the world."""

    def __init__(self, world: World, *, limits: RateLimits | None = None, faults: Faults | None = None) -> None:
        self.world = world
        self.limits = limits or RateLimits()
        self.faults = faults or Faults()
        self.calls: list[RestCall] = []
        """The last ten thousand or more, the oldest first."""
        self._ears: list[Callable[[RestCall], None]] = []

    def listen(self, hear: Callable[[RestCall], None]) -> Callable[[], None]:
        """Have *hear* called with every call when it has been answered; gives back how to stop that."""
        self._ears.append(hear)

        def stop() -> None:
            if hear in self._ears:
                self._ears.remove(hear)

        return stop

    async def handle(self, request: RestRequest) -> Response:
        """Answer a call; if the answer is to be lost, raise ``LostResponse``."""
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
            case Banning():
                return _ban(None)
            case _:
                assert_never(verdict)

    def _carry_out(self, request: RestRequest) -> Response:
        headers: Mapping[str, str] = {}
        try:
            found = find_route(request)
            if found is None:
                raise no_such_route()
            route, names = found
            bot = None if route.is_open else self._authenticate(request.token)
            taken = self._take(request, names, bot)
            headers = taken.headers
            if taken.denial:
                return _denied(taken.denial, headers)
            return _granted(route, route.handler(Ask(self.world, request, names, bot)), headers)
        except Refusal as refusal:
            return _refused(refusal, headers)

    def _authenticate(self, token: str) -> Bot:
        if not token:
            raise unauthorised()
        return self.world.authenticate(token)

    def _take(self, request: RestRequest, names: Mapping[str, str], bot: Bot | None) -> Taken:
        return self.limits.take(
            request.method,
            request.path,
            who=bot.id if bot else "",
            now=self.world.now(),
            webhook_channel=self._webhook_channel(request, names),
            is_exempt="interaction" in names,
        )

    def _webhook_channel(self, request: RestRequest, names: Mapping[str, str]) -> str:
        """The channel whose limit a webhook uses up by speaking; an interaction has none."""
        return self._home(names) if request.method == "POST" else ""

    def _home(self, names: Mapping[str, str]) -> str:
        """The channel of the webhook that a call names with its token; empty if it names none."""
        if "webhook" not in names or "token" not in names:
            return ""
        try:
            return str(self.world.webhook_with_token(names["webhook"], names["token"])["channel_id"])
        except Refusal:
            return ""

    def _note(self, request: RestRequest, response: Response) -> Response:
        """Remember a call, and count it if Discord itself refused it."""
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
        """The channel that a call was about; a webhook may speak in a thread of its own."""
        return names.get("channel") or request.query.get("thread_id") or self._home(names)


def _retry_after(response: Response) -> float | None:
    """What a 429 says of when to come again; a ban says it in a header, if at all."""
    if response.status != 429:
        return None
    told = response.body.get("retry_after") if isinstance(response.body, dict) else response.headers.get("Retry-After")
    return None if told is None else float(told)


def _granted(route: Route, answer: Any, headers: Mapping[str, str]) -> Response:
    status = 204 if answer is None else route.status
    return Response(status, answer, {**_VIA, **headers})


def _refused(refusal: Refusal, headers: Mapping[str, str]) -> Response:
    """What Discord says when it does not do a thing. A 429 of the world, such as slow mode, looks like any other."""
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
    body: Json = {
        "message": message or f"{whose} being rate limited.",
        "retry_after": retry_after,
        "global": is_global,
    }
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
