"""Recognises what a reply can be delivered to, without importing the library it comes from; type checkers know it."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import InputError, Sentence

if TYPE_CHECKING:
    import discord

    DiscordPlace: TypeAlias = (
        discord.abc.Messageable | discord.Message | discord.PartialMessage | discord.Interaction[Any]
    )
    """A channel, thread, user, member, context, message or interaction of discord.py."""
    DiscordMessage: TypeAlias = discord.Message
    DiscordClient: TypeAlias = discord.Client

OTHER_CLIENTS = ("disnake", "nextcord", "hikari", "interactions", "selfcord")
"""Other clients of Discord, by the packages that they install."""


def is_client(thing: object) -> bool:
    """Whether *thing* is a client of discord.py."""
    return any((base.__module__, base.__name__) == ("discord.client", "Client") for base in type(thing).__mro__)


def is_of_discord(thing: object) -> bool:
    """Whether *thing* is an object of discord.py, or of a library that installs itself under the same name."""
    return "discord" in _packages(thing)


def check_loop(call: str) -> None:
    """Refuse to work without the event loop of asyncio, such as under another library's."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        msg = Sentence("{call} needs a running loop of asyncio; await it in a coroutine that asyncio runs", call=call)
        raise InputError(msg) from None


def check_limit(name: str, value: object) -> None:
    """Refuse anything but a whole number of at least one."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        msg = Sentence(
            "{name} must be a whole number of at least 1, not {value}",
            name=name,
            value=value if isinstance(value, int) else type(value).__name__,
        )
        raise InputError(msg)


def refuse_no_place(place: object) -> None:
    """Raise an ``InputError`` if *place* is known to be none: an id, a name, or an object of another client of Discord."""
    if place is None or isinstance(place, int | str):
        kind = type(place).__name__  # not its value, which may be a misplaced secret
        msg = Sentence(
            "{kind} is not a channel; pass the channel object, which client.get_channel returns once it is ready",
            kind=kind,
        )
        raise InputError(msg)
    if all(hasattr(place, name) for name in ("limits", "send", "typing")):
        return  # a target, wherever its class is from
    other = next((name for name in OTHER_CLIENTS if name in _packages(place)), None)
    if other is None and is_of_discord(place) and _is_pycord():
        other = "py-cord"
    if other is not None:
        msg = Sentence(
            "this {place_type} is of {library}, and Cadenza speaks to Discord through discord.py; "
            "pass a Target for it, as docs/recipes/other-clients.md shows",
            place_type=type(place).__name__,
            library=other,
        )
        raise InputError(msg)


def _packages(thing: object) -> set[str]:
    return {base.__module__.partition(".")[0] for base in type(thing).__mro__}


def _is_pycord() -> bool:
    """Whether the package ``discord`` is py-cord's."""
    return getattr(sys.modules.get("discord"), "__title__", "discord") == "pycord"
