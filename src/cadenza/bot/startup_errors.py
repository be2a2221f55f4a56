"""What keeps a bot from its work, in one sentence each: what happened and what to do."""

from __future__ import annotations

import asyncio

import aiohttp
import discord

from ..errors import CadenzaError

_PORTAL = "https://discord.com/developers/applications"
_CLOSED: dict[int, str] = {
    4004: "Discord does not know the token any more; reset it in the developer portal and put the new one into {variable}",
    4010: "Discord refuses the number of shards; run only one process with this token",
    4011: "the bot is in too many servers for one connection; it needs shards, which this program does not have",
    4013: "Discord does not know an intent that was asked for; update discord.py",
    4014: "the bot asks for an intent that is not switched on; switch it on at {portal} (your application, Bot, "
    "Privileged Gateway Intents), or set message_content and members to 'off' in [discord]",
}


class StartError(CadenzaError):
    """The bot cannot be at work; its text says why and what to do."""

    def __init__(self, message: str, *, is_passing: bool = False) -> None:
        super().__init__(message)
        self.is_passing = is_passing
        """Whether it may work later without anybody doing anything."""


def is_passing(error: BaseException) -> bool:
    """Whether *error*, which a client of discord.py raised, may be gone later: the network, or Discord itself."""
    match error:
        case discord.HTTPException():
            return error.status == 429 or error.status >= 500
        case discord.GatewayNotFound() | aiohttp.ClientError() | asyncio.TimeoutError() | OSError():
            return True
        case _:
            return False


def sentence_of(error: BaseException, *, variable: str) -> str | None:
    """What *error*, which a client of discord.py raised, means for who runs it; ``None`` if it is nothing of the kind.

    The token stands in *variable*. Nothing of the error's own text is repeated.
    """
    match error:
        case discord.LoginFailure():
            return (
                f"Discord does not know the token in {variable}; copy it anew from {_PORTAL} "
                "(your application, Bot, Reset Token)"
            )
        case discord.PrivilegedIntentsRequired():
            return _CLOSED[4014].format(variable=variable, portal=_PORTAL)
        case discord.ConnectionClosed():
            told = _CLOSED.get(error.code, "Discord closed the connection (code {code}) and wants no other; try later")
            return told.format(variable=variable, portal=_PORTAL, code=error.code)
        case discord.HTTPException():
            return _refused(error.status, variable)
        case discord.GatewayNotFound():
            return "Discord does not say where its gateway is; it may be down: see discordstatus.com and try later"
        case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientConnectorSSLError():
            return (
                "whoever answers in Discord's place has no certificate that can be trusted; see to your proxy or clock"
            )
        case aiohttp.ClientError() | asyncio.TimeoutError() | OSError():
            return f"Discord cannot be reached ({type(error).__name__}); see to the network, a proxy or a firewall"
        case _:
            return None


def _refused(status: int, variable: str) -> str:
    if status == 401:
        return f"Discord does not know the token in {variable}; copy it anew from {_PORTAL} (your application, Bot)"
    if status == 429:
        return "Discord listens to nobody at this address for a while, as it was called too often; try in an hour"
    if status >= 500:
        return f"Discord does not answer at present (status {status}); see discordstatus.com and try later"
    return f"Discord refused a call that the start needs (status {status}); 'cadenza doctor' may know why"
