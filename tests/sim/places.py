"""A small Discord, and a client that speaks to it byte by byte."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import zstandard
from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType

from cadenza.sim.intents import ALL
from cadenza.sim.server import Server
from cadenza.sim.world import World
from tests.leaps import leaping, time_of_day

SOON = 30.0
"""For how many seconds anything is waited for."""


@dataclass
class Place:
    """A world with a bot and two people in one channel of one guild."""

    world: World = field(default_factory=lambda: World(clock=time_of_day))

    def __post_init__(self) -> None:
        self.bot = self.world.add_bot("Cadenza", token="sim-token")  # noqa: S106  # of a world in memory
        self.mia = self.world.add_person("Mia")
        self.tom = self.world.add_person("Tom")
        self.guild = self.world.add_guild("Home", owner=self.mia, members=[self.mia, self.tom, self.bot])
        self.general = self.world.add_channel(self.guild, "general")


async def until(condition: Callable[[], object]) -> None:
    """Wait for something inside a client or the server, which tells nobody."""
    async with asyncio.timeout(SOON):
        while not condition():  # noqa: ASYNC110  # see above
            await asyncio.sleep(0.001)


class Phone:
    """One connection to the gateway, as a client has it."""

    def __init__(self, socket: ClientWebSocketResponse, compress: str) -> None:
        self.socket = socket
        self._zlib = zlib.decompressobj()
        self._zstd = zstandard.ZstdDecompressor().decompressobj()
        self._compress = compress

    async def say(self, op: int, data: object = None) -> None:
        await self.socket.send_str(json.dumps({"op": op, "d": data}))

    async def hear(self) -> dict[str, Any]:
        """The next message; that there is none is an error, with the code with which the line was closed."""
        message = await self.socket.receive(timeout=SOON)
        match message.type:
            case WSMsgType.TEXT:
                return json.loads(message.data)  # type: ignore[no-any-return]
            case WSMsgType.BINARY if self._compress == "zlib-stream":
                return json.loads(self._zlib.decompress(message.data))  # type: ignore[no-any-return]
            case WSMsgType.BINARY:
                return json.loads(self._zstd.decompress(message.data))  # type: ignore[no-any-return]
        raise EOFError(self.socket.close_code)

    async def hear_event(self, name: str) -> dict[str, Any]:
        """The next event of that name; what comes before is passed over."""
        while True:
            message = await self.hear()
            if message["t"] == name:
                return message

    async def hear_op(self, op: int) -> dict[str, Any]:
        """The next message with that code; what comes before is passed over."""
        while True:
            message = await self.hear()
            if message["op"] == op:
                return message

    async def closed(self) -> int | None:
        """Pass over what comes until the line is closed; the code."""
        try:
            while True:
                await self.hear()
        except EOFError:
            return self.socket.close_code

    async def identify(self, *, token: str = "sim-token", intents: int = ALL, **more: object) -> dict[str, Any]:  # noqa: S107  # of a world in memory
        """Say who is there; what READY says."""
        await self.say(2, {"token": token, "intents": int(intents), "properties": {}, **more})
        return (await self.hear_event("READY"))["d"]  # type: ignore[no-any-return]

    async def resume(self, session: str, sequence: int | None, token: str = "sim-token") -> None:  # noqa: S107  # likewise
        await self.say(6, {"token": token, "session_id": session, "seq": sequence})


@asynccontextmanager
async def calling(
    server: Server, *, compress: str = "", query: Mapping[str, str] | None = None
) -> AsyncIterator[Phone]:
    """Connect to the gateway, and hear it say hello; meanwhile, time leaps."""
    params = {"v": "10", "encoding": "json", **({"compress": compress} if compress else {}), **(query or {})}
    async with ClientSession() as http, http.ws_connect(server.gateway_url, params=params) as socket:
        with leaping():
            yield Phone(socket, compress)
