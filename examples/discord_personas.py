"""Two characters in one channel, each with a name and an avatar of its own: ``python examples/discord_personas.py``.

It needs ``DISCORD_TOKEN``, the key of whichever model ``MODEL`` names, the message content intent and the permission to
manage webhooks. A character answers when its name is called; of several one after the other.
"""

import os
import re

import discord

import cadenza
from cadenza import Persona, Settings

MODEL = os.environ.get("MODEL", "openai:gpt-5.1")
CAST = (
    Persona(
        "Ren",
        avatar="https://cdn.discordapp.com/embed/avatars/3.png",
        prompt="You are Ren, a fox who knows the night sky. You chat in two or three short lines.",
        is_alter=True,
    ),
    Persona(
        "Mori",
        avatar="https://cdn.discordapp.com/embed/avatars/2.png",
        prompt="You are Mori, an owl who knows the woods and doubts what Ren says. You chat in two or three short lines.",
        is_alter=True,
    ),
)
intents = discord.Intents.default()
intents.message_content = True
client = discord.Client(intents=intents)
chatting = Settings.of(shape="lines", typing=True)


@client.event
async def on_message(message: discord.Message) -> None:
    """Let every character answer whose name is in the message."""
    if message.author.bot:  # webhooks too: the characters do not answer each other
        return
    for persona in CAST:
        if re.search(rf"\b{persona.name}\b", message.content, re.IGNORECASE):
            async with cadenza.connect(MODEL) as model:
                await cadenza.reply(message, model, persona=persona, settings=chatting)


if __name__ == "__main__":
    client.run(os.environ["DISCORD_TOKEN"])
