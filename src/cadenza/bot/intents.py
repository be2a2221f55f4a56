"""What a bot asks Discord to be told: the privileged parts only where the developer portal allows them.

So nobody meets an exception for a switch that is off: what is missing is a sentence with the clicks.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .application_info import DISCORD, Portal
from .config.config import Config
from .services.invitation import PORTAL

if TYPE_CHECKING:
    import discord

logger = logging.getLogger(__name__)

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
"""What costs traffic and tells nothing that a character could use."""


@dataclass(frozen=True, slots=True)
class Privilege:
    """A privileged intent: optional here, and switched on in the portal."""

    name: str
    """Of discord.py, and of its key under ``[discord]``."""
    switch: str
    """What its switch is called in the portal."""
    flags: int
    """Of these an application has one for which it is switched on."""
    without: str
    """How the bot is without it."""


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
"""Of an application that is allowed everything, as each is by a simulated portal."""


async def application(token: str, *, url: str = DISCORD, seconds: float = 10.0) -> int:
    """The flags of the application whose bot has *token*; raises a ``PortalError`` if Discord does not tell."""
    async with Portal(token, url, seconds) as portal:
        return flags_of(await portal.ask("/applications/@me"))


def flags_of(answer: object) -> int:
    """The flags in what Discord tells of an application."""
    flags = answer.get("flags") if isinstance(answer, dict) else None
    return flags if isinstance(flags, int) else 0


def intents_for(config: Config, flags: int) -> discord.Intents:
    """What to ask for, if the application has *flags*: never what is not allowed, or Discord would hang up.

    What is wanted by ``on`` and not allowed is told in the log.
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
    """A sentence with the clicks for each privileged intent that *config* demands and that is switched off."""
    return tuple(
        f"[discord] {privilege.name} is on, but {clicks(privilege)}; until then {privilege.without}"
        for privilege in PRIVILEGES
        if _chosen(config, privilege) == "on" and not flags & privilege.flags
    )


def clicks(privilege: Privilege) -> str:
    """What to do about a switch that is off."""
    return (
        f"the portal does not allow it: open {PORTAL}, your application, Bot, "
        f"Privileged Gateway Intents, switch on {privilege.switch}, Save Changes"
    )


def _chosen(config: Config, privilege: Privilege) -> str:
    return str(getattr(config.discord, privilege.name))


def _is_asked(config: Config, privilege: Privilege, flags: int) -> bool:
    return _chosen(config, privilege) != "off" and bool(flags & privilege.flags)
