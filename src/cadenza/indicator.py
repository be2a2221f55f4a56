"""The typing indicator: what people see while a message is on its way to them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from .stages.s7_delivery import Target
from .tasks import end_task, must_rise
from .types import Identity

_LASTS = 8.0
"""Seconds after which it is shown again; Discord's goes out after ten."""


class Indicator:
    """Shows in a target that somebody is writing. A courtesy: whatever goes wrong with it holds up and ends nothing."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._typist: Identity | None = None
        self._due = asyncio.get_running_loop().time()

    def is_out(self) -> None:
        """It does not show any more; if it is still wanted, it is shown again."""
        self._due = asyncio.get_running_loop().time()

    @asynccontextmanager
    async def shown(self, identity: Identity | None) -> AsyncIterator[None]:
        """While this lasts, *identity* is seen writing."""
        typing = asyncio.create_task(self._keep_showing(identity), name="cadenza typing")
        try:
            yield
        finally:
            await end_task(typing)

    async def _keep_showing(self, identity: Identity | None) -> None:
        """Show it now, unless it still shows, and again whenever it would go out."""
        loop = asyncio.get_running_loop()
        if identity != self._typist:
            self._typist, self._due = identity, loop.time()
        while True:
            await asyncio.sleep(self._due - loop.time())
            self._due = loop.time() + _LASTS
            await self._show(identity)

    async def _show(self, identity: Identity | None) -> None:
        try:
            await self._target.typing(identity)
        except BaseException as error:
            if must_rise(error):
                raise
