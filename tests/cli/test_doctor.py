"""``cadenza doctor``, whole: one sentence a check, and an exit status."""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path

import pytest

from cadenza.bot.checks.findings import Severity
from cadenza.cli.doctor import add_doctor, examine, run_doctor
from cadenza.sim.intents import Intent
from tests.bot.portal_room import TOKEN, Room, served


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot that could run."""
    (tmp_path / "tea.txt").write_text('{"text": "Tea."}\n')
    (tmp_path / "cadenza.toml").write_text(
        f"[models]\ndefault = 'script:{tmp_path / 'tea.txt'}'\n[settings]\ntables = 'text'\n"
    )
    (tmp_path / ".env").write_text(f"DISCORD_TOKEN={TOKEN}\n")
    (tmp_path / ".env").chmod(0o600)
    return tmp_path


def options(folder: Path, *arguments: str) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser()
    add_doctor(parser.add_subparsers())
    return parser.parse_args(["doctor", "--config", str(folder / "cadenza.toml"), *arguments])


async def _ran(folder: Path, *arguments: str, privileged: Intent) -> int:
    async with served(Room(), privileged=privileged) as server:
        return await asyncio.to_thread(run_doctor, options(folder, *arguments), url=server.url)


async def test_a_bot_that_can_run_is_told_so(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert 0 == await _ran(folder, privileged=Intent(0))

    lines = capfd.readouterr().out.splitlines()
    assert "✓ cadenza.toml can be read." == lines[0]
    assert "✓ Discord knows the bot as Ren." == lines[2]
    assert (
        f"The bot can run; lines with ! deserve a look. Next: cadenza run --config {folder / 'cadenza.toml'}"
        == lines[-1]
    )
    assert not any(TOKEN in line for line in lines)
    assert all(line[:2] in ("✓ ", "! ") for line in lines[:-2])


async def test_what_is_to_be_put_right_makes_the_status(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / ".env").write_text("DISCORD_TOKEN=123456789012345678\n")

    assert 1 == await _ran(folder, "--json", privileged=Intent(0))

    answer = json.loads(capfd.readouterr().out)
    assert not answer["ok"]
    assert ["token"] == [finding["check"] for finding in answer["findings"] if finding["level"] == "bad"]


def test_a_broken_configuration_is_a_line_for_each_mistake(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cadenza.toml").write_text("[discrod]\n[limits]\nuser_active = 0\n")

    assert 1 == run_doctor(options(tmp_path))

    assert [
        "✗ cadenza.toml: [discrod] is not known; did you mean [discord]?",
        "✗ cadenza.toml: [limits] user_active must be between 1 and 1000, not 0",
        "",
        f"2 to fix, then check again: cadenza doctor --config {tmp_path / 'cadenza.toml'}",
    ] == capfd.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("cadenza.toml", "create one with: cadenza init"),
        ("nope.toml", "create cadenza.toml with: cadenza init"),
        ("sub/cadenza.toml", "create one with: cadenza init --folder {}/sub"),
    ],
)
async def test_no_file_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, advice: str) -> None:
    monkeypatch.chdir(tmp_path)

    (finding,) = await examine(Path(name), environment={})

    assert finding.text.startswith(f"there is no {Path(name).name} in ")
    assert finding.text.endswith(advice.format(tmp_path))


def test_the_usual_file_is_not_named_in_the_advice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    assert 1 == run_doctor(argparse.Namespace(config="cadenza.toml", json=False))

    assert "1 to fix, then check again: cadenza doctor" == capfd.readouterr().out.splitlines()[-1]


async def test_everything_is_looked_at_whatever_fails(folder: Path) -> None:
    (folder / ".env").chmod(0o644)

    findings = await examine(folder / "cadenza.toml", environment={}, url="http://127.0.0.1:1", seconds=2)

    checks = [finding.check for finding in findings]
    assert ["configuration", "configuration", "versions", "token", "models", "pictures", "store", "key"] == checks
    assert ["token"] == [finding.check for finding in findings if finding.level is Severity.BAD]
