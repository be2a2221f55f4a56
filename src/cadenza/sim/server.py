"""The simulated Discord on loopback: its REST interface, its gateway and its files, for real clients."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from inspect import isawaitable
from typing import Any, TypeVar
from urllib.parse import unquote

import msgspec
from aiohttp import BodyPartReader, web

from . import guilds
from .clients import AnyClient, discord_py, is_of_discord_py, running
from .content_types import kind_of
from .faults import Faults, LostResponse
from .frames import Compression
from .gateway import Gateway
from .rate_limits import RateLimits
from .rest import Rest
from .sessions import GatewayRules
from .waiting import what_there_is
from .wire import File, GatewayEvent, Refusal, Response, RestRequest
from .world import World

_LARGEST = 25 << 20
"""Bytes of a request."""
_MOMENT = 0.01
_LONGEST_PAUSE = 0.1
"""Seconds between two looks at a condition while nothing happens."""
_NAMES = ("127.0.0.1", "localhost", "[::1]")
"""Host names of this machine."""
_VERSION = re.compile(r"/api(?:/v\d+)?(?=/)")
_PART = re.compile(r"files?\[(\d+)\]")

_Result = TypeVar("_Result")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Server:
    """A running server; ``serve`` makes one."""

    def __init__(self, world: World, rest: Rest, gateway: Gateway, faults: Faults, origin: str) -> None:
        self.world = world
        self.rest = rest
        self.gateway = gateway
        self.faults = faults
        """Faults of calls; more can be added at any time."""
        self.url = f"{origin}/api/v10"
        """Address of the REST interface."""
        self.gateway_url = gateway.url
        self.cdn_url = f"{origin}/cdn"
        """Address of files and avatars."""
        self._loop = asyncio.get_running_loop()
        self._stir = asyncio.Event()
        self._at_work: set[asyncio.Task[Any]] = set()

    def discord_py(self) -> AbstractContextManager[None]:
        """Let the real discord.py connect to this server instead of Discord, within the ``with``."""
        return discord_py(self.url, self.gateway_url, self.cdn_url)

    @asynccontextmanager
    async def running(
        self,
        client: AnyClient,
        token: str = "sim-token",  # noqa: S107  # what bots have here unless said otherwise
        *,
        within: float = 10.0,
    ) -> AsyncIterator[AnyClient]:
        """Log in a client of discord.py, or of a similar library, and close it at the end.

        discord.py connects to this server by itself; for other libraries, set the addresses first.
        """
        self._require_its_loop()
        with self.discord_py() if is_of_discord_py(client) else nullcontext():
            async with running(client, token, within=within) as ready:
                yield ready

    async def until(self, condition: Callable[[], _Result], *, within: float = 5.0) -> _Result:
        """Wait until *condition* holds, and return what it returned.

        It is checked after every event and call, and now and then in between: a bot may change without telling anybody.
        What it does not find, such as a message that there is not yet, counts as not holding.
        A condition may hold before the client has read its answer, so this waits a moment longer.
        """
        self._require_its_loop()
        missing: LookupError | None = None
        pause = _MOMENT
        try:
            async with asyncio.timeout(within):
                while True:
                    self._stir.clear()
                    try:
                        if found := condition():
                            break
                        missing = None
                    except LookupError as error:
                        missing = error
                    pause = _MOMENT if await self._is_stirred(pause) else min(2 * pause, _LONGEST_PAUSE)
        except TimeoutError:
            there = what_there_is(self.world, self.gateway.sessions, self.rest.calls)
            message = f"the condition did not hold within {within:g} seconds; this is what there is:\n{there}"
            raise TimeoutError(message) from missing
        if isawaitable(found):
            message = "the condition is asynchronous, so it always holds; wait for a plain function"
            raise TypeError(message)
        await asyncio.sleep(_MOMENT)
        return found

    async def _is_stirred(self, seconds: float) -> bool:
        """Wait for the next event or call, at most some *seconds*; returns whether there was one."""
        try:
            async with asyncio.timeout(seconds):
                return await self._stir.wait()
        except TimeoutError:
            return False

    def _require_its_loop(self) -> None:
        if asyncio.get_running_loop() is not self._loop:
            message = (
                "the server runs in another event loop than this test; give both the same scope, with pytest-asyncio by "
                "asyncio_default_fixture_loop_scope and asyncio_default_test_loop_scope"
            )
            raise RuntimeError(message)

    def hear(self, _event: GatewayEvent) -> None:
        """Note that something has happened."""
        self._stir.set()

    def app(self) -> web.Application:
        """The web application."""
        app = web.Application(client_max_size=_LARGEST, middlewares=[_only_bots])
        app.router.add_get("/gateway", self._attend)
        app.router.add_get("/gateway/", self._attend)
        app.router.add_get("/cdn/attachments/{channel}/{id}/{name}", self._send_file)
        app.router.add_get("/cdn/{folder:avatars}/{user}/{avatar}", self._send_portrait)
        app.router.add_route("*", "/api/{path:.*}", self._answer)
        app.on_shutdown.append(self._shut_down)
        return app

    async def _shut_down(self, _app: web.Application) -> None:
        await self.gateway.close()
        for task in self._at_work:
            task.cancel()
        if self._at_work:
            await asyncio.wait(self._at_work)

    async def _attend(self, request: web.Request) -> web.StreamResponse:
        line = web.WebSocketResponse(compress=False, timeout=1.0)
        if not line.can_prepare(request):
            return _as_http(Response(400, {"code": 0, "message": "This address is for websockets."}))
        await line.prepare(request)
        await self.gateway.attend(line, request.query, lambda: _tear(request))
        return line

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  # aiohttp runs handlers in tasks
        self._at_work.add(task)  # it ends with the server: a fault may make it wait for long
        try:
            call = await _read(request)
            response = self._about_gateway(call) or await self.rest.handle(call)
        except Refusal as refusal:
            response = Response(refusal.status, {"code": refusal.code, "message": str(refusal)})
        except LostResponse:
            _tear(request)
            return web.Response()  # never sent: the connection is cut
        finally:
            self._at_work.discard(task)
            self._stir.set()
        return _as_http(response)

    def _about_gateway(self, call: RestRequest) -> Response | None:
        """The answer to a call for the address of the gateway."""
        match call.method, call.path:
            case "GET", "/gateway":
                return Response(200, {"url": self.gateway_url})
            case "GET", "/gateway/bot":
                guilds.authenticate(self.world.state, call.token)
                limit = {"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": 16}
                answer = {"url": self.gateway_url, "shards": self.gateway.rules.shards, "session_start_limit": limit}
                return Response(200, answer)
        return None

    async def _send_file(self, request: web.Request) -> web.StreamResponse:
        data = self.world.state.files.get(request.match_info["id"])
        if data is None:
            raise web.HTTPNotFound
        return _as_download(data, kind_of(request.match_info["name"], data))

    async def _send_portrait(self, request: web.Request) -> web.StreamResponse:
        match self.world.portrait(request.match_info["avatar"].partition(".")[0]):
            case bytes(data):
                return _as_download(data, kind_of("", data))
            case str(address):
                raise web.HTTPFound(address)
        raise web.HTTPNotFound


@asynccontextmanager
async def serve(
    world: World,
    *,
    limits: RateLimits | None = None,
    faults: Faults | None = None,
    compression: Compression = "auto",
    rules: GatewayRules | None = None,
    port: int = 0,
) -> AsyncIterator[Server]:
    """Serve *world* on loopback, by default on a free port. Only this machine can reach it."""
    with socket.create_server(("127.0.0.1", port)) as listener:
        host = f"127.0.0.1:{listener.getsockname()[1]}"
        faults = faults or Faults()
        with Gateway(world, f"ws://{host}/gateway", compression=compression, rules=rules) as gateway:
            server = Server(world, Rest(world, limits=limits, faults=faults), gateway, faults, f"http://{host}")
            async with _serving(server, listener):
                yield server


@asynccontextmanager
async def _serving(server: Server, listener: socket.socket) -> AsyncIterator[None]:
    runner = web.AppRunner(server.app(), access_log=None, shutdown_timeout=0.2)
    state, cdn = server.world.state, server.world.cdn
    stop_listening = state.listen(server.hear)
    await runner.setup()
    try:
        await web.SockSite(runner, listener).start()
        state.cdn = server.cdn_url
        yield
    finally:
        state.cdn = cdn
        stop_listening()
        await runner.cleanup()


@web.middleware
async def _only_bots(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse requests of web pages: any page in a browser can send requests to this machine.

    A host name that is no loopback address is refused too, as in DNS rebinding.
    """
    host = request.headers.get("Host", "")
    name = host.rpartition(":")[0] if re.search(r":\d+$", host) else host
    site = request.headers.get("Sec-Fetch-Site", "none")
    is_page = "Origin" in request.headers or site != "none"
    if is_page or name.casefold() not in _NAMES:
        return _as_http(Response(403, {"code": 0, "message": "This server is for bots, not for pages in a browser."}))
    return await handler(request)


async def _read(request: web.Request) -> RestRequest:
    """Read a call from HTTP."""
    if (request.content_length or 0) > _LARGEST:
        raise Refusal(413, 40005, "Request entity too large")
    body: Any = None
    files: tuple[File, ...] = ()
    if request.content_type.startswith("multipart/"):
        try:
            body, files = await _read_multipart(request)
        except ValueError:  # its text is aiohttp's, and not for clients
            raise _malformed() from None
    elif data := await request.read():
        body = _decoded(data)
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return RestRequest(
        request.method,
        _VERSION.sub("", request.rel_url.raw_path, count=1),
        dict(request.query),
        body,
        files,
        token if scheme == "Bot" else "",
        unquote(request.headers.get("X-Audit-Log-Reason", "")),
    )


async def _read_multipart(request: web.Request) -> tuple[Any, tuple[File, ...]]:
    body: Any = None
    files: list[tuple[int, File]] = []
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader):
            raise _malformed()
        data = bytes(await part.read(decode=True))
        if part.name == "payload_json":
            body = _decoded(data)
        elif part.filename is not None:
            number = _PART.fullmatch(part.name or "")
            kind = part.headers.get("Content-Type", "application/octet-stream")
            files.append((int(number[1]) if number else len(files), File(part.filename, data, kind)))
    return body, tuple(file for _, file in sorted(files, key=lambda numbered: numbered[0]))


def _malformed() -> Refusal:
    return Refusal(400, 50035, "Invalid Form Body")


def _decoded(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError:
        raise Refusal(400, 50109, "The request body contains invalid JSON.") from None


def _as_http(response: Response) -> web.Response:
    """A response for HTTP."""
    match response.body:
        case None:
            return web.Response(status=response.status, headers=response.headers)
        case str(page):
            headers = {**response.headers, "Content-Type": "text/html; charset=UTF-8"}
            return web.Response(status=response.status, body=page.encode(), headers=headers)
        case body:
            # Without a charset: clients compare the whole value.
            headers = {**response.headers, "Content-Type": "application/json"}
            return web.Response(status=response.status, body=msgspec.json.encode(body), headers=headers)


def _as_download(data: bytes, kind: str) -> web.Response:
    return web.Response(body=data, headers={"Content-Type": kind, "X-Content-Type-Options": "nosniff"})


def _tear(request: web.Request) -> None:
    """Cut the connection, as a broken network does."""
    if request.transport is not None:
        request.transport.abort()
