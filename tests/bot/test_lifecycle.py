"""A shift: a real client in a simulated Discord, ready, interrupted once and twice, or kept from its work."""

from __future__ import annotations

import asyncio
import os
import signal

import discord
import pytest

from cadenza.bot.lifecycle import Interrupts, work
from cadenza.sim.rate_limits import RateLimits
from cadenza.sim.server import serve
from cadenza.sim.world import World

TOKEN = "sim-token"  # noqa: S105  # of a world in memory


class Shift:
    """What happened, in order, and how to make it happen."""

    def __init__(self) -> None:
        self.world = World()
        account, mia = self.world.add_bot("Ren"), self.world.add_person("Mia")
        self.world.add_guild("Home", owner=mia, members=[mia, account])
        self.client = discord.Client(intents=discord.Intents.default(), guild_ready_timeout=0.05)
        self.happened: list[str] = []
        self.goodbye = asyncio.Event()
        self.is_winding_down = asyncio.Event()
        self.ready = asyncio.Event()

    def on_ready(self) -> None:
        self.happened.append("ready")
        self.ready.set()

    async def wind_down(self) -> None:
        self.happened.append("winding down")
        self.is_winding_down.set()
        await self.goodbye.wait()
        self.happened.append("goodbye")

    async def worked(self, interrupts: Interrupts, token: str = TOKEN) -> bool:
        async with serve(self.world, limits=RateLimits.off()) as server:
            with server.discord_py():
                return await work(
                    self.client, token, interrupts=interrupts, wind_down=self.wind_down, on_ready=self.on_ready
                )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "terminated"])
async def test_the_first_signal_lets_it_say_goodbye(number: signal.Signals) -> None:
    shift = Shift()
    with Interrupts() as interrupts:
        task = asyncio.create_task(shift.worked(interrupts))
        async with asyncio.timeout(30):
            await shift.ready.wait()
            os.kill(os.getpid(), number)
            await shift.is_winding_down.wait()
            shift.goodbye.set()
            assert await task is True

    assert ["ready", "winding down", "goodbye"] == shift.happened
    assert shift.client.is_closed()


async def test_the_second_signal_ends_it_at_once() -> None:
    shift = Shift()
    interrupts = Interrupts()
    task = asyncio.create_task(shift.worked(interrupts))
    async with asyncio.timeout(30):
        await shift.ready.wait()
        interrupts.interrupt()
        await shift.is_winding_down.wait()
        interrupts.interrupt()
        assert await task is False

    assert ["ready", "winding down"] == shift.happened
    assert shift.client.is_closed()


async def test_before_it_is_ready_there_is_nothing_to_wind_down() -> None:
    shift = Shift()
    interrupts = Interrupts()
    interrupts.interrupt()

    async with asyncio.timeout(30):
        await shift.worked(interrupts)

    assert [] == shift.happened


async def test_what_keeps_it_from_its_work_is_raised() -> None:
    shift = Shift()

    async with asyncio.timeout(30):
        with pytest.raises(discord.LoginFailure):
            await shift.worked(Interrupts(), "wrong")

    assert [] == shift.happened


async def test_a_goodbye_that_fails_is_a_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    shift = Shift()

    async def fails() -> None:
        raise RuntimeError("with a secret")  # noqa: EM101, TRY003  # its words must not be told

    shift.wind_down = fails  # type: ignore[method-assign]
    interrupts = Interrupts()
    task = asyncio.create_task(shift.worked(interrupts))
    async with asyncio.timeout(30):
        await shift.ready.wait()
        interrupts.interrupt()
        assert await task is True

    assert "not everything could be ended as it should (RuntimeError)" in caplog.messages
    assert "secret" not in caplog.text


async def test_no_task_is_left_behind() -> None:
    shift = Shift()
    interrupts = Interrupts()
    task = asyncio.create_task(shift.worked(interrupts))
    async with asyncio.timeout(30):
        await shift.ready.wait()
        interrupts.interrupt()
        shift.goodbye.set()
        await task

    assert {asyncio.current_task()} == asyncio.all_tasks()


async def test_a_client_that_is_cancelled_is_closed_all_the_same() -> None:
    shift = Shift()
    task = asyncio.create_task(shift.worked(Interrupts()))
    async with asyncio.timeout(30):
        await shift.ready.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    assert shift.client.is_closed()
