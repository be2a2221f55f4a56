"""This machine: what is installed, the store, the tools, the port."""

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
"""Bytes without which a store cannot even be begun."""


async def check_versions(patient: DoctorContext) -> Sequence[Finding]:  # noqa: ARG001  # all checks have one shape
    """Python and discord.py."""
    python = ".".join(map(str, sys.version_info[:3]))
    try:
        found = version("discord.py")
    except PackageNotFoundError:
        return [bad("versions", "discord.py is not installed; try: pip install 'cadenza[bot]'")]
    if tuple(int(part) for part in found.split(".")[:2] if part.isdigit()) < _DISCORD_PY:
        wanted = ".".join(map(str, _DISCORD_PY))
        return [bad("versions", f"discord.py is {found}, and {wanted} is needed; try: pip install -U 'cadenza[bot]'")]
    return [good("versions", f"Python is {python}, discord.py {found}.")]


async def check_pictures(patient: DoctorContext) -> Sequence[Finding]:
    """What tables are drawn with."""
    rules = patient.config.settings.rules
    if rules.tables != "picture":
        return [good("pictures", f"Tables are shown as {rules.tables}.")]
    if find_spec("PIL") is None or find_spec("fontTools") is None:
        return [
            warning("pictures", "Tables are shown as text, for there is no Pillow; try: pip install 'cadenza[tables]'")
        ]
    return [await asyncio.to_thread(_fonts, rules.table_fonts)]


def _fonts(given: Sequence[str]) -> Finding:
    if missing := [name for name in given if not Path(name).is_file()]:
        return warning("pictures", f"The font {missing[0]!r} of table_fonts is not there; tables are drawn without it.")
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
            "pictures", f"There is no font for {names}; tables with it are text until one is installed (Noto has all)."
        )
    return good("pictures", "Tables are drawn as pictures, and there are fonts for them.")


# --- the store -------------------------------------------------------------------------


async def check_store(patient: DoctorContext) -> Sequence[Finding]:
    """Whether things can be kept, and secrets sealed."""
    config = patient.config.store
    if config.path == ":memory:":
        return [warning("store", "Nothing is kept over a restart, for [store] path is ':memory:'.")]
    place = patient.config.place
    key = patient.secrets.get(config.key_env, "")
    return await asyncio.to_thread(
        lambda: [_store(place(config.path)), _key(place(config.key_file), config.key_env, key)]
    )


def _store(path: Path) -> Finding:
    if not path.parent.is_dir():
        return bad(
            "store", f"The folder {str(path.parent)!r} of the store is not there; make it, or change [store] path."
        )
    if not os.access(path.parent, os.W_OK | os.X_OK):
        return bad("store", f"The folder {str(path.parent)!r} cannot be written; allow it, or change [store] path.")
    if path.exists() and (complaint := _database_complaint(path)):
        return bad("store", complaint)
    free = shutil.disk_usage(path.parent).free
    if free < _ROOM:
        return warning("store", f"There are only {free >> 20} MiB left for {path.name}; make room.")
    return good("store", f"{path.name} {'can be written' if path.exists() else 'will be made at the first start'}.")


def _database_complaint(path: Path) -> str:
    """What is wrong with the file of the store; it is left as it is."""
    try:
        with closing(
            sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, timeout=0.5, isolation_level=None)
        ) as database:
            broken = database.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok"
            database.execute("BEGIN IMMEDIATE")
            database.execute("ROLLBACK")
    except sqlite3.DatabaseError as error:
        if "locked" in str(error):
            return ""  # by the bot that runs: it can be written
        if shutil.disk_usage(path.parent).free < _LEAST_ROOM:
            return f"There is no room left on the disk of {path.name}; make some."
        return f"{path.name} cannot be used as the store ({type(error).__name__}); put a backup in its place, or allow writing."
    return f"{path.name} is damaged; put a backup in its place." if broken else ""


def _key(path: Path, variable: str, key: str) -> Finding:
    if key:
        return good("key", f"Secrets are sealed with the key in {variable}.")
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return good(
            "key", f"The key for secrets will be made as {path.name} when it is first needed; keep a copy of it."
        )
    except OSError as error:
        return bad("key", f"The key file {path.name} cannot be read ({error.strerror or type(error).__name__}).")
    if not os.access(path, os.R_OK):
        return bad("key", f"The key file {path.name} cannot be read; allow it to whoever runs the bot.")
    if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
        return warning(
            "key", f"The key file {path.name} can be read by others; make it yours alone: chmod 600 {path.name}"
        )
    return good("key", f"Secrets are sealed with the key in {path.name}.")


# --- tools and the port ------------------------------------------------------------------


async def check_tools(patient: DoctorContext) -> Sequence[Finding]:
    """Whether an owner's own tools can be read, and servers of MCP reached."""
    config = patient.config
    files = [await asyncio.to_thread(_file, config.place(name)) for name in config.tools.files]
    servers = [
        in_time(
            "tools",
            partial(_server, name, entry, patient.seconds),
            patient.seconds,
            whose=f"The MCP server {name}",
            complain=warning,
        )
        for name, entry in config.tools.mcp.items()
    ]
    found = await asyncio.gather(*servers)
    return [*files, *(finding for findings in found for finding in findings)]


def _file(path: Path) -> Finding:
    """Read, and not run: that is for the bot."""
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


async def check_metrics(patient: DoctorContext) -> Sequence[Finding]:
    """Whether the port is free."""
    host, port = patient.config.metrics.host, patient.config.metrics.port
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
