"""The HTTP server for monitoring: ``/metrics`` for Prometheus, ``/healthz`` for a supervisor."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ...concurrency.tasks import must_rise
from ...errors import Sentence, SettingsError
from ...explain.tracebacks import get_logger
from ..config.config import MetricsConfig

if TYPE_CHECKING:
    from aiohttp import web

logger = get_logger(__name__)

Check = Callable[[], Awaitable[str]]
"""Returns what is wrong in a few words, or an empty text."""

_TIMEOUT = 5.0
"""Seconds for one check."""


@asynccontextmanager
async def serving(
    config: MetricsConfig, checks: Mapping[str, Check], rendered: Callable[[], bytes]
) -> AsyncIterator[int]:
    """Serve at the port of *config* within the ``async with``; yields the port. Port 0 turns the server off."""
    if not config.port:
        yield 0
        return
    async with listening(config.host, config.port, checks, rendered) as port:
        logger.info("metrics and health are at http://%s:%d/metrics and /healthz", config.host, port)
        yield port


@asynccontextmanager
async def listening(
    host: str, port: int, checks: Mapping[str, Check], rendered: Callable[[], bytes]
) -> AsyncIterator[int]:
    """Serve at *host* and *port*, 0 for any free port; yields the port."""
    from aiohttp import web  # noqa: PLC0415  # slow to import, and optional

    app = web.Application()
    app.add_routes([web.get("/metrics", _metrics(rendered)), web.get("/healthz", _health(checks))])
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        try:
            await site.start()
        except OSError as error:
            why = os.strerror(error.errno) if error.errno and error.errno > 0 else type(error).__name__
            msg = Sentence(
                "metrics cannot be served at {host}:{port} ({why}); choose another port in [metrics], or 0 for none",
                host=host,
                port=port,
                why=why,
            )
            raise SettingsError(msg) from None
        yield _port(runner) or port
    finally:
        await runner.cleanup()


async def problems(checks: Mapping[str, Check]) -> dict[str, str]:
    """What is wrong, by the name of the check. A check that raises or times out is a problem itself."""
    found = await asyncio.gather(*(_checked(check) for check in checks.values()))
    return {name: reason for name, reason in zip(checks, found, strict=True) if reason}


async def _checked(check: Check) -> str:
    try:
        async with asyncio.timeout(_TIMEOUT):
            return await check()
    except TimeoutError:
        return f"no answer within {_TIMEOUT:g} seconds"
    except BaseException as error:
        if must_rise(error):
            raise
        logger.debug("a health check failed", exc_info=error)
        return type(error).__name__


def _health(checks: Mapping[str, Check]) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def answer(_request: web.Request) -> web.Response:
        from aiohttp import web  # noqa: PLC0415  # as above

        wrong = await problems(checks)
        body = {"status": "unwell" if wrong else "well", "reasons": wrong}
        return web.Response(status=503 if wrong else 200, text=json.dumps(body), content_type="application/json")

    return answer


def _metrics(rendered: Callable[[], bytes]) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def answer(_request: web.Request) -> web.Response:
        from aiohttp import web  # noqa: PLC0415  # as above

        kind = "text/plain; version=0.0.4; charset=utf-8"
        return web.Response(body=rendered(), headers={"Content-Type": kind})

    return answer


def _port(runner: web.AppRunner) -> int:
    """The port in use, which the system chose if 0 was asked for."""
    return next((int(address[1]) for address in runner.addresses), 0)
