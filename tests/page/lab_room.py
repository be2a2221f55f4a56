"""A room for tests of the lab, the tour and the panels: a page of its own, and a server that answers as it is told."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from cadenza import page
from cadenza.rules import RULES
from cadenza.settings import settings_fields
from cadenza.sim.wire import Json

MAIN = [
    "degree",
    "limit",
    "message_limit",
    "when_full",
    "code_file",
    "typing_speed",
    "typing_least",
    "typing_most",
    "typing_budget",
    "thinking_chance",
    "overflow",
    "hold",
    "label_guard",
    "speaker_guard",
    "use_emoji",
    "unknown_emoji",
    "emoji_lookback",
    "tables",
    "rules_off",
    "on_stop",
    "debounce",
    "interrupts",
    "stop_phrases",
]
_KINDS = {bool: "bool", int: "int", float: "float", tuple: "texts"}


def schema(**values: object) -> list[Json]:
    """All settings as the server tells them, with *values* set."""
    return [_setting(section, spec, values) for section, spec in settings_fields() if spec.repr]


def _setting(section: str, spec: Any, values: dict[str, object]) -> Json:
    about = spec.metadata
    default = list(spec.default) if isinstance(spec.default, tuple) else spec.default
    one_of = [rule.name for rule in RULES] if spec.name == "rules_off" else list(about["one_of"])
    is_choice = bool(about["one_of"])
    return {
        "name": spec.name,
        "section": section,
        "kind": "choice" if is_choice else _KINDS.get(about["kind"], "text"),
        "value": values.get(spec.name, default),
        "default": default,
        "low": about["low"],
        "high": about["high"],
        "one_of": one_of,
        "about": about["about"],
        "is_main": spec.name in MAIN,
    }


def film(*messages: tuple[float, str], told: str = "", took: float = 0.0, more: Iterable[Json] = ()) -> Json:
    """A film in which the bot says *messages*, each at its time, of what a model *told* until *took*."""
    records: list[Json] = [
        {"at": 0.0, "kind": "channel", "channel": {"id": "9", "name": "general", "sort": "text", "topic": ""}},
        {"at": 0.0, "kind": "message", "message": _message("1", "Hello?", is_bot=False)},
    ]
    if told:
        tokens = {"turn": "t", "sort": "text", "text": told, "lengths": [len(told)], "times": [took]}
        records.append({"at": 0.0, "kind": "tokens", **tokens})
    for number, (at, text) in enumerate(messages):
        records.append({"at": at, "kind": "message", "message": _message(str(100 + number), text)})
    records = sorted([*records, *more], key=lambda record: float(str(record["at"])))
    return {"film": 1, "title": "", "seconds": float(str(records[-1]["at"])) + 1, "settings": {}, "records": records}


def _message(id_: str, text: str, *, is_bot: bool = True) -> Json:
    name = "Cadenza" if is_bot else "Mia"
    author = {"id": name, "name": name, "avatar": None, "is_bot": is_bot, "is_webhook": False}
    lists: Json = {key: [] for key in ("calls", "files", "embeds", "components", "reactions")}
    flags: Json = dict.fromkeys(("is_edited", "is_private", "is_thinking", "is_silent"), False)
    time = "2027-01-15T08:00:00.000000+00:00"
    about: Json = {"id": id_, "channel": "9", "time": time, "author": author, "content": text, "markup": [text]}
    return {**about, "reply": None, "command": None, "system": None, **lists, **flags}


def changed(at: float, id_: str, text: str) -> Json:
    """A message of the bot is edited."""
    return {"at": at, "kind": "changed", "message": _message(id_, text)}


@dataclass(slots=True)
class Room:
    """The server of a test: what it was asked, and what it answers."""

    url: str = ""
    asked: list[tuple[str, Json]] = field(default_factory=list)
    answers: dict[str, Json | str] = field(default_factory=dict)
    """By path; a text is sent as HTML, ``{"error": …}`` with the status 400."""
    held: dict[str, asyncio.Event] = field(default_factory=dict)
    """Answers that wait, by path."""

    def bodies(self, path: str) -> list[Json]:
        """What was asked of *path*."""
        return [body for asked, body in self.asked if asked == path]


@asynccontextmanager
async def room(script: str) -> AsyncIterator[Room]:
    """A page that runs *script*, a module, with ``<main id="root">`` in it, behind the playground's own rules."""
    made = Room()
    html = _html()

    async def asset(request: web.Request) -> web.Response:
        name = request.match_info["name"]
        return web.Response(body=page.asset(name), headers={"Content-Type": page.content_type(name)})

    async def opening(_: web.Request) -> web.Response:
        return web.Response(text=html, content_type="text/html", headers={"Content-Security-Policy": _policy()})

    async def own(_: web.Request) -> web.Response:
        return web.Response(text=script, content_type="text/javascript")

    async def api(request: web.Request) -> web.StreamResponse:
        body = await request.json() if request.method == "POST" else {}
        made.asked.append((request.path, body))
        if request.path in made.held:
            await made.held[request.path].wait()
        answer = made.answers.get(request.path, {"error": f"there is no {request.path}"})
        if isinstance(answer, str):
            return web.Response(text=answer, content_type="text/html")
        return web.json_response(answer, status=400 if "error" in answer else 200)

    app = web.Application(client_max_size=64 * 2**20)
    app.router.add_get("/", opening)
    app.router.add_get("/test.js", own)
    app.router.add_get("/page/{name}", asset)
    app.router.add_route("*", "/api/{path:.*}", api)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        made.url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
        yield made
    finally:
        await runner.cleanup()


_IMPORTS = '{"imports": {"cadenza/": "/page/"}}'


def _html() -> str:
    styles = sorted(
        (name for name in page.names() if name.endswith(".css")), key=lambda name: (name != "base.css", name)
    )
    links = "".join(f'<link rel="stylesheet" href="/page/{name}">' for name in styles)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Test</title><link rel="icon" href="data:,">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'{links}<script type="importmap">{_IMPORTS}</script></head>'
        '<body><main id="root"></main><script type="module" src="/test.js"></script></body></html>'
    )


def _policy() -> str:
    digest = base64.b64encode(hashlib.sha256(_IMPORTS.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'self' 'sha256-{digest}'; style-src 'self'; img-src 'self' data: blob:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
