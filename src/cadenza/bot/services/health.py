"""A small server for machines that watch over a bot: ``/metrics`` for Prometheus, ``/healthz`` for whoever restarts it."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ...concurrency.tasks import must_rise
from ...errors import SettingsError
from ..config.config import MetricsConfig

if TYPE_CHECKING:
    from aiohttp import web

logger = logging.getLogger(__name__)

Check = Callable[[], Awaitable[str]]
"""Says in a few words what is wrong; nothing if all is well."""

_PATIENCE = 5.0
"""Seconds that a check may take."""


@asynccontextmanager
async def serving(
    config: MetricsConfig, checks: Mapping[str, Check], rendered: Callable[[], bytes]
) -> AsyncIterator[int]:
    """Answer at the port of *config* within the ``async with``; gives the port. Port 0 is nobody: nothing is opened."""
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
    """Answer at *host* and *port*, of which 0 is any that is free; gives the port."""
    from aiohttp import web  # noqa: PLC0415  # only who wants it waits for it

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
            msg = f"metrics cannot be offered at {host}:{port} ({why}); choose another port in [metrics], or 0 for none"
            raise SettingsError(msg) from None
        yield _port(runner) or port
    finally:
        await runner.cleanup()


async def ailments(checks: Mapping[str, Check]) -> dict[str, str]:
    """What is wrong, by the name of its check. One that fails or does not answer is wrong itself."""
    found = await asyncio.gather(*(_checked(check) for check in checks.values()))
    return {name: reason for name, reason in zip(checks, found, strict=True) if reason}


async def _checked(check: Check) -> str:
    try:
        async with asyncio.timeout(_PATIENCE):
            return await check()
    except TimeoutError:
        return f"no answer within {_PATIENCE:g} seconds"
    except BaseException as error:
        if must_rise(error):
            raise
        return type(error).__name__


def _health(checks: Mapping[str, Check]) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def answer(_request: web.Request) -> web.Response:
        from aiohttp import web  # noqa: PLC0415  # as above

        wrong = await ailments(checks)
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
    """Where it listens, which the system chose if it was asked to."""
    return next((int(address[1]) for address in runner.addresses), 0)
