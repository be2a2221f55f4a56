"""The gateway intents of a bot: privileged ones only where the developer portal allows them.

A missing one is a sentence that says what to click, not an exception.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..explain.tracebacks import get_logger
from .application_info import DISCORD, Portal
from .config.config import Config
from .services.invitation import PORTAL

if TYPE_CHECKING:
    import discord

logger = get_logger(__name__)

_UNNEEDED = (
    "auto_moderation_configuration",
    "auto_moderation_execution",
    "dm_typing",
    "guild_scheduled_events",
    "guild_typing",
    "integrations",
    "invites",
    "polls",
    "voice_states",
)
"""Intents that cost traffic and tell nothing useful."""


@dataclass(frozen=True, slots=True)
class Privilege:
    """A privileged intent, which is switched on in the portal."""

    name: str
    """Its name in discord.py and under ``[discord]``."""
    switch: str
    """The name of its switch in the portal."""
    flags: int
    """An application has one of these flags if it is switched on."""
    without: str
    """What the bot lacks without it."""


PRIVILEGES = (
    Privilege(
        "message_content",
        "Message Content Intent",
        1 << 18 | 1 << 19,
        "it hears only who mentions it, replies to it or writes in private",
    ),
    Privilege(
        "members",
        "Server Members Intent",
        1 << 14 | 1 << 15,
        "it knows only people who have spoken, and looks up the others",
    ),
)
ALL_FLAGS = sum(privilege.flags for privilege in PRIVILEGES)
"""The flags of an application with all intents, as in a simulated portal."""


async def application(token: str, *, url: str = DISCORD, seconds: float = 10.0) -> int:
    """Fetch the flags of the application of *token*. Raises ``PortalError``."""
    async with Portal(token, url, seconds) as portal:
        return flags_of(await portal.ask("/applications/@me"))


def flags_of(answer: object) -> int:
    """The flags in Discord's answer about an application."""
    flags = answer.get("flags") if isinstance(answer, dict) else None
    return flags if isinstance(flags, int) else 0


def intents_for(config: Config, flags: int) -> discord.Intents:
    """The intents for an application with *flags*; with one that is not allowed Discord would close the connection.

    A privileged intent that is ``on`` and not allowed is logged.
    """
    import discord  # noqa: PLC0415  # who only wants to know what is missing need not have it

    intents = discord.Intents.default()
    for name in _UNNEEDED:
        setattr(intents, name, False)
    for privilege in PRIVILEGES:
        setattr(intents, privilege.name, _is_asked(config, privilege, flags))
    for sentence in missing_intents(config, flags):
        logger.warning("%s", sentence)
    return intents


def missing_intents(config: Config, flags: int) -> tuple[str, ...]:
    """A sentence for each privileged intent that *config* demands and the portal does not allow."""
    return tuple(
        f"[discord] {privilege.name} is on, but {clicks(privilege)}; until then {privilege.without}"
        for privilege in PRIVILEGES
        if _chosen(config, privilege) == "on" and not flags & privilege.flags
    )


def clicks(privilege: Privilege) -> str:
    """What to click for a missing intent."""
    return (
        f"the portal does not allow it: open {PORTAL}, your application, Bot, "
        f"Privileged Gateway Intents, switch on {privilege.switch}, Save Changes"
    )


def _chosen(config: Config, privilege: Privilege) -> str:
    return str(getattr(config.discord, privilege.name))


def _is_asked(config: Config, privilege: Privilege, flags: int) -> bool:
    return _chosen(config, privilege) != "off" and bool(flags & privilege.flags)
