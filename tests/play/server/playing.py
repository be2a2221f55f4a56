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

from cadenza.play.server.session import Live, Playground, Wanted
from cadenza.play.server.site import site
from cadenza.play.server.world import PlayWorld
from cadenza.sim.wire import Json
from cadenza.sim.world import World

HURRIED: Mapping[str, object] = {"degree": 2, "typing_least": 0.0, "typing_speed": 0.0, "typing_budget": 0.0}
"""Settings with which the guide says a line a message, and nobody types longer than it takes."""
HEADERS = {"X-Cadenza": "play"}
TOKEN = 4
"""Characters of a token of the guide, in English."""
PATIENCE = 60.0
"""Seconds in which what must happen does, also on a machine that has much to do; whoever is not let down waits less."""


class Gate:
    """How the guide lets time pass between its tokens: at once, and at a moment of one's choice not at all.

    So whatever is to happen in the middle of a reply does, however quick or slow the machine is.
    """

    def __init__(self) -> None:
        self._left: int | None = None
        self._is_let_on = asyncio.Event()
        self._holds = asyncio.Event()

    def hold_after(self, said: str = "") -> None:
        """Hold the guide once it has said as much as this from now on, and a little of what comes next.

        Only that reply is held, until it is let on or stopped; whatever else is said then goes its way.
        """
        self._left = -(-len(said) // TOKEN) + 1 if said else 0
        self._holds.clear()

    def let_on(self) -> None:
        """Let the reply go on that is held."""
        self._is_let_on.set()
        self._is_let_on = asyncio.Event()

    async def holds(self) -> None:
        """Wait until a reply is held."""
        async with asyncio.timeout(PATIENCE):
            await self._holds.wait()

    async def sleep(self, _seconds: float) -> None:
        """Take no time, or for ever; before each token the guide sleeps once."""
        await asyncio.sleep(0)
        if self._left is None:
            return
        self._left -= 1
        if self._left < 0:
            self._left = None
            self._holds.set()
            await self._is_let_on.wait()


@dataclass
class Play:
    """A playground that runs."""

    url: str
    """Of its page, without a slash at the end."""
    playground: Playground
    http: aiohttp.ClientSession
    live: Live
    """The session that runs; after ``reset`` another one does, which ``renew`` puts here."""
    gate: Gate
    """Where the guide is held, if it has a pace."""

    @property
    def world(self) -> World:
        return self.live.world

    @property
    def play_world(self) -> PlayWorld:
        return self.live.play_world

    @property
    def general(self) -> str:
        return self.live.play_world.demo_server.general

    async def renew(self) -> None:
        """After a reset: have the new session here."""
        self.live = await self.playground.live()

    def hurry(self) -> None:
        """Let nobody pretend to type, and the simulated Discord have no limits."""
        self.live.fault_controls.lift_limits()
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
        people = {person.id for person in self.play_world.people}
        found = self.world.messages(channel or self.general)
        return [one["content"] for one in found if one["author"]["id"] not in people]

    async def until(self, condition: Callable[[], object], *, within: float = PATIENCE) -> None:
        """Wait until *condition* holds of the world."""
        await self.live.server.until(condition, within=within)

    async def held(self, text: str, after: str = "") -> None:
        """Say something in #general, and wait until the guide is held in its answer, all of *after* being there."""
        count = len(self.answers()) + len(after.splitlines())
        self.gate.hold_after(after)
        await self.say(text)
        await self.gate.holds()
        await self.until(lambda: len(self.answers()) >= count)

    async def answered(self, text: str, **more: Any) -> list[str]:
        """Say something in #general, and wait until it is answered; give back the answer."""
        before = len(self.answers())
        await self.say(text, **more)
        await self.until(lambda: len(self.answers()) > before)
        await self.quiet()
        return self.answers()[before:]

    async def quiet(self, channel: str = "") -> None:
        """Wait until nobody is answered there any more."""
        async with asyncio.timeout(PATIENCE):
            while self.live.running_client.is_busy(channel or self.general):  # noqa: ASYNC110  # the bot tells nobody of it
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
    wanted: Wanted | None = None, *, hurried: bool = True, gated: bool = False, **settings: object
) -> AsyncIterator[Play]:
    """Have a playground within the ``async with``.

    If it is *hurried* nobody pretends to type and the simulated Discord has no limits; if it is *gated* the guide can be
    held up; *settings* are those of the bot.
    """
    gate = Gate()
    given = replace(wanted or Wanted(), pace=float(gated), sleep=gate.sleep)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        async with Playground(given) as playground, site(playground, listener, "127.0.0.1"):
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            live = await playground.live()
            async with aiohttp.ClientSession(read_bufsize=1 << 22) as http:
                play = Play(url, playground, http, live, gate)
                if hurried:
                    play.hurry()
                play.set(settings)
                yield play
