"""A bot with a command, ``!ask``, whose answers come from an agent of Pydantic AI: ``python examples/discord_pydantic_ai.py``.

It needs ``DISCORD_TOKEN``, the key of whichever model ``MODEL`` names, and the message content intent.
"""

import os
import random

import discord
from discord.ext import commands
from pydantic_ai import Agent

import cadenza

agent = Agent(os.environ.get("MODEL", "openai:gpt-5.1"), instructions="You are a friendly croupier.")
intents = discord.Intents.default()
intents.message_content = True
bot = commands.Bot("!", intents=intents)


@agent.tool_plain
def roll(sides: int = 6) -> int:
    """Roll a die with so many sides."""
    return random.randint(1, sides)


@bot.command()
async def ask(context: commands.Context[commands.Bot], *, question: str) -> None:
    """Ask the croupier."""
    await cadenza.say(context, agent.run_stream_events(question))


if __name__ == "__main__":
    bot.run(os.environ["DISCORD_TOKEN"])
