"""The HTTP server of the page."""

from __future__ import annotations

import asyncio
import hashlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar
from urllib.parse import quote

import msgspec
from aiohttp import web

from ...concurrency.tasks import must_rise
from ...errors import CadenzaError, Sentence
from ...explain.tracebacks import get_logger
from ...languages import chosen, rendered
from ...sim.content_types import kind_of
from ...sim.wire import Refusal
from .. import page
from . import actions, request_types, tuning
from .event_stream import send_events
from .film_jobs import FilmJobs
from .guard import Guard, headers
from .page_state import models_of, settings_of, state_of
from .session import Playground

logger = get_logger(__name__)
T = TypeVar("T")

_INDEX = "index.html"
_JSON = "application/json; charset=utf-8"
_GOODBYE = 0.5
"""Seconds that requests have to end at shutdown."""

SLOWEST = 60.0
"""Seconds in which a request body must arrive."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def site(play: Playground, listener: socket.socket, host: str) -> AsyncIterator[None]:
    """Serve the page of *play* on *listener*, which is bound to *host*."""
    guard = Guard(host, listener.getsockname()[1])
    runner = web.AppRunner(
        PlaygroundSite(play, guard).app(), access_log=None, shutdown_timeout=_GOODBYE, handler_cancellation=True
    )
    await runner.setup()
    try:
        await web.SockSite(runner, listener).start()
        yield
    finally:
        play.hang_up()
        await runner.cleanup()


class PlaygroundSite:
    """The routes of one playground."""

    def __init__(self, play: Playground, guard: Guard) -> None:
        self._play = play
        self._guard = guard
        self._screening = FilmJobs()
        self._headers = headers(page.index())

    def app(self) -> web.Application:
        """The aiohttp application."""
        app = web.Application(client_max_size=request_types.MOST_BYTES, middlewares=[self._watch])
        app.on_response_prepare.append(self._dress)
        get, post = app.router.add_get, app.router.add_post
        get("/", self._index)
        get("/page/{name}", self._asset)
        get("/files/{id}/{name}", self._file)
        get("/avatars/{avatar}", self._avatar)
        get("/api/state", self._state)
        get("/api/events", self._events)
        get("/api/stories/{id}", self._story)
        post("/api/say", self._say)
        post("/api/act", self._act)
        post("/api/settings", self._settings)
        post("/api/discord", self._discord)
        post("/api/model", self._model)
        post("/api/language", self._language)
        post("/api/reset", self._reset)
        post("/api/rehearse", self._rehearse)
        post("/api/share", self._share)
        return app

    # --- whatever is asked ---------------------------------------------------------------------

    async def _dress(self, _request: web.Request, response: web.StreamResponse) -> None:
        response.headers.update(self._headers)
        response.headers.setdefault("Cache-Control", "no-store")

    @web.middleware
    async def _watch(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse requests of other pages, and turn errors into sentences."""
        if complaint := self._guard.complaint(request):
            return self._refused(request, 403, complaint)
        try:
            return await handler(request)
        except web.HTTPException as error:
            return self._refused(request, error.status, _SENTENCES.get(error.status, "that cannot be done here"))
        except Refusal as error:
            return self._refused(request, 400, Sentence("Discord refuses that: {error}", error=Sentence(str(error))))
        except CadenzaError as error:
            return self._refused(request, 400, error.sentence)
        except (LookupError, ValueError) as error:
            return self._refused(request, 400, _words(error))
        except BaseException as error:
            if must_rise(error):
                raise
            logger.exception("request failed: %s %s", request.method, request.path)
            told = "something went wrong inside ({error}); the log may tell more"
            return self._refused(request, 500, Sentence(told, error=type(error).__name__))

    def _refused(self, request: web.Request, status: int, sentence: str) -> web.Response:
        """Answer with *sentence*, in the language of the page."""
        said = rendered(sentence, self._spoken(request))
        return web.Response(status=status, body=msgspec.json.encode({"error": said}), headers={"Content-Type": _JSON})

    def _spoken(self, request: web.Request) -> str:
        """The language of the requesting page; without one, that of the world."""
        wishes = request.headers.get("Accept-Language", "").split(",")
        return chosen(*(wish.partition(";")[0].strip() for wish in wishes), self._play.language)

    # --- files -----------------------------------------------------------------------------------

    async def _index(self, request: web.Request) -> web.Response:
        return _kept(request, page.index(), page.content_type(_INDEX))

    async def _asset(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        if name not in page.names():
            raise web.HTTPNotFound
        return _kept(request, page.asset(name), page.content_type(name))

    async def _file(self, request: web.Request) -> web.Response:
        live = await self._play.live()
        try:
            data = live.world.file(request.match_info["id"])
        except KeyError:
            raise web.HTTPNotFound from None
        return _foreign(data, request.match_info["name"])

    async def _avatar(self, request: web.Request) -> web.Response:
        live = await self._play.live()
        found = live.world.portrait(request.match_info["avatar"].partition(".")[0])
        if not isinstance(found, bytes):  # addresses elsewhere are not fetched
            raise web.HTTPNotFound
        return _foreign(found, "avatar")

    # --- what is asked ---------------------------------------------------------------------------

    async def _state(self, request: web.Request) -> web.Response:
        return _json(state_of(await self._play.live(), self._play.language, self._spoken(request)))

    async def _events(self, request: web.Request) -> web.StreamResponse:
        return await send_events(request, await self._play.live())

    async def _story(self, request: web.Request) -> web.Response:
        try:
            return _as_it_is(await self._screening.story(request.match_info["id"], self._spoken(request)), _JSON)
        except KeyError:
            raise web.HTTPNotFound from None

    # --- what is done ----------------------------------------------------------------------------

    async def _say(self, request: web.Request) -> web.Response:
        wanted = await _read(request, request_types.SayBody)
        return _json(actions.say(await self._play.live(), wanted))

    async def _act(self, request: web.Request) -> web.Response:
        wanted: request_types.Act = await _read(request, request_types.Act)  # type: ignore[arg-type]  # msgspec takes a union as a type
        return _json(await actions.act(await self._play.live(), wanted))

    async def _settings(self, request: web.Request) -> web.Response:
        wanted, live = await _read(request, request_types.NewSettings), await self._play.live()
        tuning.change_settings(live, wanted)
        return _json({"settings": settings_of(live)})

    async def _discord(self, request: web.Request) -> web.Response:
        wanted, live = await _read(request, request_types.NewDiscord), await self._play.live()
        tuning.change_discord(live, wanted)
        return _json({"discord": live.fault_controls.as_json()})

    async def _model(self, request: web.Request) -> web.Response:
        wanted, live = await _read(request, request_types.NewModel), await self._play.live()
        tuning.change_model(live, wanted.name)
        return _json({"models": models_of(live)})

    async def _language(self, request: web.Request) -> web.Response:
        wanted, live = await _read(request, request_types.NewLanguage), await self._play.live()
        self._play.language = wanted.language
        tuning.change_language(live, wanted.language)
        return _json({})

    async def _reset(self, request: web.Request) -> web.Response:
        await _read(request, request_types.EmptyBody)
        await self._play.reset()
        return _json({})

    async def _rehearse(self, request: web.Request) -> web.Response:
        wanted = await _read(request, request_types.Rehearse)
        return _as_it_is(await self._screening.rehearsed(wanted, self._spoken(request)), _JSON)

    async def _share(self, request: web.Request) -> web.Response:
        films = await _body(request.clone(client_max_size=request_types.MOST_SHARED))
        made = await self._screening.shared(films, self._spoken(request))
        response = _as_it_is(made, "text/html; charset=utf-8")
        response.headers["Content-Disposition"] = 'attachment; filename="cadenza.html"'
        return response


_SENTENCES = {
    404: "there is nothing at that address",
    408: "the request took too long to arrive; try it again",
    405: "this address does not take such requests",
    413: Sentence("that is too large; a request may have {most} MB", most=request_types.MOST_BYTES >> 20),
}


async def _read(request: web.Request, kind: type[T]) -> T:
    return request_types.read(await _body(request), kind)


async def _body(request: web.Request) -> bytes:
    try:
        async with asyncio.timeout(SLOWEST):
            return await request.read()
    except TimeoutError:
        raise web.HTTPRequestTimeout from None


def _as_it_is(data: bytes, kind: str) -> web.Response:
    return web.Response(body=data, headers={"Content-Type": kind})


def _kept(request: web.Request, data: bytes, kind: str) -> web.Response:
    """A file of the page, with an ETag: the browser caches it, and revalidates it each time."""
    tag = hashlib.sha256(data).hexdigest()
    is_known = any(known.value == tag for known in request.if_none_match or ())
    response = web.Response(status=304) if is_known else _as_it_is(data, kind)
    response.etag = tag
    response.headers["Cache-Control"] = "no-cache"
    return response


def _json(value: object) -> web.Response:
    return _as_it_is(msgspec.json.encode(value), _JSON)


def _words(error: Exception) -> str:
    first = error.args[0] if error.args else type(error).__name__
    return first if isinstance(first, str) else str(first)


def _foreign(data: bytes, name: str) -> web.Response:
    """A foreign file: a picture is shown, anything else is a download."""
    kind = kind_of("", data)  # its name may lie
    response = _as_it_is(data, kind)
    if not kind.startswith("image/"):
        response.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return response
