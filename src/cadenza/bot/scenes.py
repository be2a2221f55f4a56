"""All that a reply starts from, put together for one turn."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import discord

from ..characters.character import Character
from ..memory.whereabouts import Whereabouts
from ..service.choices import Choice
from ..types import Scene
from .staff import Staff


@dataclass(frozen=True, slots=True)
class Occasion:
    """Why, where and by whom something is to be said."""

    message: discord.Message
    """What is answered; the newest of several."""
    character: Character
    cast: tuple[Character, ...]
    """Everybody who may speak there, the main one first."""
    choice: Choice
    where: Whereabouts
    without: Collection[str] = ()
    """Ids of messages that are left out of the history."""
    goes_on: bool = False
    """Whether the last reply is to go on where it ended."""


async def scene_for(occasion: Occasion, staff: Staff, me: discord.ClientUser) -> Scene:
    """The scene for *occasion*: persona, history, roster, what is remembered, lore, samples, notes."""
    raise NotImplementedError
