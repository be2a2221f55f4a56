"""Messages as discord.py has them: those that stand in the simulated Discord, and such as cannot be said there."""

from __future__ import annotations

from typing import Any

import discord

from cadenza.sim import objects
from cadenza.sim.people import Person
from tests.bot.evening import Evening

AT = "2026-11-16T12:00:00+00:00"
_ids = iter(range(900_000_000_000_000_000, 900_000_000_001_000_000))


def channel_of(evening: Evening, channel: str = "") -> Any:
    """A channel as the bot has it."""
    found = evening.client.get_channel(int(channel or evening.general))
    assert found is not None
    return found


async def heard(evening: Evening, message: str, channel: str = "") -> discord.Message:
    """A message that stands in a channel, as Discord tells it."""
    return await channel_of(evening, channel).fetch_message(int(message))


def made(evening: Evening, content: str = "", *, by: Person | None = None, **fields: Any) -> discord.Message:
    """A message that was never sent, with whatever *fields* Discord may give it."""
    person = by or evening.mia
    author = {
        "id": person.id,
        "username": person.name.lower(),
        "global_name": person.name,
        "discriminator": "0",
        "avatar": None,
    }
    data: Any = {**objects.message(str(next(_ids)), evening.general, author, content, AT), **fields}
    connection: Any = evening.client._connection  # there is no public way to make a message
    return discord.Message(state=connection, channel=channel_of(evening), data=data)


def me(evening: Evening) -> discord.ClientUser:
    """The bot itself."""
    assert evening.client.user is not None
    return evening.client.user


def says_as(evening: Evening, name: str, text: str = "", **payload: Any) -> str:
    """A character says something through a webhook of the bot; gives back the message's id."""
    hooks = evening.world.channel_webhooks(evening.bot.id, evening.general)
    hook = hooks[0] if hooks else evening.world.create_webhook(evening.bot.id, evening.general, {"name": "Cadenza"})
    said = {"content": text, "username": name, **payload}
    return str(evening.world.execute_webhook(hook["id"], hook["token"], said)["id"])


def bot_says(evening: Evening, text: str = "", channel: str = "", **payload: Any) -> str:
    """The bot says something itself."""
    return str(
        evening.world.create_message(evening.bot.id, channel or evening.general, {"content": text, **payload})["id"]
    )
