"""What is installed, the store, the tools, the port."""

from __future__ import annotations

import os
import re
import shutil
import socket
import sqlite3
import sys
from collections.abc import Awaitable, Callable, Sequence
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import NamedTuple

import pytest

from cadenza.bot.checks import machine
from cadenza.bot.checks.findings import DoctorContext, Finding
from cadenza.bot.checks.machine import check_metrics, check_pictures, check_store, check_tools, check_versions
from cadenza.bot.config.config import Config, MetricsConfig, StoreConfig, ToolsConfig
from cadenza.settings import Settings

SERVER = Path(__file__).parents[2] / "tools" / "mcp" / "a_simple_server.py"
Check = Callable[[DoctorContext], Awaitable[Sequence[Finding]]]


async def found(
    check: Check, config: Config, secrets: dict[str, str] | None = None, seconds: float = 10.0
) -> list[str]:
    """The sentences of *check*, with their marks."""
    findings = await check(DoctorContext(config, secrets or {}, "", seconds))
    return [f"{finding.level.value} {finding.text}" for finding in findings]


# --- what is installed -------------------------------------------------------------------


async def test_the_versions_are_told() -> None:
    (sentence,) = await found(check_versions, Config())

    assert sentence.startswith(f"✓ Python is {sys.version_info.major}.")


@pytest.mark.parametrize(
    ("installed", "words"),
    [("", "✗ discord.py is not installed; try: pip install"), ("2.3.2", "✗ discord.py is 2.3.2, and 2.7 is needed")],
)
async def test_a_missing_or_old_discord_py_is_told(monkeypatch: pytest.MonkeyPatch, installed: str, words: str) -> None:
    def version(name: str) -> str:
        if not installed:
            raise PackageNotFoundError(name)
        return installed

    monkeypatch.setattr(machine, "version", version)

    (sentence,) = await found(check_versions, Config())

    assert sentence.startswith(words)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"tables": "text"}, "✓ Tables are shown as text."),
        ({"table_fonts": ["nowhere.ttf"]}, "! The font 'nowhere.ttf' of table_fonts was not found"),
        ({}, ("✓ Tables are drawn as images", "! There is no font for")),
    ],
    ids=["text", "a font that is not there", "pictures"],
)
async def test_what_tables_are_drawn_with(values: dict[str, object], words: str | tuple[str, ...]) -> None:
    pytest.importorskip("PIL")

    (sentence,) = await found(check_pictures, Config(settings=Settings.of(**values)))

    assert sentence.startswith(words)


async def test_without_pillow_tables_are_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "find_spec", lambda _: None)

    (sentence,) = await found(check_pictures, Config())

    assert sentence.startswith("! Tables are shown as text, because Pillow is missing; try: pip install")


# --- the store ---------------------------------------------------------------------------


async def test_a_new_store_will_be_made(tmp_path: Path) -> None:
    store, key = await found(check_store, Config(folder=tmp_path))

    assert "✓ cadenza.db will be created at the first start." == store
    assert key.startswith("✓ The key for secrets will be created as cadenza.key")
    assert not (tmp_path / "cadenza.db").exists()  # it takes no time


async def test_a_store_that_is_there_can_be_written_also_while_a_bot_does(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "cadenza.db", isolation_level=None)
    database.execute("CREATE TABLE a (b)")
    free = (await found(check_store, Config(folder=tmp_path)))[0]
    database.execute("BEGIN EXCLUSIVE")
    busy = machine._store(tmp_path / "cadenza.db")
    database.close()

    assert ("✓ cadenza.db can be written.", "cadenza.db can be written.") == (free, busy.text)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("no/such.db", "✗ The folder"),
        ("text.db", "✗ text.db cannot be used as the store (DatabaseError); restore a backup"),
        (":memory:", "! Nothing survives a restart, because [store] path is ':memory:'."),
    ],
)
async def test_a_store_that_cannot_be_is_told(tmp_path: Path, path: str, words: str) -> None:
    (tmp_path / "text.db").write_text("not a database" * 100)

    store = (await found(check_store, Config(folder=tmp_path, store=StoreConfig(path=path))))[0]

    assert store.startswith(words)


async def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # who runs tests as root may write anywhere

    store = (await found(check_store, Config(folder=tmp_path)))[0]

    assert store.startswith("✗ The folder")
    assert store.endswith("is not writable; allow writing, or change [store] path.")


async def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage(NamedTuple):
        free: int

    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(5 << 20))

    store = (await found(check_store, Config(folder=tmp_path)))[0]

    assert "! There are only 5 MiB left for cadenza.db; free some space." == store

    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(0))
    (tmp_path / "cadenza.db").write_bytes(b"begun, and no room for the rest" * 100)

    store = (await found(check_store, Config(folder=tmp_path)))[0]

    assert "✗ The disk of cadenza.db is full; free some space." == store


@pytest.mark.skipif(os.name != "posix", reason="there are no such modes")
@pytest.mark.parametrize(("mode", "mark"), [(0o600, "✓"), (0o644, "!")])
async def test_a_key_file_is_for_its_owner_alone(tmp_path: Path, mode: int, mark: str) -> None:
    (tmp_path / "cadenza.key").write_text("hunter2")
    (tmp_path / "cadenza.key").chmod(mode)

    key = (await found(check_store, Config(folder=tmp_path)))[1]

    assert key.startswith(mark)
    assert "hunter2" not in key


async def test_a_key_of_the_environment_is_named_and_not_shown(tmp_path: Path) -> None:
    key = (await found(check_store, Config(folder=tmp_path), {"CADENZA_KEY": "hunter2"}))[1]

    assert "✓ Secrets are encrypted with the key in CADENZA_KEY." == key


# --- tools and the port ------------------------------------------------------------------


async def test_files_of_tools_are_read_and_not_run(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text("raise SystemExit\n")
    (tmp_path / "bad.py").write_text("a = 1\ndef\n")
    config = Config(folder=tmp_path, tools=ToolsConfig(files=("good.py", "bad.py", "none.py")))

    assert [
        "✓ good.py can be read.",
        "✗ bad.py is not valid Python (line 2); its tools are missing.",
        "✗ none.py cannot be read (FileNotFoundError); its tools are missing.",
    ] == await found(check_tools, config)


async def test_a_server_that_cannot_be_had_is_a_warning_and_the_others_are_told_of() -> None:
    pytest.importorskip("mcp")
    tea = {"command": sys.executable, "args": [str(SERVER), "plain"], "env": {"TEA_KEY": "hunter2"}}
    config = Config(tools=ToolsConfig(mcp={"clock": {"command": "no-such-program-here"}, "tea": tea}))

    missing, offered = await found(check_tools, config)

    assert missing.startswith("! The MCP server clock: ")
    assert re.fullmatch(r"✓ The MCP server tea offers \d+ tools\.", offered)


async def test_the_port_of_the_metrics_is_tried() -> None:
    assert [] == await found(check_metrics, Config())
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        (busy,) = await found(check_metrics, Config(metrics=MetricsConfig(port)))
    (free,) = await found(check_metrics, Config(metrics=MetricsConfig(port)))

    assert busy.startswith(f"! Port {port} of 127.0.0.1 cannot be opened (")
    assert f"✓ Port {port} of 127.0.0.1 is free for the metrics." == free
