"""What a check found: one sentence, and how bad it is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from ...concurrency.stops import is_cancelled
from ...errors import CadenzaError
from ..config.config import Config

SECONDS = 10.0
"""How long a check may take."""


class Severity(Enum):
    """How bad it is."""

    GOOD = "✓"
    WARNING = "!"
    BAD = "✗"


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence of a check."""

    check: str
    level: Severity
    text: str


@dataclass(frozen=True, slots=True)
class DoctorContext:
    """The bot that is looked at."""

    config: Config
    secrets: Mapping[str, str] = field(repr=False)
    url: str
    """Of Discord's interface."""
    seconds: float = SECONDS

    @property
    def token(self) -> str:
        """The bot's token; empty if there is none."""
        return self.secrets.get(self.config.discord.token_env, "")


def good(check: str, text: str) -> Finding:
    """All is well."""
    return Finding(check, Severity.GOOD, text)


def warning(check: str, text: str) -> Finding:
    """The bot can do without it."""
    return Finding(check, Severity.WARNING, text)


def bad(check: str, text: str) -> Finding:
    """The bot cannot do without it."""
    return Finding(check, Severity.BAD, text)


async def in_time(
    name: str,
    look: Callable[[], Awaitable[Sequence[Finding]]],
    seconds: float,
    *,
    whose: str = "",
    complain: Callable[[str, str], Finding] = bad,
) -> Sequence[Finding]:
    """What *look* finds: whatever goes wrong in it, or takes too long, is a sentence, behind *whose* trouble it is."""
    whose = f"{whose}: " if whose else ""
    try:
        async with asyncio.timeout(seconds):
            return await look()
    except TimeoutError:
        return [
            complain(name, f"{whose}there was no answer within {seconds:g} seconds; look at the network, or try again")
        ]
    except CadenzaError as error:
        return [complain(name, f"{whose}{error}")]
    except (Exception, asyncio.CancelledError) as error:
        if is_cancelled(error):
            raise
        # Of a foreign error only its type is named: its text may hold a secret.
        return [complain(name, f"{whose}it could not be checked ({type(error).__name__})")]
