"""A playground that runs in this process, for tests: a world, the real bot over the real discord.py, and its page."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import aiohttp

from cadenza.playground.grounds import Grounds
from cadenza.playground.live import Live, Playground, Wanted
from cadenza.playground.server import site
from cadenza.sim.wire import Json
from cadenza.sim.world import World

HURRIED: Mapping[str, object] = {"typing_least": 0.0, "typing_speed": 0.0, "typing_budget": 0.0}
"""Settings with which nobody types longer than it takes."""
HEADERS = {"X-Cadenza": "play"}


@dataclass
class Play:
    """A playground that runs."""

    url: str
    """Of its page, without a slash at the end."""
    playground: Playground
    http: aiohttp.ClientSession
    live: Live
    """The session that runs; after ``reset`` another one does, which ``renew`` puts here."""

    @property
    def world(self) -> World:
        return self.live.world

    @property
    def grounds(self) -> Grounds:
        return self.live.grounds

    @property
    def general(self) -> str:
        return self.live.grounds.scenery.general

    async def renew(self) -> None:
        """After a reset: have the new session here."""
        self.live = await self.playground.live()

    def hurry(self) -> None:
        """Let nobody pretend to type, and the simulated Discord have no limits."""
        self.live.weather.lift_limits()
        self.set(HURRIED)

    def set(self, settings: Mapping[str, object]) -> None:
        """Let *settings* hold from the next reply on."""
        now = self.live.current.now
        self.live.current.change(replace(now, settings=now.settings.with_values(settings)))

    async def get(self, path: str) -> Json:
        """What a GET is answered with, which must be right."""
        async with self.http.get(f"{self.url}{path}") as response:
            assert 200 == response.status, await response.text()
            found: Json = await response.json()
            return found

    async def post(self, path: str, body: object, *, status: int = 200) -> Json:
        """What a POST is answered with."""
        async with self.http.post(f"{self.url}{path}", json=body, headers=HEADERS) as response:
            assert status == response.status, await response.text()
            found: Json = await response.json()
            return found

    async def say(self, text: str, **more: Any) -> Json:
        """Say something in #general, or wherever."""
        return await self.post("/api/say", {"channel": self.general, "text": text, **more})

    def answers(self, channel: str = "") -> list[str]:
        """What the bot, and whoever it speaks as, has said in a channel."""
        people = {person.id for person in self.grounds.people}
        found = self.world.messages(channel or self.general)
        return [one["content"] for one in found if one["author"]["id"] not in people]

    async def until(self, condition: Callable[[], object], *, within: float = 10.0) -> None:
        """Wait until *condition* holds of the world."""
        await self.live.server.until(condition, within=within)

    async def answered(self, text: str, **more: Any) -> list[str]:
        """Say something in #general, and wait until it is answered; give back the answer."""
        before = len(self.answers())
        await self.say(text, **more)
        await self.until(lambda: len(self.answers()) > before)
        await self.quiet()
        return self.answers()[before:]

    async def quiet(self, channel: str = "") -> None:
        """Wait until nobody is answered there any more."""
        async with asyncio.timeout(20):
            while self.live.hands.is_busy(channel or self.general):  # noqa: ASYNC110  # the bot tells nobody of it
                await asyncio.sleep(0.01)

    @asynccontextmanager
    async def events(self, query: str = "", **headers: str) -> AsyncIterator[AsyncIterator[tuple[str, Json]]]:
        """Listen to what happens: ids and records; the first is the greeting, which has no id."""
        async with self.http.get(f"{self.url}/api/events{query}", headers=headers) as response:
            assert 200 == response.status, await response.text()
            yield _events(response)


async def _events(response: aiohttp.ClientResponse) -> AsyncIterator[tuple[str, Json]]:
    id_ = ""
    async for raw in response.content:
        line = raw.decode().rstrip("\n")
        if line.startswith("id: "):
            id_ = line[4:]
        elif line.startswith("data: "):
            yield id_, json.loads(line[6:])


@asynccontextmanager
async def playing(
    wanted: Wanted | None = None, *, hurried: bool = True, pace: float = 0.0, **settings: object
) -> AsyncIterator[Play]:
    """Have a playground within the ``async with``.

    If it is *hurried* nobody pretends to type and the simulated Discord has no limits; *pace* is how long the guide takes
    for a token, in seconds, and *settings* are those of the bot.
    """
    given = replace(wanted or Wanted(), pace=pace)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        async with Playground(given) as playground, site(playground, listener, "127.0.0.1"):
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            live = await playground.live()
            async with aiohttp.ClientSession(read_bufsize=1 << 22) as http:
                play = Play(url, playground, http, live)
                if hurried:
                    play.hurry()
                play.set(settings)
                yield play
