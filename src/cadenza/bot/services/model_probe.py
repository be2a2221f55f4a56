"""Ask a model for one word, to test whether it answers and how fast."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import Sentence
from ...models.fallback import ModelSource
from ...replies.reply import reply
from ...settings import Settings
from ...targets.memory import MemoryTarget
from ...types import Broke, Completed, Line, Persona, Scene

_SECONDS = 30.0
"""Timeout for the answer."""


@dataclass(frozen=True, slots=True)
class Probe:
    """The result of a test."""

    seconds: float
    word: str = ""
    """The answer, shortened."""
    model: str = ""
    """The model that answered; it may be a fallback."""
    trouble: Sentence | None = None
    """Why there is no answer."""


async def probe(sources: Sequence[ModelSource], settings: Settings) -> Probe:
    """Ask *sources* for one word, for at most half a minute."""
    brief = {"degree": 0, "turn_timeout": _SECONDS, "first_timeout": _SECONDS, "show_errors": "off", "tables": "source"}
    scene = Scene("probe", Persona("Cadenza"), history=(Line("Operator", "Answer with the single word: ready"),))
    target, began = MemoryTarget(), asyncio.get_running_loop().time()
    answer = await reply(scene, sources, target, settings=settings.with_values(brief))
    seconds = asyncio.get_running_loop().time() - began
    said = " ".join("".join(target.texts).split())
    match answer.outcome:
        case Completed() if said:
            return Probe(seconds, said if len(said) <= 60 else said[:59] + "…", answer.model)
        case Broke(error):
            return Probe(seconds, trouble=error.sentence)
        case _:
            return Probe(seconds, trouble=Sentence("it gave no answer in time"))
