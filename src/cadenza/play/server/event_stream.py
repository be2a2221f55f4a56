"""Sends the records of a session to a page, as server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
from aiohttp import web

from ...errors import InputError

if TYPE_CHECKING:
    from .reel import Numbered
    from .session import Live

HEARTBEAT = 15.0
"""Seconds of silence after which a comment is sent."""
SLOWEST = 20.0
"""Seconds in which a page must take what it is sent; a slower one is disconnected and may reconnect."""
AGAIN = 1000
"""Milliseconds after which a page reconnects; the browser's own seconds would show a world that is gone."""
_AT_ONCE = 256
_BYTES_AT_ONCE = 1 << 18
"""Most records, and bytes, that are sent together."""


async def send_events(request: web.Request, live: Live) -> web.StreamResponse:
    """Send all records, old and new, until the page goes away or the session ends."""
    place = _place(request)
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
    await response.prepare(request)
    try:
        hello = {"session": live.session, "now": live.camera.now}
        await _sent(response, b"retry: %d\nevent: hello\ndata: %b\n\n" % (AGAIN, msgspec.json.encode(hello)))
        while not (live.reel.is_over and live.reel.last <= place):
            records = _some(live.reel.beyond(place, _AT_ONCE))
            if records:
                place = records[-1].number
                await _sent(response, b"".join(map(_event, records)))
            else:
                await _wait(response, live, place)
    except (ConnectionError, TimeoutError):  # it went away, or is too slow: it reconnects by itself
        if request.transport is not None:
            request.transport.abort()  # drop the data that it did not take
    return response


def _some(records: Sequence[Numbered]) -> Sequence[Numbered]:
    """The first of *records* that fit together; at least one."""
    size = 0
    for place, record in enumerate(records):
        size += len(record.data)
        if size > _BYTES_AT_ONCE and place:
            return records[:place]
    return records


async def _wait(response: web.StreamResponse, live: Live, place: int) -> None:
    try:
        async with asyncio.timeout(HEARTBEAT):
            await live.reel.news(place)
    except TimeoutError:
        await _sent(response, b": still here\n\n")


async def _sent(response: web.StreamResponse, data: bytes) -> None:
    async with asyncio.timeout(SLOWEST):
        await response.write(data)


def _event(record: Numbered) -> bytes:
    return b"id: %d\ndata: %b\n\n" % (record.number, record.data)


def _place(request: web.Request) -> int:
    """The number of the last record that the page has."""
    last = request.headers.get("Last-Event-ID")
    first = request.query.get("from")
    given = last if last is not None else first
    if given is None:
        return 0
    if not given.isascii() or not given.isdecimal() or len(given) > 15:  # longer numbers do not occur
        msg = "'from' and Last-Event-ID are whole numbers"
        raise InputError(msg)
    return int(given) if last is not None else int(given) - 1
