"""A small bot to be run in tests of running: it answers everything through the pipeline, and knows one command."""

from __future__ import annotations

from pathlib import Path

import aiohttp
import discord
from discord import app_commands

from cadenza.bot.runtime import RunningClient
from cadenza.bot.wiring import BotServices
from cadenza.replies.reply import reply
from cadenza.settings import Settings
from cadenza.targets.discord_py.channel_info import room_of
from cadenza.targets.discord_py.client_state import ClientState
from cadenza.types import Line, Persona, Scene

SETTINGS = Settings().with_values({"degree": 1, "typing_budget": 0.0, "typing_least": 0.0})


class SmallBot(discord.Client):
    """Answers whoever is not a program."""

    def __init__(self, services: BotServices, intents: discord.Intents, trace: aiohttp.TraceConfig) -> None:
        super().__init__(intents=intents, http_trace=trace, guild_ready_timeout=0.05)
        self._services = services
        self._busy = 0
        self.has_wound_down = False
        self.tree: app_commands.CommandTree[SmallBot] = app_commands.CommandTree(self)
        self.tree.add_command(app_commands.Command(name="echo", description="Say it again.", callback=_echo))

    async def setup_hook(self) -> None:
        await self.tree.sync()

    async def on_message(self, message: discord.Message) -> None:
        if message.author.bot:
            return
        self._busy += 1
        try:
            scene = Scene(str(message.channel.id), Persona("Cadenza"), (Line(message.author.name, message.content),))
            target = await ClientState.of(self).target(await room_of(message))
            await reply(scene, await self._services.models.sources(""), target, settings=SETTINGS)
        finally:
            self._busy -= 1

    async def wind_down(self) -> None:
        self.has_wound_down = True

    def is_busy(self, _channel: str) -> bool:
        return bool(self._busy)


async def _echo(interaction: discord.Interaction[SmallBot], words: str) -> None:
    await interaction.response.send_message(words, ephemeral=True)


def small_bot(services: BotServices, intents: discord.Intents, trace: aiohttp.TraceConfig) -> RunningClient:
    """As ``cadenza_bot``, but small."""
    bot = SmallBot(services, intents, trace)
    return RunningClient(bot, bot.wind_down, bot.is_busy)


def configured(folder: Path, text: str = "", token: str = "sim-token") -> Path:  # noqa: S107  # of a world in memory
    """A configuration in *folder*, with a token beside it; its model is a script."""
    (folder / "answer.jsonl").write_text('{"text": "Hello."}\n{"finish": "stop"}\n', encoding="utf-8")
    (folder / "cadenza.toml").write_text(text or '[models]\ndefault = "script:answer.jsonl"\n', encoding="utf-8")
    if token:
        (folder / ".env").write_text(f"DISCORD_TOKEN={token}\n", encoding="utf-8")
        (folder / ".env").chmod(0o600)
    return folder / "cadenza.toml"
