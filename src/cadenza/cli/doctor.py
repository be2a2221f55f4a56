"""``cadenza doctor``: checks whether a bot can run, and says what to do where it cannot."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from shlex import quote

from ..bot.application_info import DISCORD
from ..bot.checks.discord_checks import check_discord
from ..bot.checks.findings import SECONDS, DoctorContext, Finding, Severity, bad, good, in_time, warning
from ..bot.checks.machine import check_metrics, check_pictures, check_store, check_tools, check_versions
from ..bot.checks.model_checks import check_models
from ..bot.config.checking import ConfigError
from ..bot.config.dotenv import secrets
from ..bot.config.reading import read
from ..errors import SettingsError

_CHECKS: tuple[tuple[str, Callable[[DoctorContext], Awaitable[Sequence[Finding]]]], ...] = (
    ("versions", check_versions),
    ("token", check_discord),
    ("models", check_models),
    ("pictures", check_pictures),
    ("store", check_store),
    ("tools", check_tools),
    ("metrics", check_metrics),
)
_GRACE = 2.0
"""Seconds that a check has more than its requests, so that it can report a timeout itself."""


def add_doctor(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``doctor`` to the command line."""
    doctor = commands.add_parser(
        "doctor",
        help="check that a bot can run, and say how to fix what is wrong",
        description="Check the configuration, the token, the privileged intents, the permissions, the models, the fonts, "
        "the store and the tools of a bot, one sentence each: ✓ is fine, ! is a warning, ✗ must be fixed. "
        "The exit status is 1 if there is any ✗. Nothing is changed, and secrets are never shown.",
    )
    doctor.add_argument(
        "--config", default="cadenza.toml", metavar="FILE", help="the configuration (default: cadenza.toml)"
    )
    doctor.add_argument("--json", action="store_true", help="write the findings as JSON")


def run_doctor(options: argparse.Namespace, *, url: str = DISCORD) -> int:
    """Run all checks; return the exit status."""
    found = asyncio.run(examine(Path(options.config), url=url))
    text = _as_json(found) if options.json else _as_text(found, Path(options.config))
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()
    return 1 if any(finding.level is Severity.BAD for finding in found) else 0


async def examine(
    path: Path, *, environment: Mapping[str, str] = os.environ, url: str = DISCORD, seconds: float = SECONDS
) -> Sequence[Finding]:
    """All findings, in the order of the checks, which run concurrently."""
    try:
        reading = await asyncio.to_thread(read, path, environment)
        subject = DoctorContext(reading.config, secrets(reading.config, environment), url, seconds)
    except ConfigError as error:
        return [bad("configuration", mistake) for mistake in error.mistakes]
    except SettingsError as error:
        return [bad("configuration", str(error))]
    first = [
        good("configuration", f"{path.name} can be read."),
        *(warning("configuration", w) for w in reading.warnings),
    ]
    checks = (in_time(name, partial(check, subject), seconds + _GRACE) for name, check in _CHECKS)
    found = await asyncio.gather(*checks)
    return [*first, *(finding for findings in found for finding in findings)]


def _as_text(found: Sequence[Finding], path: Path) -> str:
    where = "" if path == Path("cadenza.toml") else f" --config {quote(str(path))}"
    lines = [f"{finding.level.value} {finding.text}" for finding in found]
    wrong = sum(finding.level is Severity.BAD for finding in found)
    worth = sum(finding.level is Severity.WARNING for finding in found)
    if wrong:
        last = f"{wrong} to fix, then check again: cadenza doctor{where}"
    elif worth:
        last = f"The bot can run; lines with ! deserve a look. Next: cadenza run{where}"
    else:
        last = f"All checks passed. Next: cadenza run{where}"
    return "\n".join([*lines, "", last, ""])


def _as_json(found: Sequence[Finding]) -> str:
    findings = [
        {"check": finding.check, "level": finding.level.name.lower(), "text": finding.text} for finding in found
    ]
    is_well = all(finding.level is not Severity.BAD for finding in found)
    return json.dumps({"ok": is_well, "findings": findings}, ensure_ascii=False, indent=2) + "\n"
