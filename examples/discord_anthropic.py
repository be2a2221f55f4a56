"""A bot for direct messages and threads, with Anthropic's own client: ``python examples/discord_anthropic.py``.

It needs ``DISCORD_TOKEN``, ``ANTHROPIC_API_KEY``, the message content intent and the permission to create threads. A
message that mentions the bot opens a thread; there, and in private, every message is answered.
"""

import os

import discord
from anthropic import AsyncAnthropic

import cadenza

intents = discord.Intents.default()
intents.message_content = True
client = discord.Client(intents=intents)
anthropic = AsyncAnthropic()


@client.event
async def on_message(message: discord.Message) -> None:
    """Answer in private and in the bot's own threads; open one where the bot is mentioned."""
    place = message.channel
    if message.author.bot or not message.content:  # such as the line that begins a thread
        return
    if isinstance(place, discord.TextChannel) and client.user in message.mentions:
        thread = await message.create_thread(name=message.clean_content[:80])
        await answer(thread, await cadenza.history(message, limit=1))
    elif isinstance(place, discord.DMChannel) or (isinstance(place, discord.Thread) and place.owner == place.guild.me):
        await answer(place, await cadenza.history(message))


async def answer(place: discord.DMChannel | discord.Thread, lines: tuple[cadenza.Line, ...]) -> None:
    """Say what the model answers to *lines*."""
    messages = cadenza.chat_messages(lines)
    await cadenza.say(place, anthropic.messages.stream(model="claude-sonnet-5", max_tokens=2000, messages=messages))


if __name__ == "__main__":
    client.run(os.environ["DISCORD_TOKEN"])
