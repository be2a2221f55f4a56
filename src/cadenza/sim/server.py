"""The simulated Discord on loopback: its REST interface, its gateway and its files, for real clients."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from typing import Any
from urllib.parse import unquote

import msgspec
from aiohttp import BodyPartReader, web

from .clients import AnyClient, discord_py, is_of_discord_py, running
from .content_types import kind_of
from .faults import Faults, LostResponse
from .frames import Compression
from .gateway import Gateway
from .rate_limits import RateLimits
from .rest import Rest
from .sessions import GatewayRules
from .wire import File, GatewayEvent, Refusal, Response, RestRequest
from .world import World

_LARGEST = 25 << 20
"""How many bytes a request may have."""
_MOMENT = 0.01
_NAMES = ("127.0.0.1", "localhost", "[::1]")
"""Under which this machine reaches itself."""
_VERSION = re.compile(r"/api(?:/v\d+)?(?=/)")
_PART = re.compile(r"files?\[(\d+)\]")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Server:
    """A server that runs; ``serve`` makes one."""

    def __init__(self, world: World, rest: Rest, gateway: Gateway, faults: Faults, origin: str) -> None:
        self.world = world
        self.rest = rest
        self.gateway = gateway
        self.faults = faults
        """What goes wrong with calls; more can be added at any time."""
        self.url = f"{origin}/api/v10"
        """Of the REST interface."""
        self.gateway_url = gateway.url
        self.cdn_url = f"{origin}/cdn"
        """Of files and avatars."""
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
        """Have a client of discord.py, or of a library like it, logged in and ready within the ``async with``.

        One of discord.py connects here without more ado; of another library, set the addresses first.
        """
        with self.discord_py() if is_of_discord_py(client) else nullcontext():
            async with running(client, token, within=within) as ready:
                yield ready

    async def until(self, condition: Callable[[], object], *, within: float = 5.0) -> None:
        """Wait until *condition* holds; it is looked at whenever something has happened here.

        What a client did is true before it has read the answer; so that it is not closed meanwhile, it is given a moment.
        """
        try:
            async with asyncio.timeout(within):
                while not condition():
                    self._stir.clear()
                    await self._stir.wait()
        except TimeoutError:
            message = f"what was waited for did not happen within {within:g} seconds"
            raise TimeoutError(message) from None
        await asyncio.sleep(_MOMENT)

    def hear(self, _event: GatewayEvent) -> None:
        """Something has happened in the world."""
        self._stir.set()

    # --- HTTP ------------------------------------------------------------------------------

    def app(self) -> web.Application:
        """What answers requests."""
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
        with self._working():
            return await self._answer_call(request)

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Have the task that does this ended with the server: a fault may let it wait for long."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  # aiohttp runs handlers in tasks
        self._at_work.add(task)
        try:
            yield
        finally:
            self._at_work.discard(task)

    async def _answer_call(self, request: web.Request) -> web.StreamResponse:
        try:
            call = await _read(request)
            response = self._about_gateway(call) or await self.rest.handle(call)
        except Refusal as refusal:
            response = Response(refusal.status, {"code": refusal.code, "message": str(refusal)})
        except LostResponse:
            _tear(request)
            return web.Response()  # it goes nowhere: the line is cut
        finally:
            self._stir.set()
        return _as_http(response)

    def _about_gateway(self, call: RestRequest) -> Response | None:
        """The answer to where the gateway is, which the world does not know."""
        match call.method, call.path:
            case "GET", "/gateway":
                return Response(200, {"url": self.gateway_url})
            case "GET", "/gateway/bot":
                self.world.authenticate(call.token)
                limit = {"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": 16}
                answer = {"url": self.gateway_url, "shards": self.gateway.rules.shards, "session_start_limit": limit}
                return Response(200, answer)
        return None

    async def _send_file(self, request: web.Request) -> web.StreamResponse:
        try:
            data = self.world.file(request.match_info["id"])
        except KeyError:
            raise web.HTTPNotFound from None
        return _as_download(data, kind_of(request.match_info["name"], data))

    async def _send_portrait(self, request: web.Request) -> web.StreamResponse:
        match self.world.portrait(request.match_info["avatar"].partition(".")[0]):
            case bytes(data):
                return _as_download(data, kind_of("", data))
            case str(address):
                raise web.HTTPFound(address)
        raise web.HTTPNotFound


@asynccontextmanager
async def serve(  # each is a knob of its own
    world: World,
    *,
    limits: RateLimits | None = None,
    faults: Faults | None = None,
    compression: Compression = "auto",
    rules: GatewayRules | None = None,
    port: int = 0,
) -> AsyncIterator[Server]:
    """Serve *world* on loopback, on a free port unless one is said. Only this machine can reach it."""
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
    world, cdn = server.world, server.world.cdn
    stop_listening = world.listen(server.hear)
    await runner.setup()
    try:
        await web.SockSite(runner, listener).start()
        world.cdn = server.cdn_url
        yield
    finally:
        world.cdn = cdn
        stop_listening()
        await runner.cleanup()


@web.middleware
async def _only_bots(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse what a page in a browser sends: no page is a bot, but any page can send requests to this machine.

    Who is asked under a name that is no loopback address was looked up for a page, too.
    """
    host = request.headers.get("Host", "")
    name = host.rpartition(":")[0] if re.search(r":\d+$", host) else host
    site = request.headers.get("Sec-Fetch-Site", "none")
    is_page = "Origin" in request.headers or site != "none"
    if is_page or name.casefold() not in _NAMES:
        return _as_http(Response(403, {"code": 0, "message": "This server is for bots, not for pages in a browser."}))
    return await handler(request)


async def _read(request: web.Request) -> RestRequest:
    """A call, as it came over HTTP."""
    if (request.content_length or 0) > _LARGEST:
        raise Refusal(413, 40005, "Request entity too large")
    body: Any = None
    files: tuple[File, ...] = ()
    if request.content_type.startswith("multipart/"):
        try:
            body, files = await _read_multipart(request)
        except ValueError:  # in words of aiohttp, which are not for clients
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
    """An answer, as it goes over HTTP."""
    match response.body:
        case None:
            return web.Response(status=response.status, headers=response.headers)
        case str(page):
            headers = {**response.headers, "Content-Type": "text/html; charset=UTF-8"}
            return web.Response(status=response.status, body=page.encode(), headers=headers)
        case body:
            # Exactly this, without a charset: clients compare it.
            headers = {**response.headers, "Content-Type": "application/json"}
            return web.Response(status=response.status, body=msgspec.json.encode(body), headers=headers)


def _as_download(data: bytes, kind: str) -> web.Response:
    return web.Response(body=data, headers={"Content-Type": kind, "X-Content-Type-Options": "nosniff"})


def _tear(request: web.Request) -> None:
    """Cut the connection off, as if the network had."""
    if request.transport is not None:
        request.transport.abort()
