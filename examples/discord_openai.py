"""A bot that answers whoever mentions it, with OpenAI's own client: ``python examples/discord_openai.py``.

It needs ``DISCORD_TOKEN`` and ``OPENAI_API_KEY``, and the message content intent in Discord's developer portal.
"""

import os

import discord
from openai import AsyncOpenAI

import cadenza

intents = discord.Intents.default()
intents.message_content = True
client = discord.Client(intents=intents)
openai = AsyncOpenAI()


@client.event
async def on_message(message: discord.Message) -> None:
    """Answer a message that mentions the bot."""
    if client.user in message.mentions and not message.author.bot:
        answer = openai.chat.completions.create(
            model="gpt-5.1", messages=[{"role": "user", "content": message.clean_content}], stream=True
        )
        await cadenza.say(message, answer)


if __name__ == "__main__":
    client.run(os.environ["DISCORD_TOKEN"])
