"""The keyboard and the chat: lines as they come, and when a channel is quiet."""

from __future__ import annotations

import asyncio
import io
from types import SimpleNamespace
from typing import Any

import discord
import pytest

from cadenza.bot.demo_server import DemoServer
from cadenza.bot.runtime import RunningClient, simulated_bot
from cadenza.bot.terminal_chat import Chat, Keyboard
from cadenza.bot.terminal_view import View
from cadenza.cli.run_sim import Simulation, simulate
from tests.leaps import leaping
from tests.timing import now


async def test_a_keyboard_gives_the_lines_of_its_stream_and_then_ends() -> None:
    async with asyncio.timeout(30):
        lines = [line async for line in Keyboard(io.StringIO("one\ntwo"))]

    assert ["one\n", "two"] == lines


async def test_a_stream_that_is_closed_is_the_end() -> None:
    stream = io.StringIO("one\n")
    stream.close()

    async with asyncio.timeout(30):
        assert [] == [line async for line in Keyboard(stream)]


async def _nothing() -> None:
    """Nothing is under way."""


def _chat(demo_server: DemoServer, busy: list[str]) -> tuple[Chat, io.StringIO]:
    out = io.StringIO()
    server: Any = SimpleNamespace(rest=SimpleNamespace(calls=[]))
    bot = RunningClient(discord.Client(intents=discord.Intents.none()), _nothing, lambda channel: channel in busy)
    view = View(demo_server.world, out, {demo_server.general: ""}, me=demo_server.me.id)
    chat = Chat(demo_server, server, bot, view)
    demo_server.world.listen(chat.hear)
    return chat, out


@pytest.mark.looptime
async def test_a_channel_is_quiet_once_nothing_happens_and_nobody_is_busy() -> None:
    demo_server = DemoServer("Mia")
    busy = [demo_server.general]
    chat, _ = _chat(demo_server, busy)
    loop = asyncio.get_running_loop()
    loop.call_later(1.0, demo_server.me.says, demo_server.general, "still here")
    loop.call_later(2.0, busy.clear)

    await chat.quiet()

    assert 2.0 <= now() <= 2.7


@pytest.mark.looptime
async def test_a_wait_takes_its_time_and_what_follows_does_not_wait_for_silence() -> None:
    demo_server = DemoServer("Mia")
    busy = [demo_server.general]
    chat, out = _chat(demo_server, busy)
    asyncio.get_running_loop().call_later(60.0, busy.clear)

    async def lines() -> Any:
        yield "/wait 5"
        yield "first"
        yield "/wait 1"
        yield "second"

    said_at: list[float] = []
    demo_server.world.listen(lambda event: said_at.append(now()) if event.name == "MESSAGE_CREATE" else None)
    await chat.run(lines())

    assert [5.0, 6.0] == said_at
    assert "Mia: first\nMia: second\n" == out.getvalue()
    assert now() >= 60.0


async def test_a_form_is_shown_with_its_fields_and_a_button_that_is_not_there_with_those_that_are() -> None:
    typed = "/persona edit name:Ren\n/fill prompt:A fox.\n/persona show name:Ren\n/forget me\n/press Delete\n"
    out = io.StringIO()

    with leaping():
        await simulate(Simulation(), stdin=io.StringIO(typed), stdout=out, client_of=simulated_bot)

    lines = out.getvalue().splitlines()
    assert "* A form: Edit Ren" in lines
    assert any(line.startswith("*   prompt: Description (now: A shy astronomer") for line in lines)
    assert any(line.startswith("* Send it with /fill prompt:… ") for line in lines)
    assert "  ┃ A fox." in lines
    assert (
        "* there is no button 'Delete'; there is 'Forget me', 'Forget me, and remember nothing in future', 'Cancel'"
        in lines
    )
