"""What the generations of Claude take: how they are told to think, and what they refuse.

Each refusal here is an answer with status 400, so a request has to know. What is not known to be a Claude (others
speak this dialect too) is taken for an older one that thinks only when it is told to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

_NAME = re.compile(
    r"claude-(?:(?P<old>\d)(?:[.-](?P<old_minor>\d))?(?:-|$))?"  # claude-3-5-haiku, claude-2.1
    r"(?:(?P<family>[a-z]+)(?:-(?P<major>\d{1,2})(?!\d)(?:[.-](?P<minor>\d{1,2})(?!\d))?)?)?"  # claude-opus-4-7
)
_OLD_FAMILIES = ("opus", "sonnet", "haiku", "instant", "v")
"""Families that are older than what is asked here; any later one began with all of it, whatever its number."""
_LATEST = (99, 0)


class Silence(Enum):
    """How a model is told not to think."""

    DISABLED = "disabled"
    BETWEEN_TOOLS = "between_tools"
    """It only takes a note between one call and the next."""
    NEVER = "never"
    """It cannot be: little effort is the least."""


@dataclass(frozen=True, slots=True)
class Claude:
    """What one model takes."""

    thinks: bool = True
    """Whether it can think at all."""
    adapts: bool = False
    """Whether it decides itself how long to think and is told only how hard to try; others get a budget."""
    hides_thoughts: bool = False
    """Whether it shows its thoughts only when asked to."""
    silence: Silence = Silence.DISABLED
    samples: bool = True
    """Whether it takes a temperature and its like."""
    samples_twice: bool = True
    """Whether it takes ``temperature`` and ``top_p`` together."""
    prefill: bool = True
    """Whether it goes on where a last turn of its own ends."""
    answer_tokens: int = 8192
    """The longest answer, if nobody said."""


def claude(model: str) -> Claude:
    """What *model* takes, by its name as any of its sellers writes it."""
    found = _NAME.search(model.lower())
    if found is None:
        return Claude()
    family = found["family"] or ""
    version = (int(found["old"] or found["major"] or 0), int(found["old_minor"] or found["minor"] or 0))
    if family and family not in _OLD_FAMILIES:
        version = _LATEST
    elif version == (0, 0):
        return Claude()
    return Claude(
        thinks=version >= (3, 7),
        adapts=version >= (4, 6),
        hides_thoughts=version >= (4, 7),
        silence=_silence(family, version),
        samples=version < (4, 7),
        samples_twice=version < (4, 1),
        prefill=version < (4, 6),
        answer_tokens=8192 if version >= (3, 5) else 4096,
    )


def _silence(family: str, version: tuple[int, int]) -> Silence:
    if version == _LATEST or (family == "opus" and version >= (5, 5)):
        return Silence.NEVER
    if family == "sonnet" and version >= (5, 5):
        return Silence.BETWEEN_TOOLS
    return Silence.DISABLED
