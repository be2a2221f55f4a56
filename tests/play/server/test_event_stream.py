"""Server-sent events: heartbeats in silence, and who is too slow is dropped."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import suppress

import pytest

from cadenza.play.films.film import FilmRecord
from cadenza.play.server import event_stream
from tests.play.server.playing import PATIENCE, playing


async def test_a_page_hears_in_silence_that_we_are_still_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "HEARTBEAT", 0.05)
    async with playing() as play, play.http.get(f"{play.url}/api/events?from=1000000") as response:
        async with asyncio.timeout(PATIENCE):
            while b": still here\n" != await response.content.readline():
                pass


async def test_a_page_that_takes_nothing_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "SLOWEST", 0.1)
    async with playing() as play:
        host = play.url.removeprefix("http://")
        before = _served()
        with socket.socket() as lazy:
            lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            lazy.connect(("127.0.0.1", int(host.rpartition(":")[2])))
            lazy.sendall(f"GET /api/events HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            for _ in range(200):
                play.live.reel.add(FilmRecord(0.0, "note", {"text": "x" * 100_000}))
            received = 0
            async with asyncio.timeout(PATIENCE):
                while not (serving := _served() - before):  # noqa: ASYNC110  # nobody tells of it
                    await asyncio.sleep(0.01)
                await asyncio.wait(serving)  # it takes nothing meanwhile
            with suppress(ConnectionResetError):
                while data := lazy.recv(1 << 20):
                    received += len(data)

    assert received < 100 * 100_000


def _served() -> set[asyncio.Task[object]]:
    """Those with whom aiohttp is busy, a task each."""
    return {task for task in asyncio.all_tasks() if "RequestHandler" in repr(task.get_coro())}


async def test_a_page_is_told_the_time_and_to_come_again_soon_before_anything_happens() -> None:
    async with playing() as play, play.http.get(f"{play.url}/api/events?from=1000000") as response:
        retry, event, data = [await response.content.readline() for _ in range(3)]

        assert (b"retry: 1000\n", b"event: hello\n") == (retry, event)
        hello = json.loads(data.removeprefix(b"data: "))
        assert play.live.session == hello["session"]
        assert 0.0 < hello["now"] <= play.live.camera.now
