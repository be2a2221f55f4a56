"""Commands used in the whole bot: the room of the bot, for whoever uses commands in it and looks at what they are told."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cadenza.bot.commands.context import CommandContext
from cadenza.bot.services.models import ModelRegistry
from cadenza.bot.wiring import BotServices
from cadenza.sim import interactions
from tests.bot.bot_room import BotRoom, OneModel
from tests.bot.command_room import CommandRoom, Remote, _over

JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")


async def heard_of(condition: Callable[[], object]) -> None:
    """Wait until *condition* holds of what the bot knows, of which nobody is told."""
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110  # what a client of discord.py keeps in mind sets no event
            await asyncio.sleep(0.001)


def told(room: CommandRoom) -> str:
    """All words of the one answer, which nobody else may see."""
    if room.form is not None:
        return ""
    [message] = room.answers
    assert room.is_ephemeral
    boxes = [f"{box.get('title', '')} {box.get('description', '')}" for box in message["embeds"]]
    return " ".join([message["content"], *boxes])


class Stocked(OneModel):
    """One model that answers, and for all else the shelf of a real bot."""

    def __init__(self, answering: OneModel, namespace: ModelRegistry) -> None:
        super().__init__(answering._answer)
        self._namespace = namespace

    def __getattr__(self, name: str) -> Any:
        return getattr(self._namespace, name)


def stocked(services: BotServices) -> BotServices:
    assert isinstance(services.models, OneModel)
    models: Any = Stocked(services.models, ModelRegistry(services.config, services.store, services.seal))
    return replace(services, models=models)


class QuickRoom(CommandRoom):
    """A room in which nobody waits longer than it takes: there are two hundred uses."""

    async def _answered(self, interaction: str) -> str:
        self.last = interaction
        state = interactions.find(self.world.state, interaction)
        await heard_of(lambda: state.is_answered and not self._is_loading())
        await _over()
        self.answers = self._answers()
        return told(self)


def commands_of(room: BotRoom) -> CommandRoom:
    """The same room, for whoever uses commands in it."""
    context = CommandContext(room.services, room.bot.control, room.bot)
    return QuickRoom(
        room.world, room.server, room.bot, room.bot.tree, context, Remote(), room.me, room.mia, room.tom, room.guild,
        room.general,
    )  # fmt: skip
