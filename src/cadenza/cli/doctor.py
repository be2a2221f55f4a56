"""``cadenza doctor``: whether a bot can run, one sentence a check, and what to click where it cannot."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

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
"""Seconds that a check has more than what it asks, to say who did not answer."""


def add_doctor(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``doctor`` to the command line."""
    doctor = commands.add_parser(
        "doctor",
        help="see whether a bot can run, and what to do where it cannot",
        description="Look at the configuration, the token, the privileged intents, the permissions, the models, the fonts, "
        "the store and the tools of a bot: one sentence each. ✓ is well, ! is worth knowing, ✗ has to be put right. "
        "The exit status is 1 if there is any ✗. Secrets are never shown, and nothing is changed.",
    )
    doctor.add_argument("--config", default="cadenza.toml", metavar="FILE", help="the configuration")
    doctor.add_argument("--json", action="store_true", help="write the findings as JSON, for programs")


def run_doctor(options: argparse.Namespace, *, url: str = DISCORD) -> int:
    """Look at everything; give back the exit status."""
    found = asyncio.run(examine(Path(options.config), url=url))
    write = _as_json if options.json else _as_text
    sys.stdout.buffer.write(write(found).encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()
    return 1 if any(finding.level is Severity.BAD for finding in found) else 0


async def examine(
    path: Path, *, environment: Mapping[str, str] = os.environ, url: str = DISCORD, seconds: float = SECONDS
) -> Sequence[Finding]:
    """Everything that is found, in the order of the checks, which run at the same time."""
    try:
        reading = await asyncio.to_thread(read, path, environment)
        patient = DoctorContext(reading.config, secrets(reading.config, environment), url, seconds)
    except ConfigError as error:
        return [bad("configuration", mistake) for mistake in error.mistakes]
    except SettingsError as error:
        return [bad("configuration", str(error))]
    first = [
        good("configuration", f"{path.name} can be read."),
        *(warning("configuration", w) for w in reading.warnings),
    ]
    looks = (in_time(name, partial(check, patient), seconds + _GRACE) for name, check in _CHECKS)
    found = await asyncio.gather(*looks)
    return [*first, *(finding for findings in found for finding in findings)]


def _as_text(found: Sequence[Finding]) -> str:
    lines = [f"{finding.level.value} {finding.text}" for finding in found]
    wrong = sum(finding.level is Severity.BAD for finding in found)
    worth = sum(finding.level is Severity.WARNING for finding in found)
    if wrong:
        last = f"{wrong} to put right, then look again: cadenza doctor"
    elif worth:
        last = "The bot can run; what has a ! is worth a look. Next: cadenza run"
    else:
        last = "All is well. Next: cadenza run"
    return "\n".join([*lines, "", last, ""])


def _as_json(found: Sequence[Finding]) -> str:
    findings = [
        {"check": finding.check, "level": finding.level.name.lower(), "text": finding.text} for finding in found
    ]
    is_well = all(finding.level is not Severity.BAD for finding in found)
    return json.dumps({"ok": is_well, "findings": findings}, ensure_ascii=False, indent=2) + "\n"
