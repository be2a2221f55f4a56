"""A bot that answers a mention with OpenAI's own client: ``python examples/discord_openai.py``.

It needs ``DISCORD_TOKEN`` and ``OPENAI_API_KEY``. Who answers one of its messages goes on with that conversation. Discord
sends the text of messages that mention the bot without any privileged intent.
"""

import os

import discord
from openai import AsyncOpenAI

import cadenza

client = discord.Client(intents=discord.Intents.default())
openai = AsyncOpenAI()


@client.event
async def on_message(message: discord.Message) -> None:
    """Answer a message that mentions the bot, knowing what it answers."""
    if client.user in message.mentions and not message.author.bot:
        messages = cadenza.chat_messages(await cadenza.history(message, chain=True))
        stream = openai.chat.completions.create(model="gpt-5.1", messages=messages, stream=True)
        await cadenza.say(message, stream)


if __name__ == "__main__":
    client.run(os.environ["DISCORD_TOKEN"])
