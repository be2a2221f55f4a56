"""The files in deploy/: commands that exist, paths that agree, nothing secret, nothing privileged."""

from __future__ import annotations

import argparse
import configparser
import json
import re
from pathlib import Path

import pytest

from cadenza.bot.services.logs import redacted
from cadenza.cli.run import add_run

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "deploy"
FILES = ("Dockerfile", "compose.yaml", "cadenza.service")
PORT = "9464"


def _text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _understood(words: list[str]) -> argparse.Namespace:
    """What the command line makes of *words*; it ends the test if it does not know them."""
    parser = argparse.ArgumentParser(exit_on_error=True)
    add_run(parser.add_subparsers(dest="command", required=True))
    return parser.parse_args(words)


def _unit() -> configparser.ConfigParser:
    unit = configparser.ConfigParser(interpolation=None, strict=True)
    unit.optionxform = str  # type: ignore[assignment,method-assign]  # systemd minds capitals
    unit.read_string(_text("cadenza.service"))
    return unit


@pytest.mark.parametrize("name", FILES)
def test_there_is_no_secret_in_it(name: str) -> None:
    text = _text(name)

    assert redacted(text) == text
    assert not re.search(r"(?i)(token|_key|password)\s*[:=]\s*\S", text)


@pytest.mark.parametrize("name", FILES)
def test_the_page_tells_of_it(name: str) -> None:
    assert f"deploy/{name}" in (ROOT / "docs" / "bot" / "running.md").read_text(encoding="utf-8")


def test_the_unit_runs_a_command_that_exists_where_it_may_write() -> None:
    service = _unit()["Service"]
    program, *words = service["ExecStart"].split()

    options = _understood(words)

    assert "/opt/cadenza/bin/cadenza" == program
    assert f"{service['WorkingDirectory']}/cadenza.toml" == options.config
    assert f"/var/lib/{service['StateDirectory']}" == service["WorkingDirectory"]


def test_the_unit_stops_gracefully_and_does_not_try_again_what_is_configured_wrongly() -> None:
    service = _unit()["Service"]

    assert ("SIGTERM", "on-failure", "2") == (
        service["KillSignal"],
        service["Restart"],
        service["RestartPreventExitStatus"],
    )
    assert int(service["TimeoutStopSec"]) > 10  # what a reply is given to end


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("NoNewPrivileges", "yes"),
        ("ProtectSystem", "strict"),
        ("ProtectHome", "yes"),
        ("PrivateTmp", "yes"),
        ("CapabilityBoundingSet", ""),
        ("User", "cadenza"),
    ],
    ids=str,
)
def test_the_unit_is_hardened(setting: str, value: str) -> None:
    assert value == _unit()["Service"][setting]


def test_the_image_runs_a_command_that_exists_as_nobody_in_particular() -> None:
    lines = re.sub(r"\\\n", " ", _text("Dockerfile")).splitlines()
    entry = next(json.loads(line.removeprefix("ENTRYPOINT ")) for line in lines if line.startswith("ENTRYPOINT"))
    words = next(json.loads(line.removeprefix("CMD ")) for line in lines if line.startswith("CMD"))
    user = lines.index("USER cadenza")

    options = _understood(words)

    assert ["cadenza"] == entry
    assert "/data/cadenza.toml" == options.config
    assert {"WORKDIR /data", "VOLUME /data", "STOPSIGNAL SIGTERM"} <= set(lines)
    assert not [line for line in lines[user:] if line.startswith(("RUN", "COPY", "USER root"))]


def test_the_image_is_made_of_files_that_are_there() -> None:
    copied = re.findall(r"^COPY (?!--)(.+) \S+$", _text("Dockerfile"), re.MULTILINE)

    assert copied
    assert all((ROOT / name).exists() for line in copied for name in line.split())


def test_its_extras_exist() -> None:
    extras = re.search(r"'\.\[(.+)\]'", _text("Dockerfile"))
    assert extras is not None
    known = (ROOT / "pyproject.toml").read_text(encoding="utf-8")

    assert all(f"\n{extra} = [" in known for extra in extras[1].split(","))


def test_the_health_check_asks_at_the_port_that_the_page_and_the_other_files_name() -> None:
    page = (ROOT / "docs" / "bot" / "running.md").read_text(encoding="utf-8")

    assert f"http://127.0.0.1:{PORT}/healthz" in _text("Dockerfile")
    assert f'"127.0.0.1:{PORT}:{PORT}"' in _text("compose.yaml")
    assert f"port = {PORT}" in page


def test_compose_runs_the_same_with_time_to_say_goodbye_and_no_privileges() -> None:
    text = _text("compose.yaml")
    words = re.search(r"command: (\[.+\])", text)
    grace = re.search(r"stop_grace_period: (\d+)s", text)
    assert words is not None
    assert grace is not None

    assert "/data/cadenza.toml" == _understood(json.loads(words[1])).config
    assert int(grace[1]) > 10
    assert all(line in text for line in ("read_only: true", "cap_drop:", "no-new-privileges:true", "./data:/data"))
    assert (FOLDER / "../deploy/Dockerfile").resolve().exists()
