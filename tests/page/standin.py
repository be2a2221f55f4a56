"""Stands in for the playground's server: real HTTP on loopback, answers by script, and records as a test pushes them."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from cadenza import page

Json = dict[str, Any]

ME, MIA, JO, BOT = "1", "2", "3", "9"
GENERAL, WORKSHOP, DIRECT = "100", "101", "102"
_INLINE = re.compile(r"<script[^>]*>(.+?)</script>", re.DOTALL)
_PEOPLE = {ME: "You", MIA: "Mia", JO: "Jo", BOT: "Cadenza"}


def first_state() -> Json:
    """What the page asks for first."""
    return {
        "session": "one",
        "version": "1.0",
        "me": ME,
        "people": [{"id": id_, "name": _PEOPLE[id_], "is_me": id_ == ME} for id_ in (ME, MIA, JO)],
        "channels": [
            {"id": GENERAL, "name": "general", "sort": "text", "topic": "Talk about anything"},
            {"id": WORKSHOP, "name": "workshop", "sort": "text", "topic": "Code and tables"},
            {"id": DIRECT, "name": "Cadenza", "sort": "direct", "topic": ""},
        ],
        "commands": _COMMANDS,
        "menus": ["Explain"],
        "models": {"now": "guide", "choices": [{"name": "guide", "by": "guide"}]},
        "settings": [_SETTING],
        "discord": {"limits": {"messages": 5, "seconds": 5.0}, "latency": 0.0, "faults": []},
        "stories": [],
        "suggestions": [{"en": f"Show me number {number}", "ja": f"{number}番を見せて"} for number in range(1, 7)],
        "language": "en",
    }


def _option(name: str, kind: str = "text", **about: object) -> Json:
    known = {"about": f"The {name}", "is_required": False, "choices": [], "is_suggested": False}
    return {"name": name, "kind": kind, **known, **about}


_COMMANDS = [
    {"name": "stop", "about": "Stop the reply", "options": []},
    {
        "name": "persona create",
        "about": "Make a persona",
        "options": [
            _option("name", is_required=True),
            _option("prompt", is_required=True),
            _option("mood", choices=[{"name": "Merry", "value": "m"}, {"name": "Grave", "value": "g"}]),
            _option("shown", "flag"),
        ],
    },
    {"name": "persona use", "about": "Speak as it", "options": [_option("name", is_required=True, is_suggested=True)]},
    {"name": "greet", "about": "Say hello", "options": [_option("whom", "user", is_required=True)]},
]
_SETTING = {
    "name": "degree", "section": "pacing", "kind": "int", "value": 1, "default": 1, "low": 0, "high": 3, "one_of": None,
    "about": "How much like a person", "is_main": True,
}  # fmt: skip


def message(text: str, *, id_: str, who: str = BOT, channel: str = GENERAL, **about: object) -> Json:
    """A message as films have it, said now."""
    author = {"id": who, "name": _PEOPLE[who], "avatar": None, "is_bot": who == BOT, "is_webhook": False}
    return {
        "id": id_, "channel": channel, "time": datetime.now(UTC).isoformat(), "author": author, "content": text,
        "markup": [text], "reply": None, "command": None, "is_edited": False, "is_private": False,
        "is_thinking": False, "is_silent": False, "calls": [], "files": [], "embeds": [], "components": [],
        "reactions": [], "system": None, **about,
    }  # fmt: skip


@dataclass(slots=True)
class Standin:
    """A server that runs: what it was asked, and what it tells."""

    url: str = ""
    state: Json = field(default_factory=first_state)
    asked: list[tuple[str, Json]] = field(default_factory=list)
    """Every POST: its path and what stood in it."""
    answers: dict[str, tuple[int, Json]] = field(default_factory=dict)
    """What is answered instead of the usual, by path or by ``act``."""
    records: list[Json] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    """From which record on each stream of events was asked for."""
    is_away: bool = False
    """Whether nobody answers who asks for events."""
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    _arrived: asyncio.Condition = field(default_factory=asyncio.Condition)
    _cut: int = 0

    async def push(self, kind: str, **about: object) -> None:
        """Something happens."""
        self.records.append({"at": about.pop("at", len(self.records) / 10), "kind": kind, **about})
        await self.tell()

    async def say(self, text: str, *, id_: str, **about: Any) -> None:
        """Somebody says something."""
        await self.push("message", message=message(text, id_=id_, **about))

    async def step(self, step: str, turn: str = "t1", **about: object) -> None:
        """Something happens in a reply."""
        await self.push("step", turn=turn, step=step, about=about)

    async def tell(self) -> None:
        """Have every stream look again."""
        async with self._changed:
            self._changed.notify_all()

    async def cut(self) -> None:
        """End every stream of events."""
        self._cut += 1
        await self.tell()

    async def heard(self, path: str, count: int = 1) -> list[Json]:
        """What was posted to *path*, once there is so much of it."""
        async with asyncio.timeout(10), self._arrived:
            await self._arrived.wait_for(lambda: len(self.posted(path)) >= count)
        return self.posted(path)

    def posted(self, path: str) -> list[Json]:
        """What was posted to *path*, or done as that ``act``."""
        return [body for asked, body in self.asked if asked == path or body.get("act") == path]

    async def get(self, request: web.Request) -> web.StreamResponse:
        """Everything that is not posted."""
        if request.path == "/":
            html = page.index().decode()
            return web.Response(text=html, content_type="text/html", headers={"Content-Security-Policy": policy(html)})
        if request.path == "/api/state":
            return web.json_response(self.state)
        if request.path == "/api/events":
            return await self._events(request)
        name = request.path.rpartition("/")[2]
        try:
            return web.Response(body=page.asset(name), headers={"Content-Type": page.content_type(name)})
        except KeyError:
            raise web.HTTPNotFound from None

    async def post(self, request: web.Request) -> web.Response:
        """Note what is asked, and answer as the script has it."""
        assert request.headers["X-Cadenza"] == "play"
        body = await request.json()
        async with self._arrived:
            self.asked.append((request.path, body))
            self._arrived.notify_all()
        usual = {"/api/say": {"id": "0"}, "/api/settings": {"settings": self.state["settings"]}}
        keys = (body.get("act"), request.path)
        status, answer = next(
            (self.answers[key] for key in keys if key in self.answers), (200, usual.get(request.path, {}))
        )
        return web.json_response(answer, status=status)

    async def _events(self, request: web.Request) -> web.StreamResponse:
        if self.is_away:
            raise web.HTTPServiceUnavailable
        last = request.headers.get("Last-Event-ID")
        number = int(last) + 1 if last else int(request.query.get("from", "0"))
        self.places.append(number)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        await response.prepare(request)
        with suppress(ConnectionError):  # a window that is closed hears no more
            await self._tell_all(response, number)
        return response

    async def _tell_all(self, response: web.StreamResponse, number: int) -> None:
        cut = self._cut
        await response.write(
            f"retry: 50\nevent: hello\ndata: {json.dumps({'session': self.state['session']})}\n\n".encode()
        )
        while cut == self._cut:
            for record in self.records[number:]:
                await response.write(f"id: {number}\ndata: {json.dumps(record)}\n\n".encode())
                number += 1
            async with self._changed:
                await self._changed.wait_for(lambda: cut != self._cut or len(self.records) > number)  # noqa: B023  # asked at once


def policy(html: str) -> str:
    """What the server allows the page to do: nothing but its own modules, styles and pictures."""
    inline = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in _INLINE.findall(html))
    scripts = " ".join(f"'sha256-{digest}'" for digest in inline)
    return (
        f"default-src 'none'; script-src 'self' {scripts}; style-src 'self'; img-src 'self' data: blob:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


@asynccontextmanager
async def standing_in(state: Mapping[str, object] | None = None) -> AsyncIterator[Standin]:
    """A server that stands in, for as long as somebody needs it; *state* replaces parts of what it says first."""
    standin = Standin()
    standin.state |= state or {}
    app = web.Application(client_max_size=16 * 1024 * 1024)
    app.router.add_get("/{path:.*}", standin.get)
    app.router.add_post("/{path:.*}", standin.post)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        standin.url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
        yield standin
    finally:
        await standin.cut()
        await runner.cleanup()
