"""After a death: what the process before this one was answering is finished, marked or left, and never said twice."""

from __future__ import annotations

from enum import Enum

import discord

from ..service.journal import Entry


class Fate(Enum):
    """What becomes of a message that was being answered."""

    ANSWER = "answer"
    """Nobody has seen an answer: it is answered now."""
    FINISH = "finish"
    """A part of the answer stands there: it goes on."""
    MARK = "mark"
    """People are told that the rest is missing."""
    DROP = "drop"
    """Nobody waits for it any more."""


async def fate_of(
    entry: Entry, client: discord.Client, *, after_restart: str, now: float
) -> tuple[Fate, discord.Message | None]:
    """What becomes of *entry*, and the message that it answers, if that is still there. Never raises.

    It looks at what stands in the channel behind that message, not only at what was written down.
    """
    raise NotImplementedError
