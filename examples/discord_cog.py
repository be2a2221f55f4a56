"""A cog with a slash command, ``/ask``, whose answer may be for the asker alone: ``python examples/discord_cog.py``.

It needs ``DISCORD_TOKEN`` and ``OPENAI_API_KEY``, and no privileged intent. A bot of your own loads the cog with
``await bot.load_extension("discord_cog")``.
"""

import os

import discord
from discord import app_commands
from discord.ext import commands
from openai import AsyncOpenAI

import cadenza


class Questions(commands.Cog):
    """Answers questions."""

    def __init__(self) -> None:
        self._openai = AsyncOpenAI()

    @app_commands.command()
    @app_commands.describe(question="What you would like to know", hidden="Whether only you see the answer")
    async def ask(self, interaction: discord.Interaction, question: str, *, hidden: bool = False) -> None:
        """Ask the model."""
        await interaction.response.defer(ephemeral=hidden)  # what begins ephemeral stays so
        stream = self._openai.chat.completions.create(
            model="gpt-5.1", messages=[{"role": "user", "content": question}], stream=True
        )
        await cadenza.say(interaction, stream)


async def setup(bot: commands.Bot) -> None:
    """Add the cog; ``load_extension`` calls this."""
    await bot.add_cog(Questions())


class Bot(commands.Bot):
    """A bot with nothing but the cog."""

    async def setup_hook(self) -> None:
        """Add the cog, and tell Discord which commands there are."""
        await setup(self)
        await self.tree.sync()


if __name__ == "__main__":
    Bot(commands.when_mentioned, intents=discord.Intents.default()).run(os.environ["DISCORD_TOKEN"])
