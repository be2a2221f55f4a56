"""``cadenza play``: as a process of its own, and the sentences it says where it cannot begin."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest

from cadenza.cli import main, play
from cadenza.errors import SettingsError
from cadenza.languages import rendered
from cadenza.play.server.session import Wanted
from tests.play.server.playing import PATIENCE


@asynccontextmanager
async def _process(*options: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """The playground as somebody starts it, and where its page is."""
    kept = ("PATH", "HOME", "PYTHONPATH", "LANG")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "cadenza", "play", *options, env={**environment, "PYTHONUNBUFFERED": "1"},
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        async with asyncio.timeout(PATIENCE):
            line = (await process.stdout.readline()).decode()
        assert line.startswith("The playground is open: http://127.0.0.1:"), line
        yield process, line.split()[-1]
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def test_ctrl_c_ends_it_at_once_also_with_a_page_open_and_a_reply_under_way() -> None:
    now = asyncio.get_running_loop().time
    begun = now()
    async with _process("--no-browser") as (process, address), aiohttp.ClientSession() as http:
        opening = now() - begun  # tells how quick this machine is at the moment
        async with http.get(f"{address}api/state") as response:
            general = (await response.json())["channels"][0]["id"]
        async with http.get(f"{address}api/events") as events:
            body = {"channel": general, "text": "Count the stars, every single one"}
            async with http.post(f"{address}api/say", json=body, headers={"X-Cadenza": "play"}) as said:
                assert 200 == said.status
            async for line in events.content:
                if b'"kind":"tokens"' in line:
                    break
            begun = now()
            process.send_signal(signal.SIGINT)
            async with asyncio.timeout(PATIENCE):  # the reply would take minutes
                rest = await process.stdout.read() if process.stdout else b""
                status = await process.wait()
            took = now() - begun

    assert 0 == status
    assert b"Ctrl-C ends it.\n" == rest
    assert took < 3 + 2 * opening


def test_the_next_port_is_taken_if_none_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        usual = taken.getsockname()[1]
        monkeypatch.setattr(play, "PORT", usual)
        with play.listening("127.0.0.1", None) as next_:
            assert usual < next_.getsockname()[1] < usual + play._TRIED


def test_the_usual_port_or_one_of_the_next_is_taken() -> None:
    with play.listening("127.0.0.1", None) as listener:
        assert play.PORT <= listener.getsockname()[1] < play.PORT + play._TRIED


def test_a_port_that_is_taken_is_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SettingsError, match=rf"^port {port} of 127.0.0.1 could not be opened \([^()]*\); .*--port"):
            play.listening("127.0.0.1", port)


@pytest.mark.parametrize("port", [8765, None])
@pytest.mark.parametrize("host", ["nowhere.invalid", "192.0.2.1", "", "a b", "ü" * 80])
def test_an_address_of_elsewhere_is_a_sentence(host: str, port: int | None) -> None:
    with pytest.raises(SettingsError, match=r"^--host .* is no address of this machine$"):
        play.listening(host, port)


def test_any_port_that_is_free_can_be_asked_for() -> None:
    with play.listening("127.0.0.1", play._port("0")) as listener:
        assert listener.getsockname()[1] > 0


@pytest.mark.parametrize("port", ["65536", "x", "-1", "²", "0" * 5000])
def test_a_port_that_is_none_is_refused(port: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="a port is a number") as raised:
        play._port(port)
    assert "ポートは 1 から 65535 までの数です。0 なら空いているポートを使います。" == rendered(
        raised.value.args[0], "ja"
    )


@pytest.mark.parametrize(
    ("host", "address"),
    [("127.0.0.1", "http://127.0.0.1:1/"), ("0.0.0.0", "http://127.0.0.1:1/"), ("::1", "http://[::1]:1/")],  # noqa: S104  # nothing is bound
)
def test_the_address_that_is_told_can_be_opened(host: str, address: str) -> None:
    assert address == play._address(host, 1)


def test_whoever_opens_it_to_others_is_told_so(capsys: pytest.CaptureFixture[str]) -> None:
    play._tell("http://127.0.0.1:1/", "0.0.0.0")  # noqa: S104  # likewise
    assert "Everyone who can reach this machine" in capsys.readouterr().out
    play._tell("http://127.0.0.1:1/", "127.0.0.1")
    assert "Everybody" not in capsys.readouterr().out


def test_without_discord_py_it_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "discord", None)

    assert 2 == main.main(["play"])
    assert "pip install 'cadenza[bot]'" in capsys.readouterr().err


def test_without_a_terminal_no_browser_is_opened() -> None:
    assert not play._has_display()


async def test_who_changes_their_mind_while_it_begins_is_told_of_no_page(capsys: pytest.CaptureFixture[str]) -> None:
    playing = asyncio.create_task(play.play(Wanted(), play.Where(port=0)))
    await asyncio.sleep(0)  # it has begun, and listens to signals
    os.kill(os.getpid(), signal.SIGINT)

    async with asyncio.timeout(PATIENCE):
        assert 0 == await playing
    assert "" == capsys.readouterr().out
