"""What people can do about a reply by other means than words: stop it, have it again, have more of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

import discord

from ..turns import StopResult


class ControlRefused(Enum):
    """Why somebody does not get what they want."""

    NOTHING_THERE = "nothing_there"
    """There is no reply that it could be about."""
    NOT_THEIRS = "not_theirs"
    """It is the answer to somebody else, and they may not manage messages."""
    BUSY = "busy"
    """Something is being said there."""
    TOO_MUCH = "too_much"
    """They, or the server, have had as much as they may have."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Who wants something."""

    id: str
    name: str = field(default="", compare=False)
    """What they are called there."""
    may_manage: bool = False
    """Whether they may manage messages there."""


class Control(Protocol):
    """What the bot offers to its commands, reactions and buttons. None of it waits for a reply to end."""

    def stop(self, channel: str, asker: Asker, /) -> StopResult | ControlRefused:
        """End what is being said in *channel*: all of it, or what was said to *asker* if they may not manage messages."""

    async def regenerate(self, channel: str, asker: Asker, /, *, message: str = "") -> ControlRefused | None:
        """Answer anew: the last reply in *channel*, or the one that *message* is part of; the old one goes."""

    async def go_on(self, channel: str, asker: Asker, /, *, message: str = "") -> ControlRefused | None:
        """Let the last reply in *channel*, or the one that *message* is part of, go on where it ended."""

    async def greet(
        self, channel: discord.abc.MessageableChannel, asker: Asker, /, *, persona: str, text: str
    ) -> ControlRefused | None:
        """Let *persona* say *text*, its greeting, in *channel*, as soon as whatever is being said there has ended."""

    def running(self, channel: str, /) -> bool:
        """Whether something is being said, or waits to be, in *channel*."""
