"""Addresses on loopback that stay while tests come and go.

A page is made of some seventy files. A browser that has had them from an address once need not ask for them again, nor
understand them anew, and that is half of what opening a page costs. So each test answers in its turn at an address that
was there before it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(slots=True)
class _Place:
    """One server, and who answers there now."""

    url: str = ""
    answer: Answer | None = None

    async def asked(self, request: web.Request) -> web.StreamResponse:
        if self.answer is None:
            raise web.HTTPServiceUnavailable  # of a test that is over
        return await self.answer(request)


@dataclass(slots=True)
class Addresses:
    """The servers of a process, by what a browser may remember of them."""

    _places: dict[str, list[_Place]] = field(default_factory=dict)
    _runners: list[web.AppRunner] = field(default_factory=list)

    @asynccontextmanager
    async def answering(self, answer: Answer, *, remembered: str = "") -> AsyncIterator[str]:
        """The address at which *answer* is asked until the end, and nobody else is.

        Whoever lets a browser keep something that differs from what others serve under the same path says so in
        *remembered*, and has other addresses than they.
        """
        free = self._places.setdefault(remembered, [])
        place = free.pop() if free else await self._new_place()
        place.answer = answer
        try:
            yield place.url
        finally:
            place.answer = None
            free.append(place)

    async def _new_place(self) -> _Place:
        place = _Place()
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_route("*", "/{path:.*}", place.asked)
        runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
        self._runners.append(runner)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        place.url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
        return place

    async def close(self) -> None:
        """End every server."""
        for runner in self._runners:
            await runner.cleanup()
