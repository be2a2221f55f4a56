"""A bot whose model rolls dice and looks at the clock: ``python examples/discord_tools.py``.

It needs ``DISCORD_TOKEN`` and the key of whichever model ``MODEL`` names, such as ``ollama:llama3.2``, which needs none.
"""

import os
import random
from datetime import datetime
from zoneinfo import ZoneInfo

import discord

import cadenza

MODEL = os.environ.get("MODEL", "openai:gpt-5.1")
client = discord.Client(intents=discord.Intents.default())


def roll(sides: int = 6, dice: int = 1) -> list[int]:
    """Roll dice.

    Args:
        sides: how many sides each has
        dice: how many are rolled, at most 20
    """
    return [random.randint(1, sides) for _ in range(min(dice, 20))]


def now(zone: str = "Europe/London") -> str:
    """Tell the time in a zone of the tz database."""
    return f"{datetime.now(ZoneInfo(zone)):%A %H:%M}"  # an unknown zone is told to the model, which tries another


@client.event
async def on_message(message: discord.Message) -> None:
    """Answer a message that mentions the bot; the model knows the messages before it."""
    if client.user in message.mentions and not message.author.bot:
        async with cadenza.connect(MODEL) as model:
            await cadenza.reply(message, model, tools=[roll, now])


if __name__ == "__main__":
    client.run(os.environ["DISCORD_TOKEN"])
