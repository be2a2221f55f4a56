from __future__ import annotations

import asyncio
from typing import Self

import pytest

from cadenza.sim.clients import running

pytestmark = pytest.mark.looptime


class Puppet:
    """A client that does what it is told."""

    def __init__(self, *, ready_after: float | None = 1.0, ends: BaseException | float | None = None) -> None:
        self.did: list[str] = []
        self._ready_after = ready_after
        self._ends = ends
        self._closed = asyncio.Event()

    async def start(self, token: str, /) -> None:
        self.did.append(f"start {token}")
        match self._ends:
            case BaseException():
                raise self._ends
            case float():
                await asyncio.sleep(self._ends)
            case None:
                await self._closed.wait()

    async def wait_until_ready(self) -> None:
        try:
            await asyncio.sleep(1000 if self._ready_after is None else self._ready_after)
        except asyncio.CancelledError:
            self.did.append("gave up")
            raise

    async def close(self) -> None:
        self.did.append("close")
        self._closed.set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        self.did.append("left")


async def test_a_client_is_ready_within_and_closed_after() -> None:
    puppet = Puppet()
    async with running(puppet, "t") as client:
        client.did.append("used")

    assert ["start t", "used", "close", "left"] == puppet.did


async def test_what_keeps_it_from_logging_in_is_raised() -> None:
    puppet = Puppet(ready_after=None, ends=PermissionError("wrong token"))

    with pytest.raises(PermissionError, match="wrong token"):
        async with running(puppet, "t"):
            pytest.fail("it is not ready")
    assert ["start t", "gave up", "close", "left"] == puppet.did


async def test_a_client_that_closes_itself_is_not_ready() -> None:
    with pytest.raises(ConnectionError, match="closed before it was ready"):
        async with running(Puppet(ready_after=None, ends=1.0), "t"):
            pytest.fail("it is not ready")


async def test_a_client_that_never_gets_ready_is_not_waited_for() -> None:
    with pytest.raises(TimeoutError, match="not ready within 3 seconds"):
        async with running(Puppet(ready_after=None), "t", within=3):
            pytest.fail("it is not ready")
