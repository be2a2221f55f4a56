"""Checks of this machine: versions, fonts, store, tools and port."""

from __future__ import annotations

import ast
import asyncio
import os
import shutil
import socket
import sqlite3
import stat
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from ...tools.mcp.server import McpServer
from .findings import DoctorContext, Finding, bad, good, in_time, warning

_DISCORD_PY = (2, 7)
_ROOM = 100 << 20
"""Bytes that should be free for the store."""
_LEAST_ROOM = 1 << 16
"""Bytes that a new store needs at least."""


async def check_versions(subject: DoctorContext) -> Sequence[Finding]:  # noqa: ARG001  # all checks have the same signature
    """The versions of Python and discord.py."""
    python = ".".join(map(str, sys.version_info[:3]))
    try:
        found = version("discord.py")
    except PackageNotFoundError:
        return [bad("versions", "discord.py is not installed; try: pip install 'cadenza[bot]'")]
    if tuple(int(part) for part in found.split(".")[:2] if part.isdigit()) < _DISCORD_PY:
        wanted = ".".join(map(str, _DISCORD_PY))
        return [bad("versions", f"discord.py is {found}, and {wanted} is needed; try: pip install -U 'cadenza[bot]'")]
    return [good("versions", f"Python is {python}, discord.py {found}.")]


async def check_pictures(subject: DoctorContext) -> Sequence[Finding]:
    """Whether tables can be drawn: Pillow and fonts."""
    rules = subject.config.settings.rules
    if rules.tables != "picture":
        return [good("pictures", f"Tables are shown as {rules.tables}.")]
    if find_spec("PIL") is None:
        return [
            warning(
                "pictures", "Tables are shown as text, because Pillow is missing; try: pip install 'cadenza[tables]'"
            )
        ]
    return [await asyncio.to_thread(_fonts, rules.table_fonts)]


def _fonts(given: Sequence[str]) -> Finding:
    if missing := [name for name in given if not Path(name).is_file()]:
        return warning(
            "pictures", f"The font {missing[0]!r} of table_fonts was not found; tables are drawn without it."
        )
    from ...pictures.fonts import Fonts, Unshowable  # noqa: PLC0415  # Pillow may not be there
    from ...text.inline_styles import Run  # noqa: PLC0415  # likewise slow

    fonts, missing_scripts = Fonts(given), []
    for script, character in (("Latin", "a"), ("Japanese", "語"), ("Korean", "한"), ("emoji", "🦊")):
        try:
            fonts.font(character, Run(character), is_emoji=script == "emoji")
        except Unshowable:
            missing_scripts.append(script)
    if missing_scripts:
        names = " and ".join(missing_scripts)
        return warning(
            "pictures", f"There is no font for {names}; tables with it stay text until one is installed (Noto has all)."
        )
    return good("pictures", "Tables are drawn as images, and the fonts are there.")


# --- the store -------------------------------------------------------------------------


async def check_store(subject: DoctorContext) -> Sequence[Finding]:
    """Whether the store is writable, and secrets can be encrypted."""
    config = subject.config.store
    if config.path == ":memory:":
        return [warning("store", "Nothing survives a restart, because [store] path is ':memory:'.")]
    place = subject.config.place
    key = subject.secrets.get(config.key_env, "")
    return await asyncio.to_thread(
        lambda: [_store(place(config.path)), _key(place(config.key_file), config.key_env, key)]
    )


def _store(path: Path) -> Finding:
    if not path.parent.is_dir():
        return bad(
            "store", f"The folder {str(path.parent)!r} of the store does not exist; create it, or change [store] path."
        )
    if not os.access(path.parent, os.W_OK | os.X_OK):
        return bad("store", f"The folder {str(path.parent)!r} is not writable; allow writing, or change [store] path.")
    if path.exists() and (complaint := _database_complaint(path)):
        return bad("store", complaint)
    free = shutil.disk_usage(path.parent).free
    if free < _ROOM:
        return warning("store", f"There are only {free >> 20} MiB left for {path.name}; free some space.")
    return good("store", f"{path.name} {'can be written' if path.exists() else 'will be created at the first start'}.")


def _database_complaint(path: Path) -> str:
    """What is wrong with the file of the store, which is not changed; empty if nothing."""
    try:
        with closing(
            sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, timeout=0.5, isolation_level=None)
        ) as database:
            broken = database.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok"
            database.execute("BEGIN IMMEDIATE")
            database.execute("ROLLBACK")
    except sqlite3.DatabaseError as error:
        if "locked" in str(error):
            return ""  # locked by the running bot, so it is writable
        if shutil.disk_usage(path.parent).free < _LEAST_ROOM:
            return f"The disk of {path.name} is full; free some space."
        return f"{path.name} cannot be used as the store ({type(error).__name__}); restore a backup, or allow writing."
    return f"{path.name} is damaged; restore a backup." if broken else ""


def _key(path: Path, variable: str, key: str) -> Finding:
    if key:
        return good("key", f"Secrets are encrypted with the key in {variable}.")
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return good("key", f"The key for secrets will be created as {path.name} when it is first needed; keep a copy.")
    except OSError as error:
        return bad("key", f"The key file {path.name} cannot be read ({error.strerror or type(error).__name__}).")
    if not os.access(path, os.R_OK):
        return bad("key", f"The key file {path.name} cannot be read; give the user that runs the bot access.")
    if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
        return warning("key", f"The key file {path.name} can be read by others; restrict it: chmod 600 {path.name}")
    return good("key", f"Secrets are encrypted with the key in {path.name}.")


# --- tools and the port ------------------------------------------------------------------


async def check_tools(subject: DoctorContext) -> Sequence[Finding]:
    """Whether the tool files can be parsed and the MCP servers reached."""
    config = subject.config
    files = [await asyncio.to_thread(_file, config.place(name)) for name in config.tools.files]
    servers = [
        in_time(
            "tools",
            partial(_server, name, entry, subject.seconds),
            subject.seconds,
            whose=f"The MCP server {name}",
            complain=warning,
        )
        for name, entry in config.tools.mcp.items()
    ]
    found = await asyncio.gather(*servers)
    return [*files, *(finding for findings in found for finding in findings)]


def _file(path: Path) -> Finding:
    """Parse a tool file without running it."""
    try:
        ast.parse(path.read_bytes())
    except SyntaxError as error:
        return bad("tools", f"{path.name} is not valid Python (line {error.lineno or '?'}); its tools are missing.")
    except (OSError, ValueError, RecursionError) as error:
        return bad("tools", f"{path.name} cannot be read ({type(error).__name__}); its tools are missing.")
    return good("tools", f"{path.name} can be read.")


async def _server(name: str, entry: Mapping[str, object], seconds: float) -> Sequence[Finding]:
    async with McpServer.from_config(entry, connect_seconds=seconds) as server:
        return [good("tools", f"The MCP server {name} offers {len(server.tools)} tools.")]


async def check_metrics(subject: DoctorContext) -> Sequence[Finding]:
    """Whether the port of the metrics is free."""
    host, port = subject.config.metrics.host, subject.config.metrics.port
    if not port:
        return []
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, address = found[0]
        with socket.socket(family, kind, protocol) as door:
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            door.bind(address)
    except OSError as error:
        why = error.strerror or type(error).__name__
        return [
            warning(
                "metrics",
                f"Port {port} of {host} cannot be opened ({why}); is the bot running already? Else change [metrics].",
            )
        ]
    return [good("metrics", f"Port {port} of {host} is free for the metrics.")]
