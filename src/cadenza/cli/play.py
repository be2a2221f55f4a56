"""``cadenza play``: a simulated Discord in the browser, with the real bot in it."""

from __future__ import annotations

import argparse
import asyncio
import errno
import os
import socket
import sys
import threading
import webbrowser
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ..bot.services.logs import LEVELS
from ..errors import Sentence, SettingsError

if TYPE_CHECKING:
    from ..play.server.session import Wanted

PORT = 8765
_TRIED = 20
"""Ports that are tried if none is given."""
_HIGHEST = 65_535


def add_play(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``cadenza play`` to the command line."""
    play = commands.add_parser(
        "play",
        help="open a simulated Discord in the browser, and look inside every message",
        description="Open the playground: a simulated Discord on this machine with the real bot in it, and a page in the "
        "browser where you talk to it, watch it type, and see why each message is as it is. "
        "It needs no token, no API key and no network. Ctrl-C ends it.",
        epilog="See docs/playground.md.",
    )
    play.add_argument(
        "--port",
        type=_port,
        metavar="N",
        help=f"the port of the page; 0 for any free one (default: {PORT}, or the next free one)",
    )
    play.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="the address to listen on (default: 127.0.0.1, only this machine)",
    )
    play.add_argument("--config", metavar="FILE", help="a cadenza.toml with characters and settings")
    play.add_argument(
        "--model",
        default="",
        metavar="MODEL",
        help="the model: guide (built in), local, or VENDOR:NAME such as openai:gpt-5.1",
    )
    play.add_argument("--no-browser", action="store_true", help="print the address of the page instead of opening it")
    play.add_argument("--language", choices=("en", "ja"), default="en", help="the language of the page and the bot")
    play.add_argument("--log-level", choices=tuple(LEVELS), help="what is logged (default: warning)")


def run_play(options: argparse.Namespace) -> int:
    """Run the playground until it is interrupted; returns the exit status."""
    if find_spec("discord") is None:
        msg = "the playground needs discord.py; install it with: pip install 'cadenza[bot]'"
        raise SettingsError(msg)
    from ..concurrency import event_loop  # noqa: PLC0415  # imported only when needed
    from ..play.server.session import Wanted  # noqa: PLC0415  # the same

    config = None if options.config is None else Path(options.config)
    wanted = Wanted(config, options.model.strip(), options.language, options.log_level or "")
    where = Where(options.host, options.port, with_browser=not options.no_browser)
    return event_loop.run(play(wanted, where))


@dataclass(frozen=True, slots=True)
class Where:
    """Where the page is served."""

    host: str = "127.0.0.1"
    port: int | None = None
    """``None`` is the default port, or the next free one."""
    with_browser: bool = False


async def play(wanted: Wanted, where: Where) -> int:
    """Run the playground until it is interrupted; returns the exit status."""
    from ..bot.lifecycle import Interrupts  # noqa: PLC0415  # as above
    from ..play.server.session import Playground  # noqa: PLC0415
    from ..play.server.site import site  # noqa: PLC0415

    with listening(where.host, where.port) as listener, Interrupts() as interrupts:
        async with Playground(wanted) as ground, site(ground, listener, where.host):
            address = _address(where.host, listener.getsockname()[1])
            if not interrupts.first.is_set():  # else it was interrupted while it started
                _tell(address, where.host)
            if where.with_browser and _has_display() and not interrupts.first.is_set():
                # A slow browser cannot be interrupted; the thread ends with the process.
                threading.Thread(target=_open, args=(address,), name="cadenza browser", daemon=True).start()
            await _over(interrupts.first, ground.running)
    return 0


async def _over(interrupted: asyncio.Event, running: asyncio.Task[None]) -> None:
    """Wait for an interrupt, or for the end of the playground."""
    waiting = asyncio.ensure_future(interrupted.wait())
    try:
        await asyncio.wait([waiting, running], return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()
        await asyncio.wait([waiting])


def listening(host: str, port: int | None) -> socket.socket:
    """A socket on *port*, or on the first free default port."""
    wanted = range(PORT, PORT + _TRIED) if port is None else (port,)
    for number in wanted:
        try:
            family = socket.getaddrinfo(host, number, type=socket.SOCK_STREAM)[0][0]
            return socket.create_server((host, number), family=family)
        except (socket.gaierror, UnicodeError):  # the name cannot be resolved
            msg = Sentence("--host {host} is no address of this machine", host=repr(host))
            raise SettingsError(msg) from None
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL:
                msg = Sentence("--host {host} is no address of this machine", host=repr(host))
                raise SettingsError(msg) from None
            reason = os.strerror(error.errno) if error.errno else type(error).__name__
    if port is None:
        msg = Sentence(
            "no port from {first} to {last} could be opened ({reason}); choose one with --port",
            first=PORT,
            last=PORT + _TRIED - 1,
            reason=reason,
        )
    else:
        msg = Sentence(
            "port {port} of {host} could not be opened ({reason}); choose another with --port, or leave it out",
            port=port,
            host=host,
            reason=reason,
        )
    raise SettingsError(msg)


def _address(host: str, port: int) -> str:
    name = "127.0.0.1" if host in ("0.0.0.0", "::", "") else host  # noqa: S104  # compared, not bound
    return f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/"


def _tell(address: str, host: str) -> None:
    from ..play.server.guard import is_loopback  # noqa: PLC0415  # as above

    lines = [f"The playground is open: {address}", "Ctrl-C ends it."]
    if not is_loopback(host):
        lines.append("Everyone who can reach this machine over the network can use it, and its API keys.")
    print("\n".join(lines), flush=True)  # noqa: T201  # for the terminal


def _has_display() -> bool:
    """Whether a browser could be shown here."""
    if sys.stdout is None or not sys.stdout.isatty():
        return False
    is_x = sys.platform not in ("win32", "darwin")
    return not is_x or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def _open(address: str) -> None:
    with suppress(webbrowser.Error, OSError):
        webbrowser.open(address)


def _port(text: str) -> int:
    number = int(text) if text.isascii() and text.isdecimal() and len(text) <= len(str(_HIGHEST)) else -1
    if not 0 <= number <= _HIGHEST:
        msg = Sentence("a port is a number from 1 to {highest}, or 0 for any that is free", highest=_HIGHEST)
        raise argparse.ArgumentTypeError(msg)
    return number
