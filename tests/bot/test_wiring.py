"""Who works for a bot."""

from __future__ import annotations

from dataclasses import replace

from cadenza.bot.characters.character import Character
from cadenza.bot.config.config import Config
from cadenza.bot.config.current import Current
from cadenza.bot.services.explanations import Explanation
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.wiring import build
from tests.bot.command_room import MirrorSeal


async def test_everybody_follows_the_configuration_as_it_changes() -> None:
    current = Current(Config())
    services = build(current, MemoryStore(), MirrorSeal())
    current.change(replace(Config(), personas=(Character("Ren", is_main=True),)))

    assert ["Ren"] == [one.name for one in await services.cast.of("")]


async def test_who_is_forgotten_is_forgotten_also_where_nothing_is_written_down() -> None:
    services = build(Current(Config()), MemoryStore(), MirrorSeal())
    services.explanations._remembered["9"] = Explanation((), author="7")

    await services.memory.privacy.forget("7")

    assert await services.explanations.about("9") is None
