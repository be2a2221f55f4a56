"""A finding: one sentence, and its severity."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from ...concurrency.stops import is_cancelled
from ...errors import CadenzaError
from ..config.config import Config

SECONDS = 10.0
"""The timeout of a check."""


class Severity(Enum):
    """The severity of a finding."""

    GOOD = "✓"
    WARNING = "!"
    BAD = "✗"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check."""

    check: str
    level: Severity
    text: str


@dataclass(frozen=True, slots=True)
class DoctorContext:
    """The bot that is checked."""

    config: Config
    secrets: Mapping[str, str] = field(repr=False)
    url: str
    """The address of Discord's API."""
    seconds: float = SECONDS

    @property
    def token(self) -> str:
        """The bot's token; may be empty."""
        return self.secrets.get(self.config.discord.token_env, "")


def good(check: str, text: str) -> Finding:
    """A finding without a problem."""
    return Finding(check, Severity.GOOD, text)


def warning(check: str, text: str) -> Finding:
    """A problem that the bot can run with."""
    return Finding(check, Severity.WARNING, text)


def bad(check: str, text: str) -> Finding:
    """A problem that must be fixed."""
    return Finding(check, Severity.BAD, text)


async def in_time(
    name: str,
    look: Callable[[], Awaitable[Sequence[Finding]]],
    seconds: float,
    *,
    whose: str = "",
    complain: Callable[[str, str], Finding] = bad,
) -> Sequence[Finding]:
    """The findings of *look*; a failure or timeout becomes a finding that begins with *whose*."""
    whose = f"{whose}: " if whose else ""
    try:
        async with asyncio.timeout(seconds):
            return await look()
    except TimeoutError:
        return [
            complain(name, f"{whose}there was no answer within {seconds:g} seconds; check the network, or try again")
        ]
    except CadenzaError as error:
        return [complain(name, f"{whose}{error}")]
    except (Exception, asyncio.CancelledError) as error:
        if is_cancelled(error):
            raise
        # Only the type is shown: the text of a foreign error may hold a secret.
        return [complain(name, f"{whose}the check failed ({type(error).__name__})")]
