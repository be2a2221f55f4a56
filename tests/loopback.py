"""A server on loopback that answers as it is told, byte by byte: what a provider, or a broken one, would do.

It speaks HTTP/1.1 by hand, so that a test can cut a line in two, stall, reset the connection or never end a body.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import Enum, auto
from http import HTTPStatus
from socket import SO_LINGER, SOL_SOCKET


class Act(Enum):
    """What a server may do besides sending bytes."""

    STALL = auto()
    """Say nothing more, and keep the line open until the client hangs up."""
    RESET = auto()
    """Break the connection off, as a crashed process would."""
    DROP = auto()
    """Close the connection without ending the body."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait for a while."""

    seconds: float


Step = bytes | Act | Pause | asyncio.Event
"""An event is waited for: a gate that a test opens."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server says to one request."""

    steps: Sequence[Step] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "text/event-stream"})

    @classmethod
    def of(cls, body: bytes, status: int = 200, **headers: str) -> Answer:
        """An answer with a whole body; ``retry_after="5"`` is a header ``retry-after``."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return cls((body,), status, {"content-type": "application/json", **named})


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(slots=True)
class Loopback:
    """A running server: where it is, what it was asked, and how many connections are open now."""

    url: str
    asked: list[Asked] = field(default_factory=list)
    open: int = 0
    accepted: int = 0
    """How many connections there were in all."""
    _empty: asyncio.Event = field(default_factory=asyncio.Event)

    async def quiet(self) -> None:
        """Wait until nobody is connected any more."""
        await self._empty.wait()

    def count(self, change: int) -> None:
        """Somebody came (1) or went (-1)."""
        self.open += change
        self.accepted += change > 0
        if self.open:
            self._empty.clear()
        else:
            self._empty.set()


@asynccontextmanager
async def serving(answers: Answer | Iterable[Answer] | Callable[[Asked], Answer]) -> AsyncIterator[Loopback]:
    """Serve *answers*: one for all requests, one each in their order (the last for all others), or by a function."""
    choose = _chooser(answers)
    loopback = Loopback("")

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        loopback.count(1)
        try:
            while (asked := await _request(reader)) is not None:
                loopback.asked.append(asked)
                if not await _respond(choose(asked), reader, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            loopback.count(-1)
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    loopback.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield loopback
    finally:
        server.close()


def _chooser(answers: Answer | Iterable[Answer] | Callable[[Asked], Answer]) -> Callable[[Asked], Answer]:
    if isinstance(answers, Answer):
        only = answers
        return lambda _: only
    if callable(answers):
        return answers
    waiting = list(answers)
    return lambda _: waiting.pop(0) if len(waiting) > 1 else waiting[0]


async def _request(reader: asyncio.StreamReader) -> Asked | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").strip().split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, path, headers, body)


async def _respond(answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Send *answer*; whether the connection can be used again."""
    reason = HTTPStatus(answer.status).phrase if answer.status in set(HTTPStatus) else "Unknown"
    head = [f"HTTP/1.1 {answer.status} {reason}", "transfer-encoding: chunked"]
    head += [f"{name}: {value}" for name, value in answer.headers.items()]
    writer.write("\r\n".join([*head, "", ""]).encode("latin-1"))
    for step in answer.steps:
        match step:
            case bytes():
                if step:
                    writer.write(b"%x\r\n%b\r\n" % (len(step), step))
                await writer.drain()
            case Pause(seconds):
                await asyncio.sleep(seconds)
            case asyncio.Event():
                await step.wait()
            case Act.STALL:
                await reader.read()
                return False
            case Act.RESET:
                await writer.drain()
                await asyncio.sleep(0.01)  # what was sent must arrive before the line is cut
                writer.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
                return False
            case Act.DROP:
                await writer.drain()
                return False
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return True
