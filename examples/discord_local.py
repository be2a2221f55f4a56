"""A slash command, ``/ask``, answered by a model on this machine: ``python examples/discord_local.py``.

It needs ``DISCORD_TOKEN`` and a model: Ollama's by default, or whichever ``MODEL`` names.
"""

import os

import discord
from discord import app_commands

from cadenza import Line, Persona, Scene, Speaker, connect, reply

client = discord.Client(intents=discord.Intents.default())
commands = app_commands.CommandTree(client)
speaker = Speaker(client)
ren = Persona("Ren", prompt="You are a fox who knows the night sky. Answer in two or three short sentences.")


@commands.command()
async def ask(interaction: discord.Interaction, question: str) -> None:
    """Ask the fox."""
    target = await speaker.target(interaction)
    scene = Scene(str(interaction.channel_id), ren, history=(Line(interaction.user.display_name, question),))
    async with connect(os.environ.get("MODEL", "ollama:llama3.2")) as model:
        await reply(scene, model, target)


@client.event
async def setup_hook() -> None:
    """Tell Discord which commands there are."""
    await commands.sync()


if __name__ == "__main__":
    client.run(os.environ["DISCORD_TOKEN"])
