"""What commands and reactions do about a reply: stop, regenerate, continue, greet."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from enum import Enum
from itertools import count
from typing import TYPE_CHECKING

import discord

from ..targets.discord_py.channel_info import parent_of, server_of
from ..turns import IncomingMessage, StopResult, Turns, Verdict
from .characters.cast import named
from .reply_request import Greeting, ReplyRequest, receipt_for

if TYPE_CHECKING:
    from ..types import Receipt
    from .admission import Admission
    from .services.own_messages import OwnMessage, OwnMessages
    from .wiring import BotServices


class ControlRefused(Enum):
    """Why a request was refused."""

    NOTHING_THERE = "nothing_there"
    """There is no such reply."""
    NOT_THEIRS = "not_theirs"
    """The reply is for another person, and the asker may not manage messages."""
    BUSY = "busy"
    """A reply is running there."""
    TOO_MUCH = "too_much"
    """A limit of the person or the server is reached."""


@dataclass(frozen=True, slots=True)
class Asker:
    """The person who asks."""

    id: str
    name: str = field(default="", compare=False)
    """Their display name."""
    may_manage: bool = False
    """Whether they may manage messages there."""


class Control:
    """What commands, reactions and buttons can do about the replies of one bot. Nothing here waits for a reply to end."""

    def __init__(
        self, services: BotServices, own: OwnMessages, client: discord.Client, turns: Turns, admission: Admission
    ) -> None:
        self._services = services
        self._own = own
        self._client = client
        self._turns = turns
        self._admission = admission
        self._numbers = count(time.time_ns())  # keys unlike those of an earlier process

    def running(self, channel: str, /) -> bool:
        """Whether a reply is running in *channel*."""
        return any(turn.channel == channel for turn in self._turns.running())

    def stop(self, channel: str, asker: Asker, /) -> StopResult | ControlRefused:
        """Stop the reply in *channel* and clear its queue; without the right to manage messages, only *asker*'s own."""
        author = None if asker.may_manage else asker.id
        was_running = self.running(channel)
        stopping = self._turns.stop(channel, by=asker.id, author=author)
        if stopping:
            return stopping
        return ControlRefused.NOT_THEIRS if was_running else ControlRefused.NOTHING_THERE

    async def regenerate(self, channel: str, asker: Asker, /, *, message: str = "") -> ControlRefused | None:
        """Answer the same message again; the old reply is deleted when the new one begins."""
        own = await self._meant(channel, message)
        if own is None or not own.answers:
            return ControlRefused.NOTHING_THERE
        answered = await self._fetched(own.channel, own.answers)
        if answered is None:
            return ControlRefused.NOTHING_THERE
        old = [receipt_for(part) for part in await self._own.of_turn(own)]
        before = await self._own.about(own.answers)  # a continuation is continued again
        goes_on = before is not None and before.persona == own.persona
        return await self._again(asker, own, answered, supersedes=tuple(old), goes_on=goes_on)

    async def go_on(self, channel: str, asker: Asker, /, *, message: str = "") -> ControlRefused | None:
        """Continue a reply where it ended."""
        own = await self._meant(channel, message)
        last = (await self._own.of_turn(own))[-1:] if own else ()
        spoken = await self._fetched(last[0].channel, last[0].id) if last else None
        if own is None or spoken is None:
            return ControlRefused.NOTHING_THERE
        return await self._again(asker, own, spoken, goes_on=True)

    async def greet(
        self, channel: discord.abc.MessageableChannel, asker: Asker, /, *, persona: str, text: str
    ) -> ControlRefused | None:
        """Queue the greeting of *persona* in *channel*."""
        guild = getattr(channel, "guild", None)
        server, place = str(guild.id) if guild else "", str(channel.id)
        choice = await self._services.choices.here(server, place, parent_of(channel))
        if choice.is_silent or named(await self._services.present(server, choice), persona) is None:
            return ControlRefused.NOTHING_THERE
        if await self._services.limits.admit(asker.id, server) is not None:
            return ControlRefused.TOO_MUCH
        greeting = Greeting(channel, asker.id, asker.name, text, server)
        verdict = await self._admission.ask(
            IncomingMessage(
                f"greeting-{next(self._numbers)}",
                place,
                asker.id,
                text,
                is_command=True,
                persona=persona,
                payload=greeting,
            )
        )
        return ControlRefused.BUSY if verdict in (Verdict.FULL, Verdict.CLOSED) else None

    async def _meant(self, channel: str, message: str) -> OwnMessage | None:
        return (
            await self._own.about(message)
            if message
            else await self._own.last(channel, server=server_of(self._client, channel))
        )

    async def _again(
        self,
        asker: Asker,
        own: OwnMessage,
        message: discord.Message,
        *,
        supersedes: tuple[Receipt, ...] = (),
        goes_on: bool = False,
    ) -> ControlRefused | None:
        if own.author != asker.id and not asker.may_manage:
            return ControlRefused.NOT_THEIRS
        if self.running(own.channel):
            return ControlRefused.BUSY
        server = str(message.guild.id) if message.guild else ""
        if (excess := await self._services.limits.admit(asker.id, server)) is not None:
            self._services.metrics.refused(excess.value)
            return ControlRefused.TOO_MUCH
        request = ReplyRequest(
            message,
            own.author,
            server,
            heard_at=asyncio.get_running_loop().time(),
            supersedes=supersedes,
            goes_on=goes_on,
            is_past=True,
            admitted=asker.id,
        )
        key = f"{message.id}#{'more' if goes_on else 'again'}-{next(self._numbers)}"
        await self._admission.ask(
            IncomingMessage(
                key, own.channel, own.author, message.content, is_command=True, persona=own.persona, payload=request
            )
        )
        return None

    async def _fetched(self, channel: str, message: str) -> discord.Message | None:
        try:
            place = self._client.get_channel(int(channel)) or await self._client.fetch_channel(int(channel))
            if not isinstance(place, discord.abc.Messageable):
                return None
            return await place.fetch_message(int(message))
        except discord.HTTPException:
            return None
