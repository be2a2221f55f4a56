"""Whether a message is answered, and by whom. Only decisions: everything is handed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from ..characters.character import Character
from ..config.config import ConversationConfig
from .choices import Choice
from .said import Said


class Cause(Enum):
    """Why a message is answered."""

    DIRECT = "direct"
    MENTION = "mention"
    REPLY = "reply"
    WORD = "word"
    CHANNEL = "channel"
    EVERY = "every"


@dataclass(frozen=True, slots=True)
class Call:
    """A character is to answer."""

    persona: str
    """Its name."""
    cause: Cause


def calls(
    said: Said,
    cast: Sequence[Character],
    config: ConversationConfig,
    choice: Choice,
    *,
    since_last: int = 0,
    links: int = 0,
) -> tuple[Call, ...]:
    """Who answers *said*, in this order; empty if nobody does.

    *cast* is who may speak there, the main one first. *since_last* is how many messages were said there since the bot
    last spoke, this one included. *links* is how many answers of characters to each other came before, if *said* is by
    one of them: at ``cascade_limit`` nobody answers. No character answers itself, and the bot never itself.
    """
    raise NotImplementedError
