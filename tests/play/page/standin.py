"""Stands in for the playground's server: real HTTP on loopback, answers by script, and records as a test pushes them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from cadenza.play import page
from tests.play.page.serving import asset, opening
from tests.staying import Addresses

Json = dict[str, Any]

ME, MIA, JO, BOT = "1", "2", "3", "9"
GENERAL, WORKSHOP, DIRECT = "100", "101", "102"
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
    "name": "shape", "section": "delivery", "kind": "choice", "value": "lines", "default": "lines", "low": None,
    "high": None, "one_of": ["reply", "lines"], "about": "What becomes a message", "is_main": True,
}  # fmt: skip


def message(text: str, *, id_: str, who: str = BOT, channel: str = GENERAL, **about: object) -> Json:
    """A message as films have it, said now."""
    author = {"id": who, "name": _PEOPLE[who], "avatar": None, "is_bot": who == BOT, "is_webhook": False}
    return {
        "id": id_, "channel": channel, "time": datetime.now(UTC).isoformat(), "author": author, "content": text,
        "markup": [text], "reply": None, "command": None, "is_edited": False, "is_private": False,
        "is_thinking": False, "is_silent": False, "pings": [], "files": [], "embeds": [], "components": [],
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

    async def fact(self, fact: str, turn: str = "t1", **about: object) -> None:
        """Something happens in a reply."""
        await self.push("fact", turn=turn, fact=fact, about=about, told=None)

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
        async with asyncio.timeout(30), self._arrived:
            await self._arrived.wait_for(lambda: len(self.posted(path)) >= count)
        return self.posted(path)

    def posted(self, path: str) -> list[Json]:
        """What was posted to *path*, or done as that ``act``."""
        return [body for asked, body in self.asked if asked == path or body.get("act") == path]

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Whatever is asked."""
        return await (self.post(request) if request.method == "POST" else self.get(request))

    async def get(self, request: web.Request) -> web.StreamResponse:
        """Everything that is not posted."""
        if request.path == "/":
            return opening(page.index().decode())
        if request.path == "/api/state":
            return web.json_response(self.state)
        if request.path == "/api/events":
            return await self._events(request)
        return asset(request)

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
            told = list(enumerate(self.records[number:], start=number))
            await response.write("".join(f"id: {n}\ndata: {json.dumps(record)}\n\n" for n, record in told).encode())
            number += len(told)
            async with self._changed:
                await self._changed.wait_for(lambda: cut != self._cut or len(self.records) > number)  # noqa: B023  # asked at once


@asynccontextmanager
async def standing_in(addresses: Addresses) -> AsyncIterator[Standin]:
    """A server that stands in, for as long as somebody needs it."""
    standin = Standin()
    async with addresses.answering(standin.answer) as standin.url:
        yield standin
        await standin.cut()
